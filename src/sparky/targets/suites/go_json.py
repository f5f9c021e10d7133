"""The lines of `go test -json` (`go tool test2json`)."""

import re
from typing import Any

from sparky.domain.testing import TestCase, TestOutcome
from sparky.targets.suites.cases import merged, one_line, seconds_of
from sparky.targets.suites.stream_jsonl import json_lines

_OUTCOMES = {"pass": TestOutcome.PASSED, "fail": TestOutcome.FAILED, "skip": TestOutcome.SKIPPED}
_FRAME = re.compile(r"\s*(===|---) |(PASS|FAIL)\b|exit status|ok\s+\t")
_UNBUILT = re.compile(r"^FAIL\t(?P<package>\S+) \[(?P<why>build failed|setup failed)\]$", re.MULTILINE)
_STACK = re.compile(r"^goroutine \d+ ", re.MULTILINE)
_PLACE = re.compile(r"^\s*[\w./-]+\.go:\d+(:\d+)?:")


def parse_output(out: str, err: str) -> tuple[TestCase, ...] | None:
    """The cases of what was printed; None if it has no line of that sort.

    A package is a case of its own only where it failed and no test of it did: it did not build, or broke off.
    """
    del err  # what go says there is for people
    lines = [line for line in json_lines(out) if "Action" in line and "Package" in line]
    # Before Go 1.24 it says so in plain text among the lines.
    unbuilt = [(found["package"], found["why"]) for found in _UNBUILT.finditer(out)]
    if not lines and not unbuilt:
        return None
    printed: dict[str, list[str]] = {}
    cases = []
    for line in lines:
        name = _name(line)
        if line["Action"] == "output":
            printed.setdefault(name, []).append(str(line.get("Output", "")))
        elif str(line["Action"]) in _OUTCOMES:
            cases.append((line, _case(line, name, printed.get(name, []))))
    tests = [case for line, case in cases if line.get("Test")]
    blamed = {test.id for test in tests if test.red}
    packages = [case for line, case in cases if not line.get("Test") and case.red]
    packages += [TestCase(id=name, outcome=TestOutcome.ERROR, message=why) for name, why in unbuilt]
    return merged([*tests, *(one for one in packages if not any(i.startswith(f"{one.id}.") for i in blamed))])


def _name(line: dict[str, Any]) -> str:
    test = line.get("Test")
    return f"{line['Package']}.{test}" if test else str(line["Package"])


def _case(line: dict[str, Any], name: str, printed: list[str]) -> TestCase:
    outcome = _OUTCOMES[line["Action"]]
    if outcome is TestOutcome.FAILED and not line.get("Test"):
        outcome = TestOutcome.ERROR
    said = [_PLACE.sub("", text) for text in printed if not _FRAME.match(text)]
    red = outcome in {TestOutcome.FAILED, TestOutcome.ERROR}
    return TestCase(
        id=name,
        outcome=outcome,
        message=one_line(_STACK.split("".join(said))[0]) if red else "",
        seconds=seconds_of(line.get("Elapsed")),
    )
