"""A transcript in the words of others: ATIF 1.7 (the trajectory format of Harbor), plain JSON, Markdown."""

from collections.abc import Iterable, Iterator
from typing import Any

from sparky.transcripts.model import Turn, Usage

ATIF = "ATIF-v1.7"


def as_atif(
    session: str, agent: str, turns: Iterable[Turn], below: Iterable[dict[str, Any]] = ()
) -> dict[str, Any]:
    """The conversation as one trajectory; `below` are those of its sub-agents."""
    steps: list[dict[str, Any]] = []
    calls: dict[str, dict[str, Any]] = {}
    seen: set[str] = set()
    for turn in turns:
        step = calls.get(turn.call_id) if turn.by == "tool" else None
        if step is not None:
            results = step.setdefault("observation", {"results": []})["results"]
            results.append({"source_call_id": turn.call_id, "content": turn.text})
            continue
        made = _step(len(steps) + 1, turn, seen)
        steps.append(made)
        if turn.call:
            calls[turn.call_id] = made
    children = list(below)
    totals = [step["metrics"] for step in steps if "metrics" in step]
    found: dict[str, Any] = {
        "schema_version": ATIF,
        "session_id": session,
        "trajectory_id": session,
        "agent": {"name": agent, "version": "unknown"},
        "steps": steps,
        "final_metrics": {
            "total_prompt_tokens": sum(one["prompt_tokens"] for one in totals),
            "total_completion_tokens": sum(one["completion_tokens"] for one in totals),
            "total_cached_tokens": sum(one["cached_tokens"] for one in totals),
            "total_steps": len(steps),
        },
    }
    return {**found, "subagent_trajectories": children} if children else found


def _step(number: int, turn: Turn, seen: set[str]) -> dict[str, Any]:
    source = {"person": "user", "agent": "agent"}.get(turn.by, "system")
    step: dict[str, Any] = {"step_id": number, "source": source, "message": turn.text}
    if turn.at:
        step["timestamp"] = turn.at
    if turn.kind:
        step["extra"] = {"feedback_kind": turn.kind.value}
    if source == "agent":
        if turn.model:
            step["model_name"] = turn.model
        if turn.call:
            arguments = turn.input if isinstance(turn.input, dict) else {"input": turn.input}
            step["tool_calls"] = [
                {"tool_call_id": turn.call_id, "function_name": turn.call.name, "arguments": arguments}
            ]
        if turn.usage and turn.usage.message not in seen:
            seen.add(turn.usage.message)
            step["metrics"] = _metrics(turn.usage)
    return step


def _metrics(spent: Usage) -> dict[str, int]:
    prompt = spent.input + spent.cache_write + spent.cache_read
    return {"prompt_tokens": prompt, "completion_tokens": spent.output, "cached_tokens": spent.cache_read}


def as_markdown(title: str, turns: Iterable[Turn]) -> str:
    """The conversation as Markdown: a heading for each turn; outputs of tools fenced."""
    return "\n".join((f"# {title}", *_sections(turns)))


def _sections(turns: Iterable[Turn]) -> Iterator[str]:
    for turn in turns:
        kind = f" ({turn.kind.value})" if turn.kind else ""
        if turn.call:
            yield f"\n**{turn.call.name}** {_fence(turn.call.target)}\n"
        elif turn.by == "tool":
            yield f"\n{_fence(turn.text)}\n"
        else:
            yield f"\n## {turn.by}{kind} {turn.at}\n\n{turn.text}\n"


def _fence(text: str) -> str:
    """The text in a fence that is longer than any within it."""
    longest = max((len(run) for run in _runs(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"\n{fence}\n{text}\n{fence}"


def _runs(text: str) -> Iterator[str]:
    run = ""
    for character in f"{text} ":
        if character == "`":
            run += character
        elif run:
            yield run
            run = ""
