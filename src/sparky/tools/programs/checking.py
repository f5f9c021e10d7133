"""What mypy says of the target's files."""

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mypy import api

IMPLIED = frozenset({"no-untyped-call", "untyped-decorator"})
"""What only says that a function that is called has no annotation: that function's own finding says so."""
MISSING = frozenset({"no-untyped-def", *IMPLIED})
_PARTLY = re.compile(r"^Function is missing a (?:return )?type annotation.*$")
"""However much is missing: a part of it that is there brings no new finding."""
_CALLED = re.compile(r'untyped function "(?:[\w.]+\.)?(\w+)"')
_STRICT = ("--strict", "--ignore-missing-imports")


@dataclass(frozen=True, kw_only=True)
class Error:
    """One line of mypy's answer, or of the review's; the column counts from 1."""

    file: str
    line: int
    column: int
    code: str
    message: str
    reviewed: bool = False

    @property
    def identity(self) -> tuple[str, str, str]:
        """What stays the same when lines move."""
        return self.file, self.code, re.sub(r"\bline \d+\b", "line", self.said)

    @property
    def said(self) -> str:
        """The message, which does not say how much of a function has no annotation."""
        return _PARTLY.sub("Function is missing a type annotation", self.message)


def check(files: Sequence[str], options: tuple[str, ...], cache: Path) -> list[Error]:
    """What mypy finds in the files of the current directory; raises SystemExit where it gives no verdict."""
    base = options or ("--config-file=", *_STRICT)
    more = (
        "--cache-dir",
        str(cache),
        "--no-site-packages",
        "--explicit-package-bases",
        "--namespace-packages",
    )
    os.environ["MYPYPATH"] = os.pathsep.join(roots(files))
    said, wrong, code = api.run([*base, *more, "--output", "json", "--no-error-summary", *files])
    if code not in {0, 1}:
        sys.exit(f"mypy gave no verdict (exit code {code}): {wrong or said}"[:2000])
    return [
        _error(line) for line in said.splitlines() if line.startswith("{") and '"severity": "error"' in line
    ]


def _error(line: str) -> Error:
    one = json.loads(line)
    file = PurePosixPath(one["file"]).as_posix()
    code = one["code"] or "misc"
    return Error(file=file, line=one["line"], column=one["column"] + 1, code=code, message=one["message"])


def fresh(known: Iterable[Error], said: Iterable[Error]) -> list[Error]:
    """The errors that were not there before, but for what they imply."""
    counts = Counter(error.identity for error in known)
    new = []
    for error in said:
        counts[error.identity] -= 1
        if counts[error.identity] < 0 and error.code not in MISSING:
            new.append(error)
    return new


def once(errors: Iterable[Error]) -> list[Error]:
    """The errors, where a function of which parameters and the return are not annotated is named once."""
    found = {
        (e.file, e.line) if e.code == "no-untyped-def" else (number,): e for number, e in enumerate(errors)
    }
    return [*found.values()]


def calls(errors: Iterable[Error]) -> Counter[str]:
    """How often a function without annotations is called, by its name."""
    named = (_CALLED.search(error.message) for error in errors if error.code == "no-untyped-call")
    return Counter(match[1] for match in named if match)


def roots(files: Iterable[str]) -> list[str]:
    """The directories that packages are imported from: above the topmost that has an `__init__`."""
    packages = {PurePosixPath(file).parent for file in files if PurePosixPath(file).name == "__init__.py"}
    tops = {package.parent for package in packages if package.parent not in packages}
    return sorted({str(top) for top in tops} - {"."})


def module_of(path: str, packages: Iterable[str]) -> str:
    """The name by which a file is imported; `packages` are the directories that have an `__init__`."""
    known = {*packages}
    here = PurePosixPath(path)
    parts = [] if here.stem == "__init__" else [here.stem]
    folder = here.parent
    while str(folder) in known:
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)
