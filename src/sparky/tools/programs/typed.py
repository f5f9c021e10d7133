"""What mypy finds, and the annotations that mend it: proposed, tried on a copy, and healed.

`--annotate`: a copy of the target is annotated and checked; an annotation that a new error depends on gives
way to the next that is proposed for its slot, or is withdrawn, until mypy says nothing that it did not say
before. What is left are the edits of the findings in functions. `--traces FILE`: what the target's tests
showed. `--known FILE`: what `stubs.py` prints. mypy reads no package of any environment.
"""

import ast
import contextlib
import os
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from pathlib import Path

from msgspec import structs

from sparky.tools.programs.blame import Blame, Slot
from sparky.tools.programs.checking import IMPLIED, MISSING, Error, calls, check, fresh, once
from sparky.tools.programs.chosen import (
    Files,
    annotated,
    bare,
    changed,
    only,
    places,
    singles,
    size,
    with_declared,
    without,
)
from sparky.tools.programs.hidden import exporting, name_of, rooted
from sparky.tools.programs.inferred import Names
from sparky.tools.programs.mypy_config import harmless
from sparky.tools.programs.plain import plain
from sparky.tools.programs.proposals import alike, halves, inherited, propose
from sparky.tools.programs.pyrefly import infer, more, review
from sparky.tools.programs.sources import arguments, diagnostic, leave, put, sources, tree_of
from sparky.tools.programs.stubs import unpack
from sparky.tools.programs.traced import read
from sparky.tools.programs.variables import Variables, of
from sparky.tools.ruff_json import Diagnostic, Place, Remedy

ROUNDS = 40
SEARCHED = 30
"""After how many rounds a file with an error that nothing explains loses its annotations."""
_CONFIGS = ("mypy.ini", ".mypy.ini", "setup.cfg", "pyproject.toml")
CACHE = ".types"
"""Where mypy keeps what it knows."""


class Workshop:
    """A copy of the target's files in the current directory, and what mypy said of them at first."""

    def __init__(self, root: Path, files: Files, options: tuple[str, ...]) -> None:
        self.root = root
        self.files = files
        self.options = options
        self.tried: dict[Slot, set[str]] = {}
        self.names = Names(files)
        self.known = self.check()
        self.calls = calls(self.known)
        self.reviewed: list[Error] = []
        self.stamps = count(1)

    def check(self) -> list[Error]:
        """What mypy says of the files as they lie there."""
        return check([*self.files], self.options, self.root / CACHE)

    def new(self) -> list[Error]:
        """What there is of errors that was not there at first; what mypy sees is seen first."""
        return fresh(self.known, self.check()) or self.reviewed_anew()

    def reviewed_anew(self) -> list[Error]:
        """What pyrefly says of the files that it did not say at first."""
        return more(self.reviewed, review([*self.files]))

    def healed(self, found: Files, safe: Files) -> Files:
        """The annotations after which there is no new error; `safe`, known to be so, where none are found."""
        for number in range(ROUNDS):
            found, trees = self.write(halves(found, self.calls))
            errors = self.new()
            if not errors:
                return max(found, safe, key=size)
            blame = Blame(found, trees)
            before = found
            found = self.yielded(found, blame, errors)
            if found is before:
                found = without(found, {slot for error in errors for slot in blame.wide(error)})
            if found is before and number < SEARCHED:
                found = self.bisected(before, errors)
            if found is before:
                found = only(found, places(found, {error.file for error in errors}))
            if found == before:
                break
        return safe

    def declared(self, wanted: Files) -> Files:
        """The files with those of their variables and exports after which there is no new error."""
        found = bare(wanted)
        for some in [wanted, *singles(wanted)] if wanted != found else []:
            trial = with_declared(found, some)
            self.write(trial)
            if not self.new():
                found = trial
            if found is trial and some is wanted:
                break
        self.write(found)
        return found

    def agreed(self, found: Files) -> Files:
        """The annotations but for those of methods that what overrides them does not bear."""
        filled, gaps = found, [*inherited(found)]
        for _, (path, key), slot, word in gaps:
            filled = changed(filled, (path, key, slot), (word,))
        filled, trees = self.write(filled)
        blame = Blame(filled, trees)
        worse = {place for error in self.new() for place in blame.around(error)[:1]}
        fewer = without(
            found, [(*where, slot) for family, place, slot, _ in gaps if place in worse for where in family]
        )
        fewer, _ = self.write(halves(fewer, self.calls))
        return found if self.new() else fewer

    def untried(self, found: Files, proposed: Files) -> Files:
        """The annotations with those words that were withdrawn beside others, and never by themselves."""
        for path, one in proposed.items():
            for key, slots in one.slots.items():
                for slot, words in slots.items():
                    left = tuple(word for word in words if word not in self.tried.get((path, key, slot), ()))
                    if slot not in found[path].slots.get(key, {}) and left:
                        found = changed(found, (path, key, slot), left)
        return found

    def bisected(self, found: Files, errors: list[Error]) -> Files:
        """The annotations but for those of one function that one of these errors needs."""
        wanted = {error.identity for error in errors}
        ask = self.reviewed_anew if errors[0].reviewed else self.check
        all_places = places(found)
        low, high = 0, len(all_places)
        while high - low > 1:
            middle = (low + high) // 2
            self.write(only(found, all_places[:middle]))
            there = not wanted.isdisjoint(error.identity for error in ask())
            low, high = (low, middle) if there else (middle, high)
        return only(found, all_places[: max(high - 1, 0)] + all_places[high:])

    def yielded(self, found: Files, blame: Blame, errors: Iterable[Error]) -> Files:
        """The annotations, where those that errors depend on give way to wider ones, the next, or none."""
        made = found
        faults = {slot: lacks for error in errors for slot, lacks in blame.of(error).items()}
        for slot, lacks in faults.items():
            path, key, name = slot
            tried = self.tried.setdefault(slot, set())
            current, *rest = found[path].slots[key][name]
            tried.add(current)
            wider = self.names.word(lacks, current) if lacks else ""
            words = [word for word in (wider, *rest) if word and word not in tried]
            able = tuple(word for word in words if found[path].can_say(word))
            made = changed(made, slot, able)
        return made

    def write(self, found: Files) -> tuple[Files, dict[str, ast.Module]]:
        """Write the files with their annotations; returns these, and what the files are now.

        A file that would not parse any more loses its annotations: of one such file mypy would tell nothing
        but that, of all others nothing at all.
        """
        kept, trees = {}, {}
        for path, one in found.items():
            text = annotated(one)
            tree = tree_of(text)
            kept[path] = one if tree is not None else replace(one, slots={})
            text, trees[path] = (text, tree) if tree is not None else (one.source, one.tree)
            file = self.root / path
            if file.read_bytes() != text:
                file.write_bytes(text)
                # To mypy a file of the same size is the same if it was written in the same second.
                stamp = next(self.stamps)
                os.utime(file, (stamp, stamp))
        return kept, trees


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
            shop = Workshop(root, found, options)
            wanted = exporting(Variables(found, top).words(shop.known), shop.known)
            if not annotate:
                found = wanted
            elif wanted != found or not MISSING.isdisjoint(error.code for error in shop.known):
                shop.reviewed = review([*found])
                found = shop.declared(wanted)
                infer([*found])
                inferred = {path: (root / path).read_bytes() for path in found}
                proposed = propose(found, inferred, seen)
                found = shop.healed(proposed, found)
                found = shop.healed(alike(shop.untried(found, proposed)), found)
                found = shop.agreed(found)
    asked = set(sources(paths))
    errors = rooted(shop.known, found)
    roots = [error for error in errors if error.file in asked and error.code not in IMPLIED]
    return [_told(error, found, annotate=annotate) for error in once(roots)]


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
