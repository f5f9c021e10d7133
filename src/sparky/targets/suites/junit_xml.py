"""JUnit's XML, as written by most runners. Read as a stream, and never with a document type: no entities."""

import io
import re
from xml.parsers import expat

from sparky.domain.testing import TestCase, TestOutcome
from sparky.targets.suites.cases import UnreadableReportError, merged, one_line

_ROOT = re.compile(rb"[^<]{0,9}(<[?!][^<]*)*<testsuites?[\s/>]")
_OUTCOMES = {
    "failure": TestOutcome.FAILED,
    "error": TestOutcome.ERROR,
    "skipped": TestOutcome.SKIPPED,
}
_HEAD = 4096


def is_report(data: bytes) -> bool:
    """Whether a file begins as such a report does."""
    return _ROOT.match(data[:_HEAD].replace(b"\0", b"")) is not None


def parse(data: bytes) -> tuple[TestCase, ...] | None:
    """The cases; None if it is no JUnit file. Raises UnreadableReportError for a broken or unsafe one."""
    if not is_report(data):
        return None
    reader = _Reader()
    try:
        reader.parser.ParseFile(io.BytesIO(data))
    except expat.ExpatError as error:
        raise UnreadableReportError(f"it is broken XML: {error}") from error
    return merged(reader.cases)


class _Reader:
    """Collects the cases while the parser walks; texts are kept only inside of what failed."""

    def __init__(self) -> None:
        self.cases: list[TestCase] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self._suites: list[str] = []
        self._case: dict[str, str] | None = None
        self._outcome = TestOutcome.PASSED
        self._inside = ""
        self._message = ""

    def _refuse(self, *_: object) -> None:
        raise UnreadableReportError("it declares a document type, which a report has no need of")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "testsuite":
            self._suites.append(attributes.get("name", ""))
        elif tag == "testcase":
            self._case, self._outcome, self._message = attributes, TestOutcome.PASSED, ""
        elif self._case is not None and tag in _OUTCOMES and self._outcome is TestOutcome.PASSED:
            self._outcome = _OUTCOMES[tag]
            kind, said = attributes.get("type", ""), attributes.get("message", "")
            self._message = said or kind
            self._inside = "" if said or self._outcome is TestOutcome.SKIPPED else tag

    def _text(self, text: str) -> None:
        if self._inside:
            self._message += f" {text}"

    def _end(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = ""
        elif tag == "testsuite":
            self._suites.pop()
        elif tag == "testcase" and self._case is not None:
            self.cases.append(self._made(self._case))
            self._case = None

    def _made(self, said: dict[str, str]) -> TestCase:
        where = said.get("classname") or next((name for name in reversed(self._suites) if name), "")
        name = said.get("name", "")
        red = self._outcome in {TestOutcome.FAILED, TestOutcome.ERROR}
        return TestCase(
            id=f"{where}.{name}" if where else name,
            outcome=self._outcome,
            message=one_line(self._message) if red else "",
            seconds=_seconds(said.get("time", "")),
        )


def _seconds(text: str) -> float:
    found = re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text.replace(",", ""))
    return float(found[0]) if found else 0.0
