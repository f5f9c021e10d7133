"""What the old design did with reports, under its old names.

They give what they always gave; where they had to guess, the verbs of `sparky report` say unknown.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sparky.domain.agent import Role
from sparky.domain.attempt import Responsibility
from sparky.domain.report import version_in
from sparky.reports.lines import Sort, take_apart
from sparky.reports.mine import mine, whose
from sparky.reports.own import read_any
from sparky.reports.words import plain

_OLD_NAMES = {
    Responsibility.CODER: "CODING_AGENT",
    Responsibility.TESTER: "TESTING_AGENT",
    Responsibility.PERSON: "ESCALATE",
}
_ROLES = {"CODING": Role.CODER, "TESTING": Role.TESTER}
_HEADING = re.compile(r" {0,3}(#{1,6})\s*(\S.*)|\s*\*\*([^*]{1,80})\*\*:?\s*(.*)")
_NUMBERED = re.compile(r"\s*(?:[0-9]{1,4}[.)]|[-*+])\s+(\S.*)")


def extract_version_number(filename: str) -> int:
    """The version in a report's name ("…_v10.md" is 10); 0 if there is none."""
    return version_in(filename) or 0


def get_latest_report_by_version(reports: Iterable[str | Mapping[str, str]]) -> str | None:
    """The name with the highest version, from names or from mappings with a "name"; None if there is none."""
    names = [report if isinstance(report, str) else report["name"] for report in reports]
    return max(names, key=extract_version_number, default=None)


def extract_section(content: str, section_names: str | Sequence[str]) -> str:
    """The text below the first heading that bears one of the names, to the next heading; "" if none does."""
    names = [section_names] if isinstance(section_names, str) else section_names
    wanted = {plain(name) for name in names}
    found: list[str] = []
    level = 0
    for line in content.split("\n"):
        heading = _HEADING.fullmatch(line)
        depth = len(heading[1]) if heading and heading[1] else 7
        if level and heading and depth <= level:
            break
        if level:
            found.append(line)
        elif heading:
            title, _, rest = (heading[2] or heading[3]).partition(":")
            if plain(title) in wanted:
                level = depth
                found.append((rest or heading[4] or "").strip())
    return "\n".join(found).strip()


def parse_numbered_list(section: str) -> list[str]:
    """The items of a list, without their numbers or bullets; lines that continue an item belong to it."""
    items: list[str] = []
    for line in section.split("\n"):
        if found := _NUMBERED.fullmatch(line):
            items.append(found[1].strip())
        elif items and line.strip():
            items[-1] += f" {line.strip()}"
    return items


def extract_value(section: str, key: str) -> str | None:
    """What stands behind "key:" in a section, in whatever marks; None if it is not there."""
    lines, _, _ = take_apart(section)
    for line in lines:
        name, colon, value = line.text.partition(":")
        if colon and line.sort is not Sort.ROW and plain(name) == plain(key):
            return value.strip()
    return None


def parse_review_report(content: str) -> dict[str, Any]:
    """A review: pipeline_status, failed_jobs, failures, resolution_items by old owner, merge_decision."""
    reading = read_any(content)
    return {
        "pipeline_status": reading.pipeline_status,
        "failed_jobs": list(reading.failed_jobs),
        "failures": [
            {
                "title": failure.title,
                "expected": failure.expected,
                "actual": failure.actual,
                "root_cause": failure.root_cause,
                "location": failure.location.path if failure.location else "",
            }
            for failure in reading.failures
        ],
        "resolution_items": {
            name: [item.text for item in reading.open_items if item.owner is owner]
            for owner, name in _OLD_NAMES.items()
        },
        "merge_decision": reading.merge_decision.value.upper(),
    }


def determine_my_responsibility(content: str, agent: str) -> tuple[bool, list[str], str]:
    """Whether "CODING" or "TESTING" has to act, on what, and why.

    Unclear is True, as it always was, and so is a resolution that is assigned to nobody.
    """
    role = _ROLES[agent.upper().removesuffix("_AGENT")]
    reading = read_any(content)
    if reading.open_items and all(item.id in reading.assumed for item in reading.open_items):
        return True, [item.text for item in reading.open_items], "Unclear responsibility"
    turn = mine(reading, role)
    if not turn.should_act and turn.responsibility is Responsibility.UNKNOWN and turn.confidence == 0.0:
        return True, [], "Unclear responsibility"
    return turn.should_act, [item.text for item in turn.items if item.answer is None], turn.reason


def determine_responsibility(content: str) -> tuple[str, str]:
    """The old name of whose turn it is (UNKNOWN and NONE among them), and why."""
    turn = whose(read_any(content))
    if turn.responsibility is None:
        return "NONE", turn.reason
    return _OLD_NAMES.get(turn.responsibility, turn.responsibility.value.upper()), turn.reason


def create_skip_report(reason: str) -> str:
    """A short report that says that it is not this agent's turn."""
    return f"# Skip Report\n\n**Status:** SKIPPED\n\n**Reason:** {reason}\n\nNo action was taken.\n"
