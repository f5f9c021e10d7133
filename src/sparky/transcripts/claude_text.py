"""Claude Code's texts: which words are a person's, and which the programme put there.

The constants were compared with transcripts of versions 2.0 to 2.1; where one is gone, nothing is lost but
its case.
"""

import re
from collections.abc import Iterator

from sparky.transcripts.model import FeedbackKind, Said

STOPPED = "[Request interrupted by user"

_MACHINE = (
    "<task-notification>",
    "<local-command-",
    "<bash-",
    "<teammate-message",
    "<user-prompt-submit-hook>",
    "<session-start-hook>",
    "Caveat: The messages below",
    "This session is being continued",
    "Stop hook feedback:",
    "Operation stopped by hook",
)
_BLOCK = re.compile(
    r"\A\s*<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics|new-diagnostics)>.*?</\1>\s*"
    r"|\s*<(system-reminder)>(?:(?!<system-reminder>).)*</\2>\s*\Z",
    re.DOTALL,
)
_MEMORY = re.compile(r"\A<user-memory-input>(.*?)</user-memory-input>\Z", re.DOTALL)
_COMMAND = re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)
_SLASH = re.compile(r"\A(/[\w:.-]+)(?:\s+(.*))?\Z", re.DOTALL)

REJECTED = (
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
    "Permission for this tool use was denied. The tool use was rejected",
)
_REASON = re.compile(
    r"(?:To tell you how to proceed, the user said:"
    r"|The user provided the following reason for the rejection:"
    r"|The user said:)\s*(.*)\Z",
    re.DOTALL,
)
_HINT = "\n\nNote: The user's next message may contain a correction or preference"
_CLARIFY = "The user wants to clarify these questions."
_PLAN = "## Approved Plan (edited by user):\n"


def typed(text: str) -> Said | None:
    """What a person typed, without what was put around it; None where nobody typed anything."""
    text = text.strip()
    while text.startswith("<") or text.endswith(">"):
        rest = _BLOCK.sub("", text, count=1)
        if rest == text:
            break
        text = rest.strip()
    memory = _MEMORY.match(text)
    if memory:
        text = memory[1].strip()
    if text.startswith(STOPPED):
        return Said(kind=FeedbackKind.STOP)
    if text.startswith(("<command-name>", "<command-message>")):
        name, words = _COMMAND.search(text), _ARGUMENTS.search(text)
        return _command(name[1] if name else "", words[1] if words else "")
    if not text or text.startswith(_MACHINE):
        return None
    return Said(kind=FeedbackKind.MESSAGE, text=text)


def queued(text: str) -> Said | None:
    """What a person typed while the agent was busy."""
    said = typed(text)
    if said is None or said.kind is not FeedbackKind.MESSAGE:
        return None
    slash = _SLASH.match(said.text)
    if slash:
        return _command(slash[1], slash[2] or "")
    return Said(kind=FeedbackKind.QUEUED, text=said.text)


def refuses(text: str) -> bool:
    """Whether a failed tool call says that a person refused it. A tool could say so, too."""
    return text.startswith(REJECTED)


def rejection(text: str, call: str, *, refused: bool) -> Said | None:
    """What a failed tool call tells of the person; None if the tool, a hook or a rule failed it."""
    if not refused:
        return Said(kind=FeedbackKind.STOP, call=call) if text.startswith(STOPPED) else None
    reason = _REASON.search(text.partition(_HINT)[0])
    why = reason[1].strip() if reason else ""
    if why.startswith(_CLARIFY):
        return Said(kind=FeedbackKind.STOP, call=call)
    return Said(kind=FeedbackKind.REJECTION, text=why, call=call)


def edited_plan(text: str, plan: str, call: str) -> Said | None:
    """The plan as the person changed it; `plan` is what the result itself holds, "" if it does not say so."""
    after = text.partition(_PLAN)[2]
    found = after.strip() or plan.strip()
    return Said(kind=FeedbackKind.PLAN_EDIT, text=found, call=call) if found else None


def answers(pairs: dict[str, str], call: str) -> Said | None:
    """The answers to an agent's questions; each with its question where there are several."""
    if not pairs:
        return None
    several = len(pairs) > 1
    lines = (f"{question}: {answer}" if several else answer for question, answer in pairs.items())
    return Said(kind=FeedbackKind.ANSWER, text="\n".join(lines), call=call)


def notified(text: str) -> Iterator[tuple[str, str]]:
    """The agents that a notification tells of, each with its state."""
    if "<task-notification>" not in text:  # it is asked of every text, and this is the fast way to ask
        return
    for note in re.findall(r"<task-notification>.*?</task-notification>", text, re.DOTALL):
        agent = re.search(r"<task-id>\s*(.*?)\s*</task-id>", note)
        status = re.search(r"<status>\s*(.*?)\s*</status>", note)
        if agent and status:
            yield agent[1], status[1]


def _command(name: str, words: str) -> Said | None:
    return Said(kind=FeedbackKind.COMMAND, text=f"{name} {words}") if words else None
