"""Three formats in which agents ask a model: how a request is read, and how an answer is written."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sparky.testing.script import Called, Tokens, Tool

Plain = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request: of which model, who said what ("user", "model", "tool"), the tools, and all its text."""

    model: str
    history: tuple[tuple[str, str], ...]
    tools: tuple[Tool, ...]
    seen: str


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format. `answer` gives the events of a stream, and last the answer as one piece.

    `whole` is what they say of an answer that the model ended, `cut` of one that its limit of tokens did.
    """

    read: Callable[[Plain], Asked]
    answer: Callable[[Plain, int, Called | str, Tokens], list[Plain]]
    error: Callable[[str, str], Plain]
    beginning: bytes
    whole: str
    cut: str

    def cut_off(self, answer: list[Plain]) -> list[Plain]:
        """The same answer, ended by the limit of tokens."""
        found: list[Plain] = json.loads(json.dumps(answer).replace(self.whole, self.cut))
        return found


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


def _tool(name: str, schema: Mapping[str, Any] | None, space: str = "") -> Tool:
    return Tool(name=name, takes=frozenset((schema or {}).get("properties", {})), space=space)


def _messages_read(body: Plain) -> Asked:
    history = []
    for message in body.get("messages", []):
        parts = message["content"]
        is_tool = isinstance(parts, list) and any(part["type"] == "tool_result" for part in parts)
        if is_tool:
            history.append(("tool", ""))
        if message["role"] == "assistant":
            history.append(("model", ""))
        elif text := _text(parts):
            history.append(("user", text))
    tools = tuple(
        _tool(tool["name"], tool.get("input_schema")) for tool in body.get("tools", []) if "name" in tool
    )
    seen = _text(body.get("system", "")) + _said(history)
    return Asked(model=_model(body), history=tuple(history), tools=tools, seen=seen)


def _model(body: Plain) -> str:
    return str(body.get("model", ""))


def _said(history: Iterable[tuple[str, str]]) -> str:
    return "\n".join(text for _, text in history)


def _messages_answer(body: Plain, number: int, does: Called | str, tokens: Tokens) -> list[Plain]:
    start: Plain = {
        "id": f"msg_{number:06d}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {
            "input_tokens": tokens.fresh,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": tokens.cached,
            "output_tokens": 1,
        },
    }
    if isinstance(does, str):
        block: Plain = {"type": "text", "text": does}
        empty: Plain = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": does}
    else:
        block = {
            "type": "tool_use",
            "id": f"toolu_{number:06d}",
            "name": does.name,
            "input": dict(does.arguments),
        }
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(does.arguments)}
    stop = {"stop_reason": "end_turn" if isinstance(does, str) else "tool_use", "stop_sequence": None}
    usage = {"output_tokens": tokens.output}
    return [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": usage},
        {"type": "message_stop"},
        {**start, **stop, "content": [block], "usage": {**start["usage"], **usage}},
    ]


def _chat_read(body: Plain) -> Asked:
    roles = {"assistant": "model", "tool": "tool", "user": "user"}
    history = [
        (roles.get(message["role"], "system"), _text(message.get("content")))
        for message in body.get("messages", [])
    ]
    tools = tuple(
        _tool(tool["function"]["name"], tool["function"].get("parameters"))
        for tool in body.get("tools") or []
        if tool.get("type") == "function"
    )
    return Asked(model=_model(body), history=tuple(history), tools=tools, seen=_said(history))


def _chat_answer(body: Plain, number: int, does: Called | str, tokens: Tokens) -> list[Plain]:
    base = {"id": f"chatcmpl-{number}", "created": number, "model": body.get("model")}
    sent = tokens.fresh + tokens.cached
    usage = {
        "prompt_tokens": sent,
        "completion_tokens": tokens.output,
        "total_tokens": sent + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cached},
    }
    if isinstance(does, str):
        message: Plain = {"role": "assistant", "content": does}
    else:
        function = {"name": does.name, "arguments": json.dumps(does.arguments)}
        call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
        message = {"role": "assistant", "tool_calls": [call]}
    end = "stop" if isinstance(does, str) else "tool_calls"
    chunk = {**base, "object": "chat.completion.chunk"}
    return [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]},
        {**chunk, "choices": [], "usage": usage},
        {
            **base,
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": end}],
            "usage": usage,
        },
    ]


def _responses_read(body: Plain) -> Asked:
    given = body.get("input") or []
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    history = []
    for item in items:
        kind = item.get("type", "message")
        if kind.endswith("_output"):
            history.append(("tool", _text(item.get("output"))))
        elif kind == "message":
            history.append(("model" if item.get("role") == "assistant" else "user", _text(item["content"])))
        else:
            history.append(("model", ""))
    tools: list[Tool] = []
    for tool in body.get("tools") or []:
        name = tool.get("name") or tool.get("type")
        if tool.get("type") == "namespace":
            tools += (_tool(one["name"], one.get("parameters"), name) for one in tool["tools"])
        else:
            tools.append(_tool(name, tool.get("parameters")))
    seen = (body.get("instructions") or "") + _said(history)
    return Asked(model=_model(body), history=tuple(history), tools=tuple(tools), seen=seen)


def _responses_answer(body: Plain, number: int, does: Called | str, tokens: Tokens) -> list[Plain]:
    if isinstance(does, str):
        content = [{"type": "output_text", "text": does, "annotations": []}]
        item: Plain = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}
    else:
        item = {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "name": does.name,
            "arguments": json.dumps(does.arguments),
        }
        item |= {"namespace": does.space} if does.space else {}
    empty: Plain = {"content": []} if isinstance(does, str) else {"arguments": ""}
    item["status"] = "completed"
    sent = tokens.fresh + tokens.cached
    usage = {
        "input_tokens": sent,
        "input_tokens_details": {"cached_tokens": tokens.cached},
        "output_tokens": tokens.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": sent + tokens.output,
    }
    whole = {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": number,
        "model": body.get("model"),
        "status": "completed",
        "output": [item],
        "usage": usage,
    }
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    return [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": item | empty},
        *_deltas(item["id"], does),
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
        whole,
    ]


def _deltas(item: str, does: Called | str) -> Iterable[Plain]:
    """Some agents take the words from the item that is done, some from its pieces."""
    if isinstance(does, str):
        place = {"item_id": item, "output_index": 0, "content_index": 0}
        part: Plain = {"type": "output_text", "text": "", "annotations": []}
        yield {"type": "response.content_part.added", **place, "part": part}
        yield {"type": "response.output_text.delta", **place, "delta": does}
        yield {"type": "response.output_text.done", **place, "text": does}


def _openai_error(kind: str, message: str) -> Plain:
    return {"error": {"type": kind, "message": message, "code": kind}}


def _anthropic_error(kind: str, message: str) -> Plain:
    return {"type": "error", "error": {"type": kind, "message": message}}


FORMATS: Mapping[str, Format] = {
    "/messages": Format(
        read=_messages_read,
        answer=_messages_answer,
        error=_anthropic_error,
        beginning=b'event: ping\ndata: {"type": "ping"}\n\nevent: message_start\ndata: {"type"',
        whole='"stop_reason": "end_turn"',
        cut='"stop_reason": "max_tokens"',
    ),
    "/chat/completions": Format(
        read=_chat_read,
        answer=_chat_answer,
        error=_openai_error,
        beginning=b'data: {"id": "x", "choi',
        whole='"finish_reason": "stop"',
        cut='"finish_reason": "length"',
    ),
    "/responses": Format(
        read=_responses_read,
        answer=_responses_answer,
        error=_openai_error,
        beginning=b'event: response.created\ndata: {"type": "response.created", "resp',
        whole='"status": "completed", "output"',
        cut='"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output"',
    ),
}
"""By the end of the path that is asked."""
