"""Reports where they lie: in a folder, or in the tree of any commit, which is never checked out."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sparky.adapters.git import Git, resolve, uncommitted
from sparky.domain.errors import UsageError, UserError
from sparky.domain.report import Filed, OddName, ReportId, next_id, read_name

_LARGEST = 20_000_000  # bytes; what is larger is no report, and is not read into memory
_TRIES = 1000


class ReportsError(UserError):
    """Reports can't be read or written; the text says where, and what to do."""


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """The reports of one place, in the order of their names, and the files that only look like some.

    `read` gives the text of one by its path; raises ReportsError.
    """

    filed: tuple[Filed, ...]
    odd: tuple[OddName, ...]
    read: Callable[[str], str]


def open_folder(folder: Path, git: Git | None = None) -> Shelf:
    """The reports in a folder, not in those below it.

    With `git` (of the repository that the folder lies in) they are ordered by their commits: those that are
    not committed come after all, by the time of the file. Raises ReportsError if the folder can't be listed.
    """
    try:
        times = {path: path.stat().st_mtime for path in sorted(folder.iterdir()) if path.is_file()}
    except OSError as error:
        raise ReportsError(
            f"cannot list {folder}: {error.strerror}; name the folder of the reports"
        ) from error
    commits = _commits(git, "HEAD", folder.resolve()) if git else {}
    last = max((rank for _, rank in commits.values()), default=0)
    ranks = {time: rank for rank, time in enumerate(sorted(set(times.values())), last + 1)}
    found = {str(path): commits.get(path.name, ("", ranks[time])) for path, time in times.items()}
    return _shelf(found, lambda path: _text(Path(path).read_bytes, path))


def open_ref(git: Git, ref: str, under: str = "") -> Shelf:
    """The reports in the tree of a commit, in a folder and below it, else wherever they lie.

    Raises UsageError if there is no such ref.
    """
    sha = resolve(git, ref)
    if sha is None:
        raise UsageError(f"{ref} names no commit: give a branch, a tag or a sha")
    place = PurePosixPath(under).as_posix().strip("/") if under not in {"", "."} else ""
    within = (f"{place}/",) if place else ()
    paths = git.names("ls-tree", "-r", "-z", "--full-tree", "--name-only", sha, *within)
    named = [path for path in paths if read_name(PurePosixPath(path).name)]
    commits = _touched(git, sha, named)
    found = {path: commits.get(path, ("", 0)) for path in named}
    return _shelf(found, lambda path: read_at(git, sha, path))


def read_at(git: Git, ref: str, path: str) -> str:
    """The text of a file in the tree of a commit; raises ReportsError if there is none."""
    done = git.run("cat-file", "blob", f"{ref}:{path}", codes=(0, 128))
    if done.code:
        raise ReportsError(f"{path} is not a file at {ref}")
    return _text(lambda: done.stdout, path)


def read_file(path: Path) -> str:
    """The text of a report's file; what is no UTF-8 is replaced. Raises ReportsError."""
    return _text(path.read_bytes, str(path))


def add_report(folder: Path, agent: str, issue: str, text: str) -> Path:
    """Write a report under the next free name, and give its path.

    Nothing is ever overwritten: of several that write at once each gets a version of its own. Raises
    ReportsError if the folder can't be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for _ in range(_TRIES):
            path = folder / next_id(open_folder(folder).filed, agent, issue).name
            try:
                with path.open("x", encoding="utf-8") as file:
                    file.write(text)
            except FileExistsError:
                continue
            return path
    except OSError as error:
        raise ReportsError(f"cannot write in {folder}: {error.strerror}") from error
    raise ReportsError(f"{path} is there, and is not read as a report: move it away")


def _shelf(found: Mapping[str, tuple[str, int]], read: Callable[[str], str]) -> Shelf:
    filed, odd = [], []
    for path, (commit, rank) in found.items():
        said = read_name(PurePosixPath(path).name)
        match said:
            case ReportId():
                filed.append(Filed(id=said, path=path, commit=commit, rank=rank))
            case OddName():
                odd.append(OddName(name=path, reason=said.reason))
            case None:
                pass
    return Shelf(filed=tuple(filed), odd=tuple(odd), read=read)


def _commits(git: Git, ref: str, folder: Path) -> dict[str, tuple[str, int]]:
    """Commit and rank by name, for the committed and unchanged files of one folder of a checkout."""
    sha = resolve(git, ref)
    top = git.work_tree
    if sha is None or top is None or not folder.is_relative_to(top.resolve()):
        return {}
    place = folder.relative_to(top.resolve()).as_posix()
    prefix = "" if place == "." else f"{place}/"
    dirty = uncommitted(git)
    touched = _touched(git, sha, [prefix]).items()
    return {path.removeprefix(prefix): at for path, at in touched if path not in dirty}


def _touched(git: Git, sha: str, paths: Sequence[str]) -> dict[str, tuple[str, int]]:
    """The newest commit of each path in the folders of `paths`, and its rank.

    A commit comes after its parents, then by its time.
    """
    folders = sorted({path.rpartition("/")[0] or "." for path in paths})
    form = ("--date-order", "--reverse", "--no-renames", "--diff-filter=AM", "--name-only", "-z")
    said = git.names("log", *form, "--format=%x01%H", sha, "--", *folders) if folders else ()
    return dict(_ranked(said))


def _ranked(said: Iterable[str]) -> Iterator[tuple[str, tuple[str, int]]]:
    commit, rank = "", 0
    for word in said:
        name = word.removeprefix("\n")
        if name.startswith("\x01"):
            commit, rank = name[1:], rank + 1
        elif name:
            yield name, (commit, rank)


def _text(read: Callable[[], bytes], shown: str) -> str:
    try:
        data = read()
    except OSError as error:
        raise ReportsError(f"cannot read {shown}: {error.strerror}") from error
    if len(data) > _LARGEST:
        raise ReportsError(f"{shown} has {len(data)} bytes: more than {_LARGEST} are no report")
    return data.decode("utf-8", "replace")
