"""What each detector once answered on a project with a fault of every kind, read as findings."""

import json
from pathlib import Path

import pytest

from sparky.agents.table import AGENTS
from sparky.domain.agent import ToolFix
from sparky.domain.command import Completed, Ending
from sparky.domain.issue import Kind
from sparky.formats.values_json import dump
from sparky.tools.table import TOOLS
from tests.contract.faults import FAULTS

GOLDEN = Path(__file__).parents[1] / "golden" / "findings"
RECORDED = {path.parent.name: path for path in sorted(GOLDEN.glob("*/faults_raw.json"))}


def read(path: str) -> bytes | None:
    return FAULTS[path].encode() if path in FAULTS else None


def answer(code: int, said: str) -> Completed:
    ended = Ending.EXITED
    return Completed(argv=("x",), ending=ended, code=code, stdout=said.encode(), stderr=b"", seconds=0.0)


@pytest.mark.parametrize("name", RECORDED)
def test_the_recorded_answers_of_a_detector_are_read_as_findings(name: str) -> None:
    answers = [answer(*one) for one in json.loads(RECORDED[name].read_bytes())]
    found = TOOLS[name]("x", read).findings(answers, "/repo", read)
    expected = RECORDED[name].with_name("faults_expected.json")
    assert list(dump(found)) == json.loads(expected.read_bytes())


def test_there_is_a_recorded_finding_of_every_kind_that_a_tool_finds() -> None:
    """Failures of tests are not found by a tool: see `test_test_failures.py`."""
    expected = [json.loads(path.read_bytes()) for path in GOLDEN.glob("*/*expected.json")]
    recorded = {Kind(finding["kind"]) for found in expected for finding in found}
    mended = {kind for agent in AGENTS if isinstance(agent.works, ToolFix) for kind in agent.kinds}
    assert mended - recorded == {Kind.TEST_FAILURE}
