"""A result as JSON: all of DESIGN's fields, by a schema, as the golden file of its version has it."""

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from scripts.result_schema import TARGET, render

from sparky.domain.attempt import Evidence, Responsibility
from sparky.domain.result import RESULT_SCHEMA, FinalStatus, Result, WorkCompleted, result_of
from sparky.domain.state import Outcome
from sparky.formats.values_json import decode, dump, encode
from tests.builders import state_of
from tests.json_schema import faults

GOLDEN = Path(__file__).parent.parent / "golden" / "result"
SCHEMA: dict[str, Any] = json.loads(render())
PROMISED = {
    *("pipeline_id", "final_status", "outcome", "work_completed", "issues_remaining", "manual_steps_needed"),
    *(
        "partial_fixes",
        "attempts",
        "all_errors",
        "recommendation",
        "execution_time",
        "cost_estimate",
        "tokens",
    ),
    *("branch", "commit", "evidence"),
}
PROMISED_OF_WORK = {
    *("files_modified", "files_created", "lines_changed", "tests_passed", "review_passed", "quality_score"),
}
WORK = WorkCompleted(
    files_modified=("a.py",),
    files_created=("b.py",),
    files_deleted=("c.py",),
    lines_changed=12,
    findings_fixed=2,
    tests_passed=True,
    review_passed=False,
    quality_score=85,
)
RAN = Evidence(
    command=("pytest", "-q"),
    code=1,
    output="0" * 64,
    sha="1" * 40,
    seconds=1.5,
    note="1 failed",
    sandbox="landlock",
)
FULL = Result(
    pipeline_id="whole",
    run_id="part",
    issue="Mend the sum",
    final_status=FinalStatus.SUCCESS,
    outcome=Outcome.READY,
    reason="for a person",
    work_completed=WORK,
    issues_remaining=("a.py:1 F401 unused: its fix is unsafe",),
    manual_steps_needed=("look at it",),
    partial_fixes=("verified work is kept",),
    attempts=2,
    all_errors=("execute 1 (coder): crashed",),
    recommendation="look at it",
    execution_time=12.5,
    cost_estimate=0.25,
    tokens=1200,
    branch="sparky/mend",
    base="2" * 40,
    commit="1" * 40,
    evidence=(RAN,),
    sandbox="landlock",
    notes=("flaky: test_a",),
    risks=("size: 1200 lines changed, more than 1000",),
    calls={"coder": 2},
    responsibility=Responsibility.PERSON,
)


def written(version: int) -> bytes:
    """A result as sparky wrote it in that version."""
    return (GOLDEN / f"result-{version}.json").read_bytes()


def test_the_committed_schema_is_that_of_the_result() -> None:
    assert TARGET.read_text(encoding="utf-8") == render(), "run scripts/result_schema.py"


def test_every_field_that_is_promised_is_there() -> None:
    assert {f.name for f in fields(Result)} >= PROMISED
    assert {f.name for f in fields(WorkCompleted)} >= PROMISED_OF_WORK


@pytest.mark.parametrize("version", range(1, RESULT_SCHEMA + 1))
def test_a_result_of_any_version_is_read_whole(version: int) -> None:
    assert decode(written(version), Result) == replace(FULL, schema=version)


def test_a_result_is_written_as_the_golden_file_of_its_version_has_it() -> None:
    assert encode(FULL, indent=2) + b"\n" == written(RESULT_SCHEMA)
    assert len(list(GOLDEN.iterdir())) == RESULT_SCHEMA


@pytest.mark.parametrize("result", [FULL, result_of(state_of())], ids=["ended", "running"])
def test_the_schema_allows_what_sparky_writes(result: Result) -> None:
    assert faults(dump(result), SCHEMA) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("outcome", "done"),
        ("final_status", None),
        ("schema", 2),
        ("risks", "size"),
        ("calls", {"coder": "2"}),
        ("work_completed", {}),
        ("evidence", [{"command": "pytest"}]),
    ],
)
def test_the_schema_forbids_what_sparky_never_writes(key: str, value: object) -> None:
    assert faults({**dump(FULL), key: value}, SCHEMA) != []


@pytest.mark.parametrize("name", [f.name for f in fields(Result)])
def test_the_schema_asks_for_every_field(name: str) -> None:
    said = {key: value for key, value in dump(FULL).items() if key != name}
    assert faults(said, SCHEMA) == [f"$: {name} is missing"]
