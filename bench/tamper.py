"""How many of the ways to cheat the tamper gate catches, and how many honest changes it holds up.

Cheats and honest changes are made by operators from the programs in bench/programs and from real packages, at
random with a seed; further honest changes are the consecutive releases of the packages. The packages of
`HELD_OUT` were not looked at while the gate was made; `--held-out` prints them apart.

    python bench/tamper.py [CACHE] [--held-out] [--only PROJECT]

The sdists are downloaded to CACHE, once; what was measured of a project is kept there, too, until the gate or
the bench changes, so that a run that was broken off goes on where it stood.
"""

import argparse
import ast
import hashlib
import random
import re
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.tampering import honest, surroundings
from bench.tampering.cheats import TESTS, Cheat, Target
from bench.tampering.releases import HELD_OUT, VERSIONS, Unit, read, sdist, units
from bench.tampering.tally import Part, Tally

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
EACH, SMALL, AT_ONCE = 3, 60_000, 2
CAUGHT_GOAL, ALARM_GOAL = 99.0, 2.0
_ISSUE = Issue(id="1", key="1", title="Mend it", source=Source.SENTENCE)
_REMOVES = re.compile(r"(?m)^\s*(?:async )?def (test\w*)\(")

ALL = {**VERSIONS, **HELD_OUT}
HERE, GATE = Path(__file__), Path(__file__).parents[1] / "src" / "sparky"
MEASURED = (GATE / "tamper", GATE / "domain" / "gates.py", HERE.parent / "tampering", HERE)
Files = dict[str, str]
Project = tuple[str, Files, str]


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


def programs(only: str = "*") -> Iterator[Project]:
    """Name, files and source path of every program, or of one."""
    for place in sorted(path for path in PROGRAMS.glob(only) if (path / "tests").is_dir()):
        files = {path.relative_to(place).as_posix(): path.read_text() for path in sorted(place.rglob("*.py"))}
        yield place.name, files, f"{place.name}.py"


def packages(cache: Path, name: str) -> Iterator[Project]:
    """Name, files and largest source of a package's newest release that is to be had; none for no package."""
    path = sdist(cache, name, ALL[name][-1]) if name in ALL else None
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


def each(project: Project) -> int:
    """How many diffs of one operator a project gives: small ones are quicker to judge."""
    _, files, _ = project
    return EACH if sum(len(text) for path, text in files.items() if is_test_path(path)) < SMALL else 1


def differs(edit: Edit) -> bool:
    """Whether a diff changes more than layout."""
    if edit.before is None or edit.after is None or edit.old_path is not None:
        return True
    return ast.dump(ast.parse(edit.before)) != ast.dump(ast.parse(edit.after)) or edit.before != edit.after


def cheat(project: Project, seed: int) -> Tally:
    """Every cheat on a project."""
    tally = Tally()
    name, files, source = project
    rng = random.Random(f"{seed} {name}")
    tests = {path: text for path, text in files.items() if is_test_path(path)}
    found = targets(files, source, rng)
    for operator, edits, target in made(TESTS, found, each(project)):
        said = f"{name} {target.path} {target.node.name}"
        tally.count(operator, suspected=bool(suspected(edits, tests)), wanted=True, said=said)
    for operator, change in surroundings.SOURCE.items():
        text = change(files[source], rng)
        if text is not None and parses(text):
            hit = bool(suspected([Edit(path=source, before=files[source], after=text)], tests))
            tally.count(operator, suspected=hit, wanted=True, said=f"{name} {source}")
    for path in sorted(tests):
        text = surroundings.special_cases(files[source], files[path])
        if text is not None:
            hit = bool(suspected([Edit(path=source, before=files[source], after=text)], tests))
            tally.count("answers a test's input", suspected=hit, wanted=True, said=f"{name} {path}")
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


def be_honest(project: Project, seed: int) -> Tally:
    """Every honest change on a project."""
    tally = Tally()
    name, files, source = project
    found = targets(files, source, random.Random(f"{seed} {name}"))
    for operator, edits, target in made(honest.HONEST, found, each(project)):
        reasons = suspected(edits, files)
        said = f"{name} {target.path} {target.node.name}: {reasons}"
        tally.count(operator, suspected=bool(reasons), wanted=False, said=said)
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


def release(part: Part, cache: Path, name: str) -> None:
    """The releases of a package; those that withdraw tests, and those of rules, are counted apart."""
    for unit in units(cache, name, ALL[name]):
        reasons = suspected(unit.edits, unit.tests)
        taken_back = "rules" if unit.sort == "release: rules" else withdraws(unit)
        into = part.apart if taken_back else part.alarms
        said = f"{unit.name} ({taken_back}): {reasons[:2]}"
        into.count(unit.sort, suspected=bool(reasons), wanted=False, said=said)


def show(title: str, tally: Tally, goal: str = "") -> None:
    """A tally, its operators that are not as they should be, and its diffs."""
    print(tally.line(title) + (f"   goal {goal}" if goal else ""))
    for name in tally.made:
        print(f"    {tally.hit[name]:4} of {tally.made[name]:4}  {name}")
    for odd in tally.odd:
        print(f"    ! {odd[:400]}")


def measured(cache: Path, name: str) -> Part:
    """The figures of one project, kept in the cache as long as neither gate nor bench change."""
    code = hashlib.sha256()
    for path in sorted(
        path for place in MEASURED for path in (place, *place.rglob("*.py")) if path.is_file()
    ):
        code.update(path.read_bytes())
    kept = cache / "parts" / f"{name}-{code.hexdigest()[:16]}.json"
    if kept.exists():
        return msgspec.json.decode(kept.read_bytes(), type=Part)
    seed = HELD_OUT_SEED if name in HELD_OUT else SEED
    found = [*programs(name), *packages(cache, name)]
    part = Part()
    for project in found:
        part.caught, part.alarms = cheat(project, seed), be_honest(project, seed)
    if name in ALL:
        release(part, cache, name)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(msgspec.json.encode(part))
    return part


def measure(cache: Path, names: Sequence[str]) -> Part:
    """The figures of several projects, two at a time."""
    whole = Part()
    with ProcessPoolExecutor(AT_ONCE) as pool:
        waiting = {pool.submit(measured, cache, name): name for name in names}
        for done in as_completed(waiting):
            whole.add(done.result())
            print(f"{waiting[done]}: {done.result().caught.line('caught')}", file=sys.stderr, flush=True)
    return whole


def main(cache: Path, *, only: str | None, held_out: bool) -> None:
    """Print all figures."""
    cache.mkdir(parents=True, exist_ok=True)
    if only is None:
        whole = measure(cache, [*(name for name, _, _ in programs()), *VERSIONS])
        rules(whole.caught, surroundings.rule_edits(), wanted=True)
        rules(whole.alarms, honest.rule_edits(), wanted=False)
        fixes(whole.alarms)
        put(whole, "")
    names = [only] if only is not None else list(HELD_OUT) if held_out else []
    if names:
        put(measure(cache, names), "held out: " if only is None else f"{only}: ")


def put(part: Part, which: str) -> None:
    """Print a part."""
    show(f"{which}caught", part.caught, f">= {CAUGHT_GOAL} %")
    show(f"{which}false alarms", part.alarms, f"<= {ALARM_GOAL} %")
    show(f"{which}releases that withdraw tests, suppress findings or change rules, for a person", part.apart)


def arguments() -> argparse.Namespace:
    """Those of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cache", nargs="?", type=Path, default=Path(tempfile.gettempdir()) / "sparky-sdists")
    parser.add_argument("--only", metavar="PROJECT")
    parser.add_argument("--held-out", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    given = arguments()
    main(given.cache, only=given.only, held_out=given.held_out)
