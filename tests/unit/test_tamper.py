"""What the tamper gate says of a diff: a row for each way to cheat, and for each honest change beside it."""

import pytest

from sparky.domain.change import Sort
from sparky.tamper.edit import Edit
from sparky.tamper.judge import judge, source_changes

TEST = """import pytest
from shop import total, close

CASES = [("a", 3), ("b", 5)]


def test_total():
    basket = [3, 4]
    assert total(basket) == 7
    assert total([]) == 0


@pytest.mark.parametrize(("name", "price"), CASES)
def test_price(name, price):
    assert total([name]) == price


def test_error():
    with pytest.raises(ValueError, match="empty"):
        close("")


def test_about():
    assert total([0.1, 0.2]) == pytest.approx(0.3, abs=1e-9)


class TestClose:
    def test_open(self):
        assert close("x") in ("closed", "shut")
        assert isinstance(close("y"), str)


def test_runs():
    close("z")
"""
PATH = "tests/test_shop.py"


def said(*edits: Edit) -> list[Sort]:
    return [suspicion.sort for suspicion in judge(edits, dict)]


def edited(old: str, new: str, text: str = TEST) -> Edit:
    assert old in text
    return Edit(path=PATH, before=text, after=text.replace(old, new, 1))


REMOVED = {
    "deleted": (
        'def test_error():\n    with pytest.raises(ValueError, match="empty"):\n        close("")\n',
        "",
    ),
    "renamed": ("def test_error", "def check_error"),
    "class renamed": ("class TestClose", "class Close"),
    "class with an init": (
        "class TestClose:\n",
        "class TestClose:\n    def __init__(self):\n        pass\n\n",
    ),
    "class not a test": ("class TestClose:\n", "class TestClose:\n    __test__ = False\n\n"),
    "module not a test": ("CASES =", "__test__ = False\nCASES ="),
    "a fixture": ("def test_error", "@pytest.fixture\ndef test_error"),
    "never defined": ("def test_runs():\n    close", "if False:\n    def test_runs():\n        close"),
}
SKIPPED = {
    "marked": ("def test_error", "@pytest.mark.skip\ndef test_error"),
    "always": ("def test_error", "@pytest.mark.skipif(True, reason='x')\ndef test_error"),
    "class": ("class TestClose", "@unittest.skip('x')\nclass TestClose"),
    "module": ("CASES =", "pytestmark = [pytest.mark.xfail]\nCASES ="),
    "module call": ("CASES =", "pytest.skip('x', allow_module_level=True)\nCASES ="),
    "module raise": ("CASES =", "raise unittest.SkipTest\nCASES ="),
}
HOLLOW = {
    "return": ("    basket =", "    return\n    basket ="),
    "skip call": ("    basket =", "    pytest.skip('x')\n    basket ="),
    "conditional return": ("    basket =", "    if FULL:\n        return\n    basket ="),
    "always return": ("    basket =", "    if True:\n        return\n    basket ="),
    "if False": ("    assert total([]) == 0", "    if False:\n        assert total([]) == 0"),
    "condition": ("    assert total([]) == 0", "    if FULL:\n        assert total([]) == 0"),
    "while": ("    assert total([]) == 0", "    while 0:\n        assert total([]) == 0"),
    "no loop": ("    assert total([]) == 0", "    for _ in []:\n        assert total([]) == 0"),
    "except": (
        "    assert total([]) == 0",
        "    try:\n        assert total([]) == 0\n    except AssertionError:\n        pass",
    ),
    "suppress": ("    assert total([]) == 0", "    with suppress(Exception):\n        assert total([]) == 0"),
    "same": ("assert total([]) == 0", "assert total([]) == total([])"),
    "smoke": ('    close("z")', "    pass"),
    "marked case": ('("b", 5)', 'pytest.param("b", 5, marks=pytest.mark.skip)'),
}
LOOSENED = {
    "shadowed": ("class TestClose", "def test_error():\n    pass\n\n\nclass TestClose"),
    "or True": ("assert total([]) == 0", "assert total([]) == 0 or True"),
    "gone": ("    assert total([]) == 0\n", ""),
    "in": ("total([]) == 0", "total([]) in (0, 1)"),
    "at least": ("total([]) == 0", "total([]) >= 0"),
    "not None": ("total([]) == 0", "total([]) is not None"),
    "truth": ("total([]) == 0", "total([])"),
    "length": ("total(basket) == 7", "len(str(total(basket))) == len(str(7))"),
    "tolerance": ("abs=1e-9", "abs=10"),
    "wider error": ("ValueError", "Exception"),
    "more errors": ("pytest.raises(ValueError", "pytest.raises((ValueError, KeyError)"),
    "no match": (', match="empty"', ""),
    "more allowed": ('("closed", "shut")', '("closed", "shut", "ajar")'),
    "a case": (', ("b", 5)', ""),
}
CHANGED = {
    "expected": ("total([]) == 0", "total([]) == 1"),
    "another claim": ("total(basket) == 7", "total([9]) == 9"),
    "a case": ('("b", 5)', '("b", 6)'),
}
REPLACED = {
    "stub": ("CASES =", "def total(x):\n    return 7\n\n\nCASES ="),
    "attribute": ("CASES =", "total.cache = lambda: 7\nCASES ="),
    "patched": ("    basket =", "    monkeypatch.setattr('shop.total', int)\n    basket ="),
    "local": ("    basket =", "    total = lambda x: 7\n    basket ="),
}
TABLE = {
    Sort.REMOVED: REMOVED,
    Sort.SKIPPED: SKIPPED,
    Sort.HOLLOW: HOLLOW,
    Sort.LOOSENED: LOOSENED,
    Sort.CHANGED: CHANGED,
    Sort.REPLACED: REPLACED,
}
ROWS = [
    pytest.param(sort, *row, id=f"{sort.value}-{name}")
    for sort, rows in TABLE.items()
    for name, row in rows.items()
]


@pytest.mark.parametrize(("sort", "old", "new"), ROWS)
def test_a_test_that_is_worth_less_is_named_with_its_sort(sort: Sort, old: str, new: str) -> None:
    assert sort in said(edited(old, new))


HONEST = {
    "added": ("CASES =", "def test_new():\n    assert total([1]) == 1\n\n\nCASES ="),
    "renamed local": (
        "    basket = [3, 4]\n    assert total(basket)",
        "    things = [3, 4]\n    assert total(things)",
    ),
    "put in": ("    basket = [3, 4]\n    assert total(basket)", "    assert total([3, 4])"),
    "turned": ("total(basket) == 7", "7 == total(basket)"),
    "merged": (
        "    assert total(basket) == 7\n    assert total([]) == 0",
        "    assert total(basket) == 7 and total([]) == 0",
    ),
    "loop": (
        "    basket = [3, 4]\n    assert total(basket) == 7\n    assert total([]) == 0",
        "    for given, wanted in [([3, 4], 7), ([], 0)]:\n        assert total(given) == wanted",
    ),
    "helper": (
        "    assert total([]) == 0",
        "    is_so([], 0)\n\n\ndef is_so(a, b=0):\n    assert total(a) == b",
    ),
    "test renamed": ("def test_error", "def test_an_error"),
    "one case more": ('("b", 5)', '("b", 5), ("c", 6)'),
    "stricter": ('close("x") in ("closed", "shut")', 'close("x") == "closed"'),
    "tolerance": ("abs=1e-9", "abs=1e-12"),
    "documented": ("    basket =", '    """What it costs."""\n    basket ='),
    "message": ("total([]) == 0", 'total([]) == 0, "nothing costs nothing"'),
    "smoke with a claim": ('    close("z")', '    assert close("z") == "closed"'),
    "skip that never is": ("def test_error", "@pytest.mark.skipif(False, reason='x')\ndef test_error"),
}


@pytest.mark.parametrize(("old", "new"), HONEST.values(), ids=HONEST)
def test_a_test_that_says_as_much_is_let_through(old: str, new: str) -> None:
    assert said(edited(old, new)) == []


@pytest.mark.parametrize(
    ("old", "new", "other"),
    [
        ("list(map(lambda t: t.kind, close(x)))", "[t.kind for t in close(x)]", "[t.kind for t in []]"),
        ("list(t for t in close(x) if t)", "[t for t in close(x) if t]", "[t for t in close(x)]"),
        ("[t for t in close(x)]", "list(close(x))", "list([])"),
        ("set([t.kind for t in close(x)])", "{t.kind for t in close(x)}", "{t.kind for t in []}"),
        ("dict((t, 1) for t in close(x))", "{t: 1 for t in close(x)}", "{1: t for t in close(x)}"),
        ("dict([(t, 1) for t in close(x)])", "{t: 1 for t in close(x)}", "{t: 2 for t in close(x)}"),
        ("all([t for t in close(x)])", "all(t for t in close(x))", "all(t for t in [])"),
        ("set([close(x)])", "{close(x)}", "{close(x), 1}"),
        ("tuple([close(x)])", "(close(x),)", "(1,)"),
        ("list((close(x),))", "[close(x)]", "[1]"),
    ],
)
def test_another_spelling_of_a_collection_claims_the_same_and_another_one_does_not(
    old: str, new: str, other: str
) -> None:
    text = f"from shop import close\n\n\ndef test_it(x, y):\n    assert {old} == y\n"
    assert said(edited(old, new, text)) == []
    assert said(edited(old, other, text)) != []


@pytest.mark.parametrize(
    "own",
    [
        "def list(x):\n    return close(1)\n",
        "class list: ...\n",
        "from shop import list\n",
        "from shop import *\n",
        "list = close\n",
        "def test_other(list): ...\n",
    ],
)
def test_a_built_in_that_a_module_has_of_its_own_is_another(own: str) -> None:
    text = "from shop import close\n\n\ndef test_it(x):\n    assert close(x) == [1, 2]\n"
    told = text.replace("[1, 2]", "list([1, 2])")
    assert said(Edit(path=PATH, before=text, after=f"{own}{told}")) != []
    assert said(Edit(path=PATH, before=f"{own}{text}", after=f"{own}{told}")) != []


def test_a_change_that_is_nested_too_deeply_for_this_python_to_be_read_is_a_trick() -> None:
    deep = f"{TEST}\n\ndef test_deep():\n    assert total([]){' + 1' * 1200}\n"
    assert said(Edit(path=PATH, before=TEST, after=deep)) in ([Sort.TRICK], [])


def test_a_changed_expectation_is_left_to_the_runs_where_source_changed() -> None:
    source = Edit(path="shop.py", before="X = 1\n", after="X = 2\n")
    comment = Edit(path="shop.py", before="X = 1\n", after="X = 1  # one\n")
    told = edited("total([]) == 0", "total([]) == 1")
    assert (said(source, told), said(comment, told)) == ([], [Sort.CHANGED])
    assert (source_changes([source]), source_changes([comment, told])) == (True, False)


def test_what_is_tested_may_be_renamed_everywhere() -> None:
    assert said(Edit(path=PATH, before=TEST, after=TEST.replace("total", "cost"))) == []


def test_a_test_may_move_to_another_module_that_is_collected() -> None:
    start, end = TEST.index("def test_error"), TEST.index("def test_about")
    rest, moved = TEST[:start] + TEST[end:], "import pytest\nfrom shop import close\n\n\n" + TEST[start:end]
    left = Edit(path=PATH, before=TEST, after=rest)
    assert said(left, Edit(path="tests/test_errors.py", before=None, after=moved)) == []
    assert said(left, Edit(path="tests/errors.py", before=None, after=moved)) == [Sort.REMOVED]


def test_a_test_module_may_move_to_where_tests_are_looked_for() -> None:
    assert said(Edit(path="tests/unit/test_shop.py", old_path=PATH, before=TEST, after=TEST)) == []
    assert Sort.REMOVED in said(Edit(path="tests/shop_old.py", old_path=PATH, before=TEST, after=TEST))
    assert Sort.REMOVED in said(Edit(path=PATH, before=TEST, after=None))


def test_classes_of_unittest_are_read_as_well() -> None:
    text = "class Totals(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(f(2), 4)\n"
    assert said(edited("self.assertEqual(f(2), 4)", "assert f(2) == 4", text)) == []
    assert said(edited("self.assertEqual(f(2), 4)", "self.assertIn(f(2), [4, 5])", text)) == [Sort.LOOSENED]
    assert said(edited("(unittest.TestCase)", "", text)) == [Sort.REMOVED]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self.assertTrue(x(1) == 2)", "self.assertTrue(x(1))"),
        ("self.assertFalse(x(1))", "x(1)"),
        ("self.assertIsNone(x(1))", "self.assertIsNotNone(x(1))"),
        ("self.assertIsInstance(x(1), int)", "x(1)"),
        ("self.assertCountEqual(x(1), [2, 3])", "self.assertIn(2, x(1))"),
        ("self.assertAlmostEqual(x(1), 2.5, places=7)", "self.assertAlmostEqual(x(1), 2.5, places=1)"),
        ("self.assertRaises(KeyError, x, 1)", "self.assertRaises(LookupError, x, 1)"),
        ("self.fail('never')", "x(1)"),
        ("assert_valid(x(1))", "x(1)"),
        ("assert x(1).startswith('ab')", "assert x(1)"),
        ("assert abs(x(1) - 4) < 0.1", "assert abs(x(1) - 4) < 10"),
        ("assert x(1) == 7", "assert x(1) == mock.ANY"),
        ("assert 1 < x(1) < 3", "assert 1 < x(1)"),
    ],
)
def test_every_form_of_a_check_is_known(before: str, after: str) -> None:
    text = f"class TestX(TestCase):\n    def test_x(self):\n        {before}\n"
    assert said(edited(before, after, text)) in ([Sort.LOOSENED], [Sort.HOLLOW])
    assert said(edited(before, f"{before}  # why", text)) == []


SOURCE = "import os\n\n\ndef price(name):\n    return len(name)\n"


@pytest.mark.parametrize(
    "line",
    [
        "if 'PYTEST_CURRENT_TEST' in os.environ: return 3",
        "if 'pytest' in sys.modules: return 3",
        "if sys.modules.get('pytest'): return 3",
        "if sys._called_from_test: return 3",
        "if 'pytest' in sys.argv[0]: return 3",
        "os._exit(0)",
        "raise SystemExit(0)",
        "atexit.register(lambda: os._exit(0))",
        "builtins.AssertionError = ValueError",
        "setattr(unittest, 'TestCase', object)",
    ],
)
def test_source_that_deceives_its_tests_is_a_trick(line: str) -> None:
    edit = Edit(path="shop.py", before=SOURCE, after=SOURCE.replace("    return", f"    {line}\n    return"))
    assert Sort.TRICK in said(edit)
    assert said(Edit(path="shop.py", before=edit.after, after=f"{edit.after}\n# more\n")) == []


@pytest.mark.parametrize(
    "text",
    [
        "def pytest_collection_modifyitems(items):\n    items.clear()\n",
        "@pytest.fixture(autouse=True)\ndef calm(monkeypatch):\n    monkeypatch.setattr('shop.total', int)\n",
        "@pytest.fixture(autouse=True)\ndef calm():\n    shop.total = int\n",
        "collect_ignore = ['test_shop.py']\n",
        "globals().pop('test_total')\n",
        "unittest.TestCase.assertEqual = print\n",
    ],
)
def test_a_conftest_that_changes_what_runs_is_a_trick(text: str) -> None:
    assert said(
        Edit(path="tests/conftest.py", before="import pytest\n", after=f"import pytest\n\n{text}")
    ) == [Sort.TRICK]


def test_honest_fixtures_and_exits_are_let_through() -> None:
    fixture = "@pytest.fixture(autouse=True)\ndef home(monkeypatch):\n    monkeypatch.setenv('HOME', '/')\n"
    main = "def main():\n    sys.exit(0)\n\n\nif __name__ == '__main__':\n    sys.exit(0)\n"
    assert (
        said(Edit(path="conftest.py", before="", after=fixture), Edit(path="shop.py", before="", after=main))
        == []
    )


def test_a_file_that_runs_whenever_python_starts_is_a_trick() -> None:
    assert said(Edit(path="sitecustomize.py", before=None, after="")) == [Sort.TRICK]


def test_an_answer_to_a_tests_own_input_is_a_trick_and_a_base_case_is_not() -> None:
    tests = {PATH: "def test_it():\n    assert price('kitten') == 3\n    assert price('') == 0\n"}
    special = SOURCE.replace("    return", "    if name == 'kitten':\n        return 3\n    return")
    base_case = SOURCE.replace("    return", "    if name == '':\n        return 0\n    return")
    judged = [
        judge([Edit(path="shop.py", before=SOURCE, after=text)], lambda: tests)
        for text in (special, base_case)
    ]
    assert [[s.line for s in one] for one in judged] == [[5], []]


def test_data_of_tests_is_neither_taken_away_nor_made_to_fit() -> None:
    gone = Edit(path="tests/data/a.json", before="{}", after=None)
    fitted = Edit(path="tests/data/a.json", before='{"a": 1}', after='{"a": 2}')
    laid_out = Edit(path="tests/data/a.json", before='{"a": 1}', after='{"a":\n1}'.replace('":\n', '": '))
    assert (said(gone), said(fitted), said(laid_out)) == ([Sort.REMOVED], [Sort.CHANGED], [])


def test_files_that_do_not_parse_are_left_to_another_gate() -> None:
    assert (
        said(Edit(path=PATH, before="def (", after="def ("), Edit(path="a.py", before="(", after="(")) == []
    )


FILLED = """from shop import watch


def test_watch():
    seen = []
    counts = {}

    def note(price):
        seen.append(price)
        counts[price] = 1

    watch(3, note)
    assert seen == [3]
    assert counts == {3: 1}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [("seen == [3]", "seen != [3]"), ("seen == [3]", "seen is not None"), ("counts == {3: 1}", "counts")],
)
def test_what_is_filled_before_it_is_judged_is_no_constant(old: str, new: str) -> None:
    assert said(edited(old, new, FILLED)) == [Sort.LOOSENED]


LEFT = """import pytest
from shop import Basket


def test_left():
    basket = Basket()
    with pytest.raises(KeyError):
        with basket.locked():
            raise KeyError
    assert not basket.is_locked()
"""


def test_what_is_claimed_behind_an_expected_error_counts() -> None:
    assert said(edited("    assert not basket.is_locked()\n", "", LEFT)) == [Sort.LOOSENED]


def test_bug_source_that_is_nested_too_deep_to_be_told_broke_the_judgement_off() -> None:
    deep = f"X = {' + '.join('1' * 1500)}\n"
    assert source_changes([Edit(path="shop.py", before=deep, after=f"{deep}Y = 1\n")])
    assert not source_changes([Edit(path="shop.py", before=deep, after=deep)])
