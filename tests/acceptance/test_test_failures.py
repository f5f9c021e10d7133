"""TEST_FAILURE, from failing tests to a merged commit: what moved is followed, all else is handed over."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.world import Nursery, Said, World, make_world

pytestmark = pytest.mark.xdist_group("test failures")

PRICES = """\
RATE = 20


def total(prices: list[int]) -> int:
    return sum(prices)


def tax(price: int) -> int:
    return price * RATE // 100


def net(price: int) -> int:
    return price - tax(price)
"""
CART = """\
class Cart:
    def __init__(self, prices: list[int]) -> None:
        self.prices = prices

    def worth(self) -> int:
        return sum(self.prices)
"""
MOVED = """\
\"\"\"Sums.\"\"\"


def total(prices: list[int]) -> int:
    return sum(prices)
"""
TESTS = {
    "tests/test_total.py": """\
from shop.prices import RATE, total  # both


def test_total() -> None:
    assert total([1, 2]) == 3


def test_rate() -> None:
    assert RATE == 20
""",
    "tests/test_tax.py": """\
import shop.prices as prices


def test_tax() -> None:
    assert prices.tax(100) == 20
""",
    "tests/test_cart.py": """\
from shop.cart import Cart


def test_worth() -> None:
    assert Cart([1, 2]).worth() == 3
""",
    "tests/test_orders.py": """\
from pathlib import Path


def test_orders() -> None:
    assert Path("tests/data/orders.csv").read_text() == "1;2\\n"
""",
    "tests/test_page.py": """\
PAGE = "tests/data/page.txt"


def test_page() -> None:
    with open(PAGE) as file:
        assert file.read() == "page"
""",
    "tests/test_guarded.py": """\
from pathlib import Path


def test_total() -> None:
    from shop.prices import total

    assert total([3]) == 3


def test_what_reads_this_file() -> None:
    assert "shop.prices" + " import total" in Path(__file__).read_text()
""",
    "tests/test_wrong.py": """\
def test_sum() -> None:
    assert 1 + 1 == 3


def test_page() -> None:
    raise AssertionError("the page is not as in the snapshot")
""",
}
FILES = {
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n',
    "shop/__init__.py": "",
    "shop/prices.py": PRICES,
    "shop/cart.py": CART,
    "tests/data/orders.csv": "1;2\n",
    "tests/data/page.txt": "page",
    **TESTS,
}
CHANGE: Mapping[str, str | None] = {
    "shop/prices.py": PRICES.replace(PRICES[10:72], "").replace("tax(", "vat("),
    "shop/pricing.py": MOVED,
    "shop/cart.py": CART.replace("worth", "value"),
    "tests/data/orders.csv": None,
    "tests/data/page.txt": None,
    "tests/pages/page.txt": "page",
    "tests/fixtures/orders.csv": "1;2\n",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, cache: Path, nursery: Nursery) -> World:
    world = make_world(tmp_path_factory.mktemp("failures"), cache, nursery, FILES)
    world.commit(CHANGE)
    return world


@pytest.fixture(scope="module")
def base(world: World) -> str:
    return world.git("rev-parse", "HEAD")


@pytest.fixture(scope="module")
def listed(world: World) -> dict[str, tuple[str, str | None, str]]:
    """Before all else: what `scan` says of each failing test, by its id."""
    found: list[dict[str, Any]] = world.sparky("scan", "-k", "test_failure", "--json").json()["findings"]
    return {
        one["finding"]["message"].partition(": ")[0]: (one["finding"]["rule"], one["agent"], one["why"])
        for one in found
    }


@pytest.fixture(scope="module")
def said(world: World, base: str, listed: object) -> Said:
    del base, listed
    return world.sparky("fix", "--auto", "--json", "-k", "test_failure")


MENDED = "test-failure"
UNASKED = (
    "needs a person: a snapshot is never rewritten unasked, since the code may be what is wrong: "
    "`sparky fix -k test_failure --update-snapshots` rewrites it"
)


def test_each_failing_test_is_a_finding_that_says_who_mends_it(
    listed: dict[str, tuple[str, str | None, str]],
) -> None:
    assert listed == {
        "tests/test_cart.py::test_worth": ("renamed-name", MENDED, ""),
        "tests/test_guarded.py::test_total": ("moved-import", MENDED, ""),
        "tests/test_orders.py::test_orders": ("moved-file", MENDED, ""),
        "tests/test_page.py::test_page": ("moved-file", MENDED, ""),
        "tests/test_tax.py::test_tax": ("renamed-name", MENDED, ""),
        "tests/test_total.py": ("moved-import", MENDED, ""),
        "tests/test_wrong.py::test_page": (
            "stale-snapshot",
            None,
            UNASKED,
        ),
        "tests/test_wrong.py::test_sum": (
            "failing-test",
            None,
            "needs a coding agent: no rule mends it",
        ),
    }


def test_what_moved_is_followed_in_one_merged_commit(world: World, base: str, said: Said) -> None:
    assert (said.code, said.json()["outcome"]) == (0, "merged"), said.err
    subjects = world.git("log", "--format=%s", f"{base}..main").splitlines()
    assert subjects == ["TEST_FAILURE: mend 4 finding(s) in 4 file(s)"]
    there = {name: (world.repo / name).read_text() for name in TESTS}
    assert there == {
        **TESTS,
        "tests/test_total.py": TESTS["tests/test_total.py"].replace(
            "RATE, total  # both", "RATE  # both\nfrom shop.pricing import total"
        ),
        "tests/test_tax.py": TESTS["tests/test_tax.py"].replace("prices.tax", "prices.vat"),
        "tests/test_cart.py": TESTS["tests/test_cart.py"].replace(".worth", ".value"),
        "tests/test_page.py": TESTS["tests/test_page.py"].replace("data", "pages"),
    }


def test_what_a_test_refuses_is_withdrawn_alone_and_what_no_rule_mends_is_handed_over(said: Said) -> None:
    guarded, orders, total, page = said.json()["issues_remaining"]
    assert guarded == (
        "tests/test_guarded.py:5 moved-import tests/test_guarded.py::test_total: ImportError: "
        "cannot import name 'total' from 'shop.prices' (shop/prices.py): withdrawn: "
        "its fix breaks tests/test_guarded.py::test_what_reads_this_file"
    )
    assert orders == (
        "tests/test_orders.py:5 moved-file tests/test_orders.py::test_orders: FileNotFoundError: [Errno 2] "
        "No such file or directory: 'tests/data/orders.csv': withdrawn: its fix is refused by the gate "
        "'tests kept': tests/test_orders.py:5: test_orders (changed): "
        "`Path('tests/data/orders.csv').read_text() == '1;2\\n'` became "
        "`Path('tests/fixtures/orders.csv').read_text() == '1;2\\n'`, and no source changed with it"
    )
    assert page == (
        "tests/test_wrong.py:1 stale-snapshot tests/test_wrong.py::test_page: "
        f"AssertionError: the page is not as in the snapshot: {UNASKED}"
    )
    assert total == (
        "tests/test_wrong.py:1 failing-test tests/test_wrong.py::test_sum: "
        "AssertionError: assert (1 + 1) == 3: "
        "needs a coding agent: no rule mends it"
    )
