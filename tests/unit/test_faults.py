"""One fault that several tools tell: which of them is shown, and whether it is gone or new."""

import re
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sparky.domain.finding import Finding, Location
from sparky.domain.issue import Kind
from sparky.tools.faults import appeared, faults, gone, told_once

GOLDEN = Path(__file__).parents[1] / "golden" / "findings" / "several" / "told.txt"
"""What six tools said of the file beside it, line by line, and whether it is told or was told by another."""
_LINE = re.compile(r"\w+ +(\d+):(\d+) (\w+) ([\w-]+): (.*)")
WORDS = {
    "ruff F821": "Undefined name `x`",
    "mypy name-defined": 'Name "x" is not defined',
    "pyrefly unknown-name": 'Could not find name "x"',
    "pyright reportUndefinedVariable": '"x" is not defined',
    "ruff F401": "`os` imported but unused",
}


def said(rule: str, line: int = 1, column: int | None = 5, message: str = "") -> Finding:
    """What a tool says of a line, of the name `x` where nothing else is given."""
    tool, code = rule.split(" ")
    where = Location(path="a.py", line=line, column=column)
    kind = Kind.IMPORT_ERROR if tool == "ruff" else Kind.TYPE_ERROR
    return Finding(tool=tool, rule=code, kind=kind, message=message or WORDS[rule], location=where)


RUFF, MYPY, PYREFLY, PYRIGHT = (said(rule) for rule in list(WORDS)[:4])


def test_what_six_tools_said_of_a_file_full_of_faults_is_told_once_and_no_fault_is_hidden() -> None:
    lines = GOLDEN.read_text().splitlines()
    matches = [match for line in lines if (match := _LINE.fullmatch(line))]
    found = [
        said(f"{tool} {rule}", int(row), int(at), words)
        for row, at, tool, rule, words in (match.groups() for match in matches)
    ]
    shown = set(map(id, told_once(found)))
    told = [
        f"{'told ' if id(one) in shown else 'again'} {line.partition(' ')[2].lstrip()}"
        for one, line in zip(found, lines, strict=True)
    ]
    assert told == lines


def test_the_tool_is_shown_whose_kind_has_an_owner_whatever_the_order() -> None:
    assert told_once([PYRIGHT, PYREFLY, MYPY, RUFF]) == (RUFF,)
    assert told_once([PYRIGHT, MYPY]) == (MYPY,)


def test_another_name_line_file_or_sort_of_fault_is_another_fault() -> None:
    elsewhere = replace(MYPY, location=replace(MYPY.location, path="b.py"))
    other = said("mypy name-defined", message='Name "y" is not defined')
    attribute = said("mypy attr-defined", message='Module "x" has no attribute "x"')
    all_of_them = (RUFF, said("mypy name-defined", line=2), elsewhere, other, attribute)
    assert told_once(all_of_them) == all_of_them


def test_columns_tell_apart_what_one_tool_says_twice_of_a_line() -> None:
    first, second = RUFF, said("ruff F821", column=12)
    same = said("pyrefly unknown-name", column=12)
    assert faults([first, second, MYPY, same]) == ((first, MYPY), (second, same))
    assert told_once([first, first, MYPY]) == (first, first)


def test_a_fault_is_gone_when_no_tool_tells_it_any_more_and_new_when_none_told_it() -> None:
    assert gone([RUFF, MYPY], [MYPY]) == gone([MYPY], [RUFF, MYPY]) == ()
    assert appeared([PYREFLY], [MYPY, PYREFLY]) == appeared([MYPY, PYREFLY], [PYREFLY]) == ()
    assert gone([RUFF, MYPY], []) == appeared([], [RUFF, MYPY]) == (RUFF, MYPY)


def test_a_kind_that_is_looked_for_alone_brings_nothing_that_another_kind_told_before() -> None:
    assert appeared([RUFF, MYPY, PYREFLY], [MYPY, PYREFLY]) == ()
    assert appeared([RUFF, PYREFLY], [MYPY]) == (MYPY,)


def test_what_moved_and_is_told_by_others_is_counted_once_for_each_place() -> None:
    two = [said("ruff F821", line=3), said("ruff F821", line=9), said("mypy name-defined", line=9)]
    one = [said("ruff F821", line=8), said("mypy name-defined", line=8)]
    assert gone(two, one) == (two[0],)
    assert appeared(one, two) == (two[0],)
    assert gone([*two, *one], [two[0]]) == (two[1], two[2], *one)


def test_bug_a_line_that_was_joined_or_taken_apart_brought_a_fault_or_mended_one() -> None:
    tools = "ruff F821", "pyrefly unknown-name"
    apart = [said(rule, line) for line in (1, 2) for rule in (*tools, "mypy name-defined")]
    joined = [said(rule, 1, column) for column in (5, 15) for rule in tools]
    joined.append(said("mypy name-defined", 1, 4))
    assert appeared(apart, joined) == gone(joined, apart) == ()


def at(line: int) -> Finding:
    return said("ruff F401", line=line)


def test_findings_are_compared_as_a_multiset() -> None:
    assert gone([at(1), at(5), at(9)], [at(2)]) == (at(5), at(9))
    assert gone([at(1)], [at(2), at(3)]) == ()
    assert appeared([at(1)], [at(2), at(3)]) == (at(3),)


few = st.lists(st.builds(lambda n, line: replace(at(line), rule=n), st.sampled_from("ABC"), st.just(1)))


@given(few, few)
def test_what_is_gone_and_what_appeared_account_for_every_finding(
    before: list[Finding], after: list[Finding]
) -> None:
    assert len(before) - len(gone(before, after)) == len(after) - len(appeared(before, after))
    assert gone(before, before) == ()
    assert gone(before, []) == tuple(before)
