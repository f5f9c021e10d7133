"""A corpus of Claude Code transcripts with its truth: what persons said, tokens, who works for whom.

Its shape is that of real ones: most bytes are results of tools, words of persons are less than a hundredth,
and one message of a model is one to four lines. Seeded: the same call gives the same files.
"""

import json
import random
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file "
    "edit, the new_string was NOT written to the file). "
)
BARE = REFUSED + "STOP what you are doing and wait for the user to tell you how to proceed."
SAYINGS = (
    "use the helper that is there",
    "run the tests first",
    "keep the API as it is",
    "two commits, please",
)
MODEL = "claude-haiku-4-5-20251001"
_SIZES = (700, 1100, 3500, 12_000, 34_000, 47_000, 85_000)
_WEIGHTS = (25, 20, 20, 20, 9, 4, 2)


@dataclass(kw_only=True)
class Truth:
    """What a reader must find: words as (session, agent, kind, text), tokens, agents with their way down."""

    said: list[tuple[str, str, str, str]] = field(default_factory=list)
    output: int = 0
    messages: int = 0
    agents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    files: int = 0
    size: int = 0


@dataclass(kw_only=True)
class Writer:
    """Writes the lines of one transcript."""

    corpus: "Corpus"
    session: str
    agent: str
    lines: list[bytes] = field(default_factory=list)
    size: int = 0

    def put(self, **entry: Any) -> str:
        name = str(uuid.UUID(int=self.corpus.random.getrandbits(128), version=4))
        self.raw(
            {
                "parentUuid": None,
                "isSidechain": bool(self.agent),
                "userType": "external",
                "cwd": "/work/shop",
                "sessionId": self.session,
                "version": "2.1.100",
                "gitBranch": "main",
                **({"agentId": self.agent} if self.agent else {}),
                **entry,
                "uuid": name,
                "timestamp": self.corpus.time(),
            }
        )
        return name

    def raw(self, entry: dict[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()
        self.lines.append(line)
        self.size += len(line) + 1

    def said(self, kind: str, text: str) -> None:
        self.corpus.truth.said.append((self.session, self.agent, kind, text))

    def user(self, content: object, **more: Any) -> None:
        self.put(type="user", message={"role": "user", "content": content}, **more)

    def result(self, call: str, text: object, *, error: bool = False, beside: str = "", **more: Any) -> None:
        block = {
            "tool_use_id": call,
            "type": "tool_result",
            "content": text,
            **({"is_error": True} if error else {}),
        }
        extra = [{"type": "text", "text": beside}] if beside else []
        self.user([block, *extra], **{"toolUseResult": text, **more})

    def answer(self, *, calls: bool) -> str:
        """One message of a model over several lines; the id of its call, "" without one."""
        corpus = self.corpus
        name, count, output = (
            f"msg_{corpus.random.getrandbits(96):024x}",
            corpus.random.choice((1, 2, 2, 2, 3, 4)),
            0,
        )
        call = f"toolu_{corpus.random.getrandbits(96):024x}" if calls else ""
        for number in range(count):
            last = number == count - 1
            output += corpus.random.randrange(2, 300)
            text = corpus.body(corpus.random.choice((300, 500, 1200, 3000)))
            block: dict[str, Any] = {"type": "text", "text": text}
            if last and calls:
                block = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": text[:400]}}
            usage = {"input_tokens": 4, "cache_read_input_tokens": 9000, "output_tokens": output}
            message = {"model": MODEL, "id": name, "type": "message", "role": "assistant", "content": [block]}
            stop = "end_turn" if last and not calls else None
            ended = {"stop_reason": stop, "stop_sequence": None}
            self.put(message={**message, **ended, "usage": usage}, type="assistant")
        corpus.truth.output += output
        corpus.truth.messages += 1
        return call

    def save(self, path: Path, *, torn: bool = False) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        data = b"".join(line + b"\n" for line in self.lines)
        path.write_bytes(data + (b'{"parentUuid":null,"type":"progr' if torn else b""))
        self.corpus.truth.files += 1
        self.corpus.truth.size += len(data)


class Corpus:
    """All transcripts below a directory that stands for Claude Code's own."""

    def __init__(self, home: Path, seed: int) -> None:
        self.home = home
        self.random = random.Random(seed)  # noqa: S311 - data, no secret
        self.truth = Truth()
        self._now = 1_770_000_000.0
        words = [
            "def",
            "return",
            "self",
            "value",
            "(x)",
            "=",
            "\n    ",
            '"text"',
            "# why",
            "ünï",
            "agents",
            "{}",
            "[0]",
        ]
        self._text = " ".join(self.random.choice(words) for _ in range(300_000))

    def time(self) -> str:
        self._now += self.random.random() * 9 + 2
        return (
            datetime.fromtimestamp(self._now, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        )

    def body(self, size: int) -> str:
        """Text of a tool; some of it looks like a transcript."""
        begin = self.random.randrange(len(self._text) - size)
        text = self._text[begin : begin + size]
        fake = '{"type":"user","message":{"role":"user","content":"nobody said this"},"is_error":true}\n'
        return fake + text if self.random.random() < 0.02 else text

    def fill(self, size: int, files: int) -> Truth:
        """Write sessions and their agents until there are so many bytes and files."""
        project = 0
        while self.truth.files < files:
            share = max(20_000, (size - self.truth.size) // max(1, files - self.truth.files))
            agents = min(self.random.choice((0, 0, 1, 3, 5, 10)), files - self.truth.files - 1)
            self._session(self.home / "projects" / f"-work-shop{project % 12}", share, agents)
            project += 1
        return self.truth

    def _session(self, folder: Path, size: int, agents: int) -> None:
        session = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
        main = Writer(corpus=self, session=session, agent="")
        flat = self.random.random() < 0.3
        made: list[str] = []
        while main.size < size:
            self._turn(main)
        for _ in range(agents):
            above = self.random.choice(made) if made and not flat and self.random.random() < 0.35 else ""
            made.append(self._agent(folder, main, size, above, flat=flat))
        main.answer(calls=False)
        main.save(folder / f"{session}.jsonl", torn=self.random.random() < 0.05)
        if self.random.random() < 0.05:
            self._fork(folder, main)

    def _agent(self, folder: Path, main: Writer, size: int, above: str, *, flat: bool) -> str:
        name = f"{self.random.getrandbits(64):016x}"
        writer = Writer(corpus=self, session=main.session, agent=name)
        writer.user("You are a sub-agent. " + self.body(600))
        wanted = size * self.random.choice((0.3, 0.7, 1.0, 1.6))
        while writer.size < wanted:
            self._turn(writer)
        self.truth.agents[name] = (*self.truth.agents.get(above, (main.session,)), name)
        call = main.answer(calls=True)
        if flat:
            path = folder / f"agent-{name}.jsonl"
        else:
            workflow = "workflows/wf_1" if not above and self.random.random() < 0.15 else "."
            path = folder / main.session / "subagents" / workflow / f"agent-{name}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            meta = {"toolUseId": call, **({"parentAgentId": above} if above else {})}
            path.with_name(f"agent-{name}.meta.json").write_text(json.dumps(meta))
        told = {"status": "completed", "agentId": name}
        main.result(call, [{"type": "text", "text": self.body(800)}], toolUseResult=told)
        writer.answer(calls=False)
        writer.save(path, torn=self.random.random() < 0.05)
        return name

    def _turn(self, writer: Writer) -> None:
        if not writer.agent:
            text = f"please {self.body(200)} {self.random.getrandbits(32):x}".strip()
            writer.user(text)
            writer.said("message", text)
        for _ in range(self.random.randrange(2, 12)):
            call = writer.answer(calls=True)
            data = {"type": "bash_progress", "fullOutput": self.body(600)}
            writer.put(type="progress", data=data, parentToolUseID=call)
            self._result(writer, call)
        writer.answer(calls=False)

    def _result(self, writer: Writer, call: str) -> None:
        chance, text = self.random.random(), f"{self.random.choice(SAYINGS)} #{self.random.getrandbits(32):x}"
        if chance < 0.006:
            writer.result(call, f"{REFUSED}The user said:\n{text}", error=True)
            writer.said("rejection", text)
        elif chance < 0.009:
            writer.result(call, BARE, error=True)
            self._now -= 10
            writer.user([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
            self._now += 10
            writer.said("stop", "")
        elif chance < 0.013 and not writer.agent:
            writer.result(call, f'User has answered: "{text}"', toolUseResult={"answers": {"Which?": text}})
            writer.said("answer", text)
        elif chance < 0.017 and not writer.agent:
            writer.result(call, self.body(2000), beside=text)
            writer.said("approval", text)
        else:
            size = self.random.choices(_SIZES, _WEIGHTS)[0]
            writer.result(call, self.body(size), error=self.random.random() < 0.04)
        if chance > 0.99 and not writer.agent:
            at = {"timestamp": self.time(), "sessionId": writer.session}
            writer.raw({"type": "queue-operation", "operation": "enqueue", "content": text, **at})
            writer.raw({"type": "queue-operation", "operation": "remove", **at})
            writer.said("queued", text)

    def _fork(self, folder: Path, main: Writer) -> None:
        """A copy of the first half under a new session: nothing in it was said or paid a second time."""
        session = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
        fork = Writer(corpus=self, session=session, agent="")
        old, new = main.session.encode(), session.encode()
        fork.lines = [line.replace(old, new) for line in main.lines[: len(main.lines) // 2]]
        fork.save(folder / f"{session}.jsonl")
