"""Markdown issue files, and sentences: text in, an `Issue` and what could not be used of the text out."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePosixPath

from sparky.domain.issue import Issue, Kind, Severity, Source, issue_key
from sparky.domain.reference import (
    UnreadableIssueError,
    mentioned_issues,
    number_in_name,
    number_in_title,
    paths_in,
    repository_named,
)
from sparky.issues.fields import Entry, Field, IssueText, take_apart

_SPELLINGS = {
    Severity.CRITICAL: ("critical", "urgent", "blocker", "highest", "p0"),
    Severity.HIGH: ("high", "major", "important", "p1"),
    Severity.MEDIUM: ("medium", "normal", "moderate", "p2"),
    Severity.LOW: ("low", "minor", "trivial", "lowest", "p3", "p4"),
}
_SEVERITY = {word: severity for severity, words in _SPELLINGS.items() for word in words}
_KINDS = {kind.value: kind for kind in Kind}
_AGENT = re.compile(r"[\w.-]+")
_REMARK = re.compile(r"\s[-\u2013\u2014]\s|\s?\(")


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """An issue, and what in its text could not be used; each warning is for a person.

    `parts` are the deliverables that its text lists and that are not ticked off, as they are worded there.
    """

    issue: Issue
    warnings: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


def parse(text: str, *, path: str, repository: str) -> Parsed:
    """The issue that a Markdown file states.

    `path` is shown, the key is made of it, and its stem is the id if there is no number.

    `kinds` is set only where the text says so (`kind:`, or a Type that is a Kind's name); other Types become
    labels. Raises `UnreadableIssueError` for a `kind:` that is no Kind; everything else is read or warned of.
    """
    stem = PurePosixPath(path).stem
    parts = take_apart(text)
    number, title = number_in_title(_first(parts, Field.TITLE) or parts.heading)
    issue_id = number or number_in_name(stem) or stem
    types = [word for entry in _chosen(parts, Field.TYPE) for word in _split(entry)]
    files, refused = _files(parts)
    severity, unknown = _severity(parts)
    agent = _first(parts, Field.AGENT).strip("`@")
    named = _first(parts, Field.REPOSITORY)
    depends = [(entry.text, mentioned_issues(entry.text)) for entry in _all(parts, Field.DEPENDS)]
    issue = Issue(
        id=issue_id,
        key=issue_key(repository, Source.MARKDOWN, path),
        title=title or parts.opening or stem,
        source=Source.MARKDOWN,
        body=parts.body,
        kinds=_kinds(parts, path) or tuple(_KINDS[_kind_name(t)] for t in types if _kind_name(t) in _KINDS),
        severity=severity,
        criteria=_texts(parts, Field.CRITERIA),
        constraints=_texts(parts, Field.CONSTRAINTS),
        files=files,
        labels=_labels(parts, types),
        agent=agent if _AGENT.fullmatch(agent) else None,
        status=_plain(_first(parts, Field.STATUS)) or "open",
        path=path,
        repository=repository_named(named) if named else None,
        parent_issue=_parent(parts),
        dependencies=_unique(name for _, names in depends for name in names),
    )
    unnamed = [f'"{text}" names no issue: sparky cannot wait for it' for text, names in depends if not names]
    unnamed += [f'"{agent}" is no name of an agent'] if agent and issue.agent is None else []
    unnamed += [f'"{named}" names no repository'] if named and issue.repository is None else []
    warnings = (*parts.warnings, *unknown, *refused, *unnamed)
    listed = (entry for entry in _all(parts, Field.PARTS) if not entry.ticked)
    wanted = (entry.text for entry in listed if entry.ticked is False or mentioned_issues(entry.text))
    return Parsed(issue=issue, warnings=warnings, parts=_unique(wanted))


def sentence_issue(sentence: str, *, repository: str) -> Issue:
    """The issue that a sentence states: its first line is the title, the rest the body.

    The same words have the same key, however they are spaced.
    """
    title, _, body = sentence.strip().partition("\n")
    words = " ".join(sentence.split())
    return Issue(
        id=f"s-{hashlib.sha256(words.encode()).hexdigest()[:6]}",
        key=issue_key(repository, Source.SENTENCE, words),
        title=title.strip(),
        source=Source.SENTENCE,
        body=body.strip(),
    )


def _all(parts: IssueText, name: Field) -> tuple[Entry, ...]:
    return parts.fields.get(name, ())


def _chosen(parts: IssueText, name: Field) -> tuple[str, ...]:
    """What a field with one value says: what is ticked where there are checkboxes, else what stands first."""
    entries = _all(parts, name)
    boxes = [entry for entry in entries if entry.ticked is not None]
    return tuple(e.text for e in boxes if e.ticked) if boxes else tuple(e.text for e in entries[:1])


def _first(parts: IssueText, name: Field) -> str:
    return next(iter(_chosen(parts, name)), "")


def _texts(parts: IssueText, name: Field) -> tuple[str, ...]:
    return _unique(entry.text for entry in _all(parts, name))


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _plain(value: str) -> str:
    """The value without what is said about it ("High - why", "done (by whom)"), marks and capitals."""
    return re.sub(r"^[\W_]+|[\W_]+$", "", _REMARK.split(value, maxsplit=1)[0]).casefold()


def _split(value: str) -> list[str]:
    return [word for part in value.split(",") if (word := _plain(part))]


def _kind_name(text: str) -> str:
    return re.sub(r"[\s-]+", "_", text).upper()


def _kinds(parts: IssueText, path: str) -> tuple[Kind, ...]:
    names = [_kind_name(word)[:60] for entry in _all(parts, Field.KIND) for word in _split(entry.text)]
    for name in names:
        if name not in _KINDS:
            near = get_close_matches(name, _KINDS, n=1, cutoff=0.0)[0]
            raise UnreadableIssueError(
                f'{path}: "{name}" is no kind; the nearest is {near}. Kinds: {", ".join(_KINDS)}. '
                "Without a `kind:` sparky finds the kind by itself."
            )
    return tuple(dict.fromkeys(_KINDS[name] for name in names))


def _severity(parts: IssueText) -> tuple[Severity, tuple[str, ...]]:
    value = _first(parts, Field.SEVERITY)
    known = severity_in(value)
    warned = value and known is None
    return known or Severity.MEDIUM, (f'priority "{value}" is not known: medium is taken',) if warned else ()


def severity_in(text: str) -> Severity | None:
    """The severity that the first word known in a text stands for; None if there is no such word."""
    words = re.findall(r"[a-z0-9]+", text.casefold())
    return next((_SEVERITY[word] for word in words if word in _SEVERITY), None)


def _files(parts: IssueText) -> tuple[tuple[str, ...], tuple[str, ...]]:
    read = [(entry.text, *paths_in(entry.text)) for entry in _all(parts, Field.FILES)]
    refused = (reason for _, _, reasons in read for reason in reasons)
    prose = (f'"{text}" names no file' for text, paths, reasons in read if not paths and not reasons)
    return _unique(path for _, paths, _ in read for path in paths), (*refused, *prose)


def _labels(parts: IssueText, types: Iterable[str]) -> tuple[str, ...]:
    labels = (part.strip(" `*#") for entry in _all(parts, Field.LABELS) for part in entry.text.split(","))
    return _unique([*(word for word in types if _kind_name(word) not in _KINDS), *filter(None, labels)])


def _parent(parts: IssueText) -> str | None:
    value = _first(parts, Field.PARENT)
    return next(iter(mentioned_issues(value)), value) or None
