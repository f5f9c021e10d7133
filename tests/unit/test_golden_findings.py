"""What each detector once answered on a project with a fault of every kind, read as findings."""

import json
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from sparky.agents.table import AGENTS
from sparky.domain.agent import ToolFix
from sparky.domain.command import Completed, Ending
from sparky.domain.issue import Kind
from sparky.domain.testing import TestCase
from sparky.formats.values_json import decode, dump
from sparky.tools.failing.causes import diagnose
from sparky.tools.failing.snapshots import Rewritten
from sparky.tools.failing.tree import Step, Tree
from sparky.tools.table import TOOLS
from tests.acceptance.test_snapshots import AMBR, BASKET
from tests.acceptance.test_test_failures import CHANGE, FILES
from tests.contract.faults import FAULTS, REVIEWED

GOLDEN = Path(__file__).parents[1] / "golden" / "findings"
RECORDED = {path.parent.name: path for path in sorted(GOLDEN.glob("*/faults_raw.json"))}


def files(texts: Mapping[str, str | None]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in texts.items() if text is not None}


def answer(code: int, said: str) -> Completed:
    ended = Ending.EXITED
    return Completed(argv=("x",), ending=ended, code=code, stdout=said.encode(), stderr=b"", seconds=0.0)


@pytest.mark.parametrize("name", RECORDED)
def test_the_recorded_answers_of_a_detector_are_read_as_findings(name: str) -> None:
    answers = [answer(*one) for one in json.loads(RECORDED[name].read_bytes())]
    read = files(REVIEWED if name == "pyrefly" else FAULTS).get
    found = TOOLS[name]("x", read).findings(answers, "/repo", read)
    expected = RECORDED[name].with_name("faults_expected.json")
    assert list(dump(found)) == json.loads(expected.read_bytes())


def test_a_recorded_run_of_red_tests_is_read_as_findings() -> None:
    """What pytest said of the scene of `test_test_failures.py`, with what git knows of its last step."""
    before, now = files(FILES), files({**FILES, **CHANGE})
    sources = {path: text for path, text in now.items() if path.endswith(".py")}
    tree = Tree(paths=frozenset(now), sources=sources, history=(Step(before=before, after=now),))
    place = GOLDEN / "failures"
    cases = tuple(
        decode(json.dumps(one).encode(), TestCase)
        for one in json.loads((place / "run_raw.json").read_bytes())
    )
    said = msgspec.json.encode([*diagnose(cases, tree, {})]).decode()
    found = TOOLS["failures"]("", now.get).findings([answer(0, said)], "/repo", now.get)
    assert list(dump(found)) == json.loads((place / "run_expected.json").read_bytes())


def test_a_recorded_run_of_syrupy_is_read_as_findings_with_edits_of_their_own() -> None:
    """What pytest said of stale snapshots, and what each of their tests made of them when it was asked to."""
    place, path = GOLDEN / "failures", "tests/__snapshots__/test_basket.ambr"
    raw = json.loads((place / "snapshots_raw.json").read_bytes())
    now = {path: AMBR.encode(), "tests/test_basket.py": BASKET.encode()}
    made = {
        test: [Rewritten(path=name, before=now[name], after=text.encode()) for name, text in texts.items()]
        for test, texts in raw["rewritten"].items()
    }
    cases = [decode(json.dumps(one).encode(), TestCase) for one in raw["cases"]]
    tree = Tree(paths=frozenset(now), sources={"tests/test_basket.py": BASKET.encode()}, history=())
    said = [*diagnose(cases, tree, made)]
    answered = answer(0, msgspec.json.encode(said).decode())
    found = TOOLS["failures"]("", now.get).findings([answered], "/repo", now.get)
    assert list(dump(found)) == json.loads((place / "snapshots_expected.json").read_bytes())
    edits = [[(e.location.row, e.content) for e in one.fix.edits] for one in said if one.fix]
    assert edits == [[(4, "    'bread': 2,\n")], [(9, "  'A new shop'\n")]]


def test_there_is_a_recorded_finding_of_every_kind_that_is_mended() -> None:
    expected = [json.loads(path.read_bytes()) for path in GOLDEN.glob("*/*expected.json")]
    recorded = {Kind(finding["kind"]) for found in expected for finding in found}
    mended = {kind for agent in AGENTS if isinstance(agent.works, ToolFix) for kind in agent.kinds}
    assert mended - recorded == set()
