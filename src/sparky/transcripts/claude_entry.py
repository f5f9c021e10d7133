"""One entry of a Claude Code transcript: what a person said in it, its tokens, its sub-agents."""

import re
from collections.abc import Iterator

from sparky.transcripts.claude_text import (
    STOPPED,
    answers,
    edited_plan,
    notified,
    queued,
    refuses,
    rejection,
    typed,
)
from sparky.transcripts.model import FeedbackKind, Link, Note, Said, Usage
from sparky.transcripts.plain import Entry, count, rows, table, texts, word

QUIET = frozenset({
    "system",
    "progress",
    "summary",
    "file-history-snapshot",
    "file-history-delta",
    "permission-mode",
    "mode",
    "last-prompt",
    "ai-title",
    "custom-title",
    "agent-name",
    "agent-color",
    "agent-setting",
    "tag",
    "bridge-session",
    "pr-link",
    "worktree-state",
    "content-replacement",
    "attribution-snapshot",
    "session-state",
    "launched",
})  # fmt: skip
"""Types of entries in which nobody says anything."""

SPEAKING = frozenset({"user", "assistant", "attachment", "queue-operation", "cost-state"})

DENIALS = frozenset({
    "",
    "user-rejected",
    "interrupted",
    "cancelled",
    "hook",
    "permission-rule",
    "classifier",
    "sandbox",
})  # fmt: skip

_DENIALS_SINCE = (2, 1, 204)
"""The first version that says in `toolDenialKind` who refused a tool call."""

_QUEUE = {"remove": Note.TAKEN_OFF, "dequeue": Note.STARTED, "popAll": Note.TAKEN_BACK}

SYNTHETIC = "<synthetic>"


def kind_of(entry: Entry) -> str:
    """The type of an entry, "" if it has none."""
    return word(entry.get("type"))


def strange(entry: Entry) -> str:
    """What no rule knows about the entry: its type, or a part of it; "" if all is known."""
    kind = kind_of(entry)
    if kind not in QUIET and kind not in SPEAKING:
        return kind or "(no type)"
    denial = word(entry.get("toolDenialKind"))
    if denial not in DENIALS:
        return f"toolDenialKind {denial}"
    if kind != "user" or denial:
        return ""
    blocks = rows(table(entry.get("message")).get("content"))
    quoted = any(b.get("is_error") is True and refuses("\n".join(texts(b.get("content")))) for b in blocks)
    return "a refusal without toolDenialKind" if quoted and _tells_denials(entry) else ""


def said(entry: Entry) -> Iterator[Said]:
    """What a person said in the entry, and what the queue of prompts notes, in order."""
    kind = kind_of(entry)
    if kind == "user":
        yield from _user(entry)
    elif kind == "attachment":
        yield from _attached(entry)
    elif kind == "queue-operation":
        yield from _queue(entry)


def key_of(entry: Entry, offset: int) -> str:
    """What an entry and its copies in forks have in common; "" for those of the queue, which have no id."""
    if kind_of(entry) == "queue-operation":
        return ""
    mine = word(entry.get("uuid"))
    return mine or f"{word(entry.get('sessionId'))}/{word(entry.get('agentId'))}/{offset}"


def links(entry: Entry) -> Iterator[Link]:
    """What the entry tells of sub-agents."""
    if kind_of(entry) != "user":
        return
    content = table(entry.get("message")).get("content")
    result = table(entry.get("toolUseResult"))
    if isinstance(result.get("agentId"), str):
        calls = [word(b.get("tool_use_id")) for b in rows(content) if b.get("type") == "tool_result"]
        call = calls[0] if calls else ""
        yield Link(agent=word(result["agentId"]), call=call, status=word(result.get("status")))
    for text in texts(content) if not result else ():
        yield from (Link(agent=agent, status=status) for agent, status in notified(text))


def usage(entry: Entry) -> Usage | None:
    """The tokens of the model's message that the entry is a part of; None if it is of none that costs."""
    if kind_of(entry) != "assistant":
        return None
    message = table(entry.get("message"))
    spent = table(message.get("usage"))
    name, model = word(message.get("id")), word(message.get("model"))
    if not spent or not name or model == SYNTHETIC:
        return None
    return Usage(
        message=name,
        model=model,
        input=count(spent.get("input_tokens")),
        output=count(spent.get("output_tokens")),
        cache_write=count(spent.get("cache_creation_input_tokens")),
        cache_write_1h=count(table(spent.get("cache_creation")).get("ephemeral_1h_input_tokens")),
        cache_read=count(spent.get("cache_read_input_tokens")),
    )


def _machine(entry: Entry) -> bool:
    """Whether the programme, not a person, wrote the texts of the entry."""
    if entry.get("isMeta") or entry.get("isCompactSummary") or entry.get("isVisibleInTranscriptOnly"):
        return True
    origin = word(table(entry.get("origin")).get("kind"))
    if entry.get("isSidechain"):  # there the prompts are those of the agent above
        return origin != "human"
    return origin not in {"", "human"} or bool(entry.get("planContent"))


def _user(entry: Entry) -> Iterator[Said]:
    content = table(entry.get("message")).get("content")
    if isinstance(content, str):
        yield from _typed(entry, [word(content)])
        return
    blocks = rows(content)
    results = [block for block in blocks if block.get("type") == "tool_result"]
    about = ""
    refused = False
    for block in results:
        about = word(block.get("tool_use_id"))
        for found in _result(entry, block, about):
            refused = True
            yield found
    loose = [word(block.get("text")) for block in blocks if block.get("type") == "text"]
    for found in _typed(
        entry, loose, image=any(block.get("type") == "image" for block in blocks) and not results
    ):
        approved = results and not refused and found.kind is FeedbackKind.MESSAGE
        yield Said(kind=FeedbackKind.APPROVAL, text=found.text, call=about) if approved else found


def _typed(entry: Entry, parts: list[str], *, image: bool = False) -> Iterator[Said]:
    """The stops among the texts of an entry, and all else that was typed as one message."""
    stops = [part for part in parts if part.startswith(STOPPED)]
    if stops:
        yield Said(kind=FeedbackKind.STOP)
    if _machine(entry):
        return
    found = [one for part in parts if part not in stops and (one := typed(part))]
    commands = [one for one in found if one.kind is FeedbackKind.COMMAND]
    yield from commands
    words = "\n".join(one.text for one in found if one.kind is FeedbackKind.MESSAGE)
    if words or (image and not commands and not stops):
        yield Said(kind=FeedbackKind.MESSAGE, text=words or "[image]")


def _result(entry: Entry, block: Entry, call: str) -> Iterator[Said]:
    text = "\n".join(texts(block.get("content")))
    result = table(entry.get("toolUseResult"))
    found: Said | None
    if block.get("is_error") is True:
        found = rejection(text, call, refused=_refused(entry, text))
    elif text.startswith(STOPPED):
        found = Said(kind=FeedbackKind.STOP, call=call)
    elif result.get("planWasEdited") is True:
        found = edited_plan(text, word(result.get("plan")), call)
    else:
        given = table(result.get("answers"))
        pairs = {word(q): word(a) for q, a in given.items() if isinstance(a, str)}
        found = answers(pairs, call)
    if found:
        yield found


def _refused(entry: Entry, text: str) -> bool:
    """Whether a person refused: by the transcript's own word for it, by the text in versions without one.

    Where there is such a word, the text alone is no proof: a tool's error can quote it.
    """
    denial = word(entry.get("toolDenialKind"))
    return denial == "user-rejected" or (not denial and not _tells_denials(entry) and refuses(text))


def _tells_denials(entry: Entry) -> bool:
    numbers = re.findall(r"\d+", word(entry.get("version")))
    return tuple(int(number) for number in numbers[:3]) >= _DENIALS_SINCE


def _attached(entry: Entry) -> Iterator[Said]:
    attachment = table(entry.get("attachment"))
    origin = word(table(attachment.get("origin")).get("kind"))
    if attachment.get("type") != "queued_command" or origin not in {"", "human"} or _machine(entry):
        return
    if attachment.get("commandMode") in {None, "prompt"}:
        yield from _queued(attachment.get("prompt"))


def _queue(entry: Entry) -> Iterator[Said]:
    operation = entry.get("operation")
    if operation == "enqueue":
        yield from _queued(entry.get("content"))
    elif operation in _QUEUE:
        yield Said(kind=_QUEUE[operation])


def _queued(content: object) -> Iterator[Said]:
    found = [one for part in texts(content) if (one := queued(part))]
    if found:
        words = "\n".join(one.text for one in found)
        yield Said(kind=found[0].kind, text=words)
