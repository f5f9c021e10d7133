"""What the edits of one kind bring that no later part mends, found at once: the edits that bring it go.

At the end of the run it would be searched for among all kinds, with the tests, and with types made anew.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from sparky.domain.agent import ToolFix
from sparky.domain.finding import Finding
from sparky.domain.issue import Kind
from sparky.domain.state import Handoff, PipelineState
from sparky.evidence.change import looked_for
from sparky.evidence.tests import heard_at, trace_calls, why_withheld
from sparky.fixing.composer import Composer, Texts
from sparky.fixing.search import RestlessError, search
from sparky.fixing.stack import Layer
from sparky.fixing.trial import Trial
from sparky.fixing.verdict import Blame, blamed
from sparky.ports import Ports
from sparky.tools.faults import appeared, told_once
from sparky.tools.tool import SILENT, Unit, joined, mends

LIMIT = 24
"""How many parts of a kind's edits are tried at most; what was not shown to be safe by then is left out."""

Worse = Callable[[Sequence[Finding], Sequence[Finding]], tuple[Finding, ...]]
"""What of the findings after an edit was not there before, and stays."""


def worse_for(handoff: Handoff, state: PipelineState, ports: Ports) -> Worse:
    """What tells it for a part of a run: what the agent of a later part mends makes nothing worse.

    Such as an import that nothing uses any more.
    """
    works = {agent.name: agent.works for agent in ports.agents}
    later = {route.kind: works.get(route.agent or "") for route in state.routes[handoff.part + 1 :]}
    withheld = cache(lambda: why_withheld(ports, state.context, state.preferences))

    def mended(finding: Finding) -> bool:
        how = later.get(finding.kind)
        return isinstance(how, ToolFix) and mends(how, finding) and not withheld()(finding)

    def worse(before: Sequence[Finding], after: Sequence[Finding]) -> tuple[Finding, ...]:
        # Where a file is mended as a whole (its layout), what else is said of that kind may go with it.
        whole = {(one.location.path, one.kind) for one in after if one.location.line is None and mended(one)}
        new = told_once(appeared(before, after))
        return tuple(one for one in new if not mended(one) and (one.location.path, one.kind) not in whole)

    return worse


@dataclass(frozen=True, kw_only=True)
class Safe:
    """The units that bring nothing, what is found where they are applied, why others were left out."""

    units: tuple[Unit, ...]
    after: tuple[Finding, ...]
    left: Mapping[str, str]


@dataclass(kw_only=True)
class _Onlooker:
    """Judges files by what is brought: at a glance where and by whom something was found already."""

    composer: Composer
    worse: Worse
    before: tuple[Finding, ...]
    paths: tuple[str, ...]
    kinds: tuple[Kind, ...]
    after: tuple[Finding, ...] = ()
    fresh: set[Finding] = field(default_factory=set)

    def first(self) -> tuple[str, ...]:
        return tuple(sorted({one.location.path for one in self.fresh}))

    def glance(self, texts: Texts) -> Blame | None:
        kinds = {one.kind for one in self.fresh}
        found = self.composer.findings(texts, self.first(), kinds)
        return blamed(self.worse(self.before, [one for one in found if one.kind in kinds]))

    def judge(self, texts: Texts) -> Blame | None:
        self.after = self.composer.findings(texts, self.paths, self.kinds)
        fresh = self.worse(self.before, self.after)
        self.fresh.update(fresh)
        return blamed(fresh)


def safe_part(
    state: PipelineState,
    ports: Ports,
    layer: Layer,
    *,
    start: str,
    before: tuple[Finding, ...],
    fresh: tuple[Finding, ...],
    worse: Worse,
) -> Safe:
    """The largest part of a layer that brings nothing, which is what the worktree then has.

    `start` is the commit below it, `before` all findings there, `fresh` what all of the layer brings. What
    is left out is remembered. Raises ToolError.
    """
    root = ports.repository.open(state.run_id, state.context.branch, start)
    shown, hear = cache(lambda: trace_calls(state, ports)), partial(heard_at, state, ports)
    composer = Composer(ports, root, start, (layer,), shown=shown, hear=hear, known=before)
    judge = _Onlooker(
        composer=composer,
        worse=worse,
        before=before,
        paths=tuple(sorted({unit.path for unit in layer.units})),
        kinds=(*looked_for(state), layer.kind),
        fresh={*fresh},
    )
    trial = Trial(state=state, ports=ports, stack=(layer,), composer=composer, judge=judge, limit=LIMIT)
    try:
        kept, culprits = search(trial)
    except RestlessError:
        bad = {*judge.first()}
        kept = tuple(piece for piece in trial.pieces if piece[1].path not in bad)
        culprits = tuple(piece for piece in trial.pieces if piece[1].path in bad)
        judge.judge(composer.texts(kept))
    lines, marks = trial.withdrawn(before, culprits)
    ports.refusals.refuse(state.context.git_dir, marks)
    units = joined(unit for _, unit in kept)
    touched = {unit.path for unit in units}
    return Safe(
        units=units,
        after=tuple(one for one in judge.after if one.location.path in touched or one.rule == SILENT),
        left={line.mark: line.why for line in lines},
    )
