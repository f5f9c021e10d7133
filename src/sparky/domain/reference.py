"""How people name issues and files: numbers are compared as numbers, files are named from the root."""

import re
from collections.abc import Collection
from fnmatch import fnmatchcase
from string import ascii_letters

from sparky.domain.errors import UsageError

_NUMBER = r"([0-9]+[A-Za-z]?)"
_APART = r"(?![^\W_])"
_DASHES = ":\u2013\u2014-"
_REFERENCE = re.compile(rf"(?:(?i:issue)[\s:#_-]*|#\s*)?{_NUMBER}")
_IN_NAME = re.compile(rf"(?:(?i:issue)[\s#_-]*)?{_NUMBER}{_APART}(?!\.[0-9])")
_DATE = re.compile(r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}(?![0-9])")
_IN_TITLE = (
    re.compile(rf"(?:(?i:issue)[\s:_-]*)?#\s*{_NUMBER}{_APART}[\s.){_DASHES}]*"),
    re.compile(rf"(?i:issue)[\s_-]+{_NUMBER}{_APART}\s*[{_DASHES}][\s{_DASHES}]*"),
)
_LEAD = re.compile(rf"{_NUMBER}\s*(?:$|[{_DASHES}]\s)")
_MENTION = re.compile(
    rf"(?:(?i:issues?)\s+#?|#)\s*{_NUMBER}{_APART}|#([A-Za-z][\w-]*)|(?<![\w.-])([\w.-]+)\.md\b"
)
_NAME = r"[A-Za-z0-9][\w./-]*"
_ELSEWHERE = re.compile(rf"({_NAME})#{_NUMBER}{_APART}")
_REPOSITORY = re.compile(rf"(?:[a-z]+://|[\w.-]+@[\w.-]+:)?({_NAME}?)(?:\.git)?/?(?:#{_NUMBER})?")
_BETWEEN = re.compile(r"[,;]|\sand\s")
_LONGEST = 1000  # characters of one entry that are looked at: nobody writes more, and the time stays linear

_TOKEN = re.compile(r"`([^`]+)`|\[([^\]]+)\]\([^)]*\)|([^\s,;]+)")
_EXTENSION = re.compile(r".*\.[A-Za-z][A-Za-z0-9_-]{0,11}")
_BARE = frozenset({"Makefile", "Dockerfile", "LICENSE", "README", "CHANGELOG", "Procfile", "Gemfile"})
_ABBREVIATIONS = frozenset({"e.g", "i.e"})
_FORBIDDEN = re.compile(r"[<>{}|\"'$\x00-\x1f]|://|\(\)$")
_PLACE = re.compile(r"(?::[0-9][0-9:,-]*|#.*|::.*)$")
_BEFORE = frozenset({"add", "create", "new", "modify", "update", "edit", "change", "remove", "delete", "fix"})
_SPARING = re.compile(
    r"\b(?:but(?: not)?|(?<!bare )(?<!broad )except(?:ing)?(?: for)?|excluding|other than|apart from)"
    r"(?: in)?\s+(?=\S*[./])",
    re.IGNORECASE,
)
_BETWEEN_PATHS = frozenset({"and", "the", "file", "&", "+"})


class IssueError(UsageError):
    """No issue could be made of what was given; the text says, to a person, what, where and what to do."""


class IssueNotFoundError(IssueError):
    """Nothing there bears that name."""


class AmbiguousIssueError(IssueError):
    """More than one file bears that name."""


class UnreadableIssueError(IssueError):
    """The file is there, but is no text that an issue could be read from."""


def issue_number(reference: str) -> str | None:
    """The number that the whole of a reference ("7", "#007", "issue 7a") stands for; None if it is none.

    Numbers are given in one spelling: no leading zeros, a lower-case suffix. So "007" and "7" are equal,
    "12" and "122" are not, nor are "7" and "7a".
    """
    match = _REFERENCE.fullmatch(reference.strip())
    return _one_spelling(match[1]) if match else None


def elsewhere(text: str) -> tuple[str, str] | None:
    """The repository and the number that a text begins with ("shop#144", "ada/shop#144: …"); None if none.

    "issue#144" names no repository.
    """
    match = _ELSEWHERE.match(text.strip())
    return (match[1], match[2]) if match and match[1].casefold() not in {"issue", "issues"} else None


def repository_named(text: str) -> str | None:
    """The repository that a whole text names: a name, "owner/name", a URL, "name#144"; None for prose."""
    match = _REPOSITORY.fullmatch(text.strip("`<> "))
    return match[1] if match else None


def same_repository(name: str, other: str) -> bool:
    """Whether two names, paths or URLs of repositories end alike."""
    return _last(name) == _last(other) != ""


def _last(name: str) -> str:
    return re.split(r"[/:]", name.rstrip("/").removesuffix(".git"))[-1].casefold()


def number_in_name(stem: str) -> str | None:
    """The number a file's name begins with, as spelled there; None if it has none or begins with a date."""
    match = None if _DATE.match(stem) else _IN_NAME.match(stem)
    return match[1] if match else None


def number_in_title(title: str) -> tuple[str | None, str]:
    """The number of "Issue #007: Title", as spelled, and the title without it; (None, title) without one."""
    for pattern in _IN_TITLE:
        if match := pattern.match(title):
            return match[1], title[match.end() :].strip() or title
    return None, title


def number_order(number: str) -> tuple[int, str, str]:
    """A key that sorts numbers of any length as numbers, then by suffix."""
    spelled = _one_spelling(number)
    digits = spelled.rstrip(ascii_letters)
    return len(digits), digits, spelled


def mentioned_issues(text: str) -> tuple[str, ...]:
    """The issues that a text names ("#008", "issue 8", "8, 9", "#PLAN", "008-x.md"): as spelled, no `#`."""
    found: dict[str, str] = {}
    for part in _BETWEEN.split(text[:_LONGEST]):
        lead = _LEAD.match(part.strip())
        groups = [(lead[1], "", "")] if lead else _MENTION.findall(part)
        for number, name, stem in groups:
            spelled = number or name or number_in_name(stem) or stem
            found.setdefault(issue_number(spelled) or spelled, spelled)
    return tuple(found.values())


def paths_in(entry: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The paths an entry of a list of files begins with, and a reason for each that is refused.

    "src/a.py (lines 1-9)", "`a.py`, `b.py`" and "Update src/a.py - for speed" name paths; prose names none. A
    directory ends in `/`, a pattern holds `*`. Refused is what is not inside the repository.
    """
    paths: dict[str, None] = {}
    refused: dict[str, None] = {}
    tokens = _TOKEN.findall(entry[:_LONGEST])
    for place, (quoted, linked, plain) in enumerate(tokens):
        word = _bare(quoted or linked or plain)
        if _is_path(word, alone=bool(quoted or linked) or len(tokens) == 1):
            reason = _outside(word)
            (refused if reason else paths)[reason or _tidy(word)] = None
        elif not _leads(plain.lower(), first=not place):
            break
        if plain.endswith(":") and (paths or refused):
            break
    return tuple(paths), tuple(refused)


def paths_mentioned(text: str, files: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files and directories that a sentence names, and those behind a "but" or an "except".

    Of these only such as are there; a bare word names none.
    """
    meant, *spared = _SPARING.split(text[:_LONGEST], maxsplit=1)
    return _mentioned(meant, files), _mentioned("".join(spared), files)


def _mentioned(text: str, files: Collection[str]) -> tuple[str, ...]:
    words = (_tidy(_bare(quoted or linked or plain)) for quoted, linked, plain in _TOKEN.findall(text))
    named = (word for word in words if "/" in word or "." in word)
    there = (
        word
        for word in named
        if word in files or any(one.startswith(f"{word.rstrip('/')}/") for one in files)
    )
    return tuple(dict.fromkeys(there))


def in_scope(path: str, files: tuple[str, ...]) -> bool:
    """Whether an issue that names `files` allows a change of `path`; one that names none allows all."""
    return not files or any(_names(name, path) for name in files)


def _names(name: str, path: str) -> bool:
    below = path == name or path.startswith(name.rstrip("/") + "/")
    return below or fnmatchcase(path, name) or fnmatchcase(path, name.replace("**/", ""))


def _one_spelling(number: str) -> str:
    digits = number.rstrip(ascii_letters)
    return (digits.lstrip("0") or "0") + number[len(digits) :].lower()


def _leads(word: str, *, first: bool) -> bool:
    return word.rstrip(":") in _BEFORE | _BETWEEN_PATHS or (first and word.endswith(":"))


def _bare(word: str) -> str:
    bare = word.strip().lstrip("(").rstrip(",:;)")
    bare = bare[:-1] if bare.endswith(".") and not bare.endswith("..") else bare
    return _PLACE.sub("", bare).replace("\\", "/")


def _is_path(word: str, *, alone: bool) -> bool:
    if not word or _FORBIDDEN.search(word) or word in _ABBREVIATIONS:
        return False
    last = word.rsplit("/", 1)[-1]
    named = last in _BARE or bool(_EXTENSION.fullmatch(last)) or "*" in word
    return named or (len(word) > 1 and word.endswith("/")) or (alone and "/" in word.strip("/"))


def _outside(path: str) -> str:
    if path.startswith(("/", "~")) or re.match(r"[A-Za-z]:/", path):
        return f"{path} is refused: it is absolute, and files are named from the root of the repository"
    if ".." in path.split("/"):
        return f"{path} is refused: `..` may lead out of the repository"
    return ""


def _tidy(path: str) -> str:
    parts = [part for part in path.split("/") if part not in {"", "."}]
    return "/".join(parts) + ("/" if path.endswith("/") else "")
