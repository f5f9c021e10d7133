"""mini-swe-agent: a JSON document per trajectory. What a person says interrupts it, and is marked so."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sparky.transcripts.model import (
    Call,
    End,
    EndState,
    FeedbackKind,
    Head,
    Mark,
    Said,
    Scan,
    Source,
    Turn,
    Usage,
)
from sparky.transcripts.plain import Entry, count, rows, table, texts, word
from sparky.transcripts.told import Told, document, file_source, scan_of, words_of

NAME = "mini_swe"
_FORMAT = "mini-swe-agent-1"
_KINDS = {
    "UserInterruption": FeedbackKind.STOP,
    "UserRejection": FeedbackKind.REJECTION,
    "UserNewTask": FeedbackKind.MESSAGE,
}
_PREFIX = re.compile(
    r"\A(?:Interrupted by user|Temporary interruption caught|The user added a new task"
    r"|Command not executed\. The user rejected your command with the following message)\s*[:.]?\s*"
)


class MiniSweReader:
    """The trajectories of mini-swe-agent, each given as a file: it has no place of its own."""

    name = NAME

    def discover(self, home: Path) -> Iterable[Source]:
        """Every trajectory below a directory."""
        for path in sorted(home.rglob("*.traj.json")):
            yield from self.recognise(path)

    def recognise(self, path: Path) -> Iterable[Source]:
        """The trajectory that a file is."""
        if path.suffix == ".json" and word(document(path).get("trajectory_format")).startswith(_FORMAT):
            yield file_source(NAME, path)

    def scan(self, source: Source, start: int) -> Scan:
        """What it says; always the whole."""
        del start
        path = Path(source.path)
        found = document(path)
        info = table(found.get("info"))
        cost = table(info.get("model_stats")).get("instance_cost")
        status = word(info.get("exit_status"))
        end = End(state=EndState.FINISHED, why=f"exit status {status}")
        if not status:
            end = End(state=EndState.KILLED, why="no exit status was written", open=True)
        elif status not in {"Submitted", "submitted"}:
            end = End(state=EndState.FAILED, why=f"exit status {status}")
        cwd = word(table(table(info.get("config")).get("environment")).get("cwd"))
        head = Head(session=path.name.removesuffix(".json").removesuffix(".traj"), cwd=cwd)
        own = float(cost) if isinstance(cost, int | float) else None
        return scan_of(_told(found, source.path), head, end, own_cost_usd=own)

    def words(self, path: str, marks: Sequence[Mark]) -> Sequence[tuple[str, Call | None]]:
        """The words of each mark."""
        return words_of(_told(document(Path(path)), path), marks)

    def turns(self, path: str) -> Iterator[Turn]:
        """The whole conversation."""
        for message in _told(document(Path(path)), path):
            yield from message.turns


def _told(found: Entry, path: str) -> list[Told]:
    return [_one(message, f"{path}/{number}") for number, message in enumerate(rows(found.get("messages")))]


def _one(message: Entry, key: str) -> Told:
    role, extra = word(message.get("role")), table(message.get("extra"))
    text = "\n".join(texts(message.get("content")))
    kind = _KINDS.get(word(extra.get("interrupt_type")))
    if kind is not None:
        said = Said(kind=kind, text=_PREFIX.sub("", text).strip())
        return Told(key=key, said=(said,), turns=(Turn(by="person", text=said.text, kind=kind),))
    if role != "assistant":
        by = "tool" if role in {"tool", "user"} and extra else "system"
        return Told(key=key, turns=(Turn(by=by, text=text),))
    usage = _usage(table(extra.get("response")), key)
    actions = [word(action.get("command")) for action in rows(extra.get("actions"))]
    model = usage.model if usage else ""
    calls = (
        Turn(by="agent", call=Call(name="bash", target=line), call_id=f"{key}.{n}", input={"command": line})
        for n, line in enumerate(actions)
        if line
    )
    return Told(key=key, turns=(Turn(by="agent", text=text, model=model, usage=usage), *calls), usage=usage)


def _usage(response: Entry, key: str) -> Usage | None:
    spent = table(response.get("usage"))
    if not spent:
        return None
    read = count(table(spent.get("prompt_tokens_details")).get("cached_tokens"))
    prompt = max(0, count(spent.get("prompt_tokens")) - read)
    name = word(response.get("id")) or key
    model = word(response.get("model")).rpartition("/")[2]
    return Usage(name, model, prompt, count(spent.get("completion_tokens")), cache_read=read)
