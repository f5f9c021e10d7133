"""What a line begins with: the name of a section, of an owner or of a field, and what stands behind it."""

import re
from enum import Enum

from sparky.domain.attempt import Responsibility
from sparky.reports.lines import Line, Sort
from sparky.reports.words import Section, owner_named, plain, section_named

_KEY = re.compile(r"\W{0,3}([^:→➜⇒|]{1,60}?)\s*(?::|→|➜|⇒|[-=]>|\s[-\u2013\u2014](?=\s))\s*(.*)")
_TITLE = 40
_TOGETHER = re.compile(
    r"(pipeline status|merge decision|failed jobs|merge entscheidung)\s+(\S.{0,80})", re.IGNORECASE
)
_ADDRESSED = re.compile(r"[^()]{1,40}\(([^()]{3,30})\)|.{1,60} for the (\w+)")
_AT = re.compile(r"@([\w-]{2,30}):?\s+(\S.*)")
_IN_PROSE = re.compile(
    r"(?:^|[.;!?(]\s{0,3}|,\s|\bplease,? )(?:the )?((?:coding|testing|test|review|documentation)[ _-]?agent)"
    r"(?:\s*:|\s+(?:should|must|has to|needs to|soll(?:te)?|muss))\s+(\S.{0,400}?)(?=[.;]\s|[.;]?$)",
    re.IGNORECASE,
)
_SEVERITY = re.compile(
    r"\[(critical|high|medium|low|major|minor|blocker|important)\](?::|\s)\s*(\S.*)", re.IGNORECASE
)
_BLOCKING = re.compile(r"(?:issue|bug|defect|problem) \((blocking)\):\s*(\S.*)", re.IGNORECASE)


class Field(Enum):
    """What is told of a failure or an item, and the names it is told under."""

    EXPECTED = ("expected", "erwartet", "expected result", "soll")
    ACTUAL = ("actual", "got", "actual result", "received", "tatsächlich", "erhalten", "ist")
    CAUSE = ("root cause", "cause", "reason", "ursache", "grund", "why")
    WHERE = ("location", "file", "files", "where", "datei", "ort", "stelle", "path")
    DONE = ("done when", "acceptance", "fertig wenn", "erledigt wenn")


_FIELDS = {name: field for field in Field for name in field.value}


def split_key(text: str) -> tuple[str, str]:
    """What stands before the first colon, arrow or dash, and what behind it; ("", text) without one."""
    found = _KEY.fullmatch(text)
    return (found[1], found[2]) if found else ("", text)


def section_head(line: Line) -> tuple[Section | None, str] | None:
    """The section that a line opens and what it says at once; (None, title) for an unknown heading."""
    together = _TOGETHER.fullmatch(line.text)
    if together:
        return section_named(together[1]), together[2]
    key, rest = split_key(line.text)
    if key and (section := section_named(key)):
        return section, rest
    if line.sort is Sort.HEADING:
        section = section_named(line.text)
        return section, "" if section else line.text
    alone = line.sort in {Sort.TEXT, Sort.ITEM} and (line.bold or line.fresh) and len(line.text) <= _TITLE
    clear = line.bold or line.sort is Sort.ITEM or " " in line.text
    if alone and clear and (section := section_named(line.text)):
        return section, ""
    return None


def owner_head(line: Line) -> tuple[Responsibility, str] | None:
    """Whose item a line is, and the item; "" if the items follow."""
    if at := _AT.match(line.text):
        owner = owner_named(at[1])
        return (owner, at[2]) if owner else None
    key, rest = split_key(line.text)
    addressed = _ADDRESSED.fullmatch(key)
    if key and (owner := owner_named((addressed[1] or addressed[2]) if addressed else key)):
        return owner, rest
    if (line.sort is Sort.HEADING or line.bold) and (owner := owner_named(line.text)):
        return owner, ""
    return None


def owners_in_prose(text: str) -> list[tuple[Responsibility, str]]:
    """The agents that a sentence asks for something, and what it asks."""
    found = ((owner_named(agent), said) for agent, said in _IN_PROSE.findall(text))
    return [(owner, said.strip()) for owner, said in found if owner]


def severity_head(line: Line) -> tuple[str, str] | None:
    """The severity of "[HIGH] title", or of "issue (blocking): title", and its title."""
    found = _SEVERITY.fullmatch(line.text) or _BLOCKING.fullmatch(line.text)
    return (found[1], found[2]) if found else None


def field_head(text: str) -> tuple[Field, str] | None:
    """The field that a line fills, and with what."""
    key, rest = split_key(text)
    field = _FIELDS.get(plain(key)) if key else None
    return (field, rest) if field else None
