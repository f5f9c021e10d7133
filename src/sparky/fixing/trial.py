"""Trials of subsets of a stack of fixes: each built as commits of its own, and judged like the whole."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sparky.domain.attempt import Stage, Verdict
from sparky.domain.change import Change
from sparky.domain.finding import Finding, appeared, left
from sparky.domain.gates import Facts, review
from sparky.domain.state import PipelineState
from sparky.domain.testing import TestRun, Trouble
from sparky.evidence.change import base_findings, looked_for, read_change, whole_issue
from sparky.evidence.detect import detect
from sparky.evidence.tests import StoppedError, find_command, judge, run_tests, trace_calls
from sparky.fixing.stack import Layer, apply, message
from sparky.ports import Ports
from sparky.tools.tool import Unit, covered, joined, parts

MAX_TRIALS = 60
"""How many subsets are tried at most; what was not shown to be safe by then counts as red."""

Piece = tuple[int, Unit]
"""A unit, and the index of its layer."""


@dataclass(frozen=True, kw_only=True)
class Blame:
    """What a fix does, as the end of a sentence; `lasting`: it would do so the next time, too."""

    why: str
    lasting: bool


UNSHOWN = Blame(why=f"was not shown to be safe in {MAX_TRIALS} trials", lasting=False)
_BROKEN = {
    Trouble.NO_TESTS: "leaves no test to run",
    Trouble.TIMED_OUT: "makes the tests run out of time",
    Trouble.CRASHED: "makes the tests break off",
}
"""Trouble that a change may be blamed for."""


@dataclass(kw_only=True)
class Trial:
    """Builds subsets of a stack and judges them by what refused the whole.

    `blame`: what the newest trial that was red said, by the last piece of that trial.
    """

    state: PipelineState
    ports: Ports
    stack: tuple[Layer, ...]
    stage: Stage
    count: int = 0
    blame: dict[Piece, Blame] = field(default_factory=dict)

    def is_green(self, pieces: Sequence[Piece]) -> bool:
        """Whether a subset passes the gates, brings no finding, and leaves every test as at base."""
        self.count += 1
        why: Blame | None = UNSHOWN
        if self.count <= MAX_TRIALS:
            said = f"trial {self.count}: {len(pieces)} edit(s) together"
            self.ports.progress.say(self.state.run_id, said)
            why = self._refusal(self.build(pieces))
        if why and pieces:
            self.blame[pieces[-1]] = why
        return why is None

    def build(self, pieces: Sequence[Piece]) -> str:
        """The stack's commits with these units alone, in the run's worktree; returns the tip."""
        state, repository = self.state, self.ports.repository
        sha = state.base
        root = repository.open(state.run_id, state.context.branch, sha)
        for index, layer in enumerate(self.stack):
            chosen = joined(unit for i, unit in pieces if i == index)
            if chosen:
                before = self._known(sha, sorted({unit.path for unit in chosen}))
                apply(self.ports, root, layer.works, chosen, before, shown=self._shown)
                count = len(covered(chosen, before, layer.works))
                text = message(replace(layer, units=chosen), state.run_id, count)
                sha = repository.commit(state.run_id, text) or sha
        return sha

    def _shown(self) -> Path | None:
        return trace_calls(self.state, self.ports)

    def parts(self, kept: Sequence[Piece], piece: Piece) -> tuple[Piece, ...]:
        """A piece taken apart by finding, as its file is where the layers before it are `kept`."""
        index, unit = piece
        sha = self.build([(i, other) for i, other in kept if i < index])
        found = self._known(sha, [unit.path])
        return tuple((index, part) for part in parts(unit, found, self.stack[index].works))

    def _known(self, sha: str, paths: list[str]) -> tuple[Finding, ...]:
        root = self.ports.repository.open(self.state.run_id, self.state.context.branch, sha)
        return detect(self.ports, root, sha, looked_for(self.state), paths).findings

    def _refusal(self, sha: str) -> Blame | None:
        """Why the commit is refused, None if it is not; raises StoppedError where nothing can be said."""
        state, ports = self.state, self.ports
        change = read_change(ports.repository, state.base, sha)
        for gate in review(Facts(issue=whole_issue(state, ports), change=change)):
            if gate.verdict is not Verdict.PASS:
                return Blame(why=f"is refused by the gate '{gate.gate}': {gate.reason}", lasting=True)
        if self.stage is Stage.REVIEW:
            return None
        return self._new_findings(sha, change) or self._worse_tests(sha)

    def _new_findings(self, sha: str, change: Change) -> Blame | None:
        paths = [file.path for file in change.files if file.status != "D"]
        known = base_findings(self.state, self.ports)
        if not paths or known is None or self.state.base != self.state.context.base:
            return None
        changed = set(paths)
        old = [f for f in known if f.location.path in changed]
        fresh = appeared(old, self._known(sha, paths))
        return Blame(why=f"brings a new finding: {left(fresh[0], '').what}", lasting=True) if fresh else None

    def _worse_tests(self, sha: str) -> Blame | None:
        command = find_command(self.state, self.ports)
        if command is None:
            return None
        limit = self.state.preferences.test_timeout_s
        base = self.ports.tests.run(self.state.context, self.state.base, command, timeout_s=limit)
        if base.trouble is Trouble.NO_TESTS:
            return None
        if base.trouble is not None:
            raise StoppedError(base)
        head = run_tests(self.state, self.ports, command, sha)
        if head.trouble is not None:
            return self._troubled(head)
        worse = judge(self.state, self.ports, base, head).worse
        if not worse:
            return None
        some = f"{len(worse)} tests, such as {worse[0]}" if len(worse) > 1 else worse[0]
        return Blame(why=f"breaks {some}", lasting=True)

    def _troubled(self, head: TestRun) -> Blame:
        """What is to be said of trouble: the change is blamed only for what the whole of it came to, too."""
        known = head.trouble is Trouble.NO_TESTS or (
            head.trouble is not None and head.trouble.value in self.state.attempts[-1].validation_errors
        )
        if head.trouble not in _BROKEN or not known:
            raise StoppedError(head)
        return Blame(why=f"{_BROKEN[head.trouble]} ({head.detail})", lasting=False)
