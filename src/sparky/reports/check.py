"""What a report lacks that its reader needs, with the line: for people and agents who write them by hand."""

from collections.abc import Iterator

from sparky.domain.attempt import Verdict
from sparky.domain.report import Answer, OddName, Report, read_name
from sparky.reports.read import read
from sparky.reports.reading import MergeDecision, Reading, Unread
from sparky.reports.report_md import ReportFormatError, is_own, parse


def find_lacks(text: str, name: str = "") -> tuple[Unread, ...]:
    """What is missing, by line; line 1 for what should stand somewhere. `name` is the file's, "" for none."""
    found = [*_of_name(name)]
    if is_own(text):
        try:
            found += _of_own(parse(text), text)
        except ReportFormatError as error:
            found.append(Unread(line=error.line, text=f"expected {error.expected}"))
    else:
        found += _of_foreign(read(text))
    return tuple(sorted(found, key=lambda one: one.line))


def _of_name(name: str) -> Iterator[Unread]:
    said = read_name(name) if name else None
    if isinstance(said, OddName):
        yield Unread(line=1, text=f"the file's name {said.reason}")
    elif name and said is None:
        yield Unread(line=1, text="the file's name is not AGENT_Issue#NUMBER_Report_vVERSION.md")


def _of_own(report: Report, text: str) -> Iterator[Unread]:
    lines = text.split("\n")
    if not report.sha:
        yield Unread(line=1, text="it does not say which commit it speaks of")
    if report.verdict is Verdict.REVISE and not report.items:
        yield Unread(line=1, text="the verdict is REVISE, and no item says what to do")
    for item in report.items:
        line = _line_of(lines, item.id)
        if item.location is None:
            yield Unread(line=line, text=f"item {item.id} names no file (`Where:`)")
        if not item.done_when:
            yield Unread(line=line, text=f"item {item.id} does not say when it is done (`Done when:`)")
    for reply in report.replies:
        line = _line_of(lines, reply.item)
        if reply.answer is Answer.FIXED and not reply.commit:
            yield Unread(line=line, text=f"the answer to {reply.item} is FIXED, and names no commit")
        if reply.answer is not Answer.FIXED and not reply.reason:
            yield Unread(
                line=line, text=f"the answer to {reply.item} is {reply.answer.value}, and gives no reason"
            )


def _line_of(lines: list[str], word: str) -> int:
    return next((number for number, line in enumerate(lines, 1) if word in line), 1)


def _of_foreign(reading: Reading) -> Iterator[Unread]:
    yield from reading.unread
    decided = reading.merge_decision
    if decided is MergeDecision.UNCLEAR:
        yield Unread(line=1, text="no merge decision: approved, blocked or rejected")
    if decided in {MergeDecision.BLOCKED, MergeDecision.REJECTED} and not reading.open_items:
        yield Unread(line=1, text=f"it is {decided.value}, and no item says what to do, and who")
    at = dict(reading.lines)
    for item in reading.open_items:
        line = at.get(item.id, 1)
        if item.id in reading.assumed:
            yield Unread(
                line=line, text=f"no owner: {item.text[:60]!r} is taken for the {item.owner.value}'s"
            )
        if item.location is None:
            yield Unread(line=line, text=f"no file: {item.text[:60]!r}")
    for failure in reading.failures:
        if not failure.root_cause:
            yield Unread(line=failure.line or 1, text=f"no root cause: {failure.title[:60]!r}")
