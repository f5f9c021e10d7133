"""Lines on the terminal."""

import pytest

from sparky.cli.screen import put_rest


def test_a_slice_that_reads_like_an_emoji_code_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    put_rest(("shop.py:4 E203 rows[:100:]",))
    assert capsys.readouterr().out == "  left      shop.py:4 E203 rows[:100:]\n"
