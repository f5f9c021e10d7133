"""What has to be there for sparky to work, each looked at by doing it."""

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from uv import find_uv_bin

from sparky import __version__
from sparky.adapters.cli_runners import EXTRA, KNOWN, MODEL
from sparky.adapters.git import find_repository
from sparky.adapters.shell import SystemShell
from sparky.agents.table import check
from sparky.app.build import RUNNERS, find_binary, find_pyright, read_agents
from sparky.app.read import open_house
from sparky.config import ConfigError, read_settings
from sparky.domain.command import Command, Level
from sparky.domain.errors import UserError
from sparky.domain.issue import Kind
from sparky.environment import Environment
from sparky.evidence.running import reader
from sparky.tools.programs.pyright_config import configured_in
from sparky.tools.pyright import REMEDY
from sparky.tools.table import BINARIES, TOOLS

_FREE_BYTES = 1_000_000_000
_ANEW = "install sparky-agents anew"
_ELSEWHERE = "make them writable, or set SPARKY_STATE_DIR and SPARKY_CACHE_DIR"


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that was looked at. `remedy` says how to get what is missing; "" where all is well.

    What is not `needed` may be missing.
    """

    name: str
    well: bool
    found: str
    remedy: str = ""
    needed: bool = True


def check_machine(environment: Environment, repo: Path) -> tuple[Check, ...]:
    """Every check, in the order in which a person would mend them."""
    shell = SystemShell(environment.base)
    return (
        Check(name="sparky", well=True, found=f"{__version__} on Python {sys.version.split()[0]}"),
        _version(shell, "git", ("git", "--version"), "install git 2.38 or newer"),
        *(
            _version(shell, name, (find_binary(name), "--version"), _ANEW)
            for name in sorted({*BINARIES.values()} - {"python"})
        ),
        _version(shell, "uv", (find_uv_bin(), "--version"), _ANEW),
        _sandbox(shell),
        _state(environment),
        *_space(environment),
        _agents(),
        *_pyright(shell, repo),
        *_runners(shell, environment, repo),
        _repository(shell, repo),
        *_unfollowed(shell, repo),
    )


def _version(shell: SystemShell, name: str, argv: tuple[str, ...], remedy: str) -> Check:
    done = shell.run(Command(argv=argv, cwd=Path("/"), timeout_s=30))
    said = done.text().strip().splitlines()
    found = said[0] if said else "no answer"
    return Check(name=name, well=done.ok, found=found, remedy="" if done.ok else remedy)


def _sandbox(shell: SystemShell) -> Check:
    way = shell.way()
    if way is None or way.level is Level.OFF:
        remedy = "use Linux 5.13 or newer, or install bubblewrap; or allow it for each run with --no-sandbox"
        return Check(name="sandbox", well=False, found="none can be had", remedy=remedy)
    gaps = f" (not covered: {'; '.join(way.gaps)})" if way.gaps else ""
    return Check(name="sandbox", well=True, found=f"{way.name}{gaps}")


def _state(environment: Environment) -> Check:
    try:
        open_house(environment)
        environment.cache.mkdir(parents=True, exist_ok=True)
    except UserError as error:  # it says the way on itself
        return Check(name="state", well=False, found=str(error))
    except OSError as error:
        return Check(name="state", well=False, found=str(error), remedy=_ELSEWHERE)
    writable = os.access(environment.state, os.W_OK) and os.access(environment.cache, os.W_OK)
    found = f"{environment.state}; cache {environment.cache}"
    return Check(name="state", well=writable, found=found, remedy="" if writable else _ELSEWHERE)


def _space(environment: Environment) -> Iterator[Check]:
    """Whether there is room for the state; nothing is said of a place that could not be made."""
    if not environment.state.is_dir():
        return
    free = shutil.disk_usage(environment.state).free
    well = free > _FREE_BYTES
    found = f"{free / 1e9:.1f} GB free"
    yield Check(name="disk", well=well, found=found, remedy="" if well else "make room")


def _agents() -> Check:
    registry = read_agents({})
    problems = (*check(registry.agents, tuple(TOOLS), RUNNERS), *registry.faults)
    found = "; ".join(problems) or f"{len(registry.agents)} agents, each kind has its owner"
    remedy = "see docs/agents.md" if problems else ""
    return Check(name="agents", well=not problems, found=found, remedy=remedy)


def _pyright(shell: SystemShell, repo: Path) -> Iterator[Check]:
    """Whether it can be had, where the target configures it."""
    command, name = find_pyright(), "pyright"
    try:
        where = configured_in(reader(find_repository(shell, repo).top))
    except UserError:
        where = None
    if where and command:
        yield replace(_version(shell, name, (*shlex.split(command), "--version"), REMEDY), needed=False)
    elif where:
        found = f"not installed, and {where} configures it"
        yield Check(name=name, well=False, found=found, remedy=REMEDY, needed=False)


def _unfollowed(shell: SystemShell, repo: Path) -> Iterator[Check]:
    """What of the target's configuration its tools are not given."""
    try:
        read = reader(find_repository(shell, repo).top)
    except UserError:
        return
    tools = (configure("", read) for name, configure in TOOLS.items() if name != "pyright")
    for note in (note for tool in tools for note in tool.notes(Kind)):
        yield Check(name="unfollowed", well=True, found=note, needed=False)


def _runners(shell: SystemShell, environment: Environment, repo: Path) -> Iterator[Check]:
    """The coding agents: which are installed, and which keys are set; only the chosen one is needed."""
    path = environment.base.get("PATH", "")
    try:
        settings = read_settings(find_repository(shell, repo).top)
        chosen = {settings.runner, settings.fallback_runner}
    except UserError:
        chosen = set()
    yield _model(environment, needed=MODEL in chosen)
    for name, known in KNOWN.items():
        needed = name in chosen
        if shutil.which(known.program, path=path) is None:
            how = f"npm install -g {known.package}"
            yield Check(name=name, well=False, found="not installed", remedy=how, needed=needed)
            continue
        version = _version(shell, name, (known.program, "--version"), f"npm install -g {known.package}")
        keys = [key for key in known.keys if key in environment.models]
        logged = f"{', '.join(keys)} set" if keys else "no key is set"
        remedy = version.remedy or ("" if keys else f"set one of {', '.join(known.keys)}: docs/runners.md")
        well = version.well and bool(keys)
        yield Check(name=name, well=well, found=f"{version.found}; {logged}", remedy=remedy, needed=needed)


def _model(environment: Environment, *, needed: bool) -> Check:
    """The runner that is no program."""
    there = find_spec("pydantic_ai") is not None
    keys = [key for key in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY") if key in environment.models]
    found = f"{', '.join(keys)} set" if keys else "no key of Anthropic or OpenAI is set"
    return Check(
        name=MODEL,
        well=there,
        found=f"in process; {found}" if there else "not installed",
        remedy="" if there else f"pip install '{EXTRA}'",
        needed=needed,
    )


def _repository(shell: SystemShell, repo: Path) -> Check:
    try:
        found = find_repository(shell, repo)
        read_settings(found.top)
    except ConfigError as error:
        return Check(name="repository", well=False, found=str(error), remedy="mend it: docs/configuration.md")
    except UserError as error:
        return Check(name="repository", well=False, found=str(error), remedy="name one with -C")
    dirty = f", {len(found.dirty)} uncommitted" if found.dirty else ""
    where = f"{found.top} on {found.branch or 'a detached HEAD'}{dirty}"
    return Check(name="repository", well=True, found=where)
