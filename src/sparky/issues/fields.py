"""The fields of a Markdown issue, however spelled: front matter, headings, "**Type:** bug", "Type: bug"."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

_CONTROLS = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_FENCE = re.compile(r"\s*(?:[-*+]\s+)?(`{3,}|~{3,})(.*)")
_COMMENT = re.compile(r"<!--[^<]*?-->")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s+|(?<=##)(?=[^\W\d_]))(\S.*)")
_ITEM = re.compile(r"(\s*)(?:[-*+\u2022]|[0-9]{1,4}[.)])\s+(.*)")
_BOX = re.compile(r"\[([ xX\u2713\u2714-]?)\]\s+(.*)")
_BOLD = re.compile(r" {0,3}([-*+]\s+)?\*\*([^*:]{1,40})(:?\*\*\s*:|:\*\*|\*\*$)(.*)")
_IN_BOLD = re.compile(r"\*\*(?=\S)([^*]+)(?<=\S)\*\*")
_PLAIN = re.compile(r" {0,3}([-*+]\s+)?([A-Za-z][A-Za-z /_-]{1,38})(:)(\s.*|)")
_KEY = re.compile(r"([A-Za-z][\w -]{0,40}?)\s*:(?:\s+(.*))?")
_NO_KEY = re.compile(r"\s*|\s*#.*|\s*-(?:\s.*)?|\s+\S.*")
_LISTED = re.compile(r"\s*\"[^\"]*\"|\s*'[^']*'|[^,]+")

_CRITERIA = re.compile(r"\b(?:success|acceptance|validation|completion) criteria\b")
_PARTS = re.compile(r"(?:sub )?issues in this (?:phase|epic|milestone)\b")
_FILES = re.compile(r"(?:affected |relevant |related |target )?files\b")
_KEEP_OFF = re.compile(r"files\b.*\b(?:not|never|ignore|exclude|untouched)\b|(?:out of scope|non goals)$")
_NOTHING = frozenset({"", "none", "n/a", "tbd", "nothing", "no response", "|", ">", "|-", ">-"})
_META = frozenset({"", "details", "metadata", "meta", "tracking"})
_GENERAL = frozenset({"description", "problem", "summary", "overview", "solution", "context", "background"})


class Field(Enum):
    """What an issue's text may say, and the names it is said under. Lists of files and criteria have more."""

    TITLE = ("title",)
    TYPE = ("type", "issue type")
    KIND = ("kind", "kinds")
    AGENT = ("agent",)
    SEVERITY = ("severity", "priority")
    STATUS = ("status",)
    LABELS = ("labels", "label", "tags")
    PARENT = ("parent issue", "parent")
    REPOSITORY = ("repository", "repo")
    DEPENDS = ("depends on", "dependencies", "prerequisites", "blocked by")
    PARTS = ("sub issues", "subissues", "sub tasks", "subtasks", "tasks", "deliverables", "work items")
    FILES = ("file",)
    CRITERIA = ("criteria", "definition of done", "done when")
    CONSTRAINTS = ("constraints", "constraint")


_NAMES = {name: member for member in Field for name in member.value}
_LISTS = frozenset({Field.DEPENDS, Field.PARTS, Field.FILES, Field.CRITERIA, Field.CONSTRAINTS})
_BELOW = 7  # the level of a line that stands for a heading: below every real one


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One thing said under a field. `ticked` is the state of its checkbox, None without one."""

    text: str
    ticked: bool | None = None


@dataclass(frozen=True, kw_only=True)
class IssueText:
    """An issue's text, taken apart. `heading` is its title line, "" if it has none; `body` all but that.

    `opening` is the first line that is of no field, "" without one. `fields` holds what is said under each
    field: front matter first, then in the order of the text.
    """

    heading: str
    opening: str
    body: str
    fields: Mapping[Field, tuple[Entry, ...]]
    warnings: tuple[str, ...] = ()


@dataclass(kw_only=True)
class _Section:
    name: str = ""
    level: int = 0
    about: Field | None = None
    lines: list[str] = field(default_factory=list)


def take_apart(text: str) -> IssueText:
    """The fields of an issue's text; reads any text, in time linear in its length."""
    lines = _CONTROLS.sub("", re.sub(r"\r\n?", "\n", text).removeprefix("\ufeff")).split("\n")
    front, start = _front_matter(lines)
    lines = lines[start:]
    plain, unclosed = _plain_lines(lines)
    at, heading = _heading_line(plain)
    sections = list(_sections(line for i, line in enumerate(plain) if i != at))
    prose = (line for section in sections if section.about is None for line in section.lines)
    found: dict[Field, list[Entry]] = {}
    for section in (*front, *sections):
        if section.about is not None:
            found.setdefault(section.about, []).extend(_said(section))
    return IssueText(
        heading=heading,
        opening=next((text for line in prose if (text := _IN_BOLD.sub(r"\1", line).strip("#*>- "))), ""),
        body="\n".join(line for i, line in enumerate(lines) if i != at).strip(),
        fields={about: tuple(entries) for about, entries in found.items()},
        warnings=(f"the code block opened in line {start + unclosed} is never closed",) if unclosed else (),
    )


def _words(name: str) -> str:
    name = re.sub(r"\([^()]*\)\s*$", "", name[:80])
    return re.sub(r"^[0-9]+ ", "", re.sub(r"[\W_]+", " ", name).strip()).casefold()


def _field(name: str) -> Field | None:
    words = _words(name)
    if _KEEP_OFF.match(words):
        return Field.CONSTRAINTS
    if _PARTS.match(words):
        return Field.PARTS
    if _CRITERIA.search(words):
        return Field.CRITERIA
    return Field.FILES if _FILES.match(words) else _NAMES.get(words)


def _front_matter(lines: Sequence[str]) -> tuple[list[_Section], int]:
    """The keys between two `---` lines at the top, and how many lines that is; unknown keys do no harm."""
    end = next((i for i, line in enumerate(lines) if i and line.rstrip() in {"---", "..."}), 0)
    if lines[0].rstrip() != "---" or not end:
        return [], 0
    sections = [_Section()]
    for line in lines[1:end]:
        if key := _KEY.fullmatch(line):
            sections.append(_Section(name=key[1], about=_field(key[1]), lines=_values(key[2] or "")))
        elif not _NO_KEY.fullmatch(line):
            return [], 0
        elif not line.lstrip().startswith("#"):
            sections[-1].lines += _values(re.sub(r"^\s*-\s", "", line))
    return sections, end + 1


def _values(value: str) -> list[str]:
    value = value.strip()
    if value.startswith("[") and value.endswith("]"):
        return [f"- {_unquoted(part)}" for part in _LISTED.findall(value[1:-1])]
    return [f"- {_unquoted(value)}"]


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value.split(" # ", 1)[0]


def _plain_lines(lines: Sequence[str]) -> tuple[list[str], int]:
    """The lines with code blocks and comments blanked; the line of a block that is never closed, else 0."""
    plain: list[str] = []
    fence, opened, comment = "", 0, False
    for number, line in enumerate(lines, 1):
        bare, mark, shown = line.strip(), _FENCE.match(line), ""
        if fence:
            fence = "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
        elif comment or bare.startswith("<!--"):
            comment = "-->" not in bare
        elif mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence, opened = mark[1], number
        else:
            shown = _COMMENT.sub("", line).expandtabs(4)
        plain.append(shown)
    return plain, opened if fence else 0


def _heading(line: str) -> tuple[int, str] | None:
    match = _HEADING.fullmatch(line)
    if match is None:
        return None
    text = match[2].rstrip()
    core = text.rstrip("#")
    return len(match[1]), (core if core.endswith((" ", "\t")) else text).strip(" \t*")


def _heading_line(lines: Sequence[str]) -> tuple[int, str]:
    """The index and text of the first heading, if it is a title and no section's name; else (-1, "")."""
    for i, line in enumerate(lines):
        if (heading := _heading(line)) is not None:
            name = heading[1]
            return (-1, "") if _field(name) or _words(name) in _GENERAL else (i, name)
    return -1, ""


def _sections(lines: Iterable[str]) -> Iterator[_Section]:
    """The text cut where what is spoken of changes: at headings, and at lines that state or open a field."""
    here, fresh = _Section(), True
    above = [here]
    for line in lines:
        if _ends(here, line, fresh=fresh):
            yield here
            here = _again(above[-1])
        heading = _heading(line)
        stated = None if heading else _stated(line, here, fresh=fresh)
        if heading:
            yield here
            above = [section for section in above if section.level < heading[0]]
            here = _under(*heading, above[-1])
            above.append(here)
        elif stated:
            yield from (here, stated)
            here = _again(above[-1]) if stated.lines else stated
        else:
            here.lines.append(line)
        fresh = not line.strip() or bool(heading or stated)
    yield here


def _again(section: _Section) -> _Section:
    return _Section(name=section.name, level=section.level, about=section.about)


def _under(level: int, text: str, parent: _Section) -> _Section:
    """The section that a heading opens: its own field, or a list's that it is a part of."""
    name, _, value = text.partition(":")
    if value.strip() and (about := _field(name)):
        return _Section(name=name, level=level, about=about, lines=[value.strip()])
    part_of = parent.about if parent.about in _LISTS else None
    return _Section(name=text, level=level, about=_field(text) or part_of)


def _stated(line: str, here: _Section, *, fresh: bool) -> _Section | None:
    """The field that one line states by itself, or opens.

    Bold at the start of a line it counts everywhere, else not inside lists of criteria or files; a plain one
    has nothing before it in its paragraph, and as an item stands at the top or under "Details".
    """
    bold, plain = _BOLD.fullmatch(line), _PLAIN.fullmatch(line)
    match = bold or plain
    if match is None or (about := _field(match[2])) is None:
        return None
    item, value, free = bool(match[1]), match[4].strip(), here.about not in _LISTS
    if bold:
        counts = not item or (free and bool(value))
    else:
        counts = free and (bool(value) and _words(here.name) in _META if item else fresh)
    section = _Section(name=match[2], level=_BELOW, about=about, lines=[value] if value else [])
    return section if counts else None


def _ends(here: _Section, line: str, *, fresh: bool) -> bool:
    """Whether a line ends what a bold line opened: a paragraph of its own, after something was said."""
    if here.level != _BELOW or not fresh or not line.strip() or line.startswith((" ", "\t")):
        return False
    return not _ITEM.match(line) and any(text.strip() for text in here.lines)


def _said(section: _Section) -> Iterator[Entry]:
    """What a section says: its paragraphs and innermost items, these with the items that they stand under."""
    prefix = [section.name] if _KEEP_OFF.match(_words(section.name)) else []
    rows = list(_rows(section.lines, apart=section.about not in _LISTS))
    parents: list[tuple[int, str]] = []
    for i, row in enumerate(rows):
        text = _IN_BOLD.sub(r"\1", " ".join(row.parts)).strip()
        parents = [parent for parent in parents if parent[0] < row.indent]
        if i + 1 < len(rows) and rows[i + 1].indent > row.indent:
            parents = [*parents[-2:], (row.indent, text[:120].rstrip(" :"))]
        elif not text.endswith(":") and text.strip("`*_. ").casefold() not in _NOTHING:
            yield Entry(text=": ".join([*prefix, *(name for _, name in parents), text]), ticked=row.ticked)


@dataclass(kw_only=True)
class _Row:
    indent: int = 0
    ticked: bool | None = None
    parts: list[str]


def _rows(lines: Iterable[str], *, apart: bool) -> Iterator[_Row]:
    """The items and paragraphs; with `apart`, every line is one."""
    row, fresh = _Row(parts=[]), True
    for line in lines:
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        item = _ITEM.fullmatch(line)
        if not bare.strip("-*_ "):
            fresh = True
            continue
        if not item and row.parts and not apart and (not fresh or indent > row.indent):
            row.parts.append(bare)
        else:
            if row.parts:
                yield row
            row = _item(indent, item[2]) if item else _Row(parts=[bare])
        fresh = False
    if row.parts:
        yield row


def _item(indent: int, text: str) -> _Row:
    if box := _BOX.fullmatch(text):
        return _Row(indent=indent, ticked=box[1] not in " -", parts=[box[2]])
    return _Row(indent=indent, parts=[text])
