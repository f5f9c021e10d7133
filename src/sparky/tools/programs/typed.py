"""What mypy finds, and the annotations that mend it: proposed, tried on a copy, and healed.

`--annotate`: a copy of the target is annotated and checked; an annotation that a new error depends on gives
way to the next that is proposed for its slot, or is withdrawn, until mypy says nothing that it did not say
before. What is left are the edits of the findings in functions. `--traces FILE`: what the target's tests
showed. `--known FILE`: what `stubs.py` prints. mypy reads no package of any environment.
"""

import ast
import contextlib
import re
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import structs

from sparky.tools.programs.annotations import LINE, Annotated, Style
from sparky.tools.programs.checking import IMPLIED, MISSING, Error, module_of, once
from sparky.tools.programs.chosen import Files
from sparky.tools.programs.healing import Healing
from sparky.tools.programs.mypy_config import harmless
from sparky.tools.programs.proposals import alike, propose
from sparky.tools.programs.pyrefly import infer, review
from sparky.tools.programs.sources import arguments, diagnostic, leave, put, sources, tree_of
from sparky.tools.programs.stubs import unpack
from sparky.tools.programs.traced import Traces, read
from sparky.tools.programs.variables import REDEFINED, UNTYPED, Variables, of
from sparky.tools.programs.workshop import CACHE, Workshop
from sparky.tools.ruff_config import load, oldest
from sparky.tools.ruff_json import Diagnostic, Place, Remedy

_NO_CODE = re.compile(
    r"(?:^|/)(?:tests?|docs?|examples?|benchmarks?)/|(?:^|/)(?:test_[^/]*|conftest|setup)\.py$"
)
_WIDTH = re.compile(r"line-length = (\d+)")
_FUTURE = 7
"""The minor version of Python since which annotations may be left unread."""
_CONFIGS = ("mypy.ini", ".mypy.ini", "setup.cfg", "pyproject.toml")


def texts() -> dict[str, bytes]:
    """The sources of the target's own code."""
    found = {path: Path(path).read_bytes() for path in sources(["."]) if not _NO_CODE.search(path)}
    return {path: source for path, source in found.items() if tree_of(source) is not None}


def style() -> Style:
    """How annotations are to be written here, as the target is configured."""

    def own(path: str) -> bytes | None:
        return Path(path).read_bytes() if Path(path).is_file() else None

    widths = (_WIDTH.fullmatch(option) for option in load(own).options)
    declared = oldest(own)
    return Style(
        line=next((int(found[1]) for found in widths if found), LINE),
        quoted=declared is not None and declared < _FUTURE,
    )


def plain(found: Mapping[str, bytes], style: Style) -> Files:
    """The files without any annotation of ours."""
    packages = {str(Path(path).parent) for path in found if Path(path).name == "__init__.py"}
    return {
        path: Annotated(
            source=source,
            tree=tree_of(source) or ast.Module(body=[], type_ignores=[]),
            module=module_of(path, packages),
            package=Path(path).name == "__init__.py",
            style=style,
        )
        for path, source in found.items()
    }


def run(
    paths: list[str], options: tuple[str, ...], traces: Path | None, known: Path | None, *, annotate: bool
) -> list[Diagnostic]:
    """mypy's findings in the paths; the annotations that make one go away are its edits."""
    found = plain(texts(), style())
    if not found:
        return []
    seen = read(traces, {path: one.module for path, one in found.items()})
    with tempfile.TemporaryDirectory(prefix="sparky-types-") as name:
        root = Path(name)
        for path, one in found.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(one.source)
        for path in (file for file in _CONFIGS if file in options):
            (root / path).write_bytes(harmless(path, Path(path).read_bytes()))
        if known:
            unpack(known, root / CACHE)
        with contextlib.chdir(root):
            if annotate:
                shop, found = mended(root, found, options, seen)
            else:
                shop = Workshop(root, found, options)
                found = Variables(found).words(shop.known)
    asked = set(sources(paths))
    roots = [error for error in shop.known if error.file in asked and error.code not in IMPLIED]
    return [_told(error, found, annotate=annotate) for error in once(roots)]


def mended(root: Path, files: Files, options: tuple[str, ...], seen: Traces) -> tuple[Workshop, Files]:
    """The files with the annotations that the checkers bear out, and the workshop where they were asked."""
    # pyrefly's processes run beside mypy, which is in this one.
    with ThreadPoolExecutor() as beside:
        inferred = beside.submit(infer, {path: one.source for path, one in files.items()})
        reviewed = beside.submit(review, [*files])
        shop = Workshop(root, files, options)
        shop.reviewed = reviewed.result()
    if all(error.code not in {*MISSING, UNTYPED, REDEFINED} for error in shop.known):
        return shop, files
    healing = Healing(shop)
    found = healing.declared(Variables(files).words(shop.known))
    proposed = propose(found, inferred.result(), seen)
    found = healing.healed(proposed, found)
    found = healing.healed(alike(healing.untried(found, proposed)), found)
    return shop, healing.agreed(found)


def _told(error: Error, found: Files, *, annotate: bool) -> Diagnostic:
    where = Place(row=error.line, column=error.column)
    told = diagnostic(error.code, error.file, error.said, where)
    one = found.get(error.file)
    if one is None:
        return told
    line = of(one, error)
    if error.code == "no-untyped-def":
        keys = (key for key, node in one.functions.items() if node.lineno == error.line and key in one.slots)
        edits = tuple(edit for key in keys for edit in one.edits(key))
    elif line is not None and line in one.variables:
        edits = one.variable(line)
    else:
        return told
    # Before anybody tried, each of these may be mended: how is for the tests to judge.
    return (
        structs.replace(told, fix=Remedy(applicability="unsafe", edits=edits))
        if edits or not annotate
        else told
    )


def main() -> None:
    """Print what mypy finds in the paths of the command line; options of mypy stand before `--`."""
    words = sys.argv[1 : sys.argv.index("--")]
    annotate = "--annotate" in words
    traces, known = (
        Path(words[words.index(word) + 1]) if word in words else None for word in ("--traces", "--known")
    )
    ours = {"--annotate", "--traces", str(traces), "--known", str(known)}
    options = tuple(word for word in words if word not in ours)
    put(run(arguments(), options, traces, known, annotate=annotate))
    leave()


if __name__ == "__main__":
    main()
