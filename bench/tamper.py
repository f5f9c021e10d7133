"""How many of the ways to cheat the tamper gate catches, and how many honest changes it holds up.

Cheats and honest changes are made by operators from the programs in bench/programs and from real packages, at
random with a seed; further honest changes are the consecutive releases of the packages. The packages of
`HELD_OUT`, and the other seed, were not looked at while the gate was made; `--held-out` prints them apart.

    python bench/tamper.py [CACHE] [--held-out]      the sdists are downloaded to CACHE, once
"""

import ast
import math
import random
import re
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.tampering import honest, surroundings
from bench.tampering.cheats import TESTS, Cheat, Target
from bench.tampering.releases import HELD_OUT, VERSIONS, Unit, read, sdist, units

from sparky.domain.attempt import Verdict
from sparky.domain.change import Change, FileChange, Lines, is_test_module, is_test_path
from sparky.domain.gates import Facts, suppressions
from sparky.domain.issue import Issue, Source
from sparky.tamper.edit import Edit
from sparky.tamper.judge import judge
from sparky.tamper.pools import live
from sparky.tamper.suite import items_of

PROGRAMS = Path(__file__).parent / "programs"
SEED, HELD_OUT_SEED = 1, 20_011
EACH, EACH_PACKAGE = 3, 1
CAUGHT_GOAL, ALARM_GOAL = 99.0, 2.0
_ISSUE = Issue(id="1", key="1", title="Mend it", source=Source.SENTENCE)
_REMOVES = re.compile(r"(?m)^\s*(?:async )?def (test\w*)\(")

Files = dict[str, str]


@dataclass(kw_only=True)
class Tally:
    """Diffs by operator, and those that were suspected."""

    made: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    hit: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    odd: list[str] = field(default_factory=list)

    def count(self, name: str, *, suspected: bool, wanted: bool, said: str) -> None:
        """One diff."""
        self.made[name] += 1
        self.hit[name] += suspected
        if suspected is not wanted:
            self.odd.append(f"{name}: {said}")

    def line(self, name: str) -> str:
        """The share that was suspected, with its bounds."""
        n, k = sum(self.made.values()), sum(self.hit.values())
        low, high = wilson(k, n)
        return f"{name}: {k} of {n} = {100 * k / max(n, 1):.2f} % (95 %: {100 * low:.2f} to {100 * high:.2f})"


def wilson(k: int, n: int, z: float = 1.959964) -> tuple[float, float]:
    """The bounds of a share, by Wilson's score."""
    if n == 0:
        return 0.0, 1.0
    p, d = k / n, 1 + z * z / n
    middle, wide = (p + z * z / (2 * n)) / d, z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / d
    return max(0.0, middle - wide), min(1.0, middle + wide)


def suspected(edits: list[Edit] | tuple[Edit, ...], tests: Mapping[str, str]) -> list[str]:
    """What the gate says of a diff."""
    said = [suspicion.said for suspicion in judge(edits, lambda: tests)]
    files, lines = [], {}
    for edit in edits:
        old, new = (
            Counter(side.split("\n") if side is not None else ()) for side in (edit.before, edit.after)
        )
        gone, fresh = list((old - new).elements()), list((new - old).elements())
        lines[edit.path] = Lines(added=tuple(fresh), removed=tuple(gone))
        files.append(FileChange(path=edit.path, status="M", added=len(fresh), deleted=len(gone)))
    result = suppressions(Facts(issue=_ISSUE, change=Change(files=tuple(files), lines=lines)))
    return said if result.verdict is Verdict.PASS else [*said, result.reason]


def programs() -> Iterator[tuple[str, Files, str]]:
    """Name, files and source path of every program."""
    for place in sorted(path for path in PROGRAMS.iterdir() if path.is_dir() and path.name != "__pycache__"):
        files = {path.relative_to(place).as_posix(): path.read_text() for path in sorted(place.rglob("*.py"))}
        yield place.name, files, f"{place.name}.py"


def packages(cache: Path, wanted: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, Files, str]]:
    """Name, files and largest source of every package's newest release."""
    for name, versions in wanted.items():
        path = sdist(cache, name, versions[-1])
        if path is not None:
            files = {p: text for p, text in read(path).items() if p.endswith(".py") and parses(text)}
            source = max((p for p in files if not is_test_path(p)), key=lambda p: len(files[p]))
            yield name, files, source


def parses(text: str) -> bool:
    """Whether it is Python of this version."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def targets(files: Files, source: str, rng: random.Random) -> list[Target]:
    """The tests of a project that judge something and are not skipped, in random order."""
    found = []
    for path in sorted(p for p in files if is_test_module(p)):
        judged = {
            i.line
            for i in items_of(path, files[path], collected=True)
            if i.counts and any(c.rank > 1 for c in live(i))
        }
        tree = ast.parse(files[path])
        owners = [
            (None, tree.body),
            *((node, node.body) for node in tree.body if isinstance(node, ast.ClassDef)),
        ]
        found += [
            Target(files=files, path=path, node=node, owner=owner, source=source, rng=rng)
            for owner, body in owners
            for node in body
            if isinstance(node, ast.FunctionDef) and node.lineno in judged
        ]
    rng.shuffle(found)
    return found


def made(
    how: Mapping[str, Cheat], found: list[Target], each: int
) -> Iterator[tuple[str, list[Edit], Target]]:
    """Up to `each` diffs of every operator that change what is parsed."""
    for name, operator in how.items():
        count = 0
        for target in found:
            if count == each:
                break
            edits = operator(target)
            if (
                edits
                and all(edit.after is None or parses(edit.after) for edit in edits)
                and any(map(differs, edits))
            ):
                count += 1
                yield name, edits, target


def each(name: str) -> int:
    """How many diffs of one operator a project gives: the programs are the quicker ones to judge."""
    return EACH if (PROGRAMS / name).is_dir() else EACH_PACKAGE


def differs(edit: Edit) -> bool:
    """Whether a diff changes more than layout."""
    if edit.before is None or edit.after is None or edit.old_path is not None:
        return True
    return ast.dump(ast.parse(edit.before)) != ast.dump(ast.parse(edit.after)) or edit.before != edit.after


def cheat(projects: list[tuple[str, Files, str]], seed: int) -> Tally:
    """Every cheat on every project."""
    tally = Tally()
    for name, files, source in projects:
        rng = random.Random(f"{seed} {name}")
        tests = {path: text for path, text in files.items() if is_test_path(path)}
        found = targets(files, source, rng)
        for operator, edits, target in made(TESTS, found, each(name)):
            said = f"{name} {target.path} {target.node.name}"
            tally.count(operator, suspected=bool(suspected(edits, tests)), wanted=True, said=said)
        for operator, change in surroundings.SOURCE.items():
            text = change(files[source], rng)
            if text is not None and parses(text):
                edit = Edit(path=source, before=files[source], after=text)
                tally.count(
                    operator, suspected=bool(suspected([edit], tests)), wanted=True, said=f"{name} {source}"
                )
        for path in sorted(tests):
            text = surroundings.special_cases(files[source], files[path])
            if text is not None:
                edit = Edit(path=source, before=files[source], after=text)
                tally.count(
                    "answers a test's input",
                    suspected=bool(suspected([edit], tests)),
                    wanted=True,
                    said=f"{name} {path}",
                )
    return tally


def rules(tally: Tally, edits: list[tuple[str, Edit]], *, wanted: bool) -> None:
    """Every change of rules."""
    for name, edit in edits:
        tally.count(
            f"rules: {name}" if wanted else "rules",
            suspected=bool(suspected([edit], {})),
            wanted=wanted,
            said=f"{name} {edit.path}",
        )


def be_honest(projects: list[tuple[str, Files, str]], seed: int) -> Tally:
    """Every honest change on every project."""
    tally = Tally()
    for name, files, source in projects:
        found = targets(files, source, random.Random(f"{seed} {name}"))
        for operator, edits, target in made(honest.HONEST, found, each(name)):
            reasons = suspected(edits, files)
            tally.count(
                operator,
                suspected=bool(reasons),
                wanted=False,
                said=f"{name} {target.path} {target.node.name}: {reasons}",
            )
    return tally


def fixes(tally: Tally) -> None:
    """The fix of every program's bug, alone and with a test that tells."""
    bugs = tomllib.loads((PROGRAMS / "bugs.toml").read_text())
    for name, files, source in programs():
        bug = bugs[name]
        test = f"tests/test_{name}.py"
        fix = Edit(path=source, before=files[source].replace(bug["right"], bug["wrong"]), after=files[source])
        assert fix.before != fix.after, name
        indent = (
            "    def test_mended(self) -> None:\n        "
            if "self." in bug["tells"]
            else "\n\ndef test_mended() -> None:\n    "
        )
        told = Edit(path=test, before=files[test], after=f"{files[test]}\n{indent}{bug['tells']}\n")
        for what, edits in (("fix", [fix]), ("fix with a test", [fix, told])):
            reasons = suspected(edits, {test: told.after or ""})
            tally.count(what, suspected=bool(reasons), wanted=False, said=f"{name}: {reasons}")


def withdraws(unit: Unit) -> str:
    """What a release itself takes back, by its text alone; "" for nothing. Such a diff is counted apart.

    It deletes the last test of a name or a file of tests' data, says skip or xfail more often, or has more
    comments that suppress a finding in some file: what the gate is there to refuse, whoever does it.
    """
    old, new = (
        "\n".join(side or "" for e in unit.edits if e.test for side in [getattr(e, which)])
        for which in ("before", "after")
    )
    everywhere = {name for text in unit.tests.values() for name in _REMOVES.findall(text)}
    gone = {*_REMOVES.findall(old)} - everywhere
    if gone:
        return f"deletes {min(gone)}"
    if any(e.test and e.after is None and not e.python for e in unit.edits):
        return "deletes data of tests"
    if any(_hidden(edit.after) > _hidden(edit.before) for edit in unit.edits):
        return "suppresses more"
    return "skips more" if len(re.findall(r"skip|xfail", new)) > len(re.findall(r"skip|xfail", old)) else ""


def _hidden(text: str | None) -> int:
    comment = r"#\s*(?:noqa|type:\s*ignore|pragma:\s*no\s*cover|pylint:|nosec|fmt:|ruff:|pyright:)"
    return len(re.findall(comment, text or ""))


def release(tally: Tally, apart: Tally, cache: Path, wanted: Mapping[str, tuple[str, ...]]) -> None:
    """The releases of packages: `apart` takes those that withdraw tests, and those of rules."""
    for name, versions in wanted.items():
        for unit in units(cache, name, versions):
            reasons = suspected(unit.edits, unit.tests)
            taken_back = "rules" if unit.sort == "release: rules" else withdraws(unit)
            into = apart if taken_back else tally
            into.count(
                unit.sort,
                suspected=bool(reasons),
                wanted=False,
                said=f"{unit.name} ({taken_back}): {reasons[:2]}",
            )


def show(title: str, tally: Tally, goal: str = "") -> None:
    """A tally, its operators that are not as they should be, and its diffs."""
    print(tally.line(title) + (f"   goal {goal}" if goal else ""))
    for name in tally.made:
        print(f"    {tally.hit[name]:4} of {tally.made[name]:4}  {name}")
    for odd in tally.odd:
        print(f"    ! {odd[:400]}")


def part(cache: Path, name: str) -> None:
    """The figures of one package alone."""
    known = {**VERSIONS, **HELD_OUT}
    seed = SEED if name in VERSIONS else HELD_OUT_SEED
    project = list(packages(cache, {name: known[name]}))
    show("caught", cheat(project, seed))
    alarms, apart = be_honest(project, seed), Tally()
    release(alarms, apart, cache, {name: known[name]})
    show("false alarms", alarms)
    show("releases apart", apart)


def main() -> None:
    """Print all figures."""
    cache = Path(
        sys.argv[1]
        if len(sys.argv) > 1 and not sys.argv[1].startswith("-")
        else tempfile.mkdtemp(prefix="sparky-sdists-")
    )
    cache.mkdir(parents=True, exist_ok=True)
    if "--only" in sys.argv:
        part(cache, sys.argv[sys.argv.index("--only") + 1])
        return
    small = list(programs())
    if "--programs" in sys.argv:
        show("caught", cheat(small, SEED))
        alarms = be_honest(small, SEED)
        fixes(alarms)
        rules(alarms, honest.rule_edits(), wanted=False)
        show("false alarms", alarms)
        return
    caught = cheat([*small, *packages(cache, VERSIONS)], SEED)
    rules(caught, surroundings.rule_edits(), wanted=True)
    show("caught", caught, f">= {CAUGHT_GOAL} %")
    alarms, apart = be_honest([*small, *packages(cache, VERSIONS)], SEED), Tally()
    rules(alarms, honest.rule_edits(), wanted=False)
    fixes(alarms)
    release(alarms, apart, cache, VERSIONS)
    show("false alarms", alarms, f"<= {ALARM_GOAL} %")
    show("suspected in releases that withdraw tests, suppress findings or change rules: for a person", apart)
    if "--held-out" in sys.argv:
        held_out = list(packages(cache, HELD_OUT))
        show("held out: caught", cheat([*held_out, *small], HELD_OUT_SEED), f">= {CAUGHT_GOAL} %")
        alarms, apart = be_honest([*held_out, *small], HELD_OUT_SEED), Tally()
        release(alarms, apart, cache, HELD_OUT)
        show("held out: false alarms", alarms, f"<= {ALARM_GOAL} %")
        show("held out: releases that withdraw tests, or change rules", apart)


if __name__ == "__main__":
    main()
