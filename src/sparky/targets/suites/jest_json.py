"""The JSON of jest (`--json`) and vitest (`--reporter=json`): in a file, or among what was printed."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sparky.domain.testing import TestCase, TestOutcome
from sparky.targets.suites.cases import UnreadableReportError, merged, one_line, seconds_of

_MARK, _BEGINNING = '"testResults"', '{"num'
_HEADING = re.compile(r"\A\s*● Test suite failed to run\s*")
_OUTCOMES = {
    "passed": TestOutcome.PASSED,
    "failed": TestOutcome.FAILED,
    "pending": TestOutcome.SKIPPED,
    "skipped": TestOutcome.SKIPPED,
    "todo": TestOutcome.SKIPPED,
    "disabled": TestOutcome.SKIPPED,
}


def parse(data: bytes) -> tuple[TestCase, ...] | None:
    """The cases of a file; None if it is none of theirs. Raises UnreadableReportError for a broken one."""
    text = data.decode("utf-8", "replace")
    if _MARK not in text:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableReportError(f"it is broken JSON: {error}") from error
    return _cases(value)


def parse_output(out: str, err: str) -> tuple[TestCase, ...] | None:
    """The cases of what was printed, whatever stands around them; None if there are none of theirs.

    Raises UnreadableReportError if they are torn.
    """
    if _MARK not in out + err:
        return None
    found = (_object(line) for text in (out, err) for line in text.split("\n") if line.startswith("{"))
    return next((cases for value in found if (cases := _cases(value)) is not None), None)


def _object(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        if line.startswith(_BEGINNING):
            raise UnreadableReportError(f"the JSON that was printed is torn: {error}") from error
        return None


def _cases(value: Any) -> tuple[TestCase, ...] | None:
    if not isinstance(value, dict) or not isinstance(value.get("testResults"), list):
        return None
    return merged(case for file in _objects(value["testResults"]) for case in _of_file(file))


def _of_file(file: Mapping[str, Any]) -> Iterator[TestCase]:
    path = str(file.get("name", ""))
    found = _objects(file.get("assertionResults"))
    for each in found:
        outcome = _OUTCOMES.get(str(each.get("status")), TestOutcome.SKIPPED)
        above = each.get("ancestorTitles")
        words = [*map(str, above if isinstance(above, list) else ()), str(each.get("title", ""))]
        yield TestCase(
            id=f"{path}::{' > '.join(word for word in words if word)}",
            outcome=outcome,
            message=_message(each.get("failureMessages")) if outcome is TestOutcome.FAILED else "",
            seconds=seconds_of(each.get("duration")) / 1000,
        )
    if file.get("status") == "failed" and not any(each.get("status") == "failed" for each in found):
        told = _HEADING.sub("", str(file.get("message") or "")).split("\n\n")[
            0
        ]  # a frame of the source follows
        yield TestCase(id=path, outcome=TestOutcome.ERROR, message=_message([told]))


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _message(messages: Any) -> str:
    """The first message, without the frames that follow it."""
    first = str(messages[0] or "") if isinstance(messages, list) and messages else ""
    return one_line(first.split("\n    at ")[0])
