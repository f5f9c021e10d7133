"""ATIF, the trajectory format of Harbor: one JSON document, sub-agents within it."""

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
from sparky.transcripts.target import call_of
from sparky.transcripts.told import SEPARATOR, Told, document, file_source, scan_of, words_of

NAME = "atif"
_KINDS = {kind.value: kind for kind in FeedbackKind}


class AtifReader:
    """Trajectories in ATIF, each given as a file."""

    name = NAME

    def discover(self, home: Path) -> Iterable[Source]:
        """Every trajectory below a directory."""
        for path in sorted(home.rglob("*.json")):
            yield from self.recognise(path)

    def recognise(self, path: Path) -> Iterable[Source]:
        """The trajectory that a file is, and those of its sub-agents."""
        if path.suffix != ".json":
            return
        found = document(path)
        if word(found.get("schema_version")).startswith("ATIF-v"):
            yield file_source(NAME, path)
            for name, _, _ in _below(found, _name(found, path), ""):
                yield file_source(NAME, path, inside=name, agent=name)

    def scan(self, source: Source, start: int) -> Scan:
        """What it says; always the whole."""
        del start
        file, found, above = _open(source.path)
        steps = _told(found, source.path)
        cost = table(found.get("final_metrics")).get("total_cost_usd")
        root = _name(document(file), file)
        started = next((one.at for one in steps if one.at), "")
        head = Head(session=root, agent=source.agent, parent=above, started=started)
        end = End(state=EndState.FINISHED, why="a trajectory is written when it ends")
        own = float(cost) if isinstance(cost, int | float) and not source.agent else None
        return scan_of(
            steps, head, end if steps else End(state=EndState.EMPTY, why="no step"), own_cost_usd=own
        )

    def words(self, path: str, marks: Sequence[Mark]) -> Sequence[tuple[str, Call | None]]:
        """The words of each mark."""
        return words_of(_told(_open(path)[1], path), marks)

    def turns(self, path: str) -> Iterator[Turn]:
        """The whole conversation."""
        for message in _told(_open(path)[1], path):
            yield from message.turns


def _name(found: Entry, path: Path) -> str:
    return word(found.get("trajectory_id")) or word(found.get("session_id")) or path.stem


def _below(found: Entry, root: str, above: str) -> Iterator[tuple[str, str, Entry]]:
    """The trajectories of sub-agents at any depth: name, the agent above ("" for none), trajectory."""
    for number, child in enumerate(rows(found.get("subagent_trajectories")), 1):
        name = word(child.get("trajectory_id")) or f"{above or root}.{number}"
        yield name, above, child
        yield from _below(child, root, name)


def _open(path: str) -> tuple[Path, Entry, str]:
    """The file, the trajectory that the path names within it, and the agent above that."""
    whole = Path(path)
    if whole.is_file():
        return whole, document(whole), ""
    file, _, inside = path.rpartition(SEPARATOR)
    found = document(Path(file))
    for name, above, child in _below(found, _name(found, Path(file)), ""):
        if name == inside:
            return Path(file), child, above
    return Path(file), table(None), ""


def _told(found: Entry, path: str) -> list[Told]:
    model = word(table(found.get("agent")).get("model_name"))
    inner = not Path(path).is_file()
    steps = enumerate(rows(found.get("steps")))
    return [_step(step, f"{path}/{number}", model, first=number == 0 or inner) for number, step in steps]


def _step(step: Entry, key: str, model: str, *, first: bool) -> Told:
    """One step; the first is the task, and in a sub-agent nobody is a person."""
    at, source = word(step.get("timestamp")), word(step.get("source"))
    text = "\n".join(texts(step.get("message")))
    if source == "user":
        kind = _KINDS.get(word(table(step.get("extra")).get("feedback_kind")), FeedbackKind.MESSAGE)
        said = () if first or not text else (Said(kind=kind, text=text),)
        turn = Turn(by="person" if said else "system", at=at, text=text, kind=kind if said else None)
        return Told(key=key, at=at, said=said, turns=(turn,))
    usage = _usage(step, key, word(step.get("model_name")) or model)
    calls = (
        Turn(
            by="agent",
            at=at,
            call_id=word(one.get("tool_call_id")),
            call=call_of(word(one.get("function_name")), one.get("arguments")),
            input=one.get("arguments"),
        )
        for one in rows(step.get("tool_calls"))
    )
    seen = (
        Turn(
            by="tool",
            at=at,
            call_id=word(one.get("source_call_id")),
            text="\n".join(texts(one.get("content"))),
        )
        for one in rows(table(step.get("observation")).get("results"))
    )
    by = "agent" if source == "agent" else "system"
    spoken = (Turn(by=by, at=at, text=text, usage=usage),) if text or usage else ()
    return Told(key=key, at=at, turns=(*spoken, *calls, *seen), usage=usage)


def _usage(step: Entry, key: str, model: str) -> Usage | None:
    spent = table(step.get("metrics"))
    if not spent:
        return None
    read = count(spent.get("cached_tokens"))
    prompt = max(0, count(spent.get("prompt_tokens")) - read)
    return Usage(key, model, prompt, count(spent.get("completion_tokens")), cache_read=read)
