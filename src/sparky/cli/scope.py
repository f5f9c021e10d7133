"""Which paths a verb is limited to: those that are named, those that are changed, or both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from sparky.adapters.fork_point import ForkPoint, fork_point
from sparky.adapters.shell import SystemShell
from sparky.app.intake import SOURCES, Scan, scan
from sparky.cli.options import Place, inside
from sparky.cli.output import say
from sparky.domain.change import below, is_text, nameless
from sparky.domain.errors import UsageError
from sparky.domain.issue import Kind
from sparky.domain.state import Context, Preferences
from sparky.ports import Ports, Repository


@dataclass(frozen=True, kw_only=True)
class Scope:
    """The repository's paths to work on, all of it if there are none; `empty`: why there is nothing to do."""

    paths: tuple[str, ...] = ()
    empty: str = ""


def changed_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--changed and --since."""
    since = click.option("--since", metavar="REF", help="Only files changed since the merge base with REF.")
    changed = click.option(
        "--changed", is_flag=True, help="The same, with the upstream or the default branch for REF."
    )
    return since(changed(function))


def scope(
    here: Place, repo: Path, repository: Repository, paths: Sequence[str], *, changed: bool, since: str | None
) -> Scope:
    """The paths that a person names; if they ask so, only the changed files in them. Raises UsageError."""
    named = inside(here, repo, paths)
    if changed and since is not None:
        raise UsageError("--changed and --since REF exclude each other")
    if not changed and since is None:
        return Scope(paths=named)
    fork = fork_point(SystemShell(here.environment.base), here.found, since)
    if not fork.common:
        say(f"note: HEAD and {fork.ref} have no common commit here; {fork.ref} itself is compared with")
    if here.found.untracked:
        shown = ", ".join(here.found.untracked[:5])
        say(f"note: untracked files are not part of the base: {shown}")
    head = here.found.head or ""
    there = repository.files(head)
    if absent := [one for one in named if not below(there, [one])]:
        raise UsageError(f"{', '.join(absent)}: not in the commit {head[:10]}")
    sources = _changed_sources(repository, fork, head, frozenset(there))
    wanted = below(sources, named or (".",))
    if wanted:
        say(f"note: limited to {len(wanted)} file(s) changed since {fork.ref} ({fork.sha[:10]})")
        return Scope(paths=wanted)
    where = " in these paths" if named else ""
    return Scope(empty=f"no Python file is changed{where} since {fork.ref} ({fork.sha[:10]})")


def look(ports: Ports, context: Context, wanted: Preferences, kinds: tuple[Kind, ...], limits: Scope) -> Scan:
    """What the detectors find within the limits; no tool is started where they leave nothing."""
    if not limits.empty:
        return scan(ports, context, wanted, kinds, limits.paths)
    return Scan(sha=context.base, kinds=kinds, findings=(), everything=(), evidence=(), notes=(limits.empty,))


def _changed_sources(
    repository: Repository, fork: ForkPoint, head: str, there: frozenset[str]
) -> tuple[str, ...]:
    """The Python files of HEAD that differ: no deleted ones, no links, none whose name is no text."""
    changes = repository.changes(fork.sha, head)
    names = [one.path for one in changes if one.path in there and one.path.endswith(SOURCES)]
    for line in nameless(names):
        say(f"note: {line}")
    return tuple(name for name in names if is_text(name))
