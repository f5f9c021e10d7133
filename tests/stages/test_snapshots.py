"""Snapshots that a person asked for: rewritten by a tool alone, judged by tests, looked at by that person."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sparky.domain.attempt import Stage, Verdict
from sparky.domain.finding import Finding, Left, Location, findings_issue
from sparky.domain.flow import decide
from sparky.domain.issue import Kind
from sparky.domain.result import REST
from sparky.domain.state import Handoff, MergePolicy, Outcome, PipelineState, Preferences
from sparky.evidence.change import UNITS, rewritten
from sparky.evidence.detect import detect, exported
from sparky.evidence.failing import hear, red_all_the_same
from sparky.formats.values_json import decode, encode
from sparky.ports import Ports
from sparky.stages.table import perform
from sparky.tools.failing.snapshots import STALE
from sparky.tools.ruff_json import parse
from tests.builders import CONTEXT
from tests.stages.stand import Red, Stand

KINDS = (Kind.TEST_FAILURE,)
PAGE, FOOT = "tests/__snapshots__/page.ambr", "tests/__snapshots__/foot.txt"
FILES = {
    PAGE: b"body: Buy\nlinks: none\ntitle: A shop\n",
    FOOT: b"The end\n",
    "shop.py": b"",
    "tests/test_page.py": b"def test_page():\n    assert total([1, 2]) == 3\n",
}
TITLE = "tests/test_page.py::title"
WANTED = {b"body": b"Buy more", b"links": b"none", b"title": b"A new shop"}


def entries(files: Mapping[str, bytes]) -> dict[bytes, bytes]:
    return dict(line.split(b": ") for line in files[PAGE].splitlines() if b": " in line)


def stale(files: Mapping[str, bytes]) -> Red:
    """Each entry has a test of its name."""
    there = entries(files)
    return {
        f"tests/test_page.py::{name.decode()}": f"AssertionError: {name.decode()} is not as in its snapshot"
        for name, value in WANTED.items()
        if there[name] != value
    }


def updated(files: Mapping[str, bytes], test: str) -> Mapping[str, bytes | None]:
    name = test.rpartition("::")[2].encode()
    there = entries(files) | {name: WANTED[name]}
    return {PAGE: b"".join(b"%s: %s\n" % (one, there[one]) for one in sorted(there))}


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    return Stand(
        root=tmp_path,
        red=stale,
        ids=tuple(f"tests/test_page.py::{name.decode()}" for name in WANTED),
        preferences=Preferences(merge=MergePolicy.AUTO, update_snapshots=True),
    )


def fixed(stand: Stand, ports: Ports | None = None) -> PipelineState:
    """A `fix` of the files, to its end."""
    base = stand.commit(FILES)
    ports = ports or replace(stand.house.ports, tests=replace(stand.house.tests, rewrite=updated))
    context = replace(CONTEXT, base=base)
    with exported(ports, base) as root:
        heard = hear(ports, context, stand.preferences, lambda: base)
        found = detect(ports, root, base, KINDS, hear=heard).findings
    issue = findings_issue(found, KINDS, CONTEXT.git_dir, (), always=KINDS)
    stand.issue = replace(issue, findings=ports.blobs.put(encode(found)))
    state = replace(stand.state(base), run_id=f"fix-{base[:8]}-1")
    state = replace(state, context=replace(state.context, branch=f"sparky/{base[:8]}"))
    while isinstance(following := decide(state), Handoff):
        state = state.record(perform(following, state, ports))
    return state.ended(following)


def text(stand: Stand, state: PipelineState, path: str = PAGE) -> bytes | None:
    return stand.house.repository.read(state.head, path)


def remaining(stand: Stand, state: PipelineState) -> list[str]:
    newest = next(a for a in reversed(state.attempts) if REST in a.blobs)
    return [one.line for one in decode(stand.house.blobs.get(newest.blobs[REST]), tuple[Left, ...])]


def test_what_is_asked_for_is_rewritten_and_waits_for_a_person_even_where_it_may_merge(stand: Stand) -> None:
    state = fixed(stand)
    end = state.ends[-1]
    assert text(stand, state) == b"body: Buy more\nlinks: none\ntitle: A new shop\n"
    said = f"rewrote 1 snapshot(s), as asked: look at them: {PAGE}"
    assert (end.outcome, end.reason) == (Outcome.READY, f"for a person: {said}; 2 of 2 finding(s) gone")
    asked = "Stale snapshots are rewritten, as asked (--update-snapshots): look at them.\n"
    assert asked in stand.house.repository.message(state.head)


def test_unasked_nothing_is_rewritten(stand: Stand) -> None:
    stand.preferences = Preferences(merge=MergePolicy.AUTO)
    state = fixed(stand)
    assert (state.head, state.ends[-1].outcome) == (state.base, Outcome.NOTHING_TO_DO)


def test_a_snapshot_whose_rewriting_leaves_another_test_red_is_withdrawn_alone(stand: Stand) -> None:
    other = "tests/test_page.py::test_index"
    stand.ids = (*stand.ids, other)

    def red(files: Mapping[str, bytes]) -> Red:
        lost = entries(files)[b"title"] != b"A shop"
        return {**stale(files), **({other: "AssertionError: no shop"} if lost else {})}

    stand.red = red
    state = fixed(stand)
    assert text(stand, state) == b"body: Buy more\nlinks: none\ntitle: A shop\n"
    assert state.ends[-1].outcome is Outcome.READY
    (stays,) = remaining(stand, state)
    said = f"{TITLE}: AssertionError: title is not as in its snapshot"
    assert stays == f"{PAGE}:3 stale-snapshot {said}: withdrawn: its fix breaks {other}"


def test_bug_a_test_of_which_only_some_snapshots_may_be_rewritten_kept_those_and_stayed_red(
    stand: Stand,
) -> None:
    """Both have to be as its test has them, and one must not, for another test's sake; a third may be."""
    both, other, body = (f"tests/test_page.py::{name}" for name in ("both", "test_foot", "body"))
    stand.ids = (both, other, body)

    def red(files: Mapping[str, bytes]) -> Red:
        new = b"title: A new shop" in files[PAGE], files[FOOT] == b"Bye\n"
        said = {} if all(new) else {both: "AssertionError: not as in the snapshots"}
        said |= {other: "AssertionError: no end"} if new[1] else {}
        return said if b"Buy more" in files[PAGE] else {**said, body: "AssertionError: no snapshot of it"}

    def rewrite(files: Mapping[str, bytes], test: str) -> Mapping[str, bytes | None]:
        if test == body:
            return {PAGE: files[PAGE].replace(b"Buy\n", b"Buy more\n")}
        return {PAGE: files[PAGE].replace(b"A shop", b"A new shop"), FOOT: b"Bye\n"}

    stand.red = red
    tests = replace(stand.house.tests, rewrite=rewrite)
    state = fixed(stand, replace(stand.house.ports, tests=tests))
    assert state.ends[-1].outcome is Outcome.READY, state.ends[-1].reason
    assert text(stand, state) == FILES[PAGE].replace(b"Buy", b"Buy more")
    assert text(stand, state, FOOT) == FILES[FOOT]
    said = f"{both}: AssertionError: not as in the snapshots"
    assert remaining(stand, state) == [
        f"{FOOT}:1 stale-snapshot {said}: withdrawn: its fix breaks {other}",
        f"{PAGE}:3 stale-snapshot {said}: withdrawn: its fix leaves its test as red as it was: {said}",
    ]
    again = fixed(stand, replace(stand.house.ports, tests=tests))
    assert again.ends[-1].outcome is Outcome.READY


def test_of_tests_that_differ_by_a_number_each_is_red_for_itself() -> None:
    one, other, shorter = (
        Finding(
            tool="failures", rule=STALE, kind=Kind.TEST_FAILURE, message=said, location=Location(path=PAGE)
        )
        for said in ("page[1]: 3 lines differ", "page[2]: 3 lines differ", "page[2]: 2 lines differ")
    )
    assert red_all_the_same([one, other], [shorter]) == (other,)


def test_a_session_is_not_excused_by_what_was_asked_of_the_tool(stand: Stand) -> None:
    state = fixed(stand)
    tool = next(a for a in state.of(Stage.EXECUTE) if UNITS in a.blobs)
    by_tool = replace(state, attempts=(*state.of(Stage.ROUTE), tool))
    assert rewritten(by_tool, stand.house.ports, state.head) == {PAGE}
    in_a_part = replace(state, attempts=(replace(tool, stage=Stage.CHILD),))
    assert rewritten(in_a_part, stand.house.ports, state.head) == {PAGE}
    unasked = replace(by_tool, preferences=Preferences())
    assert rewritten(unasked, stand.house.ports, state.head) == frozenset()
    session = replace(tool, blobs={})
    by_session = replace(by_tool, attempts=(*state.of(Stage.ROUTE), session))
    later = stand.change({PAGE: FILES[PAGE].replace(b"A shop", b"My shop")})
    over_it = by_tool.record(replace(session, sha=later))
    for run in (unasked, by_session, over_it):
        refused = stand.perform(Stage.REVIEW, run)
        assert refused.verdict is Verdict.REVISE
        assert [g.reason for g in refused.gates if g.gate == "tests kept"] == [
            f"{PAGE}:1: a file that tests read (changed): no source changed with it"
        ]


def test_what_is_asked_for_excuses_no_change_of_a_test(stand: Stand) -> None:
    state = fixed(stand)
    tool = next(a for a in state.of(Stage.EXECUTE) if UNITS in a.blobs)
    there = {path: stand.house.repository.read(state.head, path) for path in FILES}
    weaker = b"def test_page():\n    assert total([1, 2]) == 4\n"
    sha = stand.change({**there, "tests/test_page.py": weaker})
    run = replace(state, attempts=(*state.of(Stage.ROUTE), tool, replace(tool, sha=sha)))
    refused = stand.perform(Stage.REVIEW, run)
    (said,) = [g.reason for g in refused.gates if g.gate == "tests kept"]
    became = "test_page (changed): `total([1, 2]) == 3` became `total([1, 2]) == 4`"
    assert said == f"tests/test_page.py:2: {became}, and no source changed with it"
    assert refused.verdict is Verdict.REVISE


def rules(stand: Stand, made: Mapping[str, bytes | None]) -> list[str]:
    """What is found where a test's rewriting leaves these files."""
    tests = replace(stand.house.tests, rewrite=lambda _files, _test: made)
    ports = replace(stand.house.ports, tests=tests)
    base = stand.commit(FILES)
    heard = hear(ports, replace(CONTEXT, base=base), stand.preferences, lambda: base)({})
    return [f"{one.filename}: {one.code}" for one in parse(heard.stdout)]


@pytest.mark.parametrize(
    ("made", "rule"),
    [
        ({}, "unchanged-snapshot"),
        ({PAGE: FILES[PAGE]}, "unchanged-snapshot"),
        ({PAGE: None}, "whole-snapshot"),
        ({PAGE: b"title: A new shop\n", "tests/snapshots/new.txt": b"new\n"}, "whole-snapshot"),
        ({PAGE: b"\xff\xfe"}, "opaque-snapshot"),
        ({PAGE: b"\0"}, "opaque-snapshot"),
        ({PAGE: b"\xef\xbb\xbftitle\n"}, "opaque-snapshot"),
    ],
)
def test_what_is_no_edit_of_lines_is_left_with_the_reason(
    made: Mapping[str, bytes | None], rule: str, stand: Stand
) -> None:
    assert rules(stand, made) == [f"tests/test_page.py: {rule}"] * 2


def test_no_more_than_fifty_tests_are_run_alone(stand: Stand) -> None:
    stand.ids = tuple(f"tests/test_page.py::test_{number}" for number in range(60))
    stand.red = lambda _: dict.fromkeys(stand.ids, "a snapshot")
    assert Counter(rules(stand, {PAGE: b"new\n"})) == {
        f"{PAGE}: stale-snapshot": 50,
        "tests/test_page.py: stale-snapshot": 10,
    }
