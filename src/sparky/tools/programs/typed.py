"""What mypy finds, and the annotations that mend it: proposed, tried on a copy, and healed.

`--annotate`: a copy of the target is annotated and checked; an annotation that a new error depends on gives
way to the next that is proposed for its slot, or is withdrawn, until mypy says nothing that it did not say
before. What is left are the edits of the findings in functions. `--traces FILE`: what the target's tests
showed. `--known FILE`: what `stubs.py` prints. mypy reads no package of any environment.
"""

import contextlib
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import structs

from sparky.tools.programs.checking import IMPLIED, MISSING, Error, once
from sparky.tools.programs.chosen import Files
from sparky.tools.programs.healing import Healing
from sparky.tools.programs.hidden import exporting, name_of, rooted
from sparky.tools.programs.mypy_config import harmless
from sparky.tools.programs.plain import plain
from sparky.tools.programs.proposals import alike, propose
from sparky.tools.programs.pyrefly import infer, review
from sparky.tools.programs.sources import arguments, diagnostic, leave, put, sources
from sparky.tools.programs.stubs import unpack
from sparky.tools.programs.traced import Traces, read
from sparky.tools.programs.variables import Variables, of
from sparky.tools.programs.workshop import CACHE, Workshop
from sparky.tools.ruff_json import Diagnostic, Place, Remedy

_CONFIGS = ("mypy.ini", ".mypy.ini", "setup.cfg", "pyproject.toml")


def run(
    paths: list[str], options: tuple[str, ...], traces: Path | None, known: Path | None, *, annotate: bool
) -> list[Diagnostic]:
    """mypy's findings in the paths; the annotations that make one go away are its edits."""
    found = plain()
    if not found:
        return []
    top = Path.cwd()
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
                shop, found = mended(root, found, options, seen, top)
            else:
                shop = Workshop(root, found, options)
                found = wanted(shop, top)
    asked = set(sources(paths))
    errors = rooted(shop.known, found)
    roots = [error for error in errors if error.file in asked and error.code not in IMPLIED]
    return [_told(error, found, annotate=annotate) for error in once(roots)]


def wanted(shop: Workshop, top: Path) -> Files:
    """The files with all variables and exports that mypy asks for; `top`: where all of the target lies."""
    return exporting(Variables(shop.files, top).words(shop.known), shop.known)


def mended(
    root: Path, files: Files, options: tuple[str, ...], seen: Traces, top: Path
) -> tuple[Workshop, Files]:
    """The files with the annotations that the checkers bear out, and the workshop where they were asked."""
    # pyrefly's processes run beside mypy, which is in this one.
    with ThreadPoolExecutor() as beside:
        inferred = beside.submit(infer, {path: one.source for path, one in files.items()})
        reviewed = beside.submit(review, [*files])
        shop = Workshop(root, files, options)
        shop.reviewed = reviewed.result()
    asked = wanted(shop, top)
    if asked == files and MISSING.isdisjoint(error.code for error in shop.known):
        return shop, files
    healing = Healing(shop)
    found = healing.declared(asked)
    proposed = propose(found, inferred.result(), seen)
    found = healing.healed(proposed, found)
    found = healing.healed(alike(healing.untried(found, proposed), seen.classes), found)
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
    elif (name := name_of(error, one)) in one.exports:
        return diagnostic(error.code, error.file, error.said, where, *one.exported(name))
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
