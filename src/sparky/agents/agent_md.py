"""An agent as a Markdown file: front matter that declares it, and a body that is its part of the prompt."""

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePosixPath
from typing import TypeVar

import yaml

from sparky.domain.agent import Agent, Role, Session
from sparky.domain.issue import Issue, Kind

PRIORITY = 110
"""That of a file which says none: after what mends by rule (100), before the sessions that ship (150)."""

KNOWN = ("name", "description", "kinds", "role", "priority", "runner", "model", "tools")
"""The keys that sparky reads; any other is kept as it is."""

CONFIDENCE = 0.7
"""What an agent bids on an issue of a kind that its file declares."""

LONGEST = 100_000
"""The bytes that a file may have."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_PLAIN = re.compile(r"(?m)^([A-Za-z][\w-]*):[ \t]*(.*?)[ \t\r]*$")

Word = TypeVar("Word", bound=Enum)


class AgentFileError(Exception):
    """A file declares no agent; the text is "path:line: why"."""


@dataclass(frozen=True, kw_only=True)
class _Front:
    """The front matter: values by key, and the line of each key, counted from 1."""

    path: str
    values: Mapping[str, object]
    lines: Mapping[str, int]

    def error(self, key: str, why: str) -> AgentFileError:
        return AgentFileError(f"{self.path}:{self.lines.get(key, 1)}: {why}")

    def text(self, key: str, otherwise: str = "") -> str:
        value = self.values.get(key)
        if value is None:
            return otherwise
        if not isinstance(value, str):
            raise self.error(key, f"{key} is {value!r}, and must be a text")
        return value.strip()

    def words(self, key: str) -> tuple[str, ...]:
        """A list of words, also where it is written as one text with commas."""
        value = self.values.get(key)
        found = value.split(",") if isinstance(value, str) else value or []
        if not isinstance(found, list) or not all(isinstance(word, str) for word in found):
            raise self.error(key, f"{key} is {value!r}, and must be a list of words")
        return tuple(word.strip() for word in found if word.strip())

    def chosen(self, key: str, word: str, among: type[Word]) -> Word:
        known = {str(member.value).lower(): member for member in among}
        if (found := known.get(word.lower().replace("-", "_"))) is None:
            near = difflib.get_close_matches(word.lower(), known, 1)
            hint = f"did you mean {known[near[0]].value}?" if near else f"it may be {', '.join(known)}"
            raise self.error(key, f"{word!r} is no {among.__name__.lower()}; {hint}")
        return found


def parse(data: bytes, path: str, *, runner: str, foreign: bool = False) -> Agent:
    """The agent that a file declares; raises AgentFileError. `runner` is that of a file which names none.

    Without `kinds` it takes an issue that names it, and bids on none. A `foreign` file was written for
    another programme: what its front matter says in that one's words is no fault.
    """
    front, body = _taken_apart(data, path, foreign=foreign)
    for key in () if foreign else front.values:
        if key not in KNOWN and (near := difflib.get_close_matches(key, KNOWN, 1, 0.75)):
            raise front.error(key, f"unknown key {key!r}; did you mean {near[0]!r}?")
    name = front.text("name", PurePosixPath(path).stem)
    if not _NAME.fullmatch(name):
        raise front.error("name", f"{name!r} is no name of an agent: letters, digits and '-', at most 64")
    if not (description := front.text("description")):
        raise front.error("description", "it has no description: say in a line what it is for")
    if not body.strip():
        raise front.error("name", "it has no prompt: write below the front matter what the agent is told")
    priority = front.values.get("priority", PRIORITY)
    if not isinstance(priority, int) or isinstance(priority, bool):
        raise front.error("priority", f"priority is {priority!r}, and must be a whole number")
    kinds = tuple(front.chosen("kinds", word, Kind) for word in front.words("kinds"))
    model = front.text("model")
    return Agent(
        name=name,
        role=front.chosen("role", front.text("role", Role.CODER.value), Role),
        kinds=kinds,
        works=Session(
            runner=front.text("runner", runner),
            prompt=body.strip(),
            model="" if model == "inherit" else model,
            tools=front.words("tools"),
        ),
        bid=_bid,
        description=" ".join(description.split()),
        priority=priority,
        places={key: f"{path}:{front.lines.get(key, 1)}" for key in KNOWN},
        more={key: value for key, value in front.values.items() if key not in KNOWN},
    )


def _bid(issue: Issue) -> tuple[float, str]:
    return CONFIDENCE, f"its file declares {', '.join(kind.value for kind in issue.kinds)}"


def _taken_apart(data: bytes, path: str, *, foreign: bool) -> tuple[_Front, str]:
    if len(data) > LONGEST:
        raise AgentFileError(f"{path}:1: it has {len(data)} bytes, more than {LONGEST}")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise AgentFileError(f"{path}:{line}: it is not UTF-8") from error
    if (found := _FRONT.match(text)) is None:
        raise AgentFileError(
            f"{path}:1: it has no front matter: begin with a line '---', and end it with one"
        )
    try:
        values, lines = _mapping(found[1])
    except _UnreadableError as error:
        if not foreign:
            raise AgentFileError(f"{path}:{error.line}: {error}") from error
        plain = {match[1]: match for match in _PLAIN.finditer(found[1])}
        values = {key: match[2] for key, match in plain.items()}
        lines = {key: found[1].count("\n", 0, match.start()) + 2 for key, match in plain.items()}
    return _Front(path=path, values=values, lines=lines), text[found.end() :]


class _UnreadableError(Exception):
    def __init__(self, why: str, line: int) -> None:
        super().__init__(why)
        self.line = line


def _mapping(text: str) -> tuple[dict[str, object], dict[str, int]]:
    """The values and lines of a YAML mapping. The line that holds `---` is the file's first."""
    loader = yaml.SafeLoader(text)
    try:
        _require_plain(yaml.parse(text, Loader=yaml.SafeLoader))
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            raise _UnreadableError("its front matter is no list of keys and values", 2)
        values: dict[str, object] = {}
        lines: dict[str, int] = {}
        for key, value in node.value:
            name, line = str(key.value), key.start_mark.line + 2
            if name in values:
                raise _UnreadableError(f"{name!r} is there twice", line)
            values[name] = loader.construct_object(value, deep=True)
            lines[name] = line
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        why = getattr(error, "problem", None) or str(error)
        raise _UnreadableError(f"no valid YAML: {why}", mark.line + 2 if mark else 2) from error
    return values, lines


def _require_plain(events: Iterable[yaml.Event]) -> None:
    """Refuse references, with which a short text says a very long one."""
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            line = event.start_mark.line + 2 if event.start_mark else 2
            raise _UnreadableError("references (*name) are not read", line)
