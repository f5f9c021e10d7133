"""What red tests trip over, told from their messages and the repository's history."""

import itertools
from collections.abc import Mapping

import pytest

from sparky.domain.testing import TestCase, TestOutcome
from sparky.tools.failing.causes import diagnose
from sparky.tools.failing.tree import Step, Tree
from sparky.tools.ruff_json import Diagnostic, patched

Files = Mapping[str, str]
TOTAL = "def total(prices):\n    return sum(prices)\n"
TAX = "def tax(price):\n    return price // 5\n"
NO_NAME = "ImportError: cannot import name 'total' from 'shop.prices' (shop/prices.py)"
NO_MODULE = "ModuleNotFoundError: No module named 'shop.prices'"


def tree(*states: Files) -> Tree:
    """The newest of a repository's states, with the steps that led there."""
    data = [{path: text.encode() for path, text in state.items()} for state in states]
    steps = [
        Step(
            before={path: text for path, text in old.items() if new.get(path) != text},
            after={path: text for path, text in new.items() if old.get(path) != text},
        )
        for old, new in itertools.pairwise(data)
    ]
    sources = {path: text for path, text in data[-1].items() if path.endswith(".py")}
    return Tree(paths=frozenset(data[-1]), sources=sources, history=steps[::-1])


def found(
    message: str, *states: Files, test: str = "tests/test_a.py::test_a", where: str = "", line: int = 0
) -> list[Diagnostic]:
    case = TestCase(id=test, outcome=TestOutcome.FAILED, message=message, where=where, line=line)
    return list(diagnose([case], tree(*states), {}))


def mended(message: str, *states: Files, where: str = "", line: int = 0) -> dict[str, str]:
    """The files that are mended, as they are then."""
    return {
        one.filename: patched(states[-1][one.filename].encode(), one.fix.edits).decode()
        for one in found(message, *states, where=where, line=line)
        if one.fix
    }


def moved(test: str, message: str = NO_NAME) -> dict[str, str]:
    """What becomes of a test whose `total` went from shop/prices.py to shop/sums.py, beside `tax`."""
    old = {"shop/__init__.py": "", "shop/prices.py": TOTAL + TAX, "tests/test_a.py": test}
    return mended(message, old, {**old, "shop/prices.py": TAX, "shop/sums.py": TOTAL})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from shop.prices import total\n", "from shop.sums import total\n"),
        ("from shop.prices import total as t\n", "from shop.sums import total as t\n"),
        (
            "from shop.prices import tax, total\n",
            "from shop.sums import total\nfrom shop.prices import tax\n",
        ),
        (
            "def test_a():\r\n    from shop.prices import (\r\n        total,\r\n        tax,\r\n    )\r\n",
            (
                "def test_a():\r\n    from shop.sums import total\r\n"
                "    from shop.prices import (\r\n        tax,\r\n    )\r\n"
            ),
        ),
    ],
)
def test_an_import_is_led_to_where_its_name_went(before: str, after: str) -> None:
    assert moved(before) == {"tests/test_a.py": after}


@pytest.mark.parametrize(
    "test",
    [
        "try:\n    from shop.prices import total\nexcept ImportError:\n    total = sum\n",
        "from shop.prices import (\n    tax,  # five\n    total,\n)\n",
        "import os; from shop.prices import tax, total\n",
        "from shop.prices import total, discount\n",
        "from shop.prices \\\n    import total, tax\nfrom shop.old import *\n",
    ],
)
def test_an_import_is_left_where_it_is_ready_or_takes_more_than_a_rule(test: str) -> None:
    assert moved(test) == {}


def test_a_local_of_the_same_name_does_not_stand_for_what_a_module_had() -> None:
    old = {"shop/prices.py": TOTAL, "tests/test_a.py": "from shop.prices import total\n"}
    new = {**old, "shop/prices.py": "def f():\n    total = 1\n    return total\n", "shop/sums.py": TOTAL}
    assert mended(NO_NAME, old, new) == {"tests/test_a.py": "from shop.sums import total\n"}
    made = {**new, "shop/prices.py": "def __getattr__(name): ...\n"}
    assert mended(NO_NAME, old, made) == {}


def test_bug_a_star_import_or_one_in_a_function_that_nothing_mends_stopped_the_others() -> None:
    star, later = "from shop.rates import *\n", "\n\ndef f():\n    from shop.rates import gone\n"
    rates = {"shop/rates.py": TAX}
    old = {
        "shop/prices.py": TOTAL,
        **rates,
        "tests/test_a.py": f"{star}from shop.prices import total\n{later}",
    }
    new = {"shop/sums.py": TOTAL, **rates, "tests/test_a.py": old["tests/test_a.py"]}
    expected = old["tests/test_a.py"].replace("prices", "sums")
    assert mended(NO_MODULE, old, new) == {"tests/test_a.py": expected}
    first = {"tests/test_a.py": "from shop.rates import gone\nfrom shop.prices import total\n"}
    assert mended(NO_MODULE, {**old, **first}, {**new, **first}) == {}


def test_bug_an_import_in_a_file_with_tabs_was_indented_by_spaces() -> None:
    before = "def f():\n\tfrom shop.prices import (\n\t\ttotal,\n\t\ttax,\n\t\tother)\n"
    after = "def f():\n\tfrom shop.sums import total\n\tfrom shop.prices import (\n\t\ttax,\n\t\tother)\n"
    old = {"shop/prices.py": f"{TOTAL}{TAX}other = 1\n", "tests/test_a.py": before}
    new = {**old, "shop/prices.py": f"{TAX}other = 1\n", "shop/sums.py": TOTAL}
    assert mended(NO_NAME, old, new) == {"tests/test_a.py": after}


def test_relative_imports_of_the_source_stay_relative_and_all_that_is_broken_in_a_file_is_mended() -> None:
    report = "from .prices import total\nfrom .rates import tax\n"
    old = {"shop/__init__.py": "", "shop/prices.py": TOTAL, "shop/rates.py": TAX, "shop/report.py": report}
    old["tests/test_a.py"] = "from shop.report import total\n"
    new = {path: text for path, text in old.items() if path not in {"shop/prices.py", "shop/rates.py"}}
    new = {**new, "shop/sums.py": TOTAL, "shop/core/taxes.py": TAX}
    expected = "from .sums import total\nfrom shop.core.taxes import tax\n"
    assert mended(NO_MODULE, old, new) == {"shop/report.py": expected}


def test_a_whole_module_is_followed_by_each_name_that_it_has() -> None:
    test = "import shop.prices\nimport shop.prices as p\n\nshop.prices.total(p.tax(1))\n"
    old = {"src/shop/__init__.py": "", "src/shop/prices.py": TOTAL + TAX, "tests/test_a.py": test}
    new = {"src/shop/__init__.py": "", "src/shop/sums.py": TOTAL + TAX, "tests/test_a.py": test}
    expected = "import shop.sums\nimport shop.sums as p\n\nshop.sums.total(p.tax(1))\n"
    assert mended(NO_MODULE, old, new) == {"tests/test_a.py": expected}
    split = {**new, "src/shop/sums.py": TOTAL, "src/shop/taxes.py": TAX}
    assert mended(NO_MODULE, old, split) == {}
    whole = "from shop import prices\n"
    message = "ImportError: cannot import name 'prices' from 'shop' (shop/__init__.py)"
    follows = {"tests/test_a.py": "from shop import sums as prices\n"}
    assert mended(message, {**old, "tests/test_a.py": whole}, {**new, "tests/test_a.py": whole}) == follows


def renamed(source: str, test: str, message: str, *, old: str = TOTAL, where: str = "") -> dict[str, str]:
    """What becomes of a test once `old` of shop/prices.py became `source`."""
    files = {"shop/__init__.py": "", "shop/prices.py": old, "tests/test_a.py": test}
    return mended(message, files, {**files, "shop/prices.py": source}, where=where)


CART = "class Cart:\n    def worth(self):\n        return sum(self.prices)\n"


def test_a_renamed_name_is_followed_where_the_file_uses_it() -> None:
    new = TOTAL.replace("total", "amount")
    imported = "from shop.prices import total\n\ntotal([1])\n"
    expected = imported.replace("import total", "import amount as total")
    assert renamed(new, imported, NO_NAME) == {"tests/test_a.py": expected}
    message = "AttributeError: module 'shop.prices' has no attribute 'total'. Did you mean: 'amount'?"
    used = "from shop import prices\nimport shop.prices as p\n\np.total(other.total) + prices.total(1)\n"
    after = "from shop import prices\nimport shop.prices as p\n\np.amount(other.total) + prices.amount(1)\n"
    assert renamed(new, used, message) == {"tests/test_a.py": after}
    message, test = "AttributeError: 'Cart' object has no attribute 'worth'", "cart.worth()\n"
    assert renamed(CART.replace("worth", "value"), test, message, old=CART) == {
        "tests/test_a.py": "cart.value()\n"
    }
    twice = CART.replace("worth", "value") + "\n    def more(self):\n        self.worth = 2\n"
    assert renamed(twice, test, message, old=CART) == {}


def test_bug_an_attribute_was_renamed_for_objects_of_any_class() -> None:
    message, path = "AttributeError: 'Cart' object has no attribute 'append'", "shop/report.py"
    cart = CART.replace("worth(self)", "append(self, x)")
    report = (
        "def go(c, d):\n    c.append(1)\n    f(c.append, d.append)\n\n\n"
        "def rows():\n    c = []\n    c.append(2)\n    c.append(2).append(3)\n    c = {}\n\n\nc.append(4)\n"
    )
    old = {"shop/cart.py": cart, path: report, "tests/test_a.py": ""}
    new = {**old, "shop/cart.py": cart.replace("append", "put")}

    def at(line: int) -> dict[str, str]:
        return mended(message, old, new, where=path, line=line)

    go, _, rest = report.partition("d.append")
    assert at(2) == {path: f"{go.replace('append', 'put')}d.append{rest}"}
    assert at(8) == {path: report.replace("c.append(2)\n", "c.put(2)\n")}
    assert at(13) == {path: report.replace("c.append(4)", "c.put(4)")}
    assert (at(3), at(9), at(1), at(0)) == ({}, {}, {}, {})


def test_bug_a_method_that_went_to_another_class_was_taken_for_a_new_name() -> None:
    message = "AttributeError: 'Cart' object has no attribute 'worth'"
    source = f"class Cart:\n    pass\n\n\n{CART.replace('Cart', 'Bag').replace('worth', 'value')}"
    assert renamed(source, "cart.worth()\n", message, old=CART) == {}


def test_bug_what_shadows_a_module_was_taken_for_it() -> None:
    message, new = "AttributeError: module 'shop.prices' has no attribute 'tax'", TAX.replace("tax", "vat")
    for other in ("def f(prices): return prices.tax", "import a.prices as prices", "from a import prices"):
        test = f"from shop import prices\nimport shop.cart\n\nprices.tax(1)\n{other}\n"
        assert renamed(new, test, message, old=TAX) == {}
    test = "import shop.prices\nimport shop.cart\n\nshop.prices.tax(1)\n"
    assert renamed(new, test, message, old=TAX) == {"tests/test_a.py": test.replace("tax", "vat")}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def total(user):\n    return True\n", "def is_dark(user):\n    return True\n"),
        (
            "def total(user):\n    'No.'\n    raise ValueError\n",
            "def dark(user):\n    'No.'\n    raise ValueError\n",
        ),
        ("class total(Exception):\n    pass\n", "class Dark(Exception):\n    pass\n"),
        ("total = 3\n", "total = 4\n"),
        (TOTAL, "def total(prices, rate):\n    return sum(prices) * rate\n"),
        (TOTAL, "def total(prices=()):\n    return sum(prices)\n"),
        (TOTAL, "async def total(prices):\n    return sum(prices)\n"),
        (TOTAL, TOTAL.replace("sum", "len") + TOTAL.replace("total", "amount")),
    ],
)
def test_bug_what_is_alike_by_chance_was_taken_for_what_vanished(before: str, after: str) -> None:
    old = {"shop/prices.py": before, "tests/test_a.py": "from shop.prices import total\n"}
    assert mended(NO_NAME, old, {**old, "shop/prices.py": "", "shop/ui.py": after}) == {}


@pytest.mark.parametrize(
    "text",
    [
        "class total:\n    def __init__(self, a):\n        self.a = a\n",
        "class total:\n    def get(self):\n        for a in ():\n            pass\n",
        "def total():\n    a = 1\n    return a\n",
    ],
)
def test_what_does_something_is_known_by_that_under_another_name(text: str) -> None:
    old = {"shop/prices.py": text, "tests/test_a.py": "from shop.prices import total\n"}
    new = {**old, "shop/prices.py": "", "shop/ui.py": text.replace("total", "amount")}
    assert mended(NO_NAME, old, new) == {"tests/test_a.py": "from shop.ui import amount as total\n"}


def test_a_name_of_its_own_that_a_file_has_no_more_is_followed() -> None:
    old, message = f"{TOTAL}\n\ndef net():\n    return total([1])\n", "NameError: name 'total' is not defined"
    new = old.replace("def total", "def amount")
    where = "shop/prices.py"
    expected = {where: new.replace("return total", "return amount")}
    assert renamed(new, "", message, old=old, where=where) == expected
    others = (
        "total = 1",
        "def f(total): return total",
        "def f():\n    total = 1",
        "try:\n    f()\nexcept ValueError as total:\n    str(total)",
        "match f():\n    case [total, *_]: pass",
        "match f():\n    case [*total]: pass",
        "match f():\n    case {'a': 1, **total}: pass",
    )
    for other in others:
        assert renamed(f"{new}\n{other}\n", "", message, old=old, where=where) == {}


def test_where_the_history_names_no_single_place_nothing_is_mended() -> None:
    old = {"shop/prices.py": TOTAL, "tests/test_a.py": "from shop.prices import total\n"}
    twice = {**old, "shop/prices.py": "", "shop/a.py": TOTAL, "shop/b.py": TOTAL}
    gone = {**old, "shop/prices.py": ""}
    later = {**gone, "shop/a.py": TOTAL}
    value = {**old, "shop/prices.py": "total = 3\n"}
    assert mended(NO_NAME, old, twice) == {}
    assert mended(NO_NAME, old, gone) == {}
    assert mended(NO_NAME, old, gone, later) == {}
    assert mended(NO_NAME, value, {**old, "shop/prices.py": "limit = 3\n"}) == {}
    assert mended(NO_NAME, gone) == {}
    assert mended(NO_NAME, old, {**gone, "shop/a.py": TOTAL}, gone) == {}


def test_a_module_that_is_nested_deep_names_the_right_place_or_none_where_python_cannot_tell() -> None:
    deep = {"shop/prices.py": f"{TOTAL}X = {' + '.join('1' * 1500)}\n"}
    old = {**deep, "tests/test_a.py": "from shop.prices import total\n"}
    right = {"tests/test_a.py": "from shop.a import total\n"}
    assert mended(NO_NAME, old, {**old, "shop/prices.py": "", "shop/a.py": TOTAL}) in ({}, right)


def test_what_moved_and_was_edited_is_told_by_its_name() -> None:
    old = {"shop/prices.py": TOTAL, "tests/test_a.py": "from shop.prices import total\n"}
    new = {**old, "shop/prices.py": "", "shop/a.py": TOTAL.replace("sum(", "0 + sum(")}
    assert mended(NO_NAME, old, new) == {"tests/test_a.py": "from shop.a import total\n"}


def missing(path: str, test: str, *files: str) -> dict[str, str]:
    message = f"FileNotFoundError: [Errno 2] No such file or directory: '{path}'"
    return mended(message, {"tests/test_a.py": test, **dict.fromkeys(files, "")})


def test_the_path_of_a_file_that_lies_elsewhere_is_mended_where_one_literal_names_it() -> None:
    lies = "tests/files/a.csv"
    whole, below = 'open("tests/data/a.csv")\n', "open(HERE / 'data/a.csv')\n"
    assert missing("tests/data/a.csv", whole, lies) == {"tests/test_a.py": 'open("tests/files/a.csv")\n'}
    assert missing("tests/data/a.csv", below, lies) == {"tests/test_a.py": "open(HERE / 'files/a.csv')\n"}
    assert missing("tests/data/a.csv", whole) == {}
    assert missing("tests/data/a.csv", whole, lies, "docs/a.csv") == {}
    assert missing("tests/data/a.csv", whole + whole, lies) == {}
    assert missing("tests/data/a.csv", 'open(DATA / "a.csv")\n', lies, "tests/data/b.csv") == {}
    assert missing("tests/data/a.csv", "def f(:\n", lies) == {}
    for odd in ('we"ird', "we'ird", "we\\ird", "we\nird", "we{i}rd", "wëird"):
        mend = {"tests/test_a.py": f'open("{odd}/a.csv")\n'} if odd.isidentifier() else {}
        assert missing("data/a.csv", 'open("data/a.csv")\n', f"{odd}/a.csv") == mend


def test_bug_a_test_without_the_plugin_of_its_snapshots_was_said_to_have_a_stale_one() -> None:
    message = "_pytest.fixtures.FixtureLookupError: ('snapshot', <FixtureRequest for <Function test_a>>)"
    assert [one.code for one in found(message, {"tests/test_a.py": ""})] == ["failing-test"]


def test_what_no_rule_mends_is_named_with_its_place() -> None:
    files = {"shop/prices.py": TOTAL, "tests/test_a.py": ""}
    told = [
        (one.code, one.filename, one.message)
        for one in (
            *found("AssertionError: 1 == 2\nmore", files, where="shop/prices.py"),
            *found("AssertionError: snapshot differs", files),
            *found("NameError: name 'x' is not defined", files),
            *found("", files, test="installation of the project"),
            *found("", files, test="tests.test_a.TestA.test_a"),
            *found("", {}, test="all"),
        )
    ]
    assert told == [
        ("failing-test", "shop/prices.py", "tests/test_a.py::test_a: AssertionError: 1 == 2"),
        ("stale-snapshot", "tests/test_a.py", "tests/test_a.py::test_a: AssertionError: snapshot differs"),
        ("renamed-name", "tests/test_a.py", "tests/test_a.py::test_a: NameError: name 'x' is not defined"),
        ("failing-test", "shop/prices.py", "installation of the project: it fails"),
        ("failing-test", "tests/test_a.py", "tests.test_a.TestA.test_a: it fails"),
        ("failing-test", "", "all: it fails"),
    ]
