"""The lines that our reporters write (`tools/*_report.py`), one JSON object each; the last may be torn."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sparky.domain.testing import TestCase, TestOutcome
from sparky.targets.suite import SuiteReport
from sparky.targets.suites.cases import merged, one_line, seconds_of

_OUTCOMES = frozenset(outcome.value for outcome in TestOutcome)


def parse(data: bytes, names: Mapping[str, str] | None = None) -> SuiteReport:
    """What the lines say. `names`: directories and what stands for them in messages, longest first."""
    lines = list(json_lines(data.decode("utf-8", "replace")))
    cases: list[TestCase] = []
    running: dict[str, None] = {}
    imported: dict[str, tuple[str, ...]] = {}
    for line in lines:
        match line:
            case {"event": "start", "id": str(node)}:
                running[node] = None
            case {"event": "end", "id": str(node)}:
                running.pop(node, None)
            case {"event": "phase" | "collect", "id": str(), "outcome": str(said)} if said in _OUTCOMES:
                cases.append(_case(line, names or {}))
            case {"event": "modules", "files": dict(files)}:
                imported |= {
                    name: tuple(map(str, found)) for name, found in files.items() if isinstance(found, list)
                }
    events = [line.get("event") for line in lines]
    return SuiteReport(
        cases=merged(cases),
        running=tuple(running),
        imported=imported,
        started="session" in events,
        ended="finish" in events,
    )


def json_lines(text: str) -> Iterator[dict[str, Any]]:
    """The objects among the lines; what is none is passed over."""
    for raw in text.split("\n"):
        try:
            line = json.loads(raw)
        except (ValueError, RecursionError):
            continue
        if isinstance(line, dict):
            yield line


def _case(line: Mapping[str, Any], names: Mapping[str, str]) -> TestCase:
    text, where = str(line.get("message") or ""), str(line.get("where") or "")
    for path, name in names.items():
        text, where = text.replace(path, name), where.replace(path, name)
    return TestCase(
        id=line["id"],
        outcome=TestOutcome(line["outcome"]),
        message=one_line(text),
        seconds=seconds_of(line.get("seconds")),
        where=where,
        line=line["line"] if isinstance(line.get("line"), int) else 0,
    )
