"""What verbs have in common: options, and how a result is put out."""

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from sparky.adapters.git import Found, find_repository
from sparky.adapters.shell import SystemShell
from sparky.app.read import House, open_house, prepare_cache
from sparky.config import RUNNERS, Settings, preferences, read_settings
from sparky.domain.change import is_text
from sparky.domain.errors import UsageError
from sparky.domain.issue import Kind
from sparky.domain.state import MergePolicy, Preferences
from sparky.environment import Environment, read_environment
from sparky.ports import NoRepositoryError

Function = Callable[..., Any]

repository = click.option(
    "-C",
    "--repo",
    "repo",
    type=click.Path(path_type=Path),
    default=Path(),
    help="The repository to work on; default: the current directory.",
)


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a verb works: the repository, its settings, and sparky's own files."""

    found: Found
    settings: Settings
    environment: Environment
    house: House

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should know before a run starts here."""
        if not self.found.dirty:
            return ()
        shown = ", ".join(self.found.dirty[:5])
        return (f"uncommitted edits are not part of the base: {shown}",)


def place(repo: Path) -> Place:
    """Look at the repository and read its settings; raises UsageError and GitError."""
    environment = read_environment()
    found = named_repository(repo)
    settings = read_settings(found.top)
    prepare_cache(environment)
    if settings.script:  # named from the repository, wherever the user is
        settings = replace(settings, script=str(found.top / settings.script))
    return Place(found=found, settings=settings, environment=environment, house=open_house(environment))


def named_repository(repo: Path) -> Found:
    """The repository that a person named; raises UsageError if there is none, GitError if git can't tell."""
    try:
        return find_repository(SystemShell(read_environment().base), repo)
    except NoRepositoryError as error:
        raise UsageError(str(error)) from error


def inside(here: Place, repo: Path, paths: Iterable[str]) -> tuple[str, ...]:
    """Paths that a person gives from `repo`, as the repository names them; raises UsageError for others."""
    top = here.found.top.resolve()
    named = []
    for path in paths:
        whole = (repo if repo.is_dir() else repo.parent).joinpath(path).resolve()
        if not whole.is_relative_to(top):
            raise UsageError(f"{path} is not in the repository {top}")
        name = whole.relative_to(top).as_posix()
        if not is_text(name):
            raise UsageError(f"{name!a} is not UTF-8, and tools report in UTF-8: name its directory instead")
        named.append(name)
    return tuple(named)


class KindType(click.ParamType[Kind]):
    """A kind, in any case; an unknown one names the nearest."""

    name = "kind"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Kind:
        """The kind that the word names."""
        if isinstance(value, Kind):
            return value
        word = str(value).upper().replace("-", "_")
        if word in Kind.__members__:
            return Kind[word]
        near = difflib.get_close_matches(word, Kind.__members__, 1)
        hint = f"did you mean {near[0]}?" if near else f"kinds are {', '.join(Kind.__members__)}"
        raise click.BadParameter(f"{value!r} is no kind; {hint}", ctx, param)


kinds_option = click.option(
    "-k",
    "--kind",
    "kinds",
    type=KindType(),
    multiple=True,
    help="Only this kind (may be given several times); default: all that can be mended.",
)

paths_argument = click.argument("paths", nargs=-1, metavar="[PATHS]...")

auto = click.option(
    "--auto", is_flag=True, help="Merge what bears no risk, instead of waiting for `sparky merge`."
)

script = click.option(
    "--script",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Play this script of sessions instead of a coding agent.",
)

runner = click.option(
    "--runner",
    type=click.Choice(RUNNERS),
    help="The coding agent that sessions are had with, such as claude.",
)

sandbox = click.option(
    "--no-sandbox", is_flag=True, help="Run foreign code without a sandbox. Shown on every result."
)


def preferences_of(
    settings: Settings, *, auto: bool, script: Path | None, no_sandbox: bool, runner: str | None = None
) -> Preferences:
    """The settings, with what the flags say; a runner that is named plays no script of the settings."""
    told = preferences(settings)
    return replace(
        told,
        merge=MergePolicy.AUTO if auto else told.merge,
        script=str(script.resolve()) if script else None if runner else told.script,
        runner=runner or told.runner,
        sandbox=told.sandbox and not no_sandbox,
    )
