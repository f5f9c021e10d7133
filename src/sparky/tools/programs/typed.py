"""What mypy finds, and the annotations that mend it: proposed, tried on a copy, and healed.

A copy of the target is annotated and checked; an annotation in a function where a new error stands is
withdrawn, then all of a file's, until mypy says nothing that it did not say before. What is left is printed
as edits of the findings that they make go away. mypy reads no package of any environment.
"""

import ast
import contextlib
import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from mypy import api

from sparky.tools.programs.annotations import Annotated, functions, infer, propose
from sparky.tools.programs.sources import arguments, diagnostic, put, sources, tree_of
from sparky.tools.ruff_json import Diagnostic, Place, patched

ROUNDS = 8
_IMPLIED = frozenset({"no-untyped-call", "untyped-decorator"})
"""What only says that a function that is called has no annotation: that function's own finding says so."""
_MISSING = frozenset({"no-untyped-def", *_IMPLIED})
_NO_CODE = re.compile(
    r"(?:^|/)(?:tests?|docs?|examples?|benchmarks?)/|(?:^|/)(?:test_[^/]*|conftest|setup)\.py$"
)
_CONFIGS = ("mypy.ini", ".mypy.ini", "setup.cfg", "pyproject.toml")
_PARTLY = re.compile(r"^Function is missing a (?:return )?type annotation.*$")
"""However much is missing: a part of it that is there brings no new finding."""
_STRICT = ("--strict", "--ignore-missing-imports")


@dataclass(frozen=True, kw_only=True)
class Error:
    """One line of mypy's answer."""

    file: str
    line: int
    column: int
    code: str
    message: str

    @property
    def identity(self) -> tuple[str, str, str]:
        """What stays the same when lines move."""
        return self.file, self.code, re.sub(r"\bline \d+\b", "line", self.said)

    @property
    def said(self) -> str:
        """The message, which does not say how much of a function has no annotation."""
        return _PARTLY.sub("Function is missing a type annotation", self.message)


def check(root: Path, files: list[str], options: tuple[str, ...]) -> list[Error]:
    """What mypy finds in the files below a directory; raises SystemExit where it gives no verdict."""
    base = options or ("--config-file=", *_STRICT)
    cache = ("--cache-dir", str(root / ".types"), "--no-site-packages", "--explicit-package-bases")
    argv = [*base, *cache, "--namespace-packages", "--output", "json", "--no-error-summary", *files]
    said, wrong, code = api.run(argv)
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


def heal(
    root: Path, files: list[str], known: list[Error], found: dict[str, Annotated], options: tuple[str, ...]
) -> dict[str, Annotated]:
    """The annotations after which mypy says nothing new."""
    for turn in range(ROUNDS):
        write(root, found)
        said = check(root, files, options)
        counts = Counter(error.identity for error in known)
        counts.subtract(error.identity for error in said)
        fresh = [e for e in said if e.code not in _IMPLIED and counts[e.identity] < 0]
        if not fresh:
            return found
        for error in fresh:
            if error.file in found:
                found[error.file] = _without(root, found[error.file], error, all_of_it=turn >= ROUNDS // 2)
        if turn >= ROUNDS // 2 and not any(found[e.file].slots for e in fresh if e.file in found):
            mentioned = re.compile(
                "|".join(rf"\b{re.escape(name)}\b" for e in fresh for name in _quoted(e)) or "^$"
            )
            found = {
                path: replace(one, slots={k: v for k, v in one.slots.items() if not mentioned.search(k[0])})
                for path, one in found.items()
            }
    return {}


def _quoted(error: Error) -> list[str]:
    return re.findall(r'"(?:\w+\.)*(\w+)"', error.message)


def _without(root: Path, one: Annotated, error: Error, *, all_of_it: bool) -> Annotated:
    """The annotations without those of the function where the error stands, or that its text names."""
    if all_of_it:
        return replace(one, slots={})
    tree = tree_of((root / error.file).read_bytes())
    named = set(_quoted(error))
    around = _around(tree, error.line) if tree is not None else set()
    left = {k: v for k, v in one.slots.items() if k not in around and k[0].rpartition(".")[2] not in named}
    return replace(one, slots=left)


def _around(tree: ast.Module, line: int) -> set[tuple[str, int]]:
    """The functions around a line."""
    return {k for k, node in functions(tree).items() if node.lineno <= line <= (node.end_lineno or 0)}


def write(root: Path, found: dict[str, Annotated]) -> None:
    """Write the files with their annotations."""
    for path, one in found.items():
        (root / path).write_bytes(annotated(one))


def annotated(one: Annotated) -> bytes:
    """The file with all of its annotations."""
    return patched(one.source, (edit for name in one.slots for edit in one.edits(name)))


def run(paths: list[str], options: tuple[str, ...]) -> list[Diagnostic]:
    """mypy's findings in the paths; the annotations that make one go away are its edits."""
    texts = {path: Path(path).read_bytes() for path in sources(["."]) if not _NO_CODE.search(path)}
    texts = {path: source for path, source in texts.items() if tree_of(source) is not None}
    if not texts:
        return []
    with tempfile.TemporaryDirectory(prefix="sparky-types-") as name:
        root = Path(name)
        for path in (*texts, *(file for file in _CONFIGS if Path(file).is_file())):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, root / path)
        with contextlib.chdir(root):
            known = check(root, [*texts], options)
            found = _proposed(root, texts) if any(error.code in _MISSING for error in known) else {}
            found = heal(root, [*texts], known, found, options)
    asked = set(sources(paths))
    roots = (error for error in known if error.file in asked and error.code not in _IMPLIED)
    return [_told(error, found) for error in roots]


def _proposed(root: Path, texts: dict[str, bytes]) -> dict[str, Annotated]:
    infer(root, [*texts])
    made = {path: propose(source, (root / path).read_bytes()) for path, source in texts.items()}
    return {path: one for path, one in made.items() if one is not None and one.slots}


def _told(error: Error, found: dict[str, Annotated]) -> Diagnostic:
    where = Place(row=error.line, column=error.column)
    one = found.get(error.file)
    if one is not None and error.code == "no-untyped-def":
        for name, node in one.functions.items():
            if node.lineno == error.line and name in one.slots:
                return diagnostic(error.code, error.file, error.said, where, *one.edits(name))
    return diagnostic(error.code, error.file, error.said, where)


def main() -> None:
    """Print what mypy finds in the paths of the command line; options of mypy stand before `--`."""
    put(run(arguments(), tuple(sys.argv[1 : sys.argv.index("--")])))


if __name__ == "__main__":
    main()
