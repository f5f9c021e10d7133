"""What of a source says something else than before."""

import pytest

from sparky.tools.altered import Altered, altered

LOST = "the import of "


@pytest.mark.parametrize(
    ("before", "after", "lines", "beyond"),
    [
        ("x  =  1 # no\n", "x = 1\n", (), ()),
        ("import b\nimport a\n", "import a\nimport b\n", (1,), ()),
        ("import os\nimport plug\nX = 1\n", "X = 1\n", (), (f"{LOST}plug",)),
        ("import readline\nX = 1\n", "X = 1\n", (), (f"{LOST}readline",)),
        ("from . import a, b\n", "from . import b\n", (1,), (f"{LOST}a",)),
        ("import a.b\nimport a\n", "import a\n", (), (f"{LOST}a.b",)),
        ("from a import *\nfrom b import *\n", "from a import x as x\n", (1,), (f"{LOST}b.*",)),
        ("import a as c\n", "import a.x as c\n", (1,), ()),
        ("import a.b as c\nfrom a import c\n", "from a import c\n", (), (f"{LOST}c",)),
        ("import a\nimport a\n", "import a\n", (), ()),
        ("from typing_extensions import Self\n", "from typing import Self\n", (1,), ()),
        ("def f():\n    import plug\n    return 1\n", "def f():\n    return 1\n", (), (f"{LOST}plug",)),
        ("def f():\n    x = 1\n    return 1\n", "def f():\n    return 1\n", (2,), ()),
        ("def f():\n    g()\n    x = 1\n", "def f():\n    g()\n", (2,), ()),
        ("def f():\n    g()\n    g()\n", "def f():\n    g()\n", (2,), ()),
        ("f()\nf()\n", "f()\n", (), ("`f()`, which is gone",)),
        ("def f():\n    x = g()\n    return 1\n", "def f():\n    g()\n    return 1\n", (2,), ()),
        ("def _f():\n    pass\n\n\ndef g(): ...\n", "def g(): ...\n", (), ("_f, which is gone",)),
        ("class A:\n    def f(self): ...\n    x = 1\n", "class A:\n    x = 1\n", (), ("f, which is gone",)),
        ("X = Y = []\n", "X: list[int] = []\n", (1,), ("Y, which is gone",)),
        ("X: int = 1\nZ = 1\n", "Z = 1\n", (), ("X, which is gone",)),
        ("f()\nX = 1\n", "X = 1\n", (), ("`f()`, which is gone",)),
        ("if x:\n    pass\n    f()\n...\n", "if x:\n    f()\n", (), ()),
        ('def f():\n    """a"""\n', 'def f():\n    """A"""\n', (), ("the docstring of f",)),
        ('"""a\n  """\n', '"""a"""\n', (), ()),
        ("def f():\n    return 1\n", 'def f():\n    """A."""\n    return 1\n', (), ()),
        ("@a\ndef f(\n    x,\n): return 1\n", "@b\ndef f(\n    x,\n): return 1\n", (1, 2, 3), ()),
        ("async def f(x): return 1\n", "async def f(x: int): return 1\n", (1,), ()),
        (
            "def f(a):\n    if a:\n        return 1\n    else:\n        return 2\n",
            "def f(a):\n    if a:\n        return 1\n    return 2\n",
            (2, 4),
            (),
        ),
        (
            "try:\n    a()\nexcept (A,):\n    b()\nexcept B:\n    c()\n",
            "try:\n    a()\nexcept A:\n    b()\nexcept B:\n    d()\n",
            (3, 6),
            (),
        ),
        (
            "try:\n    a()\nexcept A:\n    b()\nfinally:\n    c()\n",
            "try:\n    a()\nfinally:\n    c()\n",
            (1,),
            (),
        ),
        ("match x:\n    case 1:\n        a()\n", "match x:\n    case 1:\n        b()\n", (3,), ()),
        ("match x:\n    case 1: a()\n", "match x:\n    case 1: a()\n    case 2: b()\n", (1, 2, 3), ()),
        ("def f(:\n", "x = 1\ny = 2\n", (1, 2), ()),
    ],
)
def test_what_says_something_else_is_told_by_the_lines_of_the_new_text_or_by_name(
    before: str, after: str, lines: tuple[int, ...], beyond: tuple[str, ...]
) -> None:
    assert altered(before.encode(), after.encode()) == Altered(lines=lines, beyond=beyond)
