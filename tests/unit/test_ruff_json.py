import json
from pathlib import Path

import pytest

from sparky.domain.command import Completed, Ending
from sparky.formats.values_json import decode, dump
from sparky.tools.ruff import Ruff
from sparky.tools.ruff_json import Diagnostic, Edit, Place, Remedy, parse, patched
from sparky.tools.tool import ToolError

GOLDEN = Path(__file__).parent.parent / "golden" / "findings" / "ruff"
SOURCES = decode((GOLDEN / "sources.json").read_bytes(), dict[str, str])
RAW = (GOLDEN / "raw.json").read_bytes()


def read(path: str) -> bytes | None:
    return SOURCES[path].encode("latin-1") if path in SOURCES else None


def answer(
    stdout: bytes, code: int = 1, *, stderr: bytes = b"", ending: Ending = Ending.EXITED, dropped: int = 0
) -> Completed:
    return Completed(
        argv=("ruff",), ending=ending, code=code, stdout=stdout, stderr=stderr, seconds=0.0, dropped=dropped
    )


def test_the_recorded_answers_of_both_commands_are_read_as_findings() -> None:
    answers = (answer(RAW), answer((GOLDEN / "raw_format.json").read_bytes(), code=2))
    found = Ruff(binary="ruff").findings(answers, "/repo", read)
    assert list(dump(found)) == json.loads((GOLDEN / "expected.json").read_bytes())


def test_a_diagnostic_may_lack_code_place_and_fix() -> None:
    full = {"code": "F401", "filename": "/a.py", "message": "m", "location": {"row": 1, "column": 8}}
    bare = {"code": None, "filename": "/b.py", "message": "n", "location": None, "fix": None, "new_key": 1}
    data = json.dumps([{**full, "fix": {"applicability": "safe", "edits": []}}, bare]).encode()
    assert parse(data) == (
        Diagnostic(
            code="F401",
            filename="/a.py",
            message="m",
            location=Place(row=1, column=8),
            fix=Remedy(applicability="safe"),
        ),
        Diagnostic(code=None, filename="/b.py", message="n"),
    )


@pytest.mark.parametrize("data", [b"", b"{}", b"[{}]", b'[{"code": 1}]', b"ruff failed"])
def test_what_is_not_ruffs_json_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not ruff's JSON"):
        parse(data)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (answer(b"[]", code=101, stderr=b"panicked"), "ruff gave no answer: exited, exit code 101: panicked"),
        (
            answer(b"[]", code=-9, ending=Ending.TIMED_OUT),
            "ruff gave no answer: timed out, exit code -9: it said nothing",
        ),
        (answer(RAW, dropped=7), "ruff's answer is cut short by 7 bytes"),
        (answer(b"", code=2, stderr=b"ruff failed\n"), "ruff failed with exit code 2: ruff failed"),
        (answer(b"[]"), "ruff's exit code 1 belies its 0 findings: "),
        (answer(RAW, code=0, stderr=b"warning"), "ruff's exit code 0 belies its 19 findings: warning"),
    ],
)
def test_an_answer_that_cannot_be_believed_is_refused_with_its_reason(given: Completed, said: str) -> None:
    with pytest.raises(ToolError) as error:
        Ruff(binary="ruff").findings((given,), "/repo", read)
    assert str(error.value) == said


def test_a_file_outside_of_the_target_is_refused() -> None:
    with pytest.raises(ToolError, match=r"ruff read /repo/pkg/\S+, which is outside of /elsewhere"):
        Ruff(binary="ruff").findings((answer(RAW),), "/elsewhere", read)


def test_an_empty_answer_is_no_finding() -> None:
    assert Ruff(binary="ruff").findings((answer(b"[]", code=0),), "/repo", read) == ()


def edit(start: tuple[int, int], end: tuple[int, int], content: str = "") -> Edit:
    return Edit(
        content=content,
        location=Place(row=start[0], column=start[1]),
        end_location=Place(row=end[0], column=end[1]),
    )


@pytest.mark.parametrize(
    ("source", "edits", "wanted"),
    [
        (b"", (), b""),
        (b"a\xff\n", (), b"a\xff\n"),
        (b"one\ntwo\n", (edit((2, 1), (3, 1)),), b"one\n"),
        (b"one\r\ntwo\r\n", (edit((1, 1), (2, 1)),), b"two\r\n"),
        (b"one\rtwo", (edit((2, 1), (2, 4), "2"),), b"one\r2"),
        (b"\xef\xbb\xbfone\n", (edit((1, 1), (1, 2), "O"),), b"\xef\xbb\xbfOne\n"),
        ("'😀ä\x0c\u2028' b\n".encode(), (edit((1, 8), (1, 9), "c"),), "'😀ä\x0c\u2028' c\n".encode()),
        (b"'x'\n", (edit((1, 1), (1, 1), "r"),) * 2, b"r'x'\n"),
        (b"abcd", (edit((1, 1), (1, 3), "X"), edit((1, 2), (1, 4), "Y")), b"Xcd"),
        (b"abcd", (edit((1, 3), (1, 5), "Y"), edit((1, 1), (1, 3), "X")), b"XY"),
    ],
)
def test_edits_are_made_by_row_and_character_and_all_other_bytes_stay(
    source: bytes, edits: tuple[Edit, ...], wanted: bytes
) -> None:
    assert patched(source, edits) == wanted
