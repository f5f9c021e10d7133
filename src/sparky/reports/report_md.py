"""Reports of sparky's own as Markdown: a closed format that is read back without loss."""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from sparky.domain.attempt import Evidence, Responsibility, Verdict
from sparky.domain.errors import UserError
from sparky.domain.finding import Location
from sparky.domain.issue import Severity
from sparky.domain.report import ActionItem, Answer, Failure, Reply, Report, ReportId
from sparky.reports.inline_md import TOKEN, escape, place, token, unescape, unplace, untoken

MARK = "<!-- sparky report 1 -->"
"""The first line of every report of this format."""

_NO_TEXT = re.compile(r"[\ud800-\udfff]")
_HEADER = re.compile(rf"# Issue {TOKEN}: report ([0-9]{{1,9}}) by {TOKEN}")
_VERDICT = re.compile(rf"\*\*Verdict:\*\* ([A-Z]+), at {TOKEN}")
_ANSWERS = re.compile(rf"\*\*Answers:\*\* ({TOKEN}(?:, {TOKEN})*)")
_FINDING = re.compile(r"### ([a-z]+): ?(.*)")
_ITEM = re.compile(rf"- \[[ x]\] {TOKEN} for the ([a-z_]+): ?(.*)")
_FIELD = re.compile(r" *- \*\*([A-Za-z ]+):\*\* (.+)")
_TEXT = re.compile(r"(?!## )(.+)")
_ROW = re.compile(r"\| (.*) \|")

_OF_REPLIES = ("item", "answer", "commit", "reason")
_OF_EVIDENCE = ("command", "code", "at", "seconds", "output", "note", "sandbox")
_OF_FINDING = ("Where", "Expected", "Actual", "Root cause")
_OF_ITEM = ("Where", "Done when", "Answer", "Commit", "Why")

_Closed = TypeVar("_Closed", bound=Enum)


class ReportFormatError(UserError):
    """The text is no report of this format; says the line, counted from 1, and what is expected there."""

    def __init__(self, line: int, expected: str) -> None:
        super().__init__(f"line {line}: expected {expected}")
        self.line = line
        self.expected = expected


@dataclass(kw_only=True)
class _Lines:
    """The lines that are still to be read; blank ones are passed over."""

    lines: Sequence[str]
    at: int = 0

    def ended(self) -> bool:
        while self.at < len(self.lines) and not self.lines[self.at]:
            self.at += 1
        return self.at == len(self.lines)

    def find(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = None if self.ended() else pattern.fullmatch(self.lines[self.at])
        self.at += match is not None
        return match

    def take(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        match = self.find(pattern)
        if match is None:
            raise ReportFormatError(self.at + 1, expected)
        return match

    def has(self, line: str) -> bool:
        return self.find(re.compile(re.escape(line))) is not None

    def wrong(self, expected: str) -> ReportFormatError:
        """What to raise for the line that was taken last."""
        return ReportFormatError(self.at, expected)

    def member(self, closed: type[_Closed], value: str) -> _Closed:
        try:
            return closed(value)
        except ValueError:
            raise self.wrong(f"one of {', '.join(str(each.value) for each in closed)}") from None


def is_own(text: str) -> bool:
    """Whether the text says that it is of this format."""
    return text.removeprefix("\ufeff").startswith(MARK)


def render(report: Report) -> str:
    """The report as Markdown; what is empty is left out. Raises UnicodeError for text that is no Unicode."""
    parts = [*_head(report)]
    if report.replies:
        parts += _table("Answers", _OF_REPLIES, map(_reply, report.replies))
    if report.findings:
        parts += ["", "## Findings", *(line for finding in report.findings for line in _finding(finding))]
    if report.items:
        parts += ["", "## Action items", "", *(line for item in report.items for line in _item(item))]
    if report.evidence:
        parts += _table("Evidence", _OF_EVIDENCE, map(_evidence, report.evidence))
    if report.next_step:
        parts += ["", "## Next step", "", escape(report.next_step)]
    text = "\n".join(parts) + "\n"
    return text.encode().decode()


def parse(text: str) -> Report:
    """The report that was rendered; raises ReportFormatError where the text is something else."""
    lines = _Lines(lines=text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))
    lines.take(re.compile(re.escape(MARK)), f"`{MARK}`")
    if broken := _NO_TEXT.search(text):
        raise ReportFormatError(text.count("\n", 0, broken.start()) + 1, "text in UTF-8")
    head = lines.take(_HEADER, "`# Issue `ID`: report VERSION by `AGENT``")
    verdict = lines.take(_VERDICT, "`**Verdict:** PASS, REVISE, ESCALATE or SKIP, at `SHA``")
    report = Report(
        id=ReportId(issue=untoken(head[1]), version=int(head[2]), agent=untoken(head[3])),
        verdict=lines.member(Verdict, verdict[1]),
        sha=untoken(verdict[2]),
        answers=tuple(_read_answers(lines)),
        summary=_read_text(lines),
        replies=tuple(_read_replies(lines)) if lines.has("## Answers") else (),
        findings=tuple(_read_findings(lines)) if lines.has("## Findings") else (),
        items=tuple(_read_items(lines)) if lines.has("## Action items") else (),
        evidence=tuple(_read_evidence(lines)) if lines.has("## Evidence") else (),
        next_step=_read_text(lines) if lines.has("## Next step") else "",
    )
    if not lines.ended():
        order = "Answers, Findings, Action items, Evidence, Next step"
        raise ReportFormatError(lines.at + 1, f"nothing more, or a section in its place: {order}")
    return report


def _head(report: Report) -> Iterator[str]:
    yield MARK
    yield f"# Issue {token(report.id.issue)}: report {report.id.version} by {token(report.id.agent)}"
    yield from ("", f"**Verdict:** {report.verdict.value}, at {token(report.sha)}")
    if report.answers:
        yield from ("", f"**Answers:** {', '.join(map(token, report.answers))}")
    if report.summary:
        yield from ("", escape(report.summary))


def _reply(reply: Reply) -> tuple[str, ...]:
    return token(reply.item), reply.answer.value, token(reply.commit), escape(reply.reason)


def _evidence(seen: Evidence) -> tuple[str, ...]:
    command, at, output = escape(shlex.join(seen.command)), token(seen.sha), token(seen.output)
    return command, str(seen.code), at, repr(seen.seconds), output, escape(seen.note), escape(seen.sandbox)


def _finding(finding: Failure) -> Iterator[str]:
    yield from ("", f"### {finding.severity.value}: {escape(finding.title)}")
    said = (finding.expected, finding.actual, finding.root_cause)
    yield from _fields("", _OF_FINDING, (_where(finding.location), *map(escape, said)))


def _item(item: ActionItem) -> Iterator[str]:
    box = "x" if item.answer is Answer.FIXED else " "
    yield f"- [{box}] {token(item.id)} for the {item.owner.value}: {escape(item.text)}"
    answer = item.answer.value if item.answer else ""
    commit = token(item.commit) if item.commit else ""
    values = (_where(item.location), escape(item.done_when), answer, commit, escape(item.why))
    yield from _fields("  ", _OF_ITEM, values)


def _where(location: Location | None) -> str:
    return place(location) if location else ""


def _fields(indent: str, names: Sequence[str], values: Iterable[str]) -> Iterator[str]:
    yield from (f"{indent}- **{n}:** {value}" for n, value in zip(names, values, strict=True) if value)


def _table(title: str, names: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield from ("", f"## {title}", "", f"| {' | '.join(names)} |", "|---" * len(names) + "|")
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _read_answers(lines: _Lines) -> Iterator[str]:
    if found := lines.find(_ANSWERS):
        yield from map(untoken, re.findall(TOKEN, found[1]))


def _read_text(lines: _Lines) -> str:
    found = lines.find(_TEXT)
    return unescape(found[1]) if found else ""


def _read_rows(lines: _Lines, names: Sequence[str]) -> Iterator[list[str]]:
    lines.take(re.compile(re.escape(f"| {' | '.join(names)} |")), f"a table of {', '.join(names)}")
    lines.take(re.compile(re.escape("|---" * len(names) + "|")), "the line under the head of a table")
    while found := lines.find(_ROW):
        cells = found[1].split(" | ")
        if len(cells) != len(names):
            raise lines.wrong(f"{len(names)} cells: {', '.join(names)}")
        yield cells


def _read_replies(lines: _Lines) -> Iterator[Reply]:
    for item, answer, commit, reason in _read_rows(lines, _OF_REPLIES):
        said = lines.member(Answer, answer)
        yield Reply(item=untoken(item), answer=said, commit=untoken(commit), reason=unescape(reason))


def _read_evidence(lines: _Lines) -> Iterator[Evidence]:
    for command, code, sha, seconds, output, note, sandbox in _read_rows(lines, _OF_EVIDENCE):
        try:
            words, number, length = shlex.split(unescape(command)), int(code), float(seconds)
        except ValueError:
            raise lines.wrong("a command line, a whole number, a commit and seconds") from None
        yield Evidence(
            command=tuple(words),
            code=number,
            sha=untoken(sha),
            seconds=length,
            output=untoken(output),
            note=unescape(note),
            sandbox=unescape(sandbox),
        )


def _read_findings(lines: _Lines) -> Iterator[Failure]:
    while found := lines.find(_FINDING):
        line = lines.at
        severity = lines.member(Severity, found[1])
        said = _read_fields(lines, _OF_FINDING)
        yield Failure(
            title=unescape(found[2]),
            severity=severity,
            location=unplace(said.get("Where", "")),
            expected=unescape(said.get("Expected", "")),
            actual=unescape(said.get("Actual", "")),
            root_cause=unescape(said.get("Root cause", "")),
            line=line,
        )


def _read_items(lines: _Lines) -> Iterator[ActionItem]:
    while found := lines.find(_ITEM):
        owner = lines.member(Responsibility, found[2])
        said = _read_fields(lines, _OF_ITEM)
        yield ActionItem(
            id=untoken(found[1]),
            owner=owner,
            text=unescape(found[3]),
            location=unplace(said.get("Where", "")),
            done_when=unescape(said.get("Done when", "")),
            answer=Answer(said["Answer"]) if "Answer" in said else None,
            commit=untoken(said.get("Commit", "")),
            why=unescape(said.get("Why", "")),
        )


def _read_fields(lines: _Lines, names: Sequence[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    while found := lines.find(_FIELD):
        if found[1] not in names:
            raise lines.wrong(f"one of the fields {', '.join(names)}")
        if found[1] == "Where" and unplace(found[2]) is None:
            raise lines.wrong("`Where:` as `PATH` line LINE in `SYMBOL`")
        if found[1] == "Answer":
            lines.member(Answer, found[2])
        fields[found[1]] = found[2]
    return fields
