"""Any report as a reading: sparky's own by their format, the others by what can be understood."""

from sparky.domain.attempt import Verdict
from sparky.domain.report import Report
from sparky.reports.read import read
from sparky.reports.reading import MergeDecision, Reading, Unread
from sparky.reports.report_md import ReportFormatError, is_own, parse


def read_any(text: str) -> Reading:
    """What a report says; one of sparky's own that somebody broke is read like any other."""
    if not is_own(text):
        return read(text)
    try:
        return reading_of(parse(text))
    except ReportFormatError as error:
        reading = read(text)
        fault = Unread(line=error.line, text=f"expected {error.expected}")
        return Reading(**{**vars(reading), "unread": (fault, *reading.unread)})


def reading_of(report: Report) -> Reading:
    """A report of sparky's own as a reading."""
    codes = {seen.code for seen in report.evidence}
    status = "unknown" if not codes else "success" if codes == {0} else "failed"
    return Reading(
        pipeline_status=status,
        failures=report.findings,
        items=report.items,
        merge_decision=_decision(report.verdict),
        answers=report.answers,
        replies=report.replies,
        words=f"{report.summary} {report.next_step}".strip(),
        sha=report.sha,
    )


def _decision(verdict: Verdict) -> MergeDecision:
    match verdict:
        case Verdict.PASS:
            return MergeDecision.APPROVED
        case Verdict.REVISE | Verdict.ESCALATE:
            return MergeDecision.BLOCKED
        case Verdict.SKIP:
            return MergeDecision.UNCLEAR
