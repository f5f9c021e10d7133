"""Small values that many tests start from."""

from sparky.domain.agent import Agent, Role, Route, Session
from sparky.domain.attempt import Attempt, GateResult, Stage, Strategy, Trait, Verdict
from sparky.domain.issue import Issue, Kind, Severity, Source
from sparky.domain.run import RunRow
from sparky.domain.state import Context, MergePolicy, Outcome, PipelineState, Preferences

BASE = "b" * 40
RUN = "7-0a1b2c3d-1"
KINDS = (Kind.DEAD_CODE, Kind.IMPORT_ERROR, Kind.FORMATTING)

ISSUE = Issue(id="7", key="key-of-7", title="Tidy the report", source=Source.MARKDOWN)
CONTEXT = Context(
    repo_name="shop",
    repo_path="/home/ada/shop",
    git_dir="/home/ada/shop/.git",
    base=BASE,
    target="main",
    branch="sparky/7-tidy-the-report-0a1b2c3d-1",
)
REVIEWER = Agent(
    name="reviewer",
    role=Role.REVIEWER,
    kinds=(),
    works=Session(runner="scripted", prompt="Look at the names."),
    bid=lambda _: (0.0, ""),
    description="Reads the change.",
)


def sha(letter: str) -> str:
    """A commit's name, told from others by one letter."""
    return letter * 40


def state_of(*attempts: Attempt, merge: MergePolicy = MergePolicy.ASK, issue: Issue = ISSUE) -> PipelineState:
    """A run's first segment with these attempts."""
    return PipelineState(
        run_id=RUN,
        pipeline_id=RUN,
        issue=issue,
        context=CONTEXT,
        preferences=Preferences(merge=merge),
        attempts=attempts,
    )


def routed(*chains: tuple[str, ...]) -> Attempt:
    """ROUTE, with one part for each chain: the chosen agent and its fallbacks; () is nobody."""
    routes = tuple(
        Route(kind=kind, agent=chain[0] if chain else None, fallbacks=chain[1:], bids=())
        for kind, chain in zip(KINDS, chains, strict=False)
    )
    return Attempt(stage=Stage.ROUTE, number=1, verdict=Verdict.PASS, reason="routed", route=routes)


def executed(
    agent: str,
    verdict: Verdict,
    *traits: Trait,
    to: str | None = None,
    number: int = 1,
    part: int = 0,
    items: tuple[str, ...] = (),
) -> Attempt:
    """EXECUTE by an agent, ending at the commit `to`."""
    return Attempt(
        stage=Stage.EXECUTE,
        number=number,
        verdict=verdict,
        reason=f"{agent} said {number}",
        agent=agent,
        part=part,
        strategy=list(Strategy)[number - 1],
        traits=traits,
        sha=to,
        items=items,
    )


def changed(agent: str, to: str, number: int = 1, part: int = 0) -> Attempt:
    """EXECUTE that made a commit."""
    return executed(agent, Verdict.PASS, Trait.CHANGED, to=to, number=number, part=part)


def visited(
    stage: Stage,
    verdict: Verdict = Verdict.PASS,
    *traits: Trait,
    number: int = 1,
    part: int = 0,
    to: str | None = None,
    items: tuple[str, ...] = (),
) -> Attempt:
    """A stage other than EXECUTE."""
    return Attempt(
        stage=stage,
        number=number,
        verdict=verdict,
        reason=f"{stage.value} said {number}",
        part=part,
        traits=traits,
        sha=to,
        items=items,
    )


def refusal(severity: Severity) -> GateResult:
    """A gate that refused."""
    return GateResult(gate="scope", verdict=Verdict.REVISE, reason="too far", severity=severity)


def row_of(outcome: Outcome | None = None, base: str = BASE) -> RunRow:
    """A run as the store lists it."""
    return RunRow(
        run_id=RUN,
        pipeline_id=RUN,
        issue_key=ISSUE.key,
        repository=CONTEXT.git_dir,
        repo_path=CONTEXT.repo_path,
        issue_id=ISSUE.id,
        title=ISSUE.title,
        base=base,
        branch=CONTEXT.branch,
        executor="executor-1",
        segment=1,
        outcome=outcome,
        reason="why",
        stage="verify",
        created="2026-11-21T10:00:00Z",
        updated="2026-11-21T10:00:09Z",
    )
