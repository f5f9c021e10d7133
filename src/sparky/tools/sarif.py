"""Findings as SARIF 2.1.0 (OASIS, errata 01): what code hosts and editors read."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol
from urllib.parse import quote

from sparky.domain.finding import Finding, fingerprint
from sparky.domain.issue import Kind, Severity

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"

_MARK = "sparky/v1"
_ROOT = "%SRCROOT%"


class Judged(Protocol):
    """A finding, the agent that mends it (None: nobody does), and why nobody does."""

    @property
    def finding(self) -> Finding: ...

    @property
    def agent(self) -> str | None: ...

    @property
    def why(self) -> str: ...


def render(found: Sequence[Judged], tools: Iterable[str], sha: str) -> dict[str, Any]:
    """The log: one run for each of `tools`, in order, also where it found nothing.

    A reader takes a run without results as "all is mended", and a missing one as "not looked at". Results
    keep their order. Paths are relative to the repository's root; a finding about a whole file has no region.
    """
    runs = [_run(tool, [one for one in found if one.finding.tool == tool], sha) for tool in tools]
    return {"$schema": SCHEMA, "version": VERSION, "runs": runs}


def level(severity: Severity) -> str:
    """SARIF's word for a severity."""
    match severity:
        case Severity.LOW:
            return "note"
        case Severity.MEDIUM:
            return "warning"
        case Severity.HIGH | Severity.CRITICAL:
            return "error"


def _run(tool: str, found: Sequence[Judged], sha: str) -> dict[str, Any]:
    kinds = {one.finding.rule: one.finding.kind for one in found}
    rules = sorted(kinds)
    numbers = {rule: number for number, rule in enumerate(rules)}
    return {
        "tool": {"driver": {"name": tool, "rules": [_rule(rule, kinds[rule]) for rule in rules]}},
        # The slash at its end makes it a category: the target's own upload of the same tool stays beside it.
        "automationDetails": {"id": f"sparky/{tool}/"},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, numbers[one.finding.rule]) for one in found],
        "properties": {"sparky/commit": sha},
    }


def _rule(rule: str, kind: Kind) -> dict[str, Any]:
    return {
        "id": rule,
        "shortDescription": {"text": f"{rule} ({kind.value})"},
        "properties": {"sparky/kind": kind.value},
    }


def _result(one: Judged, number: int) -> dict[str, Any]:
    finding = one.finding
    return {
        "ruleId": finding.rule,
        "ruleIndex": number,
        "level": level(finding.severity),
        "message": {"text": finding.message},
        "locations": [_location(finding)],
        "partialFingerprints": {_MARK: fingerprint(finding)},
        "properties": {
            "sparky/kind": finding.kind.value,
            "sparky/mendable-by": one.agent,
            "sparky/why-left": one.why,
        },
    }


def _location(finding: Finding) -> dict[str, Any]:
    where = finding.location
    uri = quote(where.path)
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri, "uriBaseId": _ROOT}}
    if where.line is not None:
        column = {} if where.column is None else {"startColumn": where.column}
        physical["region"] = {"startLine": where.line, **column}
    named = {"logicalLocations": [{"fullyQualifiedName": where.symbol}]} if where.symbol else {}
    return {"physicalLocation": physical, **named}
