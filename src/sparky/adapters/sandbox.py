"""From a policy to the orders for the launcher (`confine.py`): the ways to confine, and what each one shows.

Every way hides the home directories, `/run`, the shared temporary directories and what the caller names, and
shows of them what the policy names, with the Python that runs sparky. Paths of a policy must not lie where a
confined process could replace them.
"""

import os
import pwd
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparky.domain.command import Command, Level, Policy

LAUNCHER = Path(__file__).with_name("confine.py")
_START = f"import sys; sys.path.append({str(LAUNCHER.parent)!r}); import confine; confine.main()"
INTERPRETER = (sys.executable, "-I", "-S", "-c", _START)
"""What is imported is compiled once: a program that is run by its path, each time."""


@dataclass(frozen=True, kw_only=True)
class Way:
    """One way to confine. `gaps` says to a person what it does not cover."""

    name: str
    level: Level
    landlock: bool = True
    namespaces: bool = False
    bubblewrap: bool = False
    gaps: tuple[str, ...] = ()


BUBBLEWRAP = Way(name="bubblewrap and Landlock", level=Level.BUBBLEWRAP, bubblewrap=True)
BUBBLEWRAP_ALONE = Way(name="bubblewrap", level=Level.BUBBLEWRAP, bubblewrap=True, landlock=False)
NAMESPACES = Way(name="Landlock and namespaces", level=Level.LANDLOCK, namespaces=True)
LANDLOCK_ALONE = Way(
    name="Landlock",
    level=Level.LANDLOCK,
    gaps=(
        "without network there is no loopback of its own either",
        "UNIX sockets that the user may open stay reachable, also with network denied",
        "owner, mode and times of files can be changed wherever the user may (truncated, before Linux 6.2)",
        "shared memory and the list of processes are those of the machine (before Linux 6.12: signals, too)",
        "of temporary directories there is only TMPDIR: programs that write to /tmp by name fail",
    ),
)
WAYS = (BUBBLEWRAP, BUBBLEWRAP_ALONE, NAMESPACES, LANDLOCK_ALONE) if sys.platform == "linux" else ()

ROOT = Path("/")
TEMPORARY = (ROOT / "tmp", ROOT / "var" / "tmp")
SHARED_MEMORY = ROOT / "dev" / "shm"
HIDDEN = (ROOT / "home", ROOT / "root", ROOT / "run", *TEMPORARY, SHARED_MEMORY)
RESOLVER = ROOT / "etc" / "resolv.conf"  # on many systems a link into /run
DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts")
FIRST_PERSON = 1000


def interpreter_paths() -> tuple[Path, ...]:
    """What a confined process must read to run the Python that runs sparky, wherever it is installed.

    Parts of its prefixes, not the prefixes: one of them may be the home directory.
    """
    prefixes = dict.fromkeys((sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix))
    parts = ("bin", "lib", "lib64", "include", "pyvenv.cfg")
    return tuple(path for prefix in prefixes for part in parts if _mode(path := Path(prefix, part)))


def hidden_places(home: str | None, also: Iterable[Path] = ()) -> tuple[Path, ...]:
    """The directories closed to confined processes: resolved, outermost only, sorted; those that exist.

    Homes are those of all people in the password database, and `home`; one that is `/` cannot be hidden.
    """
    people = (entry.pw_dir for entry in pwd.getpwall() if entry.pw_uid == 0 or entry.pw_uid >= FIRST_PERSON)
    named = [
        path.resolve() for path in (*HIDDEN, *map(Path, people), *also, *map(Path, [home] if home else []))
    ]
    places = {place for place in named if stat.S_ISDIR(_mode(place)) and place != Path("/")}
    return tuple(sorted(place for place in places if not places & set(place.parents)))


def open_places(hidden: Sequence[Path], top: Path = Path("/")) -> Iterator[Path]:
    """The widest directories and the files below `top` that hold no hidden place; links are left out."""
    try:
        entries = sorted(top.iterdir())
    except PermissionError:
        return
    for path in entries:
        if path.is_symlink() or path in hidden:
            continue
        if any(place.is_relative_to(path) for place in hidden):
            yield from open_places(hidden, path)
        else:
            yield path


def orders(
    command: Command,
    env: Mapping[str, str],
    *,
    way: Way | None,
    hidden: Sequence[Path],
    private: Path,
    bwrap: str,
) -> bytes:
    """The launcher's orders for a command; without a way it is run unconfined, but to its last descendant.

    `private` is the command's own directory, with `tmp` and `home` in it; `bwrap` the program's path. Raises
    ValueError for what no process can be given: a null byte in a word.
    """
    pairs = [("argv", part) for part in command.argv]
    pairs += [("env", f"{name}={value}") for name, value in env.items()]
    pairs += [("cwd", str(command.cwd))]
    if way is not None and command.policy is not None:
        pairs += _confinement(command.policy, way, hidden, private, bwrap)
    if any("\0" in word for _, word in pairs):
        raise ValueError("embedded null byte")
    return b"".join(os.fsencode(word) + b"\0" for pair in pairs for word in pair)


def _confinement(
    policy: Policy, way: Way, hidden: Sequence[Path], private: Path, bwrap: str
) -> Iterator[tuple[str, str]]:
    view = _view(policy, hidden, private)
    own_loopback = (way.namespaces or way.bubblewrap) and not policy.ports
    flags = {
        "confined": True,
        "network": policy.network,
        "landlock": way.landlock,
        "own_loopback": own_loopback,
    }
    yield from ((name, "1") for name, given in flags.items() if given)
    yield "private", str(private)
    yield from (("port", str(port)) for port in policy.ports)
    if way.namespaces or way.bubblewrap:  # files are arranged, so that no listing shows a hidden place
        yield "list", "/"
    yield from (("read", str(path)) for path in (*open_places([*hidden, Path("/dev")]), *view.readable))
    yield from (("write", str(path)) for path in view.writable)
    yield from (("write", str(SHARED_MEMORY)) for _ in range(SHARED_MEMORY.is_dir()))
    yield from (("device", f"/dev/{name}") for name in DEVICES)
    if way.namespaces:
        yield "namespaces", "1"
        yield "tmp_source", str(private / "tmp")
        yield from (("tmp", str(place)) for place in view.temporary)
        yield from (("hide", str(place)) for place in view.emptied)
        for link, target in view.links:
            yield from (("link", link), ("link_target", target))
        yield from (("show", mode + str(path)) for mode, path in view.shown)
    if way.bubblewrap:
        yield from (("bubblewrap", word) for word in _bubblewrap(bwrap, view, policy, private / "tmp"))


@dataclass(frozen=True, kw_only=True)
class _View:
    """What a confined process sees of hidden places. `shown` is in the order of mounting, `w` or `r` each."""

    writable: tuple[Path, ...]
    readable: tuple[Path, ...]
    temporary: tuple[Path, ...]
    emptied: tuple[Path, ...]
    links: tuple[tuple[str, str], ...]
    shown: tuple[tuple[str, Path], ...]


def _view(policy: Policy, hidden: Sequence[Path], private: Path) -> _View:
    named_writable = (private / "tmp", private / "home", *policy.writable)
    writable = _unique(path.resolve() for path in named_writable)
    named_readable = [path for path in (*policy.readable, *interpreter_paths(), RESOLVER) if _mode(path)]
    readable = _unique(path.resolve() for path in named_readable)
    readable = tuple(path for path in readable if not _within(path, writable))
    closed = [place for place in hidden if not _within(place, (*writable, *readable))]
    shown = [("w", path) for path in writable]
    shown += [("r", path) for path in readable if _within(path, closed)]
    # A path through links is shown as it is named, too: the links on it may lie in a hidden place.
    by_name = {"r": named_readable, "w": named_writable}
    named = [
        (mode, Path(os.path.normpath(path.absolute()))) for mode, paths in by_name.items() for path in paths
    ]
    shown_paths = {path for _, path in shown}
    shown.sort(key=lambda item: item[1])
    shown += sorted(
        {item for item in named if item[1] not in shown_paths and _within(item[1], closed)},
        key=lambda item: item[1],
    )
    return _View(
        writable=writable,
        readable=readable,
        temporary=tuple(place for place in TEMPORARY if place in closed),
        emptied=tuple(place for place in closed if place not in TEMPORARY),
        links=tuple((str(path), str(path.readlink())) for path in _links(closed)),
        shown=tuple(shown),
    )


def _links(closed: Sequence[Path]) -> list[Path]:
    """The links in `/run` itself: on some systems PATH leads over them."""
    run = Path("/run")
    return [path for path in sorted(run.iterdir()) if path.is_symlink()] if run in closed else []


def _mode(path: Path) -> int:
    """Its mode; 0 if it is not there, or not for this user to see."""
    try:
        return path.stat().st_mode
    except OSError:
        return 0


def _unique(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(paths))


def _within(path: Path, places: Iterable[Path]) -> bool:
    return any(path.is_relative_to(place) for place in places)


def _bubblewrap(bwrap: str, view: _View, policy: Policy, temporary: Path) -> Iterator[str]:
    yield from (bwrap, "--die-with-parent", "--as-pid-1", "--unshare-pid", "--unshare-ipc")
    yield from () if policy.network or policy.ports else ("--unshare-net",)
    yield from ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
    for place in view.emptied:
        yield from ("--tmpfs", str(place))
    for place in view.temporary:
        yield from ("--bind", str(temporary), str(place))
    for link, target in view.links:
        yield from ("--symlink", target, link)
    for mode, path in (*view.shown, ("r", LAUNCHER)):
        yield from ("--bind" if mode == "w" else "--ro-bind", str(path), str(path))
    yield from ("--chdir", "/", "--", *INTERPRETER, "inside")
