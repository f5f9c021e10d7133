"""Which docstrings a program may read, whose text is then left as it is."""

import pytest

from sparky.tools.docstrings import for_people, for_programs, read_by_name, spans
from sparky.tools.programs.sources import tree_of

GRAMMAR = b"""
def p_expr(p):
    '''expr : expr PLUS term'''


class Lexer:
    "Reads."

    def t_number(self, t):
        r"\\d+"

    def walk(self): '''Go.

    On.'''
"""


def lines(source: bytes) -> tuple[list[int], list[int]]:
    """The lines of the docstrings for people, and of those for programs."""
    tree = tree_of(source)
    assert tree is not None
    return sorted(spans(for_people(source, tree))), sorted(spans(for_programs(source, tree)))


def test_a_grammar_is_read_by_a_program_and_what_stands_beside_it_is_not() -> None:
    assert lines(GRAMMAR) == ([7, 12, 13, 14], [3, 10])


@pytest.mark.parametrize(
    ("source", "is_read"),
    [
        (b"'''Text.'''\nX = 1\n", False),
        (b"\xef\xbb\xbfr'''Text.'''\n", True),
        (b"'Usage: a'\nprint(__doc__)\n", True),
        (b"'Text.'\nimport inspect\ninspect.getdoc(f)\n", True),
        (b"'Text.'\nimport doctest\n", True),
        (b"'Usage: a'\nfrom docopt import docopt\n", True),
        (b"'Text.'\ndef f():\n    import ply.lex as lex\n", True),
        (b"'Text.'\nimport plywood\n", False),
    ],
)
def test_a_docstring_is_for_programs_that_is_raw_or_whose_file_reads_any(
    source: bytes, *, is_read: bool
) -> None:
    assert lines(source) == (([], [1]) if is_read else ([1], []))


def test_the_help_of_a_command_is_read_and_what_stands_beside_it_is_not() -> None:
    source = b"'Text.'\nimport click\n@click.command()\ndef go():\n    'Go.'\ndef stay():\n    'Stay.'\n"
    assert lines(source) == ([1, 7], [5])
    assert lines(source.replace(b"click", b"clock")) == ([1, 5, 7], [])


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (b"parser(description=shop.cart.__doc__)\n", {"cart"}),
        (
            b"import inspect, shop.cart as c\nprint(inspect.getdoc(c), help(shop.total))\n",
            {"c", "cart", "total"},
        ),
        (b"from shop.cart import Cart, __doc__ as text\n", {"cart"}),
        (b"getdoc()\nhelp('total')\nwrapped.documented = 1\n", set()),
    ],
)
def test_what_another_file_reads_the_docstrings_of_by_name(source: bytes, names: set[str]) -> None:
    assert read_by_name(source) == names
