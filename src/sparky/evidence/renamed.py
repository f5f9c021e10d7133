"""Tests that did not vanish, but have another name or place."""

from dataclasses import replace

from sparky.domain.testing import Comparison, TestOutcome, TestRun
from sparky.evidence.change import edits_of
from sparky.ports import Ports
from sparky.tamper.renames import new_id, renames


def without_renamed(ports: Ports, base: str, head: TestRun, seen: Comparison) -> Comparison:
    """The comparison of `head` with the commit `base`; a test that passes under another name is not lost."""
    if not seen.vanished:
        return seen
    changes = ports.repository.changes(base, head.sha)
    known = renames(edits_of(ports.repository, base, head.sha, changes))
    passed = {case.id for case in head.cases if case.outcome is TestOutcome.PASSED}
    renamed = tuple(test for test in seen.vanished if new_id(test, known) in passed)
    return replace(seen, vanished=tuple(sorted({*seen.vanished} - {*renamed})), renamed=renamed)
