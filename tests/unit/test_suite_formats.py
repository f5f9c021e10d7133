"""The results of real tools, read. `SPARKY_GOLDEN=write` writes what is expected anew."""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparky.domain.command import Completed, Ending
from sparky.domain.testing import TestCase, TestOutcome
from sparky.targets.suite import Judgement, Seen, Written
from sparky.targets.suites import (
    by_command,
    cargo_json,
    cargo_text,
    go_json,
    jest_json,
    junit_xml,
    stream_jsonl,
)
from sparky.targets.suites.cases import UnreadableReportError

GOLDEN = Path(__file__).parent.parent / "golden" / "suites"
TOOLS = sorted(path.name for path in GOLDEN.iterdir())


def judge(tool: str) -> Judgement:
    place = GOLDEN / tool
    completed = Completed(
        argv=("make",),
        ending=Ending.EXITED,
        code=int((place / "code").read_text()),
        stdout=(place / "stdout").read_bytes(),
        stderr=(place / "stderr").read_bytes(),
        seconds=1.0,
    )
    written = {path.name: Written(data=path.read_bytes()) for path in place.glob("report.*")}
    names = {"/scratch/tree/": ""}
    return by_command.judge(Seen(name="make", completed=completed, written=written, names=names))


@pytest.mark.parametrize("tool", TOOLS)
def test_what_a_real_tool_printed_and_wrote_is_read(tool: str) -> None:
    judged = judge(tool)
    told = {
        "trouble": judged.trouble and judged.trouble.value,
        "detail": judged.detail,
        "cases": [[case.id, case.outcome.value, case.message] for case in judged.cases],
    }
    path = GOLDEN / tool / "expected.json"
    if os.environ.get("SPARKY_GOLDEN") == "write":
        path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert told == json.loads(path.read_text(encoding="utf-8"))


OUTPUTS = [
    go_json.parse_output,
    cargo_json.parse_output,
    cargo_text.parse_output,
    jest_json.parse_output,
]
KEYS = """Action Package Test Output Elapsed type event name stdout testResults assertionResults status title
ancestorTitles failureMessages message duration"""
WORDS = """output fail pass suite test started failed ok"""
JSON = st.recursive(
    st.none() | st.integers() | st.sampled_from(WORDS.split()) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=6)
    ),
    max_leaves=12,
)
LINES = """running 2 tests
test a ... ok
test b ... FAILED
failures:
---- b stdout ----
test result: FAILED.
thread 'b' panicked at src/lib.rs:1:2:
FAIL\tp [build failed]
     Running unittests src/lib.rs (target/debug/deps/a-0)
   Doc-tests a
x"""
CASE = st.dictionaries(st.sampled_from(KEYS.split()), JSON, max_size=6)
FILE = st.fixed_dictionaries(
    {"assertionResults": st.lists(CASE | JSON, max_size=3) | JSON}, optional={"status": JSON}
)
PRINTED = (
    st.text()
    | st.lists(FILE | JSON, max_size=3).map(lambda files: json.dumps({"testResults": files}))
    | st.lists(JSON, max_size=6).map(lambda lines: "\n".join(map(json.dumps, lines)))
    | st.lists(st.sampled_from(LINES.splitlines())).map("\n".join)
)


@pytest.mark.parametrize("parse", OUTPUTS, ids=lambda parse: parse.__module__.rpartition(".")[2])
@given(out=PRINTED, err=PRINTED)
def test_whatever_is_printed_is_read_or_passed_over(
    parse: Callable[[str, str], tuple[TestCase, ...] | None], out: str, err: str
) -> None:
    cases = parse(out, err)
    assert cases is None or len({case.id for case in cases}) == len(cases)


TAGS = b"""<testsuites> </testsuites> <testsuite> </testsuite> <testcase> </testcase> <failure> </failure>
<skipped/> <error/> text &lt; &x;"""
XML = st.lists(st.sampled_from(TAGS.split()) | st.binary(max_size=9)).map(b"".join)


@pytest.mark.parametrize("parse", [junit_xml.parse, jest_json.parse])
@given(data=st.binary() | XML.map(lambda text: b"<testsuite>" + text) | PRINTED.map(str.encode))
def test_whatever_a_file_holds_it_is_read_or_refused_or_passed_over(
    parse: Callable[[bytes], tuple[TestCase, ...] | None], data: bytes
) -> None:
    with suppress(UnreadableReportError):
        cases = parse(data)
        assert cases is None or len({case.id for case in cases}) == len(cases)


@given(
    st.lists(
        st.fixed_dictionaries(
            {"event": st.sampled_from(["start", "phase", "modules"])},
            optional={
                "id": JSON,
                "outcome": JSON | st.sampled_from(["passed", "error"]),
                "seconds": JSON,
                "files": JSON,
                "message": JSON,
            },
        )
    )
)
def test_whatever_a_hostile_test_writes_among_our_lines_is_read(lines: list[dict[str, object]]) -> None:
    data = "\n".join(map(json.dumps, lines)).encode()
    assert stream_jsonl.parse(data).started is False


def test_of_a_test_that_is_reported_twice_the_worst_counts() -> None:
    once = '<testcase classname="c" name="a" time="1.5"/>'
    again = '<testcase classname="c" name="a" time="1,000.25"><error type="E">deep\n down</error></testcase>'
    text = f"<testsuites><testsuite>{once}{again}</testsuite></testsuites>"
    expected = TestCase(id="c.a", outcome=TestOutcome.ERROR, message="E deep down", seconds=1001.75)
    assert junit_xml.parse(text.encode()) == (expected,)


def test_a_test_in_documentation_keeps_its_identity_when_lines_move() -> None:
    text = "running 1 test\ntest src/lib.rs - double (line {}) ... ok\n\ntest result: ok.\n"
    one, other = (cargo_text.parse_output(text.format(line), "   Doc-tests cart\n") for line in (3, 40))
    assert one == other == (TestCase(id="doc cart::src/lib.rs - double", outcome=TestOutcome.PASSED),)
