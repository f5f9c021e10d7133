"""What an issue consists of: files that it names, files that belong to it, lines of its checklists."""

from collections.abc import Iterator

from sparky.adapters.issue_files import MarkdownTracker
from sparky.domain.issue import Issue, Source, issue_key
from sparky.domain.reference import IssueError, issue_number, mentioned_issues, paths_in
from sparky.issues.markdown import Parsed

_MOST = 50
"""More deliverables than that are no issue but a backlog."""


class TooManyPartsError(IssueError):
    """An issue lists more deliverables than one run can take; the text says how many."""


def parts_of(tracker: MarkdownTracker, parsed: Parsed) -> tuple[Issue, ...]:
    """The open issues that an issue consists of, in its order; empty if it is one piece.

    A single part is no reason to take an issue apart. Raises TooManyPartsError.
    """
    whole = parsed.issue
    found: dict[str, Issue] = {}
    for issue in (*_listed(tracker, parsed), *_belonging(tracker, whole)):
        if issue.key != whole.key and not issue.done:
            found.setdefault(issue.key, issue)
    if len(found) > _MOST:
        said = f"issue {whole.id} lists {len(found)} deliverables, more than {_MOST}"
        raise TooManyPartsError(f"{said}: split it into several issues")
    return tuple(found.values()) if len(found) > 1 else ()


def _listed(tracker: MarkdownTracker, parsed: Parsed) -> Iterator[Issue]:
    whole = parsed.issue
    for number, text in enumerate(parsed.parts, 1):
        named = next(iter(mentioned_issues(text.partition(":")[0])), None)
        file = _find(tracker, named) if named else None
        yield file or Issue(
            id=f"{whole.id}.{number}",
            key=issue_key(tracker.repository, Source.MARKDOWN, f"{whole.id}.{number} {text}"),
            title=text,
            source=Source.MARKDOWN,
            body=f"One part of issue {whole.id}, {whole.title}:\n\n{whole.body}",
            constraints=("do this part only, and leave the others to their own turn", *whole.constraints),
            files=paths_in(text)[0] or whole.files,
            severity=whole.severity,
            labels=whole.labels,
            parent_issue=whole.id,
            order=number,
        )


def _find(tracker: MarkdownTracker, name: str) -> Issue | None:
    try:
        return tracker.find(name)
    except IssueError:
        return None


def _belonging(tracker: MarkdownTracker, whole: Issue) -> Iterator[Issue]:
    """Files whose number is the whole's with a letter, and those that name it as their parent."""
    number = issue_number(whole.id)
    if number is None:
        return
    for issue in sorted(tracker.issues(), key=lambda one: one.id):
        own = issue_number(issue.id) or ""
        lettered = own.rstrip("abcdefghijklmnopqrstuvwxyz") == number and own != number
        if lettered or issue_number(issue.parent_issue or "") == number:
            yield issue
