"""SARIF: the log as a whole, and that it is what the standard says."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from sparky.domain.finding import Finding, Location, fingerprint
from sparky.domain.issue import Kind, Severity
from sparky.tools.sarif import SCHEMA, level, render
from tests.builders import BASE
from tests.json_schema import faults

STANDARD = json.loads((Path(__file__).parents[1] / "golden/sarif/schema.json").read_text(encoding="utf-8"))


@dataclass(frozen=True, kw_only=True)
class Judged:
    finding: Finding
    agent: str | None = None
    why: str = ""


def finding(path: str = "a.py", line: int | None = 3, rule: str = "F401", tool: str = "ruff") -> Finding:
    return Finding(
        tool=tool,
        rule=rule,
        kind=Kind.IMPORT_ERROR,
        message="`os` imported but unused",
        location=Location(
            path=path, line=line, column=None if line is None else 8, symbol="f" if line else ""
        ),
    )


def test_a_finding_is_a_result_of_its_tools_run() -> None:
    found = finding("größe/a b.py")
    log = render([Judged(finding=found, agent="imports")], ["ruff"], BASE)
    assert faults(log, STANDARD) == []
    assert log == {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "ruff",
                        "rules": [
                            {
                                "id": "F401",
                                "shortDescription": {"text": "F401 (IMPORT_ERROR)"},
                                "properties": {"sparky/kind": "IMPORT_ERROR"},
                            }
                        ],
                    }
                },
                "automationDetails": {"id": "sparky/ruff/"},
                "columnKind": "unicodeCodePoints",
                "results": [
                    {
                        "ruleId": "F401",
                        "ruleIndex": 0,
                        "level": "note",
                        "message": {"text": "`os` imported but unused"},
                        "locations": [
                            {
                                "physicalLocation": {
                                    "artifactLocation": {
                                        "uri": "gr%C3%B6%C3%9Fe/a%20b.py",
                                        "uriBaseId": "%SRCROOT%",
                                    },
                                    "region": {"startLine": 3, "startColumn": 8},
                                },
                                "logicalLocations": [{"fullyQualifiedName": "f"}],
                            }
                        ],
                        "partialFingerprints": {"sparky/v1": fingerprint(found)},
                        "properties": {
                            "sparky/kind": "IMPORT_ERROR",
                            "sparky/mendable-by": "imports",
                            "sparky/why-left": "",
                        },
                    }
                ],
                "properties": {"sparky/commit": BASE},
            }
        ],
    }


def test_every_tool_has_a_run_with_its_own_results_in_their_order() -> None:
    found = [finding(rule="F841"), finding(tool="other", rule="X1"), finding(rule="F401"), finding("b.py")]
    log = render([Judged(finding=one) for one in found], ["ruff", "silent", "other"], BASE)
    assert faults(log, STANDARD) == []
    seen = {
        run["tool"]["driver"]["name"]: [(one["ruleId"], one["ruleIndex"]) for one in run["results"]]
        for run in log["runs"]
    }
    assert seen == {"ruff": [("F841", 1), ("F401", 0), ("F401", 0)], "silent": [], "other": [("X1", 0)]}


def test_a_finding_about_a_whole_file_has_no_region_and_says_why_it_stays() -> None:
    found = finding("100%/a:b.py", line=None, rule="invalid-syntax")
    log = render([Judged(finding=found, why="nobody can read it")], ["ruff"], BASE)
    (result,) = log["runs"][0]["results"]
    assert faults(log, STANDARD) == []
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "100%25/a%3Ab.py", "uriBaseId": "%SRCROOT%"},
            }
        }
    ]
    assert result["properties"] == {
        "sparky/kind": "IMPORT_ERROR",
        "sparky/mendable-by": None,
        "sparky/why-left": "nobody can read it",
    }


def test_severities_are_levels_of_the_standard() -> None:
    assert {severity: level(severity) for severity in Severity} == {
        Severity.LOW: "note",
        Severity.MEDIUM: "warning",
        Severity.HIGH: "error",
        Severity.CRITICAL: "error",
    }


@pytest.mark.parametrize(
    ("log", "wrong"),
    [
        ({}, ["$: $schema is missing", "$: version is missing", "$: runs is missing"]),
        (
            {
                "$schema": SCHEMA,
                "version": "2.1.0",
                "runs": [{"tool": {"driver": {"name": 1}}, "results": {}}],
            },
            ["$.runs[0].tool.driver.name: 1 is no string", "$.runs[0].results: {} is no array"],
        ),
        (
            {"$schema": SCHEMA, "version": "2", "runs": [], "more": 1},
            ["$.version: '2' is not one of ['2.1.0']", "$.runs: too few", "$: more is not known"],
        ),
    ],
)
def test_the_standard_refuses_what_is_no_log(log: dict[str, object], wrong: list[str]) -> None:
    assert faults(log, STANDARD) == wrong
