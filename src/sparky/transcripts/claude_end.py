"""How a Claude Code transcript ends, told from its last lines."""

from collections.abc import Iterable

from sparky.transcripts.claude_entry import kind_of, said
from sparky.transcripts.model import End, EndState, FeedbackKind
from sparky.transcripts.plain import Entry, rows, table, word

EMPTY = End(state=EndState.EMPTY, why="no entry was written")
_QUIET_TAGS = ("<command-", "<local-command-", "<bash-", "Caveat:", "<task-notification>")
_SILENT = "No response requested."


def end_of(newest_first: Iterable[Entry], *, torn: bool) -> End:
    """The end that the last entries show, read backwards as far as is needed."""
    if torn:
        return End(state=EndState.KILLED, why="the last line was not written to its end", open=True)
    answered: set[str] = set()
    for entry in newest_first:
        kind = kind_of(entry)
        if kind == "assistant":
            return _assistant(entry, answered)
        if kind == "user" and not entry.get("isMeta"):
            end = _user(entry, answered)
            if end:
                return end
    if answered:
        return End(state=EndState.KILLED, why="a tool's result was not answered", open=True)
    return EMPTY


def _user(entry: Entry, answered: set[str]) -> End | None:
    kinds = {one.kind for one in said(entry)}
    if FeedbackKind.STOP in kinds:
        return End(state=EndState.INTERRUPTED, why="a person stopped it")
    if FeedbackKind.REJECTION in kinds:
        return End(state=EndState.INTERRUPTED, why="a person refused a tool call")
    content = table(entry.get("message")).get("content")
    results = [word(b.get("tool_use_id")) for b in rows(content) if b.get("type") == "tool_result"]
    answered.update(results)
    if results or (isinstance(content, str) and content.lstrip().startswith(_QUIET_TAGS)):
        return None
    return End(state=EndState.KILLED, why="a prompt was not answered", open=True)


def _assistant(entry: Entry, answered: set[str]) -> End:
    message = table(entry.get("message"))
    blocks = rows(message.get("content"))
    if entry.get("isApiErrorMessage") or (entry.get("error") and _text(blocks) != _SILENT):
        return End(state=EndState.FAILED, why=f"the model could not be asked: {_text(blocks)[:80]}")
    calls = [word(block.get("id")) for block in blocks if block.get("type") == "tool_use"]
    waiting = [call for call in calls if call not in answered]
    if waiting:
        return End(state=EndState.KILLED, why=f"{waiting[0]} has no result", open=True)
    if answered:
        return End(state=EndState.KILLED, why="a tool's result was not answered", open=True)
    if message.get("stop_reason") is None and blocks and blocks[-1].get("type") == "thinking":
        return End(state=EndState.KILLED, why="the answer ends within its thinking", open=True)
    return End(state=EndState.FINISHED, why=f"the last answer ended ({message.get('stop_reason') or 'text'})")


def _text(blocks: list[Entry]) -> str:
    return "".join(word(block.get("text")) for block in blocks)
