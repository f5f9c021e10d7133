"""Trials of subsets of a stack of fixes: each is composed from files, and judged by what was wrong before."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Protocol

from sparky.domain.finding import Finding, Left, fingerprint, left
from sparky.domain.state import PipelineState
from sparky.evidence.change import base_findings
from sparky.evidence.tests import heard_at, trace_calls
from sparky.fixing.composer import Composer, Piece, Texts
from sparky.fixing.stack import Layer, message
from sparky.fixing.verdict import Blame, Judge
from sparky.ports import Ports
from sparky.tools.tool import Unit, covered

MAX_TRIALS = 60
"""How many subsets are tried at most; what was not shown to be safe by then counts as red."""


class Judges(Protocol):
    """Who says what is wrong with files; `Judge` does it for a whole run."""

    def first(self) -> tuple[str, ...]:
        """The files to look at first."""

    def glance(self, texts: Texts) -> Blame | None:
        """Why files are refused by what was wrong before; None: nothing of that is to be seen."""

    def judge(self, texts: Texts) -> Blame | None:
        """Why files are refused, by all that is asked of them; None if they are not."""


@dataclass(kw_only=True)
class Trial:
    """Composes subsets of a stack and judges them by what refused the whole.

    `blame`: what the newest trial that was red said, by the last piece of that trial; of a culprit in the
    end, what it does beside all that is kept. `limit` is how many subsets are tried.
    """

    state: PipelineState
    ports: Ports
    stack: tuple[Layer, ...]
    composer: Composer
    judge: Judges
    limit: int = MAX_TRIALS
    count: int = 0
    blame: dict[Piece, Blame] = field(default_factory=dict)

    @property
    def unshown(self) -> Blame:
        """What is to be said of a piece that no trial was left for."""
        return Blame(why=f"was not shown to be safe in {self.limit} trials", lasting=False)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All units, those of the last layers first: they mend what others leave behind."""
        layers = reversed(tuple(enumerate(self.stack)))
        return tuple((index, unit) for index, layer in layers for unit in layer.units)

    def learnt(self, pieces: Sequence[Piece]) -> tuple[Piece, ...]:
        """Those whose edits are long in coming, and made anew for any other edits before; none if all are."""
        slow = tuple(piece for piece in pieces if self.composer.learns(piece[1]))
        return slow if len(slow) < len(pieces) else ()

    def is_green(self, pieces: Sequence[Piece]) -> bool:
        """Whether nothing is to be seen in a subset of what was wrong before."""
        return self.refusal(pieces) is None

    def refusal(self, pieces: Sequence[Piece]) -> Blame | None:
        """Why a subset is red at a glance, None if it is green; no piece at all is green."""
        if not pieces:
            return None
        self.count += 1
        if self.count > self.limit:
            self.blame[pieces[-1]] = self.unshown
            return self.unshown
        return self._look(pieces, f"trial {self.count}")

    def is_guilty(self, kept: Sequence[Piece], culprit: Piece) -> bool:
        """Whether a culprit is red beside what is kept, too: what failed by chance may pass now.

        What was found by a trial is looked at again whatever their number is by then.
        """
        known, pieces = self.blame.get(culprit), (*kept, culprit)
        if known == self.unshown:
            return True
        why = self.refusal(pieces) if known is None else self._look(pieces, "once more")
        return why is not None

    def stands(self, pieces: Sequence[Piece]) -> Blame | None:
        """Why a subset is refused as a whole, None if it passes the gates, the tools and all tests."""
        why = self.judge.judge(self.composer.texts(pieces)) if pieces else None
        self._say(f"all that is to be kept, {len(pieces)} edit(s)", why)
        return why

    def withdrawn(
        self, before: Sequence[Finding], culprits: Sequence[Piece]
    ) -> tuple[tuple[Left, ...], dict[str, str]]:
        """The lines that name the findings of culprits, and the fingerprints to remember, with reasons."""
        lines: list[Left] = []
        marks: dict[str, str] = {}
        for index, unit in culprits:
            blame = self.why((index, unit))
            again = "" if blame.lasting else "; the next run tries it again"
            why = f"withdrawn: its fix {blame.why}{again}"
            for finding in covered((unit,), before, self.stack[index].works):
                lines.append(left(finding, why))
                if blame.lasting:
                    marks[fingerprint(finding)] = why
        return tuple(lines), marks

    def why(self, culprit: Piece) -> Blame:
        """What a culprit does."""
        return self.blame.get(culprit, self.unshown)

    def build(self, pieces: Sequence[Piece]) -> str:
        """The stack's commits with these units alone, in the run's worktree; returns the tip.

        Nothing can be tried afterwards.
        """
        state, repository = self.state, self.ports.repository
        made = [
            (self._message(index, units, before), after)
            for index, units, before, after in self.composer.steps(pieces)
        ]
        sha = state.base
        root = repository.open(state.run_id, state.context.branch, sha)
        for text, files in made:
            for path, data in files.items():
                (root / path).write_bytes(data)
            sha = repository.commit(state.run_id, text) or sha
        return sha

    def _look(self, pieces: Sequence[Piece], what: str) -> Blame | None:
        why = self.judge.glance(self.composer.texts(pieces))
        self._say(f"{what}: {len(pieces)} edit(s) together", why)
        if why:
            self.blame[pieces[-1]] = why
        return why

    def _message(self, index: int, units: tuple[Unit, ...], before: Texts) -> str:
        layer = replace(self.stack[index], units=units)
        paths = sorted({unit.path for unit in units})
        found = self.composer.findings(before, paths, (layer.kind,))
        return message(layer, self.state, self.ports, len(covered(units, found, layer.works)))

    def _say(self, what: str, why: Blame | None) -> None:
        self.ports.progress.say(self.state.run_id, f"{what}: {why.why if why else 'no worse than at base'}")


def trial_of(state: PipelineState, ports: Ports, stack: tuple[Layer, ...]) -> Trial:
    """The trials of a run whose newest attempt refused its stack."""
    root = ports.repository.open(state.run_id, state.context.branch, state.base)
    shown = cache(lambda: trace_calls(state, ports))
    known, heard = base_findings(state, ports), partial(heard_at, state, ports)
    composer = Composer(ports, root, state.base, stack, shown=shown, hear=heard, known=known)
    snapshots = frozenset(path for layer in stack for path in layer.snapshots)
    refused = state.attempts[-1]
    judge = Judge(state=state, ports=ports, composer=composer, refused=refused, snapshots=snapshots)
    return Trial(state=state, ports=ports, stack=stack, composer=composer, judge=judge)
