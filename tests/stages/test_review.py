"""REVIEW: every gate over the whole change since the base."""

from dataclasses import replace

from sparky.domain.attempt import Attempt, Responsibility, Stage, Verdict
from tests.stages.stand import Files, Stand


def review(stand: Stand, files: Files) -> tuple[Attempt, str, str]:
    """The review of one change to START, and the two commits."""
    base = stand.commit(
        {"a.py": b"A = 1\n", "tests/test_a.py": b"from a import A\n\n\ndef test_a():\n    assert A == 1\n"}
    )
    head = stand.change(files)
    before = Attempt(stage=Stage.EXECUTE, number=1, verdict=Verdict.PASS, reason="done", sha=head)
    return stand.perform(Stage.REVIEW, stand.state(base, before)), base, head


def test_a_change_that_every_gate_passes(stand: Stand) -> None:
    stand.issue = replace(stand.issue, files=("a.py",))
    attempt, base, head = review(
        stand, {"a.py": b"A = 2\n", "tests/test_b.py": b"def test_b():\n    assert 1\n"}
    )
    assert (attempt.verdict, attempt.reason) == (Verdict.PASS, "all 9 gates pass")
    assert (attempt.agent, attempt.quality, attempt.items) == ("mechanical-reviewer", 100, ())
    assert (attempt.files_modified, attempt.files_created) == (("a.py",), ("tests/test_b.py",))
    assert attempt.lines_changed == 4
    (evidence,) = attempt.evidence
    assert (evidence.command, evidence.sha) == (("git", "diff", base, head), head)
    assert stand.house.blobs.get(evidence.output) == stand.house.repository.patch(base, head)


def test_each_refusal_becomes_an_item_for_the_coder(stand: Stand) -> None:
    stand.issue = replace(stand.issue, files=("a.py",))
    change: Files = {
        "a.py": b"A = 2  # noqa\n",
        "uv.lock": b"x\n",
        "tests/test_a.py": b"def test_a():\n    pass\n",
    }
    attempt, _, _ = review(stand, change)
    assert (attempt.verdict, attempt.responsibility) == (Verdict.REVISE, Responsibility.CODER)
    assert [gate.gate for gate in attempt.gates if gate.verdict is Verdict.REVISE] == [
        *("scope", "protected", "suppressions", "tests kept"),
    ]
    assert attempt.items == attempt.validation_errors
    assert attempt.reason == f"review refused: {'; '.join(attempt.items)}"
    assert attempt.items[0] == (
        "scope: tests/test_a.py is not among the files that the issue names; "
        "uv.lock is not among the files that the issue names"
    )
    assert attempt.quality == 100 - 4 * 15


def test_what_does_not_parse_is_refused_by_file_and_line(stand: Stand) -> None:
    attempt, _, _ = review(stand, {"a.py": b"A = (\n"})
    assert attempt.items == ("parses: a.py: line 1: '(' was never closed",)
