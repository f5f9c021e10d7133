"""A tool's command run in a target's directory, and the directory's files read."""

import os
from collections.abc import Sequence
from dataclasses import replace
from errno import ELOOP
from functools import lru_cache
from io import FileIO
from pathlib import Path

from sparky.domain.command import Command, Completed, Level, Policy
from sparky.evidence.stubs import SPARKY, knowing
from sparky.ports import Ports
from sparky.tools.listing import asking_all, is_program
from sparky.tools.tool import Argv, Read

TIMEOUT_S = 600.0
OUTPUT_LIMIT = 256_000_000
_DEEP = {"RUST_MIN_STACK": "268435456"}
"""With a stack of this many bytes tools in Rust read what nests deep; else they abort, and name no file."""


def run_tool(ports: Ports, root: Path, argv: Argv) -> Completed:
    """One command of a tool in the target's directory.

    Where a sandbox can be had, sparky's own programs, which read foreign files in Python, write nothing and
    see nothing of a home but the target and what the command names.
    """
    told = knowing(ports, argv, reader(root)) if is_program(argv) else argv
    command = Command(argv=told, cwd=root, env=_DEEP, timeout_s=TIMEOUT_S, output_limit=OUTPUT_LIMIT)
    if is_program(argv) and ports.shell.level() is not Level.OFF:
        named = (Path(word) for word in told if os.path.isabs(word))  # noqa: PTH117 - most words are no paths
        command = replace(command, policy=Policy(readable=(root, SPARKY, *named)))
    return replace(ports.shell.run(command), argv=argv)


def run_detectors(ports: Ports, root: Path, commands: Sequence[Argv]) -> tuple[Completed, ...]:
    """The answers to commands that each ask a detector for the same paths, by one process if it ends well.

    If not, each is asked by itself: the fault of one is no other's, and is told of that one. Of the time of
    one process each took an equal share, as far as is known.
    """
    if len(commands) > 1:
        done = run_tool(ports, root, asking_all(commands))
        lines = done.stdout.splitlines()
        if done.ok and not done.dropped and len(lines) == len(commands):
            said, share = zip(commands, lines, strict=True), done.seconds / len(commands)
            return tuple(replace(done, argv=argv, stdout=line, seconds=share) for argv, line in said)
    return tuple(run_tool(ports, root, argv) for argv in commands)


def reader(root: Path) -> Read:
    """Reads a directory's files: None for what is not there, or only by a link, which may lead elsewhere.

    Whether a folder is a link is looked up once for all of its files.
    """
    real = lru_cache(maxsize=None)(lambda folder: os.path.realpath(folder) == folder)

    def read(path: str) -> bytes | None:
        place = f"{root}/{path}"
        if not real(place.rpartition("/")[0]):
            return None
        try:
            with FileIO(place, opener=_no_link) as file:
                return file.readall()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno == ELOOP:
                return None
            raise

    return read


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW)
