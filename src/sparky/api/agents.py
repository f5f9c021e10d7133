"""Issues handed to the agents, and the agents themselves, as the coordinator of the old design had them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from sparky.adapters.git import find_repository
from sparky.adapters.shell import SystemShell
from sparky.agents.registry import Registry
from sparky.app.build import agents_of, read_agents, require_agents
from sparky.app.engine import Engine
from sparky.app.intake import first_state
from sparky.app.read import House, open_house, prepare_cache
from sparky.config import budget, preferences, read_settings
from sparky.domain.agent import Agent
from sparky.domain.errors import UsageError
from sparky.domain.issue import Issue, issue_key
from sparky.domain.result import FinalStatus, Result
from sparky.domain.run import Take
from sparky.domain.state import PipelineState
from sparky.environment import read_environment
from sparky.ports import NoRepositoryError


@dataclass(frozen=True, kw_only=True)
class FixResult:
    """What became of some issues. `success`: every one is merged or ready, and nothing of it remains.

    `confidence` is that of the least sure of all chosen bids (0..1; 0.0 where an issue has no agent).
    `remaining_issues` are what stays, with the reasons; `calls` counts the attempts of each agent.
    """

    success: bool
    confidence: float
    fixes_applied: tuple[str, ...]
    remaining_issues: tuple[str, ...]
    files_modified: tuple[str, ...]
    calls: dict[str, int]


def get_agent(name: str, repository: Path | None = None) -> Agent:
    """The agent of that name that a run would have: sparky's own, an installed one, or the repository's.

    `repository`: where, as committed there; None: the current directory, which need not be in one. Raises
    UsageError, which names those there are and what is wrong with others, and GitError for no repository.
    """
    registry, place = _agents_at(repository)
    found = next((agent for agent in registry.agents if agent.name == name), None)
    if found is not None:
        return found
    others = "".join(f"; left out: {fault}" for fault in (*registry.faults, *registry.notes))
    there = ", ".join(agent.name for agent in registry.agents)
    raise UsageError(f"no agent is called {name!r}{place}; there are {there}{others}")


def handle_issues(issues: Iterable[Issue], repository: Path | None = None) -> FixResult:
    """Work on each issue in a run of its own, one after the other; what was verified is merged or ready.

    `repository`: where; None: the current directory. Raises UserError for what a person can mend, such as an
    issue that another run is at, or a faulty agent.
    """
    environment = read_environment()
    prepare_cache(environment)
    home = open_house(environment)
    states: list[PipelineState] = []
    with home.locks.executor() as executor:
        engine = Engine(home, executor, adopting=False)
        try:
            for issue in issues:
                state = _claimed(home, executor, issue, repository or Path.cwd())
                engine.start(state)
                states.append(home.store.state(state.run_id))
        finally:
            engine.stop()
    return _joined(states, [home.result(state) for state in states])


def _agents_at(repository: Path | None) -> tuple[Registry, str]:
    """The agents, and the commit that they were read from, as the middle of a sentence."""
    environment = read_environment()
    try:
        found = find_repository(SystemShell(environment.base), repository or Path.cwd())
    except NoRepositoryError:
        if repository is not None:
            raise
        return read_agents({}), ""
    place = f" in {found.top}, at {found.head[:7]}" if found.head else f" in {found.top}"
    return agents_of(environment, found), place


def _claimed(home: House, executor: str, issue: Issue, place: Path) -> PipelineState:
    found = find_repository(SystemShell(home.environment.base), place)
    settings = read_settings(found.top)
    key = issue_key(str(found.git_dir), issue.source, issue.key)
    state = first_state(home, found, replace(issue, key=key), preferences(settings), budget(settings))
    require_agents(home, state.context)
    if home.store.claim(state, executor, lambda held: Take.START if held is None else Take.JOIN) is Take.JOIN:
        raise UsageError(f"a run has issue {issue.id} already: see `sparky status`")
    return state


def _joined(states: list[PipelineState], results: list[Result]) -> FixResult:
    sure = [
        next((bid.confidence for bid in route.bids if bid.agent == route.agent), 0.0)
        for state in states
        for route in state.routes
    ]
    calls: Counter[str] = Counter()
    for result in results:
        calls.update(result.calls)
    done = [result for result in results if result.final_status is FinalStatus.SUCCESS]
    remaining = [line for result in results for line in result.issues_remaining]
    remaining += [f"{result.issue}: {result.reason}" for result in results if result not in done]
    files = {path for result in done for path in result.work_completed.files_modified}
    return FixResult(
        success=bool(results) and not remaining,
        confidence=min(sure, default=0.0),
        fixes_applied=tuple(f"{result.issue}: {result.reason}" for result in done),
        remaining_issues=tuple(remaining),
        files_modified=tuple(sorted(files)),
        calls=dict(calls),
    )
