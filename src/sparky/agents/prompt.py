"""What an agent is told: its role, the rules that hold for all, and the task, from Markdown templates.

Whatever people, tools or other agents wrote stands between fences that it can't close. A variable of a
template that is not given is an error.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from sparky.domain.agent import Role
from sparky.domain.attempt import Strategy
from sparky.domain.state import Handoff, PipelineState

_STRATEGY = {
    Strategy.DIRECT_FIX: "mend the cause directly",
    Strategy.MECHANICAL_FIX: "mend just what the evidence below names, mechanically",
    Strategy.SIMPLIFIED_APPROACH: "take a simpler way than before",
    Strategy.MINIMAL_SAFE_FIX: "make the smallest change that is safe",
}

_FOLDER = """
The reports of others lie in {}, to be read. In your last words say `REJECTED ID: why` of what you refuse.
"""

_SHORTEST = 8
"""How many characters a fence has at least."""


@dataclass(frozen=True, kw_only=True)
class Beside:
    """What an agent is told beside its handoff; all of it may be empty.

    `reports` is what the reports of others make of its turn, `folder` where they lie; `feedback` what persons
    said before, `heard` what they said in earlier sessions by the transcripts, which agents could write;
    `guide` is the repository's AGENTS.md, `diff` the change that it is to read.
    """

    reports: tuple[str, ...] = ()
    folder: str = ""
    feedback: tuple[str, ...] = ()
    heard: tuple[str, ...] = ()
    guide: str = ""
    diff: str = ""


def render(role: Role, own: str, handoff: Handoff, state: PipelineState, beside: Beside) -> str:
    """The whole prompt. `own` is the agent's own text, "" for none; it is kept as it stands.

    Raises KeyError for a variable of a template that is not given, ValueError for a broken one.
    """
    issue, words = state.issue, (handoff.words,) if handoff.words else ()
    data = {
        "issue": _lines(
            issue.title,
            issue.body,
            _listed("Wanted:", issue.criteria),
            _listed("To be kept to:", issue.constraints),
        ),
        "reason": _line(handoff.reason),
        "items": _listed("To be done:", handoff.action_items),
        "reports": _listed("What the reports of others say:", beside.reports),
        "heard": _listed("What persons said in earlier sessions, by the transcripts:", beside.heard),
        "diff": f"\nThe change:\n\n{beside.diff.rstrip()}\n" if beside.diff else "",
        "errors": _listed("Errors so far:", handoff.previous_errors),
        "avoided": _listed("Tried already, and refused; do not do it again:", handoff.avoided),
    }
    fence = _fence((*data.values(), beside.guide))
    said = _listed("A person answered:", words) + _listed("Persons said before:", beside.feedback)
    told = {
        **data,
        "fence": fence,
        "id": _line(issue.id),
        "author": _author(issue.author, issue.association),
        "criteria": _bullets((*handoff.success_criteria, *state.preferences.constraints)),
        "number": str(handoff.number),
        "strategy": f": {_STRATEGY[handoff.strategy]}." if handoff.strategy is not None else ".",
        "folder": _FOLDER.format(beside.folder) if beside.folder else "",
        "persons": f"\n# What persons say\n{said}" if said else "",
        "guide": f"\n# AGENTS.md of this repository\n\n{fence}\n{beside.guide.strip()}\n{fence}\n"
        if beside.guide
        else "",
        "own": f"\n{own.strip()}\n" if own.strip() else "",
        "base": state.base,
    }
    return _filled("brief", {**told, "role": _filled(role.value, told)})


def _filled(name: str, told: dict[str, str]) -> str:
    template = files("sparky.agents").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    return Template(template).substitute(told)


def _fence(texts: Iterable[str]) -> str:
    """A line that none of the texts can close: longer than any run of its character in them."""
    longest = max((len(run) for text in texts for run in re.findall("~+", text)), default=0)
    return "~" * max(_SHORTEST, longest + 1)


def _author(name: str, association: str) -> str:
    """Who wrote the issue, and what they are to the repository, as far as its tracker says so."""
    known = [_line(one)[:80] for one in (name, association) if one]
    return f", by {', '.join(known)}" if known else ""


def _listed(title: str, lines: Iterable[str]) -> str:
    said = _bullets(lines)
    return f"\n{title}\n{said}\n" if said else ""


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {_line(line)}" for line in lines)


def _lines(*parts: str) -> str:
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _line(text: str) -> str:
    return " ".join(text.split())
