"""Real transcripts, labelled by hand: what persons said in them, all of it and nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest

from sparky.transcripts.claude import ClaudeReader
from sparky.transcripts.claude_scan import read_fast, read_whole
from sparky.transcripts.claude_walk import project_sources
from sparky.transcripts.index import TranscriptIndex
from sparky.transcripts.library import Library
from sparky.transcripts.model import Source
from sparky.transcripts.sessions import Wanted
from sparky.transcripts.table import READERS
from sparky.transcripts.tree import Node

GOLDEN = Path(__file__).parent.parent / "golden" / "transcripts"
EXPECTED: dict[str, list[tuple[str, str]]] = {
    name: [(kind, text) for kind, text in found]
    for name, found in json.loads((GOLDEN / "expected.json").read_text(encoding="utf-8")).items()
}


def sources() -> list[Source]:
    return [one for project in sorted(GOLDEN.iterdir()) for one in project_sources(project)]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    index = TranscriptIndex(tmp_path_factory.mktemp("index") / "transcripts.db")
    index.prepare()
    index.refresh(sources(), READERS, pytest.fail)
    return Library(index)


@pytest.mark.parametrize("name", EXPECTED)
def test_all_that_persons_said_is_found_and_nothing_else(library: Library, name: str) -> None:
    said = [
        (one.kind.value, one.text) for one in library.feedback(Wanted()) if one.path == str(GOLDEN / name)
    ]
    starts = [
        (kind, text[: len(start)]) for (kind, text), (_, start) in zip(said, EXPECTED[name], strict=True)
    ]
    assert starts == EXPECTED[name]


def test_every_golden_transcript_is_labelled() -> None:
    assert {Path(one.path).relative_to(GOLDEN).as_posix() for one in sources()} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_fast_scanner_finds_what_a_full_parse_finds(name: str) -> None:
    assert read_fast(GOLDEN / name, 0) == read_whole(GOLDEN / name, 0)


def test_refusals_and_stops_name_the_call_that_they_are_about(library: Library) -> None:
    about = {
        one.kind.value: (one.call.name, one.call.target.split(" && ")[0], one.reason[:11])
        for one in library.feedback(Wanted(session="7acd"))
        if one.call
    }
    assert about == {
        "stop": ("Bash", "which python3", "I have both"),
        "rejection": ("Bash", "npm install", ""),
    }


def test_every_agent_stands_below_its_session_and_has_ended(library: Library) -> None:
    def plain(node: Node) -> tuple[Any, ...]:
        return node.name[:8], node.end.state.value, sorted(plain(child) for child in node.children)

    done = "finished"
    assert sorted(plain(node) for node in Library(library.index, now=4e9).trees(Wanted())) == [
        ("11110000", "killed", [("ag000001", done, []), ("ag000002", done, []), ("ag000003", done, [])]),
        ("326189cf", done, []),
        ("7acd37a8", done, [("388fb764", done, [])]),
        ("b23cbd1d", "empty", [("7d618812", done, [])]),
        ("ef000000", done, [("aaaa1111", done, []), ("bbbb2222", done, [])]),
        (
            "ef958aa1",
            done,
            [
                (name, done, [])
                for name in ("a36efb2a", "a4ca7529", "a52886dc", "a6aa8ad0", "ab1e6e14", "aef063ba")
            ],
        ),
    ]


def test_nothing_in_them_is_strange(library: Library) -> None:
    found = library.oddities()
    assert (found.unknown, found.bad) == ({}, {})


def test_a_conversation_reads_in_order() -> None:
    path = str(GOLDEN / "synthetic-workflow" / "11110000-0000-4000-8000-000000000001.jsonl")
    told = [
        (turn.by, turn.text[:20], turn.call.name if turn.call else "") for turn in ClaudeReader().turns(path)
    ]
    assert told == [
        ("person", "Review the diff with", ""),
        ("agent", "Launching a review w", ""),
        ("agent", "", "Workflow"),
        ("tool", "Workflow launched in", ""),
    ]
