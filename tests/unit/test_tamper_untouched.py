"""What the tamper gate leaves out says nothing: each judgement is the one of the whole diff."""

import ast
from random import Random

import pytest

from sparky.domain.change import Suspicion
from sparky.tamper.alike import alike, edited
from sparky.tamper.edit import Edit
from sparky.tamper.kept import functions, judge_claims
from sparky.tamper.tricks import added
from sparky.tamper.untouched import untouched

PATH = "tests/test_shop.py"
MODULE = """WANTED = 7
def check(got):
    assert got == WANTED
def test_a():
    check(total())
def test_b():
    assert close()
"""
BLOCKS = (
    "from shop import total, close",
    "CASES = [('a', 3), ('b', 5)]",
    "WANTED = 7",
    "def check(got):\n    assert got == WANTED",
    "def twice(got):\n    check(got)\n    check(got)",
    "def test_total():\n    check(total([3, 4]))",
    "def test_twice():\n    twice(total([3, 4]))",
    "def test_plain():\n    assert close('x') == 'shut'",
    "def test_loop():\n    for name, price in CASES:\n        assert total([name]) == price",
    "@pytest.mark.skip\ndef test_later():\n    assert close('x') == 'shut'",
    """class TestShop:
    LIMIT = 3
    def check(self, got):
        assert got < self.LIMIT
    def test_limit(self):
        self.check(total([1]))
    def test_plain(self):
        assert close('y')""",
    "class TestMore(TestShop):\n    def test_limit(self):\n        self.check(total([2]))",
    "def test_limit():\n    assert total([]) == 0",
    "if total:\n    def test_total():\n        assert total([1]) == 1",
    "def set(*items):\n    return items",
    "def test_set():\n    assert set([1, 2]) == total([1])",
    "def pytest_collection_modifyitems(items):\n    items.clear()",
    "def fail():\n    sys.exit(0)",
)
CHANGES = (
    ("== 7", "== 8"),
    ("WANTED = 7", "WANTED = 8"),
    ("3", "4"),
    ("check", "verify"),
    ("'", '"'),
    ("\n    ", "\n        "),
    ("    assert got == WANTED", "    pass"),
    ("@pytest.mark.skip\n", ""),
    ("test_plain", "plain"),
    ("test_limit", "test_most"),
    ("== 'shut'", "in ('shut', 'closed')"),
    ("TestShop", "TestStall"),
)


def diff(seed: int) -> list[Edit]:
    """Three test modules of some of the blocks, and what becomes of them."""
    random = Random(seed)  # noqa: S311 - which modules these are is no secret
    edits = []
    for name in ("tests/test_a.py", "tests/test_b.py", "tests/helpers.py"):
        before = random.sample(BLOCKS, 9)
        after = [block for block in before if random.random() < 0.95]
        if random.random() < 0.3:
            random.shuffle(after)
        after += random.sample(BLOCKS, random.choice((0, 0, 1)))
        text = "\n\n".join(after)
        for old, new in random.sample(CHANGES, random.choice((0, 1, 2))):
            text = text.replace(old, new)
        edits.append(Edit(path=name, before="\n".join(before), after=text))
    return edits


def said(suspicions: list[Suspicion]) -> list[str]:
    return sorted(f"{s.said} {s.line} {s.why}" for s in suspicions)


def test_functions_that_are_left_out_change_no_judgement() -> None:
    suspected = skipped = 0
    for seed in range(50):
        base, head = functions(diff(seed))
        still = untouched(base, head)
        whole = said(list(judge_claims(base, head, frozenset())))
        assert said(list(judge_claims(base, head, still))) == whole, seed
        suspected += bool(whole)
        skipped += len(still)
    assert suspected > 20
    assert skipped > 150


def test_an_edit_has_a_trick_if_and_only_if_its_edited_statements_have_it() -> None:
    tricks = [
        (any(added(edit, *edit.edited)), any(added(edit, *edit.trees)))
        for seed in range(40)
        for edit in diff(seed)
    ]
    assert [short for short, _ in tricks] == [whole for _, whole in tricks]
    assert {whole for _, whole in tricks} == {True, False}


@pytest.mark.parametrize(
    ("before", "after", "still"),
    [
        ("WANTED = 7", "WANTED = 7  # or so", "check test_a test_b"),
        ("check(got):\n   ", "check(got):", "check test_a test_b"),
        ("WANTED = 7", "WANTED = 8", "test_b"),
        ("assert got == WANTED", "pass", "test_b"),
        ("def test_b", "def test_c", "check test_a"),
        ("def test_a", "@pytest.mark.skip\ndef test_a", "check test_b"),
        ("def test_b", "def test_b(): pass\ndef test_b", "check test_a"),
    ],
)
def test_untouched_is_what_reads_the_same(before: str, after: str, still: str) -> None:
    assert before in MODULE
    edit = Edit(path=PATH, before=MODULE, after=MODULE.replace(before, after))
    assert untouched(*functions([edit])) == {(PATH, name) for name in still.split()}


def test_a_literal_of_another_type_or_another_mark_is_another_tree() -> None:
    texts = ("x = 1", "x = True", "x = 1.0", "x = '1'", "x = u'1'", "x = None", "x: int = 1", "global x")
    trees = [ast.parse(text) for text in texts]
    assert [[alike(one, other) for other in trees] for one in trees] == [
        [one == other for other in texts] for one in texts
    ]
    assert alike(ast.parse("x = ('a'\n 'b')"), ast.parse("x = 'ab'"))
    assert not alike(ast.parse("global x"), ast.parse("global z"))


def test_the_edited_statements_are_those_of_one_side_alone() -> None:
    before = "import a\nclass A:\n    x = 1\n    def f(self): pass\nf(1)\nf(1)\n"
    after = "f(1)\nclass A:\n    x = 2\n    def f(self):\n        pass\nimport a\nimport b\n"
    assert [ast.unparse(side) for side in edited(ast.parse(before), ast.parse(after))] == [
        "class A:\n    x = 1\nf(1)",
        "class A:\n    x = 2\nimport b",
    ]


def test_a_test_that_is_skipped_on_both_sides_may_still_lose_its_claims_to_others() -> None:
    skipped = MODULE.replace("def test_a", "@pytest.mark.skip\ndef test_a")
    edit = Edit(path=PATH, before=skipped, after=f"{skipped}# or so\n")
    assert untouched(*functions([edit])) == {(PATH, "check"), (PATH, "test_b")}
