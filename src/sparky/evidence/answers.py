"""What a tool says of a whole target, kept: it takes long to say, and the same files are looked at often.

What is kept was said of files with these very bytes by the tools that are installed now.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from sparky.domain.command import Completed, Ending
from sparky.evidence.kept import is_kept, keep, key_of
from sparky.evidence.running import run_tool
from sparky.formats.values_json import UnreadableStateError, decode, encode
from sparky.ports import Ports
from sparky.tools.programs import sources
from sparky.tools.tool import Argv

_KEPT = 40
"""How many answers are kept."""
_SOURCES = (".py", ".pyi", ".toml", ".cfg", ".ini", "pyrightconfig.json")


def answered(ports: Ports, root: Path, argv: Argv) -> Completed:
    """The answer to a command that depends on nothing but the target's files and those that it names.

    One that was kept took no time.
    """
    file = ports.kept / "answers" / f"{key_of(argv, _facts(root, argv))}.json"
    with suppress(OSError, UnreadableStateError):
        if is_kept(file):
            return replace(decode(file.read_bytes(), Completed), argv=argv, seconds=0.0)
    done = run_tool(ports, root, argv)
    if done.ending is Ending.EXITED and not done.code and not done.dropped:
        keep(file, encode(done), at_most=_KEPT)
    return done


def _facts(root: Path, argv: Argv) -> Iterator[bytes]:
    """What the answer depends on, besides the command: files that it names, and the target's."""
    for word in filter(os.path.isabs, argv):
        for file in (Path(word), Path(word, "package.json")):
            if file.suffix == ".json" and file.is_file():
                yield file.read_bytes()
    for folder, folders, names in os.walk(root):
        folders[:] = sorted({*folders} - sources.SKIPPED)
        for path in (Path(folder, name) for name in sorted(names) if name.endswith(_SOURCES)):
            yield f"\0{path.relative_to(root)}\0".encode("utf-8", "surrogateescape")
            yield _read(path)


def _read(path: Path) -> bytes:
    """A file's bytes; of one that can't be read, why."""
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError as error:
        return str(error).encode("utf-8", "surrogateescape")
