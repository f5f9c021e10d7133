"""Where an issue is worked on: in the repository that it lies in, or in a sister that it names."""

import difflib
from dataclasses import dataclass, replace
from pathlib import Path

from sparky.adapters.result_file import result_path
from sparky.adapters.shell import SystemShell
from sparky.adapters.sisters import Sisters
from sparky.app.intake import find_issue, first_state
from sparky.cli.options import Place, place
from sparky.cli.output import say
from sparky.config import budget
from sparky.domain.errors import UsageError
from sparky.domain.issue import Issue, Severity
from sparky.domain.reference import UnreadableIssueError, elsewhere, same_repository
from sparky.domain.state import PipelineState, Preferences
from sparky.issues.list_json import IssueList, parse_list


@dataclass(frozen=True, kw_only=True)
class Errand:
    """An issue, the place that it lies in, and the one where its run works, with that one's own settings."""

    issue: Issue
    source: Place
    target: Place
    warnings: tuple[str, ...] = ()

    def first_state(self, preferences: Preferences) -> PipelineState:
        """Its run's first state; raises as `app.intake.first_state`."""
        there, source = self.target, self.source
        state = first_state(there.house, there.found, self.issue, preferences, budget(there.settings))
        context = state.context
        if source is not there:
            context = replace(context, is_external=True, source_repo=str(source.found.top))
        if source.settings.write_results:
            context = replace(context, result_file=result_path(source.found.top, self.issue))
        return replace(state, context=context)


def find_errand(here: Place, reference: str) -> Errand:
    """The issue that a person means, and where it is worked on.

    "shop#144" is issue 144 of the sister "shop". Raises IssueError, UsageError for an unknown sister,
    SisterError for one that can't be had.
    """
    named = elsewhere(reference)
    if named is None or "#".join(named) != reference.strip():
        source, wanted = here, reference
    else:
        source, wanted = sister(here, named[0]), named[1]
    parsed = find_issue(source.house, source.found, wanted, source.settings.issues)
    target = sister(source, _named_by(source, parsed.issue))
    return Errand(issue=parsed.issue, source=source, target=target, warnings=parsed.warnings)


def read_errands(here: Place, path: Path) -> tuple[list[Errand], IssueList]:
    """The issues of a JSON list, most severe first, and the list. Raises as `find_errand`."""
    try:
        text, shown = path.read_text(encoding="utf-8-sig"), str(path.resolve())
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableIssueError(f"cannot read {path}: {error}") from error
    target = sister(here, parse_list(text, path=shown, repository="").repo)
    listed = parse_list(text, path=shown, repository=str(target.found.git_dir))
    order = tuple(reversed(Severity))
    errands = [Errand(issue=issue, source=here, target=target) for issue in listed.issues]
    return sorted(errands, key=lambda errand: order.index(errand.issue.severity)), listed


def sister(here: Place, name: str) -> Place:
    """The place of a sister; `here` itself for "" and for its own name. Raises UsageError, SisterError."""
    alias = _alias(here, name)
    if alias is None:
        own = (here.found.top.name, here.found.remote or "")
        if not name or any(same_repository(name, one) for one in own):
            return here
        raise UsageError(f"{name} is no sister of {here.found.top}: {_hint(here, name)}")
    environment = here.environment
    sisters = Sisters(
        shell=SystemShell(environment.base),
        top=here.found.top,
        clones=environment.state / "sisters",
        locks=here.house.locks,
        env=environment.index,
    )
    found = sisters.checkout(alias, here.settings.sisters[alias])
    if found.warning:
        say(f"warning: {found.warning}")
    return place(found.path)


def _named_by(here: Place, issue: Issue) -> str:
    """The repository that an issue's text names; in its title, only a sister counts."""
    titled = elsewhere(issue.title)
    known = titled is not None and _alias(here, titled[0]) is not None
    return issue.repository or (titled[0] if titled and known else "")


def _alias(here: Place, name: str) -> str | None:
    """The sister that goes by a name; else one whose name, path or URL ends as it does."""
    sisters = here.settings.sisters
    if name in sisters:
        return name
    alike = (a for a, where in sisters.items() if same_repository(name, a) or same_repository(name, where))
    return next(alike, None)


def _hint(here: Place, name: str) -> str:
    near = difflib.get_close_matches(name, here.settings.sisters, 1)
    if near:
        return f"did you mean {near[0]}?"
    return f'add it to sparky.toml: sisters = {{ "{name}" = "PATH or URL" }}'
