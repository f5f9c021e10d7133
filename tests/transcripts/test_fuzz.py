"""Lines of any sort: nothing crashes, every bad line is counted, and nothing gets lost beside them."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sparky.transcripts.claude import ClaudeReader
from sparky.transcripts.claude_entry import QUIET, SPEAKING
from sparky.transcripts.claude_scan import read_fast, read_whole
from sparky.transcripts.codex import CodexReader
from sparky.transcripts.model import Scan, Source
from tests.transcripts.lines import answer, entry, text_of, user, words

GOOD = text_of(user("still here", 1)).encode()

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
keys = st.sampled_from(
    [
        "type",
        "message",
        "content",
        "usage",
        "id",
        "model",
        "origin",
        "attachment",
        "toolUseResult",
        "isSidechain",
        "sessionId",
        "timestamp",
        "uuid",
        "payload",
        "kind",
        "prompt",
        "answers",
        "is_error",
        "tool_use_id",
        "text",
    ]
)
kinds = st.sampled_from(
    sorted(QUIET | SPEAKING | {"tool_result", "text", "event_msg", "session_meta", "novel"})
)
entries = st.recursive(
    values | kinds,
    lambda inner: st.dictionaries(keys, inner, max_size=6) | st.lists(inner, max_size=3),
    max_leaves=20,
)
compact = entries.map(lambda value: json.dumps(value, separators=(",", ":")).encode())
torn = st.tuples(compact, st.integers(0, 200)).map(lambda pair: pair[0][: pair[1]])
lines = (st.binary(max_size=60) | compact | torn).map(lambda line: line.replace(b"\n", b" "))


def scans(data: bytes) -> tuple[Scan, Scan]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s.jsonl")
        path.write_bytes(data)
        source = Source(reader="x", path=str(path), stamp=(1, 1, 1))
        CodexReader().scan(source, 0)
        list(CodexReader().turns(str(path)))
        list(ClaudeReader().turns(str(path)))
        ClaudeReader().words(str(path), ClaudeReader().scan(source, 0).marks)
        return read_fast(path, 0), read_whole(path, 0)


def assert_scanned(found: list[bytes]) -> None:
    """Both ways to read these lines and a good one tell the same, and what is bad."""
    data = b"".join(line + b"\n" for line in found)
    fast, whole = scans(data + GOOD)
    assert (fast.marks, fast.links, fast.usage, fast.end) == (
        whole.marks,
        whole.links,
        whole.usage,
        whole.end,
    )
    assert fast.marks[-1].offset == len(data)
    assert set(fast.bad) <= set(whole.bad)
    assert set(whole.bad) == set(_bad(found))


@given(st.lists(lines, max_size=6))
@example([b"[" * 100_000])
@example([b'{"type":"user","message":{"content":"' + b"x" * 3_000_000 + b'"}}'])
@example([b'{"type":"user","message":{"content":"\xff\xfe"}}'])
@example([b'{"type":"user","message":{"content":"\x00"}}', b"\x00" * 100])
@example([b'{"type":"assistant","message":{"id":1,"model":[],"usage":{"output_tokens":"x"}}}'])
@example(
    [b'{"type":"assistant","message":{"id":"m","model":"x","usage":{"output_tokens":' + b"9" * 400 + b"}}}"]
)
@settings(max_examples=20)
def test_no_line_stops_the_scanner(found: list[bytes]) -> None:
    assert_scanned(found)


@pytest.mark.soak
@given(st.lists(lines, max_size=6))
@settings(max_examples=400)
def test_none_of_many_lines_stops_the_scanner(found: list[bytes]) -> None:
    assert_scanned(found)


def _bad(found: list[bytes]) -> list[int]:
    """The offsets of the lines that are no object, as the standard library sees it."""
    offsets, offset = [], 0
    for line in found:
        if line.strip() and not isinstance(_value(line), dict):
            offsets.append(offset)
        offset += len(line) + 1
    return offsets


def _value(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


@given(st.integers(0, 400))
@settings(max_examples=40)
def test_a_transcript_that_ends_anywhere_is_read_up_to_there(cut: int) -> None:
    data = text_of(user("one", 1), answer(words("x")), user("two", 2)).encode()
    fast, whole = scans(data[: len(data) - cut])
    assert fast == whole


@pytest.mark.parametrize("size", [(1 << 20) - 5, 1 << 20, (1 << 21) + 7])
def test_lines_that_are_longer_than_a_chunk_are_whole(size: int) -> None:
    data = text_of(user("one", 1), user("x" * size, 2), user("two", 3)).encode()
    fast, whole = scans(data)
    assert fast == whole
    assert (len(fast.marks), fast.bad) == (3, ())


def test_a_line_that_is_too_long_is_passed_over_and_counted() -> None:
    first = text_of(user("one", 1)).encode()
    fast, whole = scans(first + b'{"x":"' + b"y" * (34 << 20) + b'"}\n' + GOOD)
    assert fast == whole
    assert (len(fast.marks), fast.bad) == (2, (len(first),))


def real(name: str, own: object, *content: object, **more: object) -> dict[str, object]:
    """An answer whose fields are in the order in which Claude Code writes them."""
    message = {"model": "claude-haiku-4-5", "id": name, "type": "message", "content": content}
    line = entry("assistant") | {"message": message | {"stop_sequence": None, "usage": own}}
    del line["type"]
    return {**line, "requestId": "r", **more, "type": "assistant"}


GIVEN = {"stop_sequence": None, "usage": {"input_tokens": 8, "output_tokens": 9}}
OWN = {"input_tokens": 2, "output_tokens": 1, "cache_creation": {"ephemeral_1h_input_tokens": 4}}


@pytest.mark.parametrize("own", [OWN, None])
@pytest.mark.parametrize("given", [{}, GIVEN, {"message": {"model": "other", "id": "m2", **GIVEN}}])
@pytest.mark.parametrize("more", [{}, {"extra": {"id": "m3", **GIVEN}}])
def test_the_tokens_of_a_message_are_its_own_whatever_stands_beside_them(
    own: object, given: dict[str, object], more: dict[str, object]
) -> None:
    line = real("m1", own, {"type": "tool_use", "id": "c1", "input": given}, **more)
    fast, whole = scans(text_of(user("one"), line).encode())
    assert fast == whole
    assert [(one.message, one.output, one.cache_write_1h) for one in fast.usage] == (
        [("m1", 1, 4)] if own else []
    )


@pytest.mark.parametrize("cut", [150, 350, 420])
def test_a_line_that_was_torn_and_went_on_as_another_is_bad(cut: int) -> None:
    first, second = (text_of(real(name, OWN, words("x" * 200))) for name in ("m1", "m2"))
    before = text_of(user("one"))
    fast, whole = scans(f"{before}{first[:cut]}{second}{second}".encode())
    assert fast == whole
    assert ([one.message for one in fast.usage], fast.bad) == (["m2"], (len(before),))


def test_a_broken_answer_spoils_none_of_its_neighbours() -> None:
    def of_a_message(**more: object) -> str:
        line = real("m2", OWN, words("x"))
        message = line["message"]
        assert isinstance(message, dict)
        return text_of({**line, "message": {**message, **more}})

    broken = of_a_message().replace('"output_tokens":1', '"output_tokens":1]')
    others = (of_a_message(id=""), of_a_message(model=""), of_a_message(usage=None), of_a_message(id=None))
    same = (of_a_message(stop_sequence="x", model="first"), of_a_message(model="last"))
    before = text_of(user("one"), real("m1", OWN, words("x")))
    after = text_of(real("m3", OWN, words("x")))
    fast, whole = scans("".join((before, broken, *others, *same, after)).encode())
    assert sorted(fast.usage) == sorted(whole.usage)
    assert {one.message: one.model for one in fast.usage} == {
        "m1": "claude-haiku-4-5",
        "m2": "last",
        "m3": "claude-haiku-4-5",
    }
    assert fast.bad == whole.bad == (len(before),)


@pytest.mark.parametrize("content", [b'[{"type":tex', b'"\xff\xfe"', b'"\x01"'], ids=repr)
def test_an_answer_with_broken_content_costs_what_it_says_and_only_the_whole_reading_calls_it_bad(
    content: bytes, tmp_path: Path
) -> None:
    line = (
        b'{"parentUuid":null,"sessionId":"s","cwd":"/w","message":{"id":"m1","model":"x","type":"message",'
        b'"role":"assistant","content":' + content + b',"stop_reason":null,"stop_sequence":null,'
        b'"usage":{"output_tokens":7}},"type":"assistant"}\n'
    )
    path = tmp_path / "s.jsonl"
    path.write_bytes(GOOD + line)
    fast, whole = read_fast(path, 0), read_whole(path, 0)
    assert ([one.output for one in fast.usage], fast.bad) == ([7], ())
    assert (whole.usage, whole.bad) == ((), (len(GOOD),))
