"""Whose turn it is after red tests: each judged by what was seen of it, then all together."""

from collections.abc import Iterator
from dataclasses import replace

from sparky.domain.agent import Role
from sparky.domain.attempt import Responsibility, Stage
from sparky.domain.state import PipelineState
from sparky.domain.testing import Comparison, TestCase, TestRun
from sparky.evidence.change import by_tools_alone
from sparky.ports import Ports
from sparky.reports.responsibility import Judgement, RedFacts, classify, judge, missing_package

_LOOKED_AT = 50
"""How many red tests are judged; more say nothing new."""

_ORDER = (Responsibility.CODER, Responsibility.TESTER, Responsibility.ENVIRONMENT)
"""Who goes first where several have something to do."""


def whose_turn(
    state: PipelineState, ports: Ports, base: TestRun, head: TestRun, seen: Comparison
) -> Judgement:
    """Whose turn it is by all tests that are worse than at base.

    What nothing tells goes to whoever made the change, once; if it is so again, it is unknown.
    """
    judged = list(_each(state, ports, base, head, seen))
    for who in _ORDER:
        best = max(
            (one for one in judged if one.responsibility is who), key=lambda j: j.confidence, default=None
        )
        if best is not None:
            # Who edits by rules has no tester beside it: what it made of a test, it takes back.
            own = who is Responsibility.TESTER and by_tools_alone(state)
            return replace(best, responsibility=maker(state, ports)) if own else best
    facts = judged[0].facts
    if any(a.responsibility is maker(state, ports) and a.because == facts for a in state.of(Stage.TEST)):
        return Judgement(responsibility=Responsibility.UNKNOWN, confidence=0.0, facts=facts)
    return Judgement(responsibility=maker(state, ports), confidence=0.3, facts=facts)


def _each(
    state: PipelineState, ports: Ports, base: TestRun, head: TestRun, seen: Comparison
) -> Iterator[Judgement]:
    changed = tuple(file.path for file in ports.repository.changes(state.base, state.head))
    before = {case.id: case for case in base.cases}
    after = {case.id: case for case in head.cases}
    for test in seen.worse[:_LOOKED_AT]:
        if test in seen.vanished:
            gone = (f"{test} ran at base, and is not there or skipped at head",)
            yield Judgement(responsibility=maker(state, ports), confidence=0.9, facts=gone)
        else:
            yield judge(_facts(after[test], before.get(test), changed))


def _facts(case: TestCase, before: TestCase | None, changed: tuple[str, ...]) -> RedFacts:
    return RedFacts(
        failure=classify(case.message),
        test_path=case.id.partition("::")[0],
        deepest=case.where or None,
        changed=changed,
        red_at_base=before.red if before is not None else None,
        same_at_base=False,
        again=True,
        package=missing_package(case.message),
    )


def maker(state: PipelineState, ports: Ports) -> Responsibility:
    """Who made the newest change, which is whose turn a refusal makes it unless more is known."""
    made = state.of(Stage.EXECUTE)
    testers = {agent.name for agent in ports.agents if agent.role is Role.TESTER}
    return Responsibility.TESTER if made and made[-1].agent in testers else Responsibility.CODER
