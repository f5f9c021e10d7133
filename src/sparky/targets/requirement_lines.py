"""Requirement files (`requirements.txt` and its like), with the files that they include."""

import posixpath
import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from sparky.targets.tables import read_text

_OPTION = re.compile(
    r"(?P<option>-r|--requirement|-c|--constraint|-e|--editable)(?:\s*=\s*|\s+|(?<=-[rce]))(?P<value>\S.*)"
)
_COMMENT = re.compile(r"(^|\s+)#.*$")
_TRAILER = re.compile(r"\s+--[a-z-]+[= ].*$")


@dataclass(frozen=True, kw_only=True)
class Lines:
    """Requirements and constraints, in the order of the file."""

    requirements: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()

    def __add__(self, other: "Lines") -> "Lines":
        """Both, one after the other."""
        return Lines(
            requirements=self.requirements + other.requirements,
            constraints=self.constraints + other.constraints,
        )


def parse_file(path: str, files: Mapping[str, bytes], seen: AbstractSet[str] = frozenset()) -> Lines:
    """What a requirement file lists; files that are not there, and circles, count as empty."""
    if path in seen or path not in files:
        return Lines()
    text = read_text(files[path]).replace("\\\n", " ")
    return parse_lines(text.splitlines(), posixpath.dirname(path), files, {*seen, path})


def parse_lines(
    lines: Iterable[str], directory: str, files: Mapping[str, bytes], seen: AbstractSet[str] = frozenset()
) -> Lines:
    """What lines of a requirement file mean that lies in `directory`."""
    found = Lines()
    for line in lines:
        found += _parse_line(_TRAILER.sub("", _COMMENT.sub("", line)).strip(), directory, files, seen)
    return found


def _parse_line(line: str, directory: str, files: Mapping[str, bytes], seen: AbstractSet[str]) -> Lines:
    option = _OPTION.fullmatch(line)
    if option is None:
        return Lines(requirements=(line,) if line and not line.startswith("-") else ())
    value = option["value"].strip()
    if option["option"] in {"-e", "--editable"}:
        return Lines(requirements=(value,))
    included = parse_file(posixpath.normpath(posixpath.join(directory, value)), files, seen)
    if option["option"] in {"-r", "--requirement"}:
        return included
    return Lines(constraints=included.requirements + included.constraints)
