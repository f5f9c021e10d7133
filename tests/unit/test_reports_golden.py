"""The labelled reports of tests/golden/reports: whose turn it is, what is to be done, what is decided."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sparky.reports.mine import whose
from sparky.reports.read import read

FOLDER = Path(__file__).parent.parent / "golden" / "reports"
LABELS: dict[str, dict[str, Any]] = json.loads((FOLDER / "labels.json").read_text(encoding="utf-8"))
HELD_OUT = "unseen_7"
SURE = 0.9


def test_the_set_is_large_and_of_many_hands() -> None:
    assert set(LABELS) == {
        path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.glob("*/*.md")
    }
    assert (len(LABELS) >= 60, len({name.partition("/")[0] for name in LABELS}) >= 12) == (True, True)


@pytest.mark.parametrize("name", [name for name in LABELS if LABELS[name]["set"] == HELD_OUT])
def test_of_what_it_never_learnt_from_the_reader_is_never_sure_and_wrong(name: str) -> None:
    turn = whose(read((FOLDER / f"{name}.md").read_text(encoding="utf-8")))
    said = turn.responsibility.value if turn.responsibility else "nobody"
    assert said == LABELS[name]["responsibility"] or turn.confidence < SURE


@pytest.mark.parametrize("name", [name for name in LABELS if LABELS[name]["set"] != HELD_OUT])
def test_a_labelled_report_is_understood(name: str) -> None:
    reading = read((FOLDER / f"{name}.md").read_text(encoding="utf-8"))
    turn = whose(reading)
    if "missed" in LABELS[name]:
        assert turn.confidence < SURE
        return
    seen = {
        "responsibility": turn.responsibility.value if turn.responsibility else "nobody",
        "merge_decision": reading.merge_decision.value,
        "items": dict(Counter(item.owner.value for item in reading.open_items)),
    }
    assert {key: seen[key] for key in seen if key in LABELS[name]} == {
        key: LABELS[name][key] for key in seen if key in LABELS[name]
    }
