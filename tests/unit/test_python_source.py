"""Python source of a target, and its TOML."""

import warnings

import pytest

from sparky.foreign import parse_foreign, toml_foreign
from sparky.tamper.options import read_options
from sparky.targets.tables import read_toml
from sparky.tools.programs.mypy_config import harmless
from sparky.tools.programs.pyproject import requirements
from sparky.tools.table import TOOLS

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


NESTED = b"a = " + b"[" * 3000


@pytest.mark.parametrize("data", [NESTED, b"a = [", b"\xff"])
def test_toml_that_can_not_be_read_is_one_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"nested too deep|Invalid value|can't decode byte"):
        toml_foreign(data)


def test_bug_a_pyproject_that_nests_deep_ended_all_who_read_it() -> None:
    tools = [tool("x", {"pyproject.toml": NESTED}.get) for tool in TOOLS.values()]
    assert [tool.name for tool in tools] == [*TOOLS]
    assert (requirements(NESTED), read_toml(NESTED), harmless("pyproject.toml", NESTED)) == ([], {}, b"")
    assert read_options("pyproject.toml", NESTED.decode()) == {}
