"""VERIFY: gone, nothing new, tested, shown; and the risks that a person has to see."""

from dataclasses import replace

from sparky.domain.agent import Route
from sparky.domain.attempt import Attempt, Stage, Tally, Trait, Verdict
from sparky.domain.finding import Finding, Fix, Left, Location
from sparky.domain.issue import Issue, Kind, Source
from sparky.domain.result import REST
from sparky.domain.state import MergePolicy, Preferences
from sparky.domain.testing import Comparison
from sparky.evidence.change import UNITS
from sparky.formats.values_json import decode, encode
from tests.builders import RUN
from tests.stages.stand import Files, Stand, real_ruff

OS = Finding(
    tool="ruff",
    rule="F401",
    kind=Kind.IMPORT_ERROR,
    message="`os` imported but unused",
    location=Location(path="a.py", line=1, column=8),
    fix=Fix.SAFE,
)
FINDINGS = Issue(id="fix", key="k", title="Fix imports", source=Source.FINDINGS, kinds=(Kind.IMPORT_ERROR,))


def verified(
    stand: Stand,
    files: Files,
    *,
    kind: Kind = Kind.GENERAL,
    test: Verdict = Verdict.PASS,
    fixed: tuple[str, ...] = ("test_a",),
    stale: bool = False,
    found: tuple[Finding, ...] = (OS,),
    by_tool: bool = False,
) -> Attempt:
    """VERIFY of a change to a.py and b.py by a session, after a TEST that said so."""
    blobs = stand.house.blobs
    base = stand.commit({"a.py": b"import os\nA = 1\n", "b.py": b"B = 1\n"})
    head = stand.change(files)
    known = blobs.put(encode(found))
    if stand.issue.source is Source.FINDINGS:
        stand.issue = replace(stand.issue, findings=known)
    route = Route(kind=kind, agent="coder", fallbacks=(), bids=())
    comparison = blobs.put(encode(Comparison(fixed=fixed)))
    done = Attempt(stage=Stage.ROUTE, number=1, verdict=Verdict.PASS, reason="routed", route=(route,))
    work = replace(done, stage=Stage.EXECUTE, route=(), sha=head, traits=(Trait.CHANGED,))
    work = replace(work, blobs={UNITS: blobs.put(encode(()))} if by_tool else {})
    ran = replace(done, stage=Stage.TEST, route=(), verdict=test, blobs={"comparison": comparison})
    ran = replace(ran, reason=f"the tests: {test.value}", sha=base if stale else head)
    steps = (ran, work) if stale else (work, ran)
    return stand.perform(Stage.VERIFY, stand.state(base, done, *steps))


def refusals(attempt: Attempt) -> dict[str, tuple[Verdict, str]]:
    """The gates that did not pass."""
    return {g.gate: (g.verdict, g.reason) for g in attempt.gates if g.verdict is not Verdict.PASS}


def test_a_change_that_a_test_shows_and_that_brings_nothing_is_verified(stand: Stand) -> None:
    attempt = verified(stand, {"b.py": b"B = 2\n"})
    assert (attempt.verdict, attempt.reason) == (Verdict.PASS, "verified at the tested commit")
    assert (attempt.agent, attempt.files_modified, attempt.lines_changed) == ("verifier", ("b.py",), 2)
    assert [evidence.command[0] for evidence in attempt.evidence] == ["ruff", "ruff"]


def test_findings_that_are_gone_are_counted_and_those_that_stay_are_named(stand: Stand) -> None:
    stand.issue = FINDINGS
    attempt = verified(stand, {"a.py": b"A = 1\n"}, kind=Kind.IMPORT_ERROR)
    assert attempt.reason == "verified at the tested commit; 1 of 1 finding(s) gone"
    assert (attempt.tally, attempt.items) == (Tally(before=1, fixed=1, rest=0), ())
    stays = verified(Stand(root=stand.root / "2", issue=FINDINGS), {"b.py": b"\n"}, kind=Kind.IMPORT_ERROR)
    line = "a.py:1 F401 `os` imported but unused: no agent was asked to mend it"
    assert (stays.tally, stays.items) == (Tally(before=1, fixed=0, rest=1), (line,))


def test_bug_what_lay_there_was_held_against_a_session_that_was_asked_for_another_kind(stand: Stand) -> None:
    stand.tool = real_ruff
    stand.issue = replace(FINDINGS, kinds=(Kind.FORMATTING,))
    attempt = verified(stand, {"b.py": b"B = 2\n"}, kind=Kind.FORMATTING, found=())
    assert "nothing new" not in refusals(attempt)


def test_a_session_that_was_given_findings_has_to_end_some_and_what_it_left_is_named(stand: Stand) -> None:
    stand.issue = replace(FINDINGS, source=Source.LEFTOVERS)
    attempt = verified(stand, {"c.py": b"C = 1\n"}, kind=Kind.IMPORT_ERROR)
    gate = next(gate for gate in attempt.gates if gate.gate == "findings mended")
    assert (gate.verdict, gate.reason) == (Verdict.REVISE, "0 of the findings that it was given are gone")
    assert all(item.endswith(": a coding agent was asked to mend it, and left it") for item in attempt.items)
    assert attempt.items


def test_bug_a_session_was_held_to_findings_of_its_kind_that_it_was_not_given(stand: Stand) -> None:
    issue = replace(FINDINGS, source=Source.LEFTOVERS, findings=stand.house.blobs.put(encode(())))
    stand.issue = issue
    attempt = verified(stand, {"a.py": b"A = 1\n"}, kind=Kind.IMPORT_ERROR)
    gate = next(gate for gate in attempt.gates if gate.gate == "findings mended")
    assert (gate.verdict, gate.reason) == (Verdict.REVISE, "0 of the findings that it was given are gone")
    assert (attempt.tally, attempt.items) == (Tally(before=0, fixed=0, rest=0), ())


def test_the_rest_is_kept_whole_in_a_blob(stand: Stand) -> None:
    stand.issue = FINDINGS
    attempt = verified(stand, {"b.py": b"\n"}, kind=Kind.IMPORT_ERROR)
    (rest,) = decode(stand.house.blobs.get(attempt.blobs[REST]), tuple[Left, ...])
    assert rest.line == attempt.items[0]


def test_a_finding_that_appeared_goes_back_to_the_coder(stand: Stand) -> None:
    attempt = verified(stand, {"b.py": b"import os\nB = 2\n"})
    why = "1 finding(s) appeared: b.py:1 F401 `os` imported but unused"
    assert attempt.reason == f"not verified: nothing new: {why}"
    assert refusals(attempt) == {"nothing new": (Verdict.REVISE, why)}


def test_bug_a_change_could_hide_what_it_brings_by_configuring_the_tools(stand: Stand) -> None:
    stand.tool = real_ruff
    hiding = {"ruff.toml": b"lint.ignore = ['F401']\n", "b.py": b"import os\n\nB = 2\n"}
    why = (
        "1 finding(s) appeared, which the changed configuration of the tools hides: "
        "b.py:1 F401 `os` imported but unused"
    )
    assert refusals(verified(stand, hiding)) == {"nothing new": (Verdict.ESCALATE, why)}


def test_a_configuration_that_hides_nothing_excuses_nothing(stand: Stand) -> None:
    stand.tool = real_ruff
    attempt = verified(stand, {"ruff.toml": b"line-length = 99\n", "b.py": b"import os\n\nB = 2\n"})
    assert refusals(attempt)["nothing new"][0] is Verdict.REVISE


def test_only_the_tested_commit_is_verified(stand: Stand) -> None:
    attempt = verified(stand, {"b.py": b"B = 2\n"}, stale=True)
    assert attempt.verdict is Verdict.REVISE
    assert refusals(attempt) == {
        "tested commit": (Verdict.REVISE, "the head is not the commit that was tested")
    }


def test_what_no_test_looked_at_or_shows_is_a_risk(stand: Stand) -> None:
    attempt = verified(stand, {"b.py": b"B = 2\n"}, test=Verdict.SKIP, fixed=())
    assert (attempt.verdict, attempt.traits) == (Verdict.ESCALATE, (Trait.RISKY,))
    assert refusals(attempt) == {
        "tested commit": (Verdict.ESCALATE, "the tests: SKIP"),
        "shown by a test": (Verdict.ESCALATE, "no test fails at base and passes at head"),
    }


def test_criteria_and_size_are_for_a_person(stand: Stand) -> None:
    stand.issue = replace(stand.issue, criteria=("it is fast", "it is small"))
    attempt = verified(stand, {"b.py": b"B = 2\n" * 1001})
    assert refusals(attempt) == {
        "criteria": (Verdict.ESCALATE, "2 criterion/criteria to judge: it is fast; it is small"),
        "size": (Verdict.ESCALATE, "1002 lines changed, more than 1000"),
    }
    assert attempt.reason.startswith("for a person: 2 criterion/criteria")


def test_a_change_without_python_is_verified_by_its_tests_alone(stand: Stand) -> None:
    attempt = verified(stand, {"notes.txt": b"new\n"})
    assert (attempt.verdict, attempt.evidence) == (Verdict.PASS, ())
    assert stand.house.shell.ran == []


def test_risks_of_a_session_are_named_one_by_one(stand: Stand) -> None:
    files = {"b.py": b"C = 1\n", "uv.lock": b"1\n", "shop/migrations/0001.py": b"D = 1\n"}
    assert refusals(verified(stand, files)) == {
        "migrations": (Verdict.ESCALATE, "migrations: shop/migrations/0001.py"),
        "lock files": (Verdict.ESCALATE, "lock files: uv.lock"),
        "public API": (Verdict.ESCALATE, "the public API is changed: b.B: public object was removed"),
    }


def test_an_api_that_cannot_be_read_is_a_risk(stand: Stand) -> None:
    stand.commit({"c.py": b"def f(\n"})
    why = refusals(verified(stand, {"c.py": b"D = 1\n"}))["public API"]
    assert why[0] is Verdict.ESCALATE
    assert why[1].startswith("the public API can't be compared: c: ")


def test_changed_lines_that_no_test_runs_are_a_risk_where_nobody_would_look(stand: Stand) -> None:
    stand.house.tests.untested.add("b.py")
    new = {"b.py": b"B = 1\nC = 2\nD = 3\n", "tests/test_b.py": b"T = 1\n"}
    assert refusals(verified(stand, new)) == {}
    assert not any("watching" in line for line in stand.house.progress.lines(RUN))
    alone = Stand(root=stand.root / "2", preferences=Preferences(merge=MergePolicy.AUTO))
    alone.house.tests.untested.add("b.py")
    attempt = verified(alone, new)
    said = "2 changed line(s) that no test was seen to run: b.py:2-3"
    assert refusals(attempt) == {"covered": (Verdict.ESCALATE, said)}
    assert (attempt.verdict, attempt.traits) == (Verdict.ESCALATE, (Trait.RISKY,))
    assert attempt.evidence[-1].command == ("pytest",)


def test_tests_that_run_every_changed_line_let_it_be_merged_without_a_person(stand: Stand) -> None:
    stand.preferences = Preferences(merge=MergePolicy.AUTO)
    attempt = verified(stand, {"b.py": b"B = 2\n"})
    assert attempt.verdict is Verdict.PASS
    assert [g.reason for g in attempt.gates if g.gate == "covered"] == ["the tests run every changed line"]
    assert len(stand.house.tests.ran) == 1


def test_work_that_is_refused_is_not_looked_at_for_risks(stand: Stand) -> None:
    stand.preferences = Preferences(merge=MergePolicy.AUTO)
    attempt = verified(stand, {"b.py": b"import os\n"})
    assert list(refusals(attempt)) == ["nothing new"]
    assert stand.house.tests.ran == []


def test_bug_a_tool_led_code_to_other_names_where_no_test_runs_it_or_shows_that_it_helped(
    stand: Stand,
) -> None:
    failing = replace(OS, tool="failures", rule="renamed-name", kind=Kind.TEST_FAILURE, message="test_a: no")

    def mended(stand: Stand, path: str, *fixed: str) -> dict[str, tuple[Verdict, str]]:
        stand.preferences = Preferences(merge=MergePolicy.AUTO)
        stand.issue = replace(FINDINGS, kinds=(Kind.TEST_FAILURE,))
        stand.house.tests.untested.add("b.py")
        kind, files = Kind.TEST_FAILURE, {path: b"B = 2\n"}
        return refusals(verified(stand, files, kind=kind, fixed=fixed, found=(OS, failing), by_tool=True))

    said = "1 changed line(s) that no test was seen to run: b.py:1"
    assert mended(stand, "b.py", "test_a") == {"covered": (Verdict.ESCALATE, said)}
    alone = Stand(root=stand.root / "2")
    assert mended(alone, "tests/test_b.py", "test_a") == {}
    unseen = {"shown by a test": (Verdict.ESCALATE, "no test fails at base and passes at head")}
    assert mended(Stand(root=stand.root / "3"), "tests/test_b.py") == unseen


def test_bug_a_test_that_failed_otherwise_at_the_head_was_a_new_finding(stand: Stand) -> None:
    stand.issue = replace(FINDINGS, kinds=(Kind.TEST_FAILURE,))
    stand.red = lambda _: {"test_b": "E: no"}
    failing = replace(OS, tool="failures", rule="failing-test", kind=Kind.TEST_FAILURE, message="test_b: yes")
    found = (OS, failing)
    attempt = verified(stand, {"b.py": b"B = 2\n"}, kind=Kind.TEST_FAILURE, found=found, by_tool=True)
    assert "nothing new" not in refusals(attempt)
    assert attempt.tally == Tally(before=1, fixed=1, rest=1)
