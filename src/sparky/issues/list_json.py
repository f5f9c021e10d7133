"""Lists of issues as JSON, as other programs write them: each entry an issue, or named with what it lacks."""

import hashlib
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from sparky.domain.issue import Issue, Kind, Severity, Source, issue_key
from sparky.domain.reference import UnreadableIssueError, paths_in
from sparky.issues.markdown import severity_in


@dataclass(frozen=True, kw_only=True)
class IssueList:
    """A list as it was read. `repo` is the repository that it names, "" for none.

    `invalid` names each entry that is no issue, `warnings` what in the others could not be used.
    """

    repo: str
    issues: tuple[Issue, ...]
    invalid: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """One entry as it is written. Keys that are not here do no harm."""

    title: str
    description: str = ""
    number: int | str | None = None
    priority: str = ""
    type: str = ""
    file: str = ""
    line: int | None = None
    labels: tuple[str, ...] = ()
    status: str = "open"
    author: Any = ""
    author_association: Any = ""


class _UnusableError(Exception):
    """Why an entry is no issue."""


def parse_list(text: str, *, path: str, repository: str) -> IssueList:
    """The issues of `{"repo": …, "issues": [{"title": …}, …]}`, or of such a list alone, as they stand there.

    `repository` is what keys are made with. Raises UnreadableIssueError for what is no such list; a list
    without a single usable entry is none either.
    """
    entries, repo = _taken_apart(text, path)
    issues: dict[str, Issue] = {}
    invalid: list[str] = []
    warnings: list[str] = []
    for number, raw in enumerate(entries, 1):
        try:
            entry = _entry(raw)
            issue = _issue(entry, path, repository, issues)
        except _UnusableError as error:
            invalid.append(f"entry {number} is no issue: {error}")
        else:
            issues[issue.id] = issue
            if entry.priority and severity_in(entry.priority) is None:
                warnings.append(f'entry {number}: priority "{entry.priority}" is not known: medium is taken')
    if not issues:
        raise UnreadableIssueError(f"{path} has no issue: {'; '.join(invalid) or 'its list is empty'}")
    return IssueList(
        repo=repo, issues=tuple(issues.values()), invalid=tuple(invalid), warnings=tuple(warnings)
    )


def _taken_apart(text: str, path: str) -> tuple[Sequence[Any], str]:
    try:
        whole = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise UnreadableIssueError(f"{path} is no JSON: {error}") from error
    entries = whole.get("issues") if isinstance(whole, dict) else whole
    if not isinstance(entries, list):
        raise UnreadableIssueError(f'{path} has no list of issues: it needs "issues": [{{"title": …}}, …]')
    repo = whole.get("repo") if isinstance(whole, dict) else None
    return entries, repo if isinstance(repo, str) else ""


def _entry(raw: object) -> _Entry:
    try:
        return msgspec.convert(raw, _Entry)
    except msgspec.ValidationError as error:
        raise _UnusableError(str(error)) from error


def _issue(entry: _Entry, path: str, repository: str, taken: Container[str]) -> Issue:
    title = " ".join(entry.title.split())
    if not title:
        raise _UnusableError("its title is empty")
    if refused := paths_in(entry.file)[1]:
        raise _UnusableError(refused[0])
    name = hashlib.sha256(f"{title}\0{entry.file}\0{entry.line}".encode()).hexdigest()[:6]
    number = str(entry.number or "").strip().lstrip("#") or f"j-{name}"
    if number in taken:
        raise _UnusableError(f"{number} is there already")
    kind = Kind.__members__.get(entry.type.strip().upper().replace("-", "_").replace(" ", "_"))
    labels = ("" if kind else entry.type.strip(), *entry.labels)
    return Issue(
        id=number,
        key=issue_key(repository, Source.JSON, number),
        title=title,
        source=Source.JSON,
        body="\n\n".join(part for part in (entry.description.strip(), _place(entry)) if part),
        kinds=(kind,) if kind else (),
        severity=severity_in(entry.priority) or Severity.MEDIUM,
        labels=tuple(dict.fromkeys(filter(None, labels))),
        status=entry.status.casefold(),
        path=path,
        author=_name(entry.author),
        association=_name(entry.author_association),
    )


def _name(said: object) -> str:
    """A person as trackers write them: a word, or an object with their login; "" for anything else."""
    named = said.get("login") if isinstance(said, dict) else said
    return named if isinstance(named, str) else ""


def _place(entry: _Entry) -> str:
    """Where the trouble was seen: told to the agent, and no limit to what it may change."""
    line = f", line {entry.line}" if entry.line is not None else ""
    return f"Seen in {entry.file}{line}." if entry.file else ""
