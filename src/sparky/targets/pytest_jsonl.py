"""The lines that `tools/pytest_report.py` writes, one JSON object each; the last may be torn."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sparky.domain.testing import TestCase, TestOutcome
from sparky.targets.suite import SuiteReport

_MESSAGE_LIMIT = 300
_WORST_LAST = (
    TestOutcome.PASSED,
    TestOutcome.SKIPPED,
    TestOutcome.XPASSED,
    TestOutcome.XFAILED,
    TestOutcome.FAILED,
    TestOutcome.ERROR,
)


def parse(data: bytes, names: Mapping[str, str] | None = None) -> SuiteReport:
    """What the lines say. `names`: directories and what stands for them in messages, longest first."""
    lines = list(_lines(data))
    cases: dict[str, TestCase] = {}
    running: dict[str, None] = {}
    imported: dict[str, tuple[str, ...]] = {}
    for line in lines:
        match line:
            case {"event": "start", "id": str(node)}:
                running[node] = None
            case {"event": "end", "id": str(node)}:
                running.pop(node, None)
            case {"event": "phase" | "collect", "id": str(node)}:
                case = _case(line, names or {})
                cases[node] = _worse(cases[node], case) if node in cases else case
            case {"event": "modules", "files": dict(files)}:
                imported |= {name: tuple(map(str, found)) for name, found in files.items()}
    events = [line.get("event") for line in lines]
    return SuiteReport(
        cases=tuple(cases.values()),
        running=tuple(running),
        imported=imported,
        started="session" in events,
        ended="finish" in events,
    )


def _lines(data: bytes) -> Iterator[dict[str, Any]]:
    for raw in data.split(b"\n"):
        try:
            line = json.loads(raw)
        except ValueError:
            continue
        if isinstance(line, dict):
            yield line


def _case(line: Mapping[str, Any], names: Mapping[str, str]) -> TestCase:
    outcome = TestOutcome(line["outcome"])
    message = _message(str(line.get("message", "")), names.items()) if line.get("message") else ""
    return TestCase(id=line["id"], outcome=outcome, message=message, seconds=float(line.get("seconds", 0)))


def _message(text: str, names: Iterable[tuple[str, str]]) -> str:
    for path, name in names:
        text = text.replace(path, name)
    return " ".join(text.split())[:_MESSAGE_LIMIT]


def _worse(one: TestCase, other: TestCase) -> TestCase:
    """Both phases of one test as one case: the worse outcome, the first message, the time of both."""
    worst = max(one, other, key=lambda case: _WORST_LAST.index(case.outcome))
    if one.red and other.red:
        worst = one
    return TestCase(
        id=one.id, outcome=worst.outcome, message=worst.message, seconds=one.seconds + other.seconds
    )
