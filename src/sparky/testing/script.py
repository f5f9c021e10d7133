"""What a scripted model says: scripts of conversations, each a list of turns. Typed, for tests."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

MARK = r"SCRIPT:([\w-]+)"
"""What names its script in a prompt, such as `SCRIPT:fix`; the newest one of a user's counts."""


@dataclass(frozen=True, kw_only=True)
class Say:
    """Text, and with it the end of the conversation. `cut`: it ends at the model's limit of tokens."""

    text: str
    cut: bool = False


@dataclass(frozen=True, kw_only=True)
class Write:
    """A file, by its path from the working directory."""

    path: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Run:
    """A command of the shell."""

    command: str


@dataclass(frozen=True, kw_only=True)
class Delegate:
    """A sub-agent with this prompt; `background`: the caller does not wait for it."""

    prompt: str
    background: bool = False


@dataclass(frozen=True, kw_only=True)
class Wait:
    """Wait for the sub-agent that was started last, where the tool wants to be asked to (Codex)."""


Action = Say | Write | Run | Delegate | Wait


class Fault(Enum):
    """What goes wrong with an answer."""

    ERROR = "HTTP 500"
    LIMIT = "HTTP 429"
    HANG = "no answer"
    GARBAGE = "server-sent events that are none"
    CUT = "the connection ends in the middle of an answer"


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One answer of the model. `fault` happens `times` times before it; `retry_after_s` goes with LIMIT."""

    does: Action
    fault: Fault | None = None
    times: int = 1
    retry_after_s: int = 1


Conversation = tuple[Action | Turn, ...]
Scripts = Mapping[str, tuple[Conversation, ...]]
"""By name: the conversations in the order in which they are begun; the last one is played ever after."""


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """Tokens of one answer, or of several."""

    fresh: int = 0
    cached: int = 0
    output: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.fresh + self.cached + self.output


@dataclass(frozen=True, kw_only=True)
class Answered:
    """One answer of a model that was handed out whole, or a fault."""

    model: str
    script: str
    step: int
    tokens: Tokens
    fault: Fault | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Called:
    """A tool to be called: its name, its arguments, and the space that the name is in ("": none)."""

    name: str
    arguments: Mapping[str, object]
    space: str = ""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool that the agent offers to the model; `takes` are the names of its arguments."""

    name: str
    takes: frozenset[str]
    space: str = ""


_WRITES = ("write", "write_file")
_RUNS = ("bash", "exec_command", "shell_command", "shell", "execute")
_DELEGATES = ("agent", "task", "spawn_agent")
_WAITS = ("wait_agent", "wait")


def call_for(action: Action, tools: tuple[Tool, ...], cwd: str, seen: str) -> Called | None:
    """How these tools do it; None: by saying something. `seen`: all that the model was shown."""
    match action:
        case Say():
            return None
        case Write(path=path, text=text):
            tool = _find(tools, _WRITES)
            if tool is None:
                return call_for(Run(command=f"cat > {path} <<'END'\n{text}END"), tools, cwd, seen)
            key = next(name for name in ("file_path", "filePath", "path") if name in tool.takes)
            return Called(name=tool.name, arguments={key: f"{cwd}/{path}", "content": text})
        case Run(command=command):
            tool = _find(tools, _RUNS)
            if tool is None:
                return None
            given = {"cmd" if "cmd" in tool.takes else "command": command}
            return Called(name=tool.name, arguments=given | _known(tool, description="run a command"))
        case Delegate(prompt=prompt, background=background):
            tool = _find(tools, _DELEGATES)
            if tool is None:
                return None
            kind = "general-purpose" if tool.name in {"Agent", "Task"} else "general"
            more = _known(
                tool,
                prompt=prompt,
                message=prompt,
                description="a part of it",
                task_name="part",
                subagent_type=kind,
                run_in_background=background,
            )
            return Called(name=tool.name, arguments=more, space=tool.space)
        case Wait():
            tool = _find(tools, _WAITS)
            return Called(name=tool.name, arguments=_waiting(tool, seen), space=tool.space) if tool else None


def _find(tools: tuple[Tool, ...], names: tuple[str, ...]) -> Tool | None:
    by_name = {tool.name.lower(): tool for tool in tools}
    return next((by_name[name] for name in names if name in by_name), None)


def _known(tool: Tool, **given: object) -> dict[str, object]:
    return {name: value for name, value in given.items() if name in tool.takes}


def _waiting(tool: Tool, seen: str) -> dict[str, object]:
    ids = re.findall(r"agent_id\W{1,8}([0-9a-f-]{36})", seen)
    return _known(tool, targets=ids[-1:], ids=ids[-1:], timeout_ms=20_000)
