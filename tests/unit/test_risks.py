"""Risks: which of the changed lines count, and how those that no test runs are named."""

from sparky.domain.attempt import GateResult, Verdict
from sparky.domain.change import Change, Lines
from sparky.domain.testing import TestRun, Trouble
from sparky.evidence.risks import covered, lines_of, ranges

RUN = TestRun(sha="s", command=("pytest",))


def said(run: TestRun) -> tuple[Verdict, str]:
    gate: GateResult = covered(run)
    return gate.verdict, gate.reason


def test_lines_that_a_change_adds_to_python_count_but_for_those_of_tests() -> None:
    added = Lines(added=("a", "b"), numbers=(3, 4))
    lines = {"a.py": added, "tests/test_a.py": added, "notes.md": added, "b.py": Lines(removed=("c",))}
    assert lines_of(Change(files=(), lines=lines)) == {"a.py": (3, 4)}


def test_lines_that_no_test_runs_are_named_in_ranges() -> None:
    assert said(RUN) == (Verdict.PASS, "the tests run every changed line")
    unrun = {"b.py": (1,), "a.py": (3, 4, 5, 9, 11, 12)}
    told = TestRun(sha="s", command=("pytest",), unrun=unrun)
    why = "7 changed line(s) that no test was seen to run: a.py:3-5,9,11-12; b.py:1"
    assert said(told) == (Verdict.ESCALATE, why)
    assert ranges((1,)) == "1"


def test_tests_that_were_stopped_while_they_were_watched_say_so_and_only_the_first_files_are_named() -> None:
    unrun = {f"{name}.py": (1,) for name in "abcdefg"}
    told = TestRun(sha="s", command=("pytest",), trouble=Trouble.TIMED_OUT, detail="after 9 s", unrun=unrun)
    files = "a.py:1; b.py:1; c.py:1; d.py:1; e.py:1 (and 2 more)"
    why = f"7 changed line(s) that no test was seen to run (timed out: after 9 s): {files}"
    assert said(told) == (Verdict.ESCALATE, why)
