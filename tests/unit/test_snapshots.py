"""The lines of a snapshot that its own test makes others."""

import pytest

from sparky.tools.failing.snapshots import Rewritten, is_snapshot
from sparky.tools.ruff_json import patched

AMBR = b"# name: a\n  'x'\n# ---\n# name: b\n  'y'\n# ---\n# name: c\n  'z'\n# ---\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (AMBR, AMBR.replace(b"'x'", b"'u'").replace(b"'z'", b"'w'")),
        (AMBR, AMBR.replace(b"# name: b\n  'y'\n# ---\n", b"")),
        (AMBR, AMBR + b"# name: d\n  'e'\n# ---\n"),
        (AMBR, b""),
        (b"", AMBR),
        (b"one", b"two"),
        (b"one\ntwo", b"one\ntwo\n"),
        (b"one\ntwo", b"one\ntwo\nthree"),
        (b"one\ntwo\n", b"one\ntwo"),
        (b"one\r\ntwo\r\nthree\r\n", b"one\r\n2\r\nthree\r\n"),
        (b"one\rtwo\r", b"one\rtwo\nthree\r"),
        ("grün\x0c\u2028\x85 eins\nzwei\n".encode(), "grün\x0c\u2028\x85 zwei\nzwei".encode()),
    ],
)
def test_the_edits_make_of_what_was_there_what_the_test_wrote(before: bytes, after: bytes) -> None:
    one = Rewritten(path="tests/__snapshots__/a.ambr", before=before, after=after)
    assert one.rule == "stale-snapshot"
    assert patched(before, one.edits) == after


def test_the_edits_of_two_tests_in_one_file_go_together() -> None:
    first = AMBR.replace(b"'x'", b"'u'\n  'v'")
    second = AMBR.replace(b"  'z'\n", b"")
    made = (Rewritten(path="a", before=AMBR, after=after) for after in (first, second))
    both = first.replace(b"  'z'\n", b"")
    assert patched(AMBR, [edit for one in made for edit in one.edits]) == both


def test_a_file_of_many_lines_that_are_alike_is_read_in_no_time() -> None:
    before = b"".join(b"%d\n" % (number % 997) for number in range(100_000))
    after = before.replace(b"\n500\n", b"\n!\n")
    one = Rewritten(path="snapshots/a", before=before, after=after)
    assert len(one.edits) == 1
    assert patched(before, one.edits) == after
    small = Rewritten(path="snapshots/a", before=before, after=before.replace(b"\n500\n", b"\n!\n", 1))
    assert [edit.content for edit in small.edits] == ["!\n"]


@pytest.mark.parametrize(
    ("path", "before", "after", "rule"),
    [
        ("snapshots/a.py", b"a = 1\n", b"a = 2\n", "opaque-snapshot"),
        ("snapshots/a.png", b"\x89PNG", b"\x89PNG!", "opaque-snapshot"),
        ("snapshots/a.txt", b"a\0", b"b", "opaque-snapshot"),
        ("snapshots/a.txt", b"a", b"\xef\xbb\xbfb", "opaque-snapshot"),
        ("snapshots/a.txt", None, b"b", "whole-snapshot"),
        ("snapshots/a.txt", b"a", None, "whole-snapshot"),
    ],
)
def test_what_is_no_text_or_no_edit_is_told_apart(
    path: str, before: bytes | None, after: bytes | None, rule: str
) -> None:
    assert Rewritten(path=path, before=before, after=after).rule == rule


def test_snapshots_lie_in_directories_that_are_named_so() -> None:
    paths = ("tests/__snapshots__/a.ambr", "snapshots/test_a/b", "tests/snapshots.txt", "my_snapshots/a.txt")
    assert [path for path in paths if is_snapshot(path)] == [*paths[:2]]
