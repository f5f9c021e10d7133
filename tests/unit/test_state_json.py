"""Values as JSON: whole, whoever made them; and what an older or newer sparky wrote."""

import json
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from sparky.adapters.scripted import ScriptedSession
from sparky.domain.agent import Bid, Route, Thresholds
from sparky.domain.attempt import (
    Attempt,
    Budget,
    Evidence,
    GateResult,
    Responsibility,
    Spent,
    Stage,
    Strategy,
    Tally,
    Trait,
    Verdict,
)
from sparky.domain.escalation import Answer, Choice, Escalation, Option
from sparky.domain.issue import Issue, Kind, Severity, Source
from sparky.domain.plan import Child
from sparky.domain.state import (
    SCHEMA,
    Context,
    Earlier,
    End,
    Handoff,
    MergePolicy,
    Outcome,
    PipelineState,
    Preferences,
)
from sparky.formats.state_json import decode_state, dump_next, load_next
from sparky.formats.values_json import UnreadableStateError, decode, dump, encode, load

GOLDEN = Path(__file__).parent.parent / "golden" / "state" / "state-1.json"

ROUTE = Route(
    kind=Kind.DEAD_CODE,
    agent="dead-code",
    fallbacks=("coder",),
    bids=(Bid(agent="dead-code", confidence=0.95, reason="F401 is its rule", priority=10),),
    kind_confidence=0.75,
    kind_reasons=("the title says so",),
    left_out=("boastful: its confidence 1.5 is not within 0 and 1",),
    tester="tester",
    validator="validator",
    reviewer="reviewer",
)
ATTEMPT = Attempt(
    stage=Stage.EXECUTE,
    number=2,
    verdict=Verdict.REVISE,
    reason="2 of 3 DEAD_CODE finding(s) mended, 1 left",
    agent="dead-code",
    part=1,
    plan=(Child(id="7.1", title="Tidy", issue="d" * 64, needs=("7",)),),
    child="7-0a1b2c3d-1",
    calls={"coder": 2},
    strategy=Strategy.MECHANICAL_FIX,
    traits=(Trait.CHANGED, Trait.WITHDRAWN),
    responsibility=Responsibility.CODER,
    confidence=0.9,
    because=("the test is as it was, and passes at base",),
    gates=(GateResult(gate="scope", verdict=Verdict.ESCALATE, reason="ünklar", severity=Severity.CRITICAL),),
    evidence=(
        Evidence(
            command=("pytest", "-q"),
            code=1,
            output="e" * 64,
            sha="c" * 40,
            seconds=1.5,
            note="1 failed",
            sandbox="landlock",
        ),
    ),
    route=(ROUTE,),
    sha="c" * 40,
    base="d" * 40,
    blobs={"diff": "f" * 64},
    files_modified=("src/a.py",),
    files_created=("src/b.py",),
    files_deleted=("src/c.py",),
    lines_changed=12,
    tally=Tally(before=3, fixed=2, refused=1, rest=4),
    items=("src/a.py:3 F401 `os` imported but unused: its fix is unsafe",),
    validation_errors=("line 1: invalid syntax",),
    avoided_patterns=("F401 in src/__init__.py",),
    quality=85,
    error_type="tool",
    can_retry=False,
    started="2026-11-21T10:00:00+00:00",
    seconds=2.25,
    tokens=1200,
    turns=7,
    cost_usd=0.04,
    level="bubblewrap",
    runner="codex",
    retry_at=1795298800.5,
)
STATE = PipelineState(
    run_id="7-dad37eaf-1",
    pipeline_id="pipeline-7",
    issue=Issue(
        id="7",
        key="0123456789abcdef",
        title="Tidy the report",
        source=Source.FINDINGS,
        body="Ærlig talt:\n\n- one\n",
        kinds=(Kind.DEAD_CODE, Kind.FORMATTING),
        severity=Severity.HIGH,
        criteria=("the report is tidy",),
        constraints=("no new dependency",),
        files=("src/a.py",),
        labels=("tidy",),
        agent="dead-code",
        status="in progress",
        path="issues/007.md",
        repository="shop",
        parent_issue="1",
        order=2,
        dependencies=("6",),
        findings="a" * 64,
        limits="9" * 64,
        attachments=("b" * 64,),
        children=("c" * 64,),
        author="ada",
        association="OWNER",
    ),
    context=Context(
        repo_name="shop",
        repo_path="/home/ada/shop",
        git_dir="/home/ada/shop/.git",
        base="b" * 40,
        target="main",
        branch="sparky/7-tidy-the-report-dad37eaf-1",
        source_repo="https://forge/ada/shop",
        is_external=True,
        result_file="/home/ada/desk/issues/007.result.md",
    ),
    preferences=Preferences(
        merge=MergePolicy.APPROVED,
        test_command=("pytest", "-q"),
        test_report="out/junit.xml",
        test_setup=("npm", "ci"),
        test_timeout_s=60.0,
        session_timeout_s=120.0,
        sandbox=False,
        constraints=("no new dependency",),
        script="/home/ada/play.toml",
        attempt_budget=Budget(usd=0.5, tokens=20000, seconds=600.0, turns=30),
        day_budget=Budget(usd=20.0, tokens=900000, seconds=36000.0, turns=900),
        runner="claude",
        fallback_runner="codex",
        model="opus",
        update_snapshots=True,
        thresholds=Thresholds(chosen=0.4, fallback=0.2),
    ),
    budget=Budget(usd=1.5, tokens=100000, seconds=3600.0, turns=90),
    today=Spent(usd=0.04, tokens=1200, seconds=2.25, turns=7),
    earlier=(
        Earlier(
            run_id="7-5c0ffee5-1",
            outcome=Outcome.FAILED,
            reason="All agents failed",
            refused=("attempt 1 by coder changed src/a.py: test_a is red",),
            errors=("test_a: 1 != 2",),
        ),
    ),
    attempts=(ATTEMPT,),
    ends=(
        End(
            outcome=Outcome.READY,
            reason="verified",
            responsibility=Responsibility.ENVIRONMENT,
            manual_steps=("look at it",),
            question=Escalation(
                question="Is the cause mended?",
                reason="a package is missing",
                options=(Option(choice=Choice.TEST, says="test once more"),),
                default=Choice.TEST,
                evidence=("No module named 'x'",),
                about="c" * 40,
            ),
        ),
    ),
    answers=(
        Answer(
            choice=Choice.TEST,
            about="c" * 40,
            text="it is there now",
            by="ada",
            at="2026-11-21T10:00:00Z",
            segment=2,
        ),
    ),
    segment=2,
    segment_start=1,
)
HANDOFF = Handoff(
    stage=Stage.EXECUTE,
    reason="why",
    success_criteria=("files are changed",),
    action_items=("mend it",),
    previous_errors=("test_a: 1 != 2",),
    avoided=("rename the test",),
    words="look at report.py",
    rollback="sparky undo 7",
    rollback_sha="c" * 40,
    agent="ada",
    part=1,
    number=2,
    strategy=Strategy.SIMPLIFIED_APPROACH,
)


def at_default(value: Any, where: str) -> Iterator[str]:
    """The fields below a value that stand at their defaults, but for the schema."""
    for field in fields(value):
        found, name = getattr(value, field.name), f"{where}.{field.name}"
        made = field.default_factory
        default = field.default if made is MISSING else made()
        if found == default and field.name != "schema":
            yield name
        for part in found if isinstance(found, tuple) else (found,):
            if is_dataclass(part):
                yield from at_default(part, name)


def plain() -> dict[str, Any]:
    """The golden state as plain values, to be spoilt."""
    found: dict[str, Any] = json.loads(GOLDEN.read_bytes())
    return found


def test_the_golden_state_has_every_field_filled() -> None:
    assert list(at_default(STATE, "state")) == []


def test_a_state_of_schema_1_is_read_whole() -> None:
    assert decode_state(GOLDEN.read_bytes()) == STATE


def test_a_state_is_written_as_the_golden_file_has_it() -> None:
    assert SCHEMA == 1
    assert encode(STATE, indent=2).decode() + "\n" == GOLDEN.read_text(encoding="utf-8")


def test_a_state_goes_through_plain_values_and_text_unchanged() -> None:
    assert load(dump(STATE), PipelineState) == STATE
    assert decode_state(encode(STATE)) == STATE


@pytest.mark.parametrize("following", [HANDOFF, STATE.ends[0]])
def test_what_comes_next_is_a_handoff_or_an_end_again(following: Handoff | End) -> None:
    assert load_next(json.loads(json.dumps(dump_next(following)))) == following


def test_what_an_older_sparky_did_not_write_takes_its_default() -> None:
    older = plain()
    del older["budget"], older["ends"], older["schema"], older["attempts"][0]["tally"]
    expected = replace(STATE, budget=Budget(), ends=(), attempts=(replace(ATTEMPT, tally=Tally()),))
    assert decode_state(json.dumps(older)) == expected


def test_what_a_newer_sparky_wrote_is_refused_also_where_its_shape_is_another() -> None:
    newer = {**plain(), "schema": 2, "segment": "two"}
    with pytest.raises(UnreadableStateError) as error:
        decode_state(json.dumps(newer))
    assert str(error.value) == (
        "run 7-dad37eaf-1 was written by a newer sparky (state schema 2, this one reads 1): "
        "upgrade sparky-agents"
    )


def test_what_is_no_state_is_refused_with_the_place() -> None:
    with pytest.raises(UnreadableStateError) as error:
        decode_state(json.dumps({**plain(), "segment": "two"}))
    assert str(error.value) == "not a PipelineState: Expected `int`, got `str` - at `$.segment`"
    with pytest.raises(UnreadableStateError) as error:
        load({"outcome": "exploded", "reason": ""}, End)
    assert str(error.value) == "not a End: Invalid enum value 'exploded' - at `$.outcome`"
    with pytest.raises(UnreadableStateError, match=r"^not a tuple: "):
        decode(b"[", tuple[End, ...])


def test_a_value_that_was_read_is_written_with_the_fields_that_stand_at_their_defaults() -> None:
    session = decode(b'{"success": false}', ScriptedSession)
    assert json.loads(encode(session)) == {
        "issue": None,
        "number": None,
        "agent": None,
        "steps": [],
        "ending": "finish",
        "success": False,
        "summary": "done",
        "handover": "",
        "plan": [],
        "report": "",
        "code": 0,
        "tokens": 0,
        "turns": 0,
        "cost_usd": 0.0,
    }


def test_enums_tuples_and_mappings_are_written_as_json_has_them() -> None:
    assert dump({"kinds": (Kind.DRY_VIOLATION,), "share": 0.5, "on": True, "none": None}) == {
        "kinds": ["DRY_VIOLATION"],
        "share": 0.5,
        "on": True,
        "none": None,
    }


def test_bug_a_file_name_that_is_not_utf8_could_not_be_recorded() -> None:
    odd = "caf\udce9.py"
    assert dump({odd: (odd,)}) == {"caf\\udce9.py": ["caf\\udce9.py"]}
    assert decode(encode(odd), str) == "caf\\udce9.py"


def test_a_state_that_is_no_json_at_all_is_unreadable() -> None:
    with pytest.raises(UnreadableStateError, match="not a PipelineState"):
        decode_state(b"{")
