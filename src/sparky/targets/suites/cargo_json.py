"""The lines of Rust's own test harness with `--format json`."""

from sparky.domain.testing import TestCase, TestOutcome
from sparky.targets.suites.cargo_text import binaries, failure, identity
from sparky.targets.suites.cases import merged
from sparky.targets.suites.stream_jsonl import json_lines

_OUTCOMES = {"ok": TestOutcome.PASSED, "failed": TestOutcome.FAILED, "ignored": TestOutcome.SKIPPED}


def parse_output(out: str, err: str) -> tuple[TestCase, ...] | None:
    """The cases of what was printed; None if it has no line of that sort."""
    lines = [
        line for line in json_lines(out) if str(line.get("type")) in {"suite", "test"} and "event" in line
    ]
    if not lines:
        return None
    begun = [line for line in lines if line["type"] == "suite" and line["event"] == "started"]
    names = iter(binaries(err, len(begun)))
    binary, cases = "", []
    for line in lines:
        event, name = str(line["event"]), str(line.get("name", ""))
        if line["type"] == "suite" and event == "started":
            binary = next(names)
        elif line["type"] == "test" and event in _OUTCOMES:
            outcome = _OUTCOMES[event]
            said = str(line.get("stdout") or line.get("message") or "")
            message = failure(said) if outcome is TestOutcome.FAILED else ""
            cases.append(TestCase(id=identity(binary, name), outcome=outcome, message=message))
    return merged(cases)
