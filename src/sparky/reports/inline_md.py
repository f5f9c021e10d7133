"""Texts on one line of Markdown, read back without loss.

What would break the line or a table is escaped as Markdown escapes it, and a new line is `<br>`: so a forge
shows what was written.
"""

import re

from sparky.domain.finding import Location

TOKEN = r'(`[^`]+`|"(?:[^"\\]|\\.)*"|none)'
"""A word in code, or in quotes where it holds what code can't show; `none` is the empty one."""

_SAFE = re.compile(r"[\w./#@:+-]+(?: [\w./#@:+-]+)*", re.ASCII)
_BREAKING = re.compile(
    r"[\\|<&\x00-\x1f\x7f-\x9f\u2028\u2029]|\s\Z"
    r"|\A(?:[ #>=]|[+-](?=[\s-]|\Z)|\*(?=\s|\Z|\*Answers:)|`(?=``)|~(?=~~))"
)
_ESCAPED = re.compile(r"\\(.)|(<br>)|&#([0-9]{1,4});")
_PLACE = re.compile(rf"{TOKEN}(?: line ([0-9]{{1,9}}))?(?: column ([0-9]{{1,9}}))?(?: in {TOKEN})?")


def escape(text: str) -> str:
    """The text on one line, as it may stand in a paragraph, a list item or a table cell."""
    return _BREAKING.sub(_mark, text)


def unescape(text: str) -> str:
    """What was escaped."""
    return _ESCAPED.sub(_unmark, text)


def token(text: str) -> str:
    """The text so that one sees where it begins and ends."""
    if not text:
        return "none"
    return f"`{text}`" if _SAFE.fullmatch(text) else '"' + escape(text).replace('"', "&#34;") + '"'


def untoken(said: str) -> str:
    """What was made a token."""
    if said == "none":
        return ""
    return unescape(said[1:-1]) if said.startswith('"') else said.strip("`")


def place(location: Location) -> str:
    """A place in the repository: `path` line 4 in `symbol`."""
    line = f" line {location.line}" if location.line is not None else ""
    column = f" column {location.column}" if location.column is not None else ""
    return token(location.path) + line + column + (f" in {token(location.symbol)}" if location.symbol else "")


def unplace(said: str) -> Location | None:
    """The place; None if it is none."""
    found = _PLACE.fullmatch(said)
    if found is None:
        return None
    return Location(
        path=untoken(found[1]),
        line=int(found[2]) if found[2] else None,
        column=int(found[3]) if found[3] else None,
        symbol=untoken(found[4]) if found[4] else "",
    )


def _mark(found: re.Match[str]) -> str:
    said = found[0]
    if said == "\n":
        return "<br>"
    return f"\\{said}" if said in "\\<&#>=+-*`~" else f"&#{ord(said)};"


def _unmark(found: re.Match[str]) -> str:
    if found[1]:
        return found[1]
    return "\n" if found[2] else chr(int(found[3]))
