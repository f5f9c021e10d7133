"""A large repository made from a seed: many Python files, a known number of findings, a long history."""

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

_BLOB = 4_000_000
_IDENTITY = "committer Ada <ada@example.org> 1700000000 +0000"
_LINES = (
    "import os  # unused",
    "import sys  # unused",
    "import json  # unused",
)
CHANGED = 20
"""How many files the last commit, on the branch `work`, changes."""


def make(top: Path, *, files: int, findings: int, history_mb: int, seed: int) -> None:
    """Write the repository: `main`, and on top of it the branch `work`, which is checked out.

    `findings` are spread over the files: as many unused imports in each as it takes. The history holds random
    bytes, which nothing compresses; they are in no checkout.
    """
    top.mkdir(parents=True)
    for words in (("init", "-q", "-b", "work"),):
        subprocess.run(["git", *words], cwd=top, check=True)
    with subprocess.Popen(["git", "fast-import", "--quiet"], cwd=top, stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        for part in _stream(files, findings, history_mb, random.Random(seed)):
            importer.stdin.write(part)
    if importer.returncode:
        raise SystemExit(f"git fast-import ended with code {importer.returncode}")
    subprocess.run(["git", "reset", "-q", "--hard"], cwd=top, check=True)


def path_of(number: int) -> str:
    """The path of a file: a hundred in each package."""
    return f"src/shop/part_{number // 100:03}/module_{number:05}.py"


def _stream(files: int, findings: int, history_mb: int, chance: random.Random) -> Iterator[bytes]:
    for number in range(history_mb * 1_000_000 // _BLOB):
        yield _commit("main", f"data {number}")
        yield _file("data.bin", chance.randbytes(_BLOB))
    yield _commit("main", "base")
    yield b"D data.bin\n" if history_mb else b""
    yield _file("README.md", b"# Shop\n")
    for number in range(files):
        share = (number + 1) * findings // files - number * findings // files
        yield _file(path_of(number), _module(number, share, chance).encode())
    yield _commit("work", "a day's work", "refs/heads/main")
    for number in range(0, files, max(1, files // CHANGED)):
        yield _file(path_of(number), _module(number, 1, chance).encode())


def _commit(branch: str, message: str, start: str = "") -> bytes:
    origin = f"from {start}\n" if start else ""
    return f"commit refs/heads/{branch}\n{_IDENTITY}\ndata {len(message)}\n{message}\n{origin}".encode()


def _file(path: str, data: bytes) -> bytes:
    return f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"


def _module(number: int, findings: int, chance: random.Random) -> str:
    """A module of some sixty lines, laid out as ruff does, but for so many imports that nothing uses."""
    unused = "".join(f"import unused_{number}_{one}\n" for one in range(findings))
    body = "".join(_function(f"step_{one}", chance) for one in range(8))
    return f'"""Module {number}."""\n\n{unused}{body}'


def _function(name: str, chance: random.Random) -> str:
    factor, limit = chance.randrange(2, 100), chance.randrange(100, 10_000)
    return (
        f"\n\ndef {name}(value: int) -> int:\n"
        f'    """Take {factor} times a value, and no more than {limit}."""\n'
        f"    result = value * {factor}\n"
        f"    if result > {limit}:\n"
        f"        return {limit}\n"
        "    return result\n"
    )
