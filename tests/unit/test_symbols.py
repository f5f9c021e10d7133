import sysconfig
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparky.tools.symbols import lines_before_scopes, symbol_at, symbols, symbols_parsed

SOURCE = b"""\
import os

@decorated(
    "twice",
)
class Reader:
    limit = 3

    def read(self):
        if self.limit:
            def inner():
                return 1
        match self.limit:
            case 3:
                class Local: ...
        try:
            pass
        except ValueError:
            async def later(): pass
        return "\\d"

last = 1
"""


def test_each_line_has_the_name_of_what_encloses_it() -> None:
    assert symbols(SOURCE) == (
        *("", ""),
        *(("Reader",) * 6),
        *(("Reader.read",) * 2),
        *(("Reader.read.inner",) * 2),
        *(("Reader.read",) * 2),
        "Reader.read.Local",
        *(("Reader.read",) * 3),
        "Reader.read.later",
        "Reader.read",
        *("", "", ""),
    )


def test_layout_tells_what_the_parser_tells() -> None:
    folder = Path(sysconfig.get_path("stdlib"))
    for name in ("argparse", "ast", "cgitb", "dataclasses", "enum", "inspect", "typing", "uuid"):
        source = (folder / f"{name}.py").read_bytes()
        assert (name, symbols(source)) == (name, symbols_parsed(source))


@pytest.mark.parametrize(
    "source",
    [
        b'x = """\ndef no(): ...\n"""\ndef f():\n    a = (\n1,\n)\n    # inside\n    return a\n# out',
        b"def f():\n    x = 'a # def'  # class C:\n\n    class C: y = 1\n    return x\nasync  def g(): ...\n",
        b"if 1:\n  @a\n  # between\n  @b(\n1,\n  )\n  def f(): ...\nelse:\n  class D:\n    z = 2",
        b"m = (a\n@ b)\nclass_ = 1\ndef f(): return 1 \\\n  + 2\n",
        "def gr\u00fc\u00dfe(): ...\n".encode(),
        b"class A:\n\tdef f(self):\n\t\tpass\n",
    ],
)
def test_layout_is_not_misled(source: bytes) -> None:
    assert symbols(source) == symbols_parsed(source) != ()


def test_crlf_and_lone_carriage_returns_count_lines_as_lf_does() -> None:
    for newline in (b"\r\n", b"\r"):
        names = symbols(SOURCE.replace(b"\n", newline))
        assert [symbol_at(names, line) for line in range(1, 24)] == list(symbols(SOURCE))


def test_source_that_is_no_python_has_no_names() -> None:
    assert [symbols(bad) for bad in (b"def f(:\n", b"a\0b", b"# coding: no-such\n", b"(" * 5000)] == [()] * 4


def test_a_place_outside_of_the_source_has_no_name() -> None:
    names = symbols(b"def f(): ...\n")
    assert [symbol_at(names, line) for line in (None, 0, 1, 2, 99)] == ["", "", "f", "", ""]
    assert symbol_at((), 1) == ""


def test_an_invalid_escape_in_the_source_is_not_our_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert symbols(b'def f():\n    return "\\d"\n') == ("f", "f", "")
        filters = warnings.filters[:]
        symbols(SOURCE)
        assert warnings.filters[:] == filters


@given(st.binary(max_size=200))
def test_any_bytes_are_borne(source: bytes) -> None:
    assert all(name == "" or name.isidentifier() or "." in name for name in symbols(source))


@given(
    st.lists(st.sampled_from(["x = 1", "", "  y = 2", "\x0c", "def f(): pass", "@d", "class C: pass"])),
    st.data(),
)
def test_what_stands_before_the_first_scope_has_no_name(lines: list[str], data: st.DataObject) -> None:
    newline = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    source = newline.join(lines).encode()
    plain = lines_before_scopes(source)
    assert not any(symbols(source)[:plain])
    scopes = [number for number, line in enumerate(lines) if line.startswith(("def", "@", "class"))]
    assert plain == (scopes[0] if scopes else max(len(lines), 1))
