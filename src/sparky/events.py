"""What a session with a coding agent starts from, tells, and comes to, whichever agent it is."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from sparky.domain.command import Level


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens. `fresh` were sent and came from no cache, `cached` from one, `written` into one."""

    fresh: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.fresh + self.cached + self.written + self.output

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            fresh=self.fresh + other.fresh,
            cached=self.cached + other.cached,
            written=self.written + other.written,
            output=self.output + other.output,
        )


@dataclass(frozen=True, kw_only=True)
class Text:
    """The agent's words; `by` is a sub-agent's name, "" for the agent itself."""

    text: str
    by: str = ""


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """A tool that the agent uses, and on what."""

    tool: str
    about: str
    by: str = ""


@dataclass(frozen=True, kw_only=True)
class FileEdit:
    """A file that the agent says it writes."""

    path: str
    by: str = ""


@dataclass(frozen=True, kw_only=True)
class Permission:
    """What the agent asked to be allowed, and whether it was."""

    about: str
    given: bool


@dataclass(frozen=True, kw_only=True)
class SubAgent:
    """A sub-agent, and what it does, such as "started"."""

    name: str
    does: str


@dataclass(frozen=True, kw_only=True)
class Used:
    """All that the session has used so far, its sub-agents' among it; `cost_usd` None: unknown.

    `turns` are answers of the model.
    """

    usage: Usage
    turns: int = 0
    cost_usd: float | None = None


class SessionEnding(Enum):
    """How a session ended, whatever the agent says of it. UNABLE: it could not work here at all."""

    FINISHED = "finished"
    TIMED_OUT = "timed out"
    BROKEN_OFF = "broken off"
    RATE_LIMITED = "the model's rate limit is reached"
    OUTAGE = "the model does not answer"
    OVER_BUDGET = "the budget is used up"
    UNABLE = "the runner can't work here"


class Failure(Enum):
    """Why a session could not do its work."""

    RATE_LIMIT = "rate limit"
    OUTAGE = "outage"
    LOGIN = "login"
    BUDGET = "budget"
    OTHER = "error"


@dataclass(frozen=True, kw_only=True)
class Limited:
    """The model takes no more requests; until when, in seconds since 1970, None: it does not say."""

    until: float | None = None


@dataclass(frozen=True, kw_only=True)
class Ended:
    """The agent's own words on its end: the last one counts, since work in the background may go on."""

    text: str
    failure: Failure | None = None


Event = Text | ToolCall | FileEdit | Permission | SubAgent | Used | Limited | Ended
Hear = Callable[[Event], None]

_LENGTH = 200


def told(event: Event) -> str:
    """The event as one line for a person who waits; "" for what is no news."""
    match event:
        case Text(text=text, by=by):
            line = f"{_by(by)}says: {text}" if text.strip() else ""
        case ToolCall(tool=tool, about=about, by=by):
            line = f"{_by(by)}{tool}: {about}"
        case FileEdit(path=path, by=by):
            line = f"{_by(by)}writes {path}"
        case Permission(about=about, given=given):
            line = f"{'may' if given else 'may not'}: {about}"
        case SubAgent(name=name, does=does):
            line = f"sub-agent {name}: {does}"
        case Limited():
            line = "the model's rate limit is reached"
        case Used() | Ended():
            line = ""
    return line if len(line) <= _LENGTH else f"{line[:_LENGTH]}…"


def _by(name: str) -> str:
    return f"[{name}] " if name else ""


@dataclass(frozen=True, kw_only=True)
class Aftermath:
    """What the transcripts of a session tell once it has ended.

    `said` are the things that persons said in it, as text, the most telling first; none is a tool's output,
    and secrets are taken out. `broken` is what shows that it did not come to its end, "" if it did, if a
    person stopped it, or if there is no transcript.
    """

    said: tuple[str, ...] = ()
    broken: str = ""


@dataclass(frozen=True, kw_only=True)
class SessionRequest:
    """What a session with a coding agent starts from.

    `model` "": the runner's own choice; `tools` empty: all that it has. `tokens`, `usd`, `turns`: what it may
    use up. `reports`: a folder of what others left on the run, to be read. `review`: it is to write a report.
    """

    run: str
    issue: str
    worktree: Path
    prompt: str
    agent: str
    number: int
    timeout_s: float
    script: str | None = None
    model: str = ""
    tools: tuple[str, ...] = ()
    part: int = 0
    tokens: int | None = None
    usd: float | None = None
    turns: int | None = None
    reports: Path | None = None
    review: bool = False


@dataclass(frozen=True, kw_only=True)
class SessionResult:
    """What the agent claims, and how its process ended; `detail`: more on that. Nothing here is evidence.

    `handover`: why it says that it is not its turn; `plan`: the several issues that it says this one is;
    `report`: what a reviewer writes. Each is empty if it says no such thing. `retry_at`: when its model can
    be asked again, in seconds since 1970. `level`: how its process was confined; None: none was started.
    """

    claimed_success: bool
    summary: str
    ending: SessionEnding
    detail: str = ""
    handover: str = ""
    plan: tuple[str, ...] = ()
    report: str = ""
    output: bytes = b""
    tokens: int = 0
    turns: int = 0
    cost_usd: float = 0.0
    level: Level | None = None
    retry_at: float | None = None
