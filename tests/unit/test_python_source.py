"""Python source of a target."""

import warnings

import pytest

from sparky.foreign import parse_foreign

ESCAPE = b"x = '\\d'\nif x is 1: pass\n"


def test_what_the_parser_has_to_say_of_the_targets_source_is_not_shown() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(parse_foreign(ESCAPE).body) == 2
        with pytest.raises(DeprecationWarning, match="ours"):
            warnings.warn("ours", DeprecationWarning, stacklevel=1)


def test_what_does_not_parse_is_an_error() -> None:
    with pytest.raises(SyntaxError):
        parse_foreign(b"x = (")
