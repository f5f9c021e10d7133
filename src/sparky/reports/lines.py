"""A report's text as lines: headings, list items, table rows and prose, without code, comments and quotes."""

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

LIMIT = 200_000
"""Characters that are read, half of them from the end: people and agents write a tenth of it."""

FENCES = 10_000
"""Lines of code fences that are looked at."""

LONGEST = 2_000
"""Characters of one line that are read."""

_FENCE = re.compile(r"^[ \t>]*(?:[-*+] )?(`{3,}|~{3,})(.*)", re.MULTILINE)
_TAG = re.compile(
    r"</?(?:b|strong|em|i|u|br|p|div|details|summary|code|span|sub|sup|h[1-6])\b[^<>]{0,99}>", re.IGNORECASE
)
_PICTURE = re.compile(
    "[\u200d\ufe0f\u20e3\u2300-\u23ff\u25a0-\u279b\u279d-\u27a0\u27a2-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
)
_PER_LINE = 16
"""What a line counts for beyond its characters: many short ones are work, too."""

_OF_CODE = 20_000
"""Characters of code blocks that are kept."""

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s+|(?<=##)(?=[^\W\d_]))(\S.*)")
_ITEM = re.compile(r"(\s*)(?:[-*+\u2022\u2013]|[0-9]{1,4}[.)]|[0-9]{1,3}(?:\.[0-9]{1,3}){1,3}\.?)\s+(\S.*)")
_BOX = re.compile(r"\[([ xX\u2713\u2714-]?)\]\s+(\S.*)")
_TICKS = "\u2705\u2714\u2611"
_CROSSED = re.compile(r"\s*([\u2705\u2714\u2611\u274c\u2717\u2718\u2612])\ufe0f?\s+(?=\w\S*\s)(\S.*)")
"""A line of a list that is ticked or crossed out by a picture."""

_RULE = re.compile(r"\s*(?:[-=*_]\s*){3,}")
_UNDERLINE = re.compile(r" {0,3}(?:={3,}|-{3,})\s*")
_SEPARATOR = re.compile(r"[\s|:-]+")


class Sort(Enum):
    """What a line is."""

    HEADING = "heading"
    ITEM = "item"
    ROW = "row"
    TEXT = "text"


class Line(NamedTuple):
    """A line that says something. `number` counts from 1; `text` has no marks, pictures or emphasis.

    `level` is the depth of a heading, `indent` that of an item; `bold`: it begins in bold; `ticked`: the
    state of a checkbox, None without one; `cells` those of a table's row, `fresh`: it begins a paragraph.
    """

    number: int
    sort: Sort
    text: str
    level: int = 0
    indent: int = 0
    bold: bool = False
    ticked: bool | None = None
    cells: tuple[str, ...] = ()
    fresh: bool = True


def take_apart(text: str) -> tuple[list[Line], str, list[tuple[int, str]]]:
    """The lines, the beginning of what stands in code blocks, and (line, reason) of what is left out."""
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    shown, code, too_many = _unfenced(_uncommented(plain))
    rows = shown.split("\n")
    kept, left_out = _within(rows)
    if too_many:
        left_out.append((len(rows), f"nothing is read after {FENCES} lines of code fences"))
    return list(_lines(rows, kept)), code, left_out


def _uncommented(text: str) -> str:
    """The text without comments; one that nobody closes is text."""
    end = text.rfind("-->") + 3
    return _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text[:end]) + text[end:]


def _unfenced(text: str) -> tuple[str, str, bool]:
    """The text with its code blocks blank, their beginning, and whether there are too many to go on.

    A fence that nobody closes is no fence.
    """
    parts: list[str] = []
    code, done, opened, fence = "", 0, 0, ""
    for number, found in enumerate(_FENCE.finditer(text)):
        if number == FENCES:
            return "".join((*parts, text[done : found.start()])), code, True
        if not fence and "`" not in found[2]:
            fence, opened = found[1], found.start()
        elif fence and found[1].startswith(fence) and not found[2].strip():
            parts += (text[done:opened], "\n" * text.count("\n", opened, found.end()))
            code += text[opened : min(found.end(), max(opened, opened + _OF_CODE - len(code)))]
            done, fence = found.end(), ""
    return "".join((*parts, text[done:])), code, False


def _within(rows: Sequence[str]) -> tuple[Sequence[int], list[tuple[int, str]]]:
    """The numbers of the rows that are read: all, or the first and the last of what is too much."""
    left_out = [
        (i + 1, f"cut off after {LONGEST} characters") for i, row in enumerate(rows) if len(row) > LONGEST
    ]
    head = _reach(rows)
    if head == len(rows):
        return range(head), left_out
    tail = max(head, len(rows) - _reach(rows[::-1]))
    said = f"lines {head + 1} to {tail} are not read: more than {LIMIT} characters"
    return (*range(head), *range(tail, len(rows))), [*left_out, (head + 1, said)]


def _reach(rows: Sequence[str]) -> int:
    """How many of the rows, from the first, fill half of what is read."""
    room = LIMIT // 2
    for count, row in enumerate(rows):
        if row:
            room -= min(len(row), LONGEST) + _PER_LINE
        if room < 0:
            return count
    return len(rows)


def _lines(rows: Sequence[str], kept: Sequence[int]) -> Iterator[Line]:
    fresh = True
    for i in kept:
        row = _CONTROL.sub("", rows[i][:LONGEST])
        if (
            not row.strip()
            or row.lstrip().startswith(">")
            or _UNDERLINE.fullmatch(row)
            or _RULE.fullmatch(row)
        ):
            fresh = True
            continue
        below = rows[i + 1] if i + 1 < len(rows) else ""
        line = _line(i + 1, row, fresh=fresh, underlined=bool(_UNDERLINE.fullmatch(below)))
        if line.text or line.cells:
            yield line
            fresh = line.sort is Sort.HEADING


def _line(number: int, row: str, *, fresh: bool, underlined: bool) -> Line:
    mark = None if row.isascii() else _CROSSED.fullmatch(row)
    plain = row if row.isascii() else _PICTURE.sub("", row)
    plain = _TAG.sub("", plain) if "<" in plain else plain
    if heading := _HEADING.fullmatch(plain):
        return Line(number, Sort.HEADING, _bare(heading[2].rstrip("#")), level=len(heading[1]))
    if underlined and fresh and not plain.lstrip().startswith("|"):
        return Line(number, Sort.HEADING, _bare(plain), level=2)
    if plain.lstrip().startswith("|"):
        return Line(number, Sort.ROW, "", cells=_cells(plain), fresh=fresh)
    item = _ITEM.fullmatch(plain)
    said = item[2] if item else plain
    box = _BOX.fullmatch(said) if item else None
    said = (box[2] if box else said).strip()
    if mark and not item:
        return Line(number, Sort.ITEM, _bare(said), ticked=mark[1] in _TICKS, fresh=fresh)
    return Line(
        number,
        Sort.ITEM if item else Sort.TEXT,
        _bare(said),
        indent=len(plain) - len(plain.lstrip()),
        bold=said.startswith(("**", "__")),
        ticked=box[1] not in " -" if box else None,
        fresh=fresh,
    )


def _cells(row: str) -> tuple[str, ...]:
    if _SEPARATOR.fullmatch(row):
        return ()
    return tuple(_bare(cell) for cell in row.strip().strip("|").replace("\\|", "\u2223").split("|"))


def _bare(text: str) -> str:
    return " ".join(text.replace("**", "").split()).strip("*").strip()
