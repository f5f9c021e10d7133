"""All agents of a repository: those that ship, those of installed packages, and those of its own files.

Each joins under the checks of `table.check`; one that does not pass them is left out, and named.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import PurePosixPath

from sparky.agents.agent_md import AgentFileError, parse
from sparky.agents.table import AGENTS, check
from sparky.domain.agent import Agent

FOLDER, FOREIGN = ".agents/agents", ".claude/agents"
"""Where a repository keeps its agents, and where others keep theirs, which are read too."""

GROUP = "sparky.agents"
"""The entry points by which an installed package brings agents: each names one `Agent`."""


@dataclass(frozen=True, kw_only=True)
class Registry:
    """The agents that can be asked, in the order in which they joined.

    `faults` are for a person to mend before a run starts; `notes` name the files that were left out because
    they were not written for sparky.
    """

    agents: tuple[Agent, ...]
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def is_agent_file(path: str) -> bool:
    """Whether a file of a repository declares an agent."""
    place = PurePosixPath(path)
    return place.suffix == ".md" and str(place.parent) in {FOLDER, FOREIGN}


def installed() -> tuple[EntryPoint, ...]:
    """What installed packages bring, by name."""
    return tuple(sorted(entry_points(group=GROUP), key=lambda point: point.name))


def assemble(
    files: Mapping[str, bytes],
    points: Iterable[EntryPoint] = (),
    *,
    tools: Collection[str],
    runners: Collection[str],
    runner: str,
) -> Registry:
    """The agents that ship, with those of entry points and of a repository's files, by path.

    `tools` and `runners` are the names there are; `runner` is that of a file which names none.
    """
    agents = AGENTS
    faults: list[str] = []
    notes: list[str] = []
    for point in points:
        found = _load(point)
        wrong = [found] if isinstance(found, str) else check((*agents, found), tools, runners, kinds=())
        faults += [f"entry point {point.name}: {why}" for why in wrong]
        agents += () if wrong or isinstance(found, str) else (found,)
    for path in sorted(files):
        foreign = path.startswith(FOREIGN)
        try:
            agent = parse(files[path], path, runner=runner, foreign=foreign)
            wrong = check((*agents, agent), tools, runners, kinds=())
        except AgentFileError as error:
            wrong = [str(error)]
        else:
            agents += () if wrong else (agent,)
        (notes if foreign else faults).extend(wrong)
    return Registry(agents=agents, faults=tuple(dict.fromkeys(faults)), notes=tuple(notes))


def _load(point: EntryPoint) -> Agent | str:
    try:
        found = point.load()
    except Exception as error:  # noqa: BLE001 - whatever a foreign module raises, the others are still there
        return f"{point.value} can't be loaded: {type(error).__name__}: {error}"
    return found if isinstance(found, Agent) else f"{point.value} is no sparky Agent"
