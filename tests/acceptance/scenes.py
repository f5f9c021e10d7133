"""One repository with three faults of each kind: one whose fix holds, one whose fix a test refuses, one left.

What a test refuses here has come up in real projects: it looks like the other, and the program depends on it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sparky.domain.issue import Kind


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A kind's files; `mended` are those that its commit changes, as they are then, by the tools' `rule`.

    `refused` and `left` are the lines by which the result names the other two faults.
    """

    files: Mapping[str, str]
    mended: Mapping[str, str]
    rule: str
    refused: str
    left: str


_CART = """\
class Cart:
    def __init__(self, owner):
        self.owner = owner


def owner(cart, more=None):
    return cart.owner + (more or "")


def plain(text):
    return text.upper()


LIMIT: int = "many"
"""
_MENDED_CART = _CART.replace("(self, owner):", "(self, owner: str) -> None:").replace(
    "(cart, more=None):", '(cart: "Cart", more: "str | None" = None) -> str:'
)
_PROJECT = """\
[project]
name = "shop"
version = "1"
requires-python = ">=3.10"
dependencies = [
    "iniconfig>=1",  # nobody knows why
    "packaging>=20",  # what extends the shop finds it by this line
]

[dependency-groups]
dev = ["pluggy"]

[tool.pytest.ini_options]
pythonpath = ["."]
"""

SCENES = {
    Kind.FORMATTING: Scene(
        files={
            "mended/formatting.py": "LIMITS  = {'low':1}\n",
            "refused/formatting.py": '''"""Prices, laid out as a table that is read as text."""

from pathlib import Path

PRICES = (
    ("tea",    2),
    ("coffee", 3),
)


def width() -> int:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (column,) = {len(line) for line in lines if line.startswith('    ("')}
    return column
''',
            "left/formatting.py": f'NAMES = "{"tea " * 25}"\n',
            "tests/test_formatting.py": """from refused import formatting


def test_the_table() -> None:
    assert formatting.width() == 18
""",
        },
        mended={"mended/formatting.py": 'LIMITS = {"low": 1}\n'},
        rule="By ruff: format",
        refused="refused/formatting.py:1 format the formatter would change this file: "
        "withdrawn: its fix breaks tests/test_formatting.py::test_the_table",
        left="left/formatting.py:1 E501 Line too long (110 > 88): "
        "needs a coding agent: the formatter cannot split this line",
    ),
    Kind.IMPORT_ERROR: Scene(
        files={
            "mended/imports.py": "import os\n\nLIMIT = 3\n",
            "mended/stock/__init__.py": "from .goods import TEA\nfrom .prices import *\n",
            "mended/stock/goods.py": 'TEA = "tea"\n',
            "mended/stock/prices.py": '__all__ = ["LOW"]\nLOW = 1\n',
            "refused/imports.py": '''import json


def codec(name: str) -> object:
    """The codec of a name, among what is imported."""
    return globals()[name]
''',
            "left/imports.py": "def total(prices: list[int]) -> int:\n    return sum(price)\n",
            "tests/test_imports.py": """from refused import imports


def test_the_codec() -> None:
    assert imports.codec("json")
""",
        },
        mended={
            "mended/imports.py": "LIMIT = 3\n",
            "mended/stock/__init__.py": "from .goods import TEA as TEA\nfrom .prices import LOW as LOW\n",
        },
        rule="By ruff: F401, F403",
        refused="refused/imports.py:1 F401 `json` imported but unused: "
        "withdrawn: its fix breaks tests/test_imports.py::test_the_codec",
        left="left/imports.py:2 F821 Undefined name `price`: "
        "needs a coding agent: what was meant is for its author to say",
    ),
    Kind.DEAD_CODE: Scene(
        files={
            "mended/dead_code.py": "def limit() -> int:\n    unused = 1\n    return 3\n",
            "refused/dead_code.py": """def greet(name: str) -> str:
    mark = "!"
    return "Hello {name}{mark}".format(**vars())
""",
            "left/dead_code.py": "def limit() -> int:\n    return 3\n    print(4)\n",
            "tests/test_dead_code.py": """from refused import dead_code


def test_the_greeting() -> None:
    assert dead_code.greet("Ada") == "Hello Ada!"
""",
        },
        mended={"mended/dead_code.py": "def limit() -> int:\n    return 3\n"},
        rule="By ruff: F841",
        refused="refused/dead_code.py:2 F841 Local variable `mark` is assigned to but never used: "
        "withdrawn: its fix breaks tests/test_dead_code.py::test_the_greeting",
        left="left/dead_code.py:3 unreachable-code unreachable code after 'return': "
        "needs a coding agent: which of the two was meant is for its author to say",
    ),
    Kind.SECURITY: Scene(
        files={
            "mended/security.py": """import hashlib
import subprocess


def key(name: str) -> str:
    return hashlib.md5(name.encode()).hexdigest()


def version() -> bytes:
    try:
        return subprocess.check_output("git describe --tags", shell=True)
    except Exception:
        return b""
""",
            "refused/security.py": """import hashlib


def key(name: str) -> str:
    return hashlib.sha1(name.encode()).hexdigest()
""",
            "left/security.py": """import subprocess


def listing(folder: str) -> bytes:
    return subprocess.check_output(f"ls {folder}", shell=True)
""",
            "tests/test_security.py": """import hashlib

import pytest

from refused import security


def test_the_key_where_the_hash_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security.hashlib, "sha1", lambda data: hashlib.sha256(data))
    assert len(security.key("a")) == 64
""",
        },
        mended={
            "mended/security.py": """import hashlib
import subprocess


def key(name: str) -> str:
    return hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()


def version() -> bytes:
    try:
        return subprocess.check_output(["git", "describe", "--tags"])
    except Exception:
        return b""
"""
        },
        rule="By rewrite: S324, S602",
        refused="refused/security.py:5 S324 Probable use of insecure hash functions in `hashlib`: `sha1`: "
        "withdrawn: its fix breaks tests/test_security.py::test_the_key_where_the_hash_is_another",
        left="left/security.py:5 S602 `subprocess` call with `shell=True` identified, security issue: "
        "needs a coding agent: without a shell the command may be another, and fails otherwise",
    ),
    Kind.PERFORMANCE: Scene(
        files={
            "mended/performance.py": "def names(rows: set[str]) -> list[str]:\n"
            "    return [row for row in rows]\n",
            "refused/performance.py": '''class Rows:
    """Rows of a database, which are read once and never counted."""

    def __iter__(self):
        return iter(("a", "b"))

    def __len__(self):
        raise RuntimeError("counting takes an hour")


def names(rows: Rows) -> list[str]:
    return [row for row in rows]
''',
            "left/performance.py": """def grown(ages: list[int]) -> list[int]:
    found = []
    for age in ages:
        if age > 17:
            found.append(age)
    return found
""",
            "tests/test_performance.py": """from refused import performance


def test_the_names() -> None:
    assert performance.names(performance.Rows()) == ["a", "b"]
""",
        },
        mended={"mended/performance.py": "def names(rows: set[str]) -> list[str]:\n    return list(rows)\n"},
        rule="By ruff: C416",
        refused="refused/performance.py:12 C416 Unnecessary list comprehension (rewrite using `list()`): "
        "withdrawn: its fix breaks tests/test_performance.py::test_the_names",
        left="left/performance.py:5 PERF401 Use a list comprehension to create a transformed list: "
        "needs a coding agent: ruff has no fix for it",
    ),
    Kind.COMPLEXITY: Scene(
        files={
            "mended/complexity.py": """def is_large(price: int, limit: int) -> bool:
    if price > 0:
        if limit > 0:
            return price > limit
    return False
""",
            "refused/complexity.py": '''import sqlite3


def field(row: sqlite3.Row, name: str) -> object:
    """A field of a row, in which `in` would look among the values."""
    if name in row.keys():
        return row[name]
    raise LookupError(name)
''',
            "left/complexity.py": "def pick(n: int) -> int:\n"
            + "".join(f"    if n == {n}:\n        n += {n}\n" for n in range(1, 16))
            + "    return n\n",
            "tests/test_complexity.py": """import sqlite3

from refused import complexity


def test_the_field() -> None:
    database = sqlite3.connect(":memory:")
    database.row_factory = sqlite3.Row
    row = database.execute("SELECT 'tea' AS name").fetchone()
    database.close()
    assert complexity.field(row, "name") == "tea"
""",
        },
        mended={
            "mended/complexity.py": """def is_large(price: int, limit: int) -> bool:
    if price > 0 and limit > 0:
        return price > limit
    return False
"""
        },
        rule="By ruff: SIM102",
        refused="refused/complexity.py:6 SIM118 Use `key in dict` instead of `key in dict.keys()`: "
        "withdrawn: its fix breaks tests/test_complexity.py::test_the_field",
        left="left/complexity.py:1 C901 `pick` is too complex (16 > 15): "
        "needs a coding agent: how to take a function apart is no rule's to say",
    ),
    Kind.DRY_VIOLATION: Scene(
        files={
            "mended/dry.py": """def gross(prices: list[int]) -> int:
    total = sum(prices)
    tax = total // 5
    return total + tax


def amount(prices: list[int]) -> int:
    total = sum(prices)
    tax = total // 5
    return total + tax
""",
            "refused/dry.py": """def gross(prices: list[int]) -> int:
    total = sum(prices)
    tax = total // 4
    return total + tax


def amount(prices: list[int]) -> int:
    total = sum(prices)
    tax = total // 4
    return total + tax
""",
            "left/dry.py": """def lines(path: str):
    with open(path) as file:
        for line in file:
            yield line.strip()


def rows(path: str):
    with open(path) as file:
        for line in file:
            yield line.strip()
""",
            "tests/test_dry.py": """import pytest

from refused import dry


def test_the_amount_where_gross_is_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dry, "gross", None)
    assert dry.amount([4]) == 5
""",
        },
        mended={
            "mended/dry.py": """def gross(prices: list[int]) -> int:
    total = sum(prices)
    tax = total // 5
    return total + tax


def amount(prices: list[int]) -> int:
    return gross(prices)
"""
        },
        rule="By repeated: repeated-function",
        refused="refused/dry.py:7 repeated-function `amount` has the same body as `gross`: "
        "withdrawn: its fix breaks tests/test_dry.py::test_the_amount_where_gross_is_no_more",
        left="left/dry.py:7 repeated-function `rows` has the same body as `lines`: "
        "needs a coding agent: the bodies are equal, but a call of one can't simply stand for the other",
    ),
    Kind.DOCUMENTATION: Scene(
        files={
            "mended/documentation.py": '"""What we recieve."""\n',
            "refused/documentation.py": '''def order(goods: str) -> str:
    """Take an order.

    Recieves: goods
    """
    return goods
''',
            "left/documentation.py": 'def order(goods: str) -> str:\n    """ """\n    return goods\n',
            "tests/test_documentation.py": """import inspect

from refused.documentation import order


def test_the_parameters() -> None:
    assert inspect.getdoc(order).split("Recieves: ")[1] == "goods"
""",
        },
        mended={"mended/documentation.py": '"""What we receive."""\n'},
        rule="By typos: typo",
        refused="refused/documentation.py:4 typo `Recieves` should be `Receives`: "
        "withdrawn: its fix breaks tests/test_documentation.py::test_the_parameters",
        left="left/documentation.py:2 D419 Docstring is empty: needs a coding agent: ruff has no fix for it",
    ),
    Kind.TEST_ORGANIZATION: Scene(
        files={
            "tests/test_mended.py": """import pytest


@pytest.mark.parametrize("one, two", [(1, 2)])
def test_it_is_less(one: int, two: int) -> None:
    assert one < two
""",
            "tests/test_refused.py": """import pytest


@pytest.mark.parametrize("low, high", [(1, 2)])
def test_it_is_less(low: int, high: int) -> None:
    assert low < high


def test_the_names_of_the_parameters() -> None:
    (mark,) = test_it_is_less.pytestmark
    assert mark.args[0].split(", ") == ["low", "high"]
""",
            "tests/test_left.py": """import pytest


def raise_in(text: str) -> None:
    with pytest.raises():
        int(text)
""",
        },
        mended={
            "tests/test_mended.py": """import pytest


@pytest.mark.parametrize(("one", "two"), [(1, 2)])
def test_it_is_less(one: int, two: int) -> None:
    assert one < two
"""
        },
        rule="By ruff: PT006",
        refused="tests/test_refused.py:4 PT006 Wrong type passed to first argument of "
        "`pytest.mark.parametrize`; expected `tuple`: withdrawn: its fix breaks "
        "tests/test_refused.py::test_the_names_of_the_parameters",
        left="tests/test_left.py:5 PT010 Set the expected exception in `pytest.raises()`: "
        "needs a coding agent: ruff has no fix for it",
    ),
    Kind.DEPENDENCY: Scene(
        files={
            "pyproject.toml": _PROJECT,
            "left/dependency.py": "import pluggy\n\nHOOKS = pluggy.PluginManager\n",
            "tests/test_dependency.py": """from pathlib import Path


def test_what_extends_the_shop_finds_its_line() -> None:
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert "packaging>=20" in text
""",
        },
        mended={"pyproject.toml": _PROJECT.replace('    "iniconfig>=1",  # nobody knows why\n', "")},
        rule="By deptry: DEP002",
        refused="pyproject.toml:6 DEP002 `packaging` is declared, and nothing imports it: withdrawn: its fix "
        "breaks tests/test_dependency.py::test_what_extends_the_shop_finds_its_line",
        left="left/dependency.py:1 DEP004 'pluggy' imported but declared as a dev dependency: "
        "needs a coding agent: a dependency of development is imported by the package itself",
    ),
    Kind.TYPE_ERROR: Scene(
        files={
            "cart.py": _CART.replace("\n", "\r\n"),
            "goods/__init__.py": "from goods.names import TEA\n",
            "goods/names.py": 'TEA = "tea"\n',
            "goods/till.py": "from goods import TEA\n\nDRINK = TEA\n",
            "pyproject.toml": '[project]\nname = "cart"\nversion = "1"\nrequires-python = ">=3.8"\n',
            "test_cart.py": """import cart


def test_the_owner() -> None:
    assert cart.owner(cart.Cart("ada")) == "ada"
    assert cart.owner(cart.Cart("ada"), "!") == "ada!"


def test_what_reads_annotations() -> None:
    assert cart.plain("a") == "A"
    assert cart.plain.__annotations__ == {}
""",
        },
        mended={
            "cart.py": _MENDED_CART.replace("\n", "\r\n"),
            "goods/__init__.py": "from goods.names import TEA as TEA\n",
        },
        rule="By mypy: attr-defined, no-untyped-def",
        refused="cart.py:10 no-untyped-def Function is missing a type annotation: "
        "withdrawn: its fix breaks test_cart.py::test_what_reads_annotations",
        left="cart.py:14 assignment Incompatible types in assignment "
        '(expression has type "str", variable has type "int"): needs a coding agent: no rule mends it',
    ),
}
