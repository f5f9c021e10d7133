"""The verbs: name to module and a line of help. The one place where modules are imported by name.

A verb's module is imported when the verb is called, so that `sparky --help` costs what click costs, and verbs
that only read never load the engine.
"""

import importlib
from collections.abc import Mapping
from types import ModuleType

VERBS: Mapping[str, str] = {
    "init": "Write a sparky.toml for this repository.",
    "schema": "Print the JSON Schema of sparky.toml, for editors.",
    "doctor": "Say what sparky finds on this machine, and how to get what is missing.",
    "demo": "Run the main job on a small repository made for it. Needs no key.",
    "scan": "Show what the detectors find at HEAD.",
    "fix": "Mend what deterministic agents can mend, verified by the tests.",
    "run": "Take one issue to a verified commit.",
    "route": "Show which agent an issue would go to, and every bid.",
    "agents": "List the agents and the kinds that each one owns.",
    "status": "List the runs: what waits for a person first.",
    "show": "Tell the story of one run on one screen.",
    "diff": "Show what a run changes.",
    "logs": "Show a run's progress, or the output of one of its commands.",
    "report": "Read what agents left in reports: the newest, the next, whose turn it is.",
    "metrics": "Show how well the agents work together, from the runs so far.",
    "resume": "Go on with interrupted runs.",
    "retry": "Try a run again that has ended.",
    "answer": "Answer what a run asks.",
    "cancel": "End a run; what it did stays on its branch.",
    "merge": "Merge what a ready run has verified.",
    "undo": "Take back what a run did.",
    "transcripts": "Show what persons told coding agents, in any session and at any depth.",
    "export": "Print a run or a session as ATIF, JSON or Markdown.",
    "clean": "Remove what ended runs left behind.",
}


def load(name: str) -> ModuleType:
    """The module of a verb, or of what a verb needs only sometimes."""
    return importlib.import_module(f"sparky.cli.{name}")
