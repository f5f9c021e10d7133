"""What an `__init__.py` imports for others: the real ruff finds it, sparky marks it as such."""

from pathlib import Path

from sparky.agents.imports import IMPORTS
from sparky.domain.finding import Stay, for_agent, kept
from sparky.domain.issue import Kind
from sparky.tools.tool import Unit, parts, units
from tests.contract.test_ruff import Target, tool_fix

WORKS = tool_fix(IMPORTS)
LONG = "a_name_so_long_that_it_stands_on_a_line_of_its_own"
MARKED = {
    "one": ("from .core import A\n", "from .core import A as A\n"),
    "absolute": ("from absolute.core import A\n", "from absolute.core import A as A\n"),
    "beside": ("from . import a, b as c, d\nc()\n", "from . import a as a, b as c, d as d\nc()\n"),
    "bom": (
        "\ufefffrom .core import A  # ä\r\nB = 1\r\n",
        "\ufefffrom .core import A as A  # ä\r\nB = 1\r\n",
    ),
    "lines": (
        "from .core import (  # all\r\n    A,  # the first\r\n    B\r\n)\r\n",
        "from .core import (  # all\r\n    A as A,  # the first\r\n    B as B\r\n)\r\n",
    ),
    "slashes": ("from .core import A, \\\n    B\n", "from .core import A as A, \\\n    B as B\n"),
    "twice": ("from .core import A; from . import b\n", "from .core import A as A; from . import b as b\n"),
    "tried": (
        "try:\n    from ._fast import A\nexcept ImportError:\n    pass\n",
        "try:\n    from ._fast import A as A\nexcept ImportError:\n    pass\n",
    ),
    "long": (
        f"if True:\r\n    from .core import {LONG}, B  # both\r\n",
        (
            "if True:\r\n    from .core import (\r\n"
            f"        {LONG} as {LONG},\r\n        B as B,\r\n    )  # both\r\n"
        ),
    ),
    "listed": (
        'from .core import A, B\n\n__all__ = ["A"]\n',
        'from .core import A, B as B\n\n__all__ = ["A"]\n',
    ),
    "within/below": ("from within.core import A\n", "from within.core import A as A\n"),
}
LEFT = {
    "foreign": "import os\nfrom json import dumps\nfrom click import echo\n",
    "modules": "import modules.core\nfrom .core import A as _A\n",
    "inside": "def f() -> None:\n    from .core import A\n",
    "other": "from others.core import A\n",
}
QUIET = {"quiet": "from .core import A  # noqa: F401\nfrom .core import B as B\n"}

NAMES = '__all__ = ("A", "B", "A")\nA = 1\ndef B(): ...\n'
NAMED = {
    "one": ("from .core import *  # all\n", "from .core import A as A, B as B  # all\n"),
    "absolute": ("from absolute.core import *\r\n", "from absolute.core import A as A, B as B\r\n"),
    "above/below": ("from ..core import *\n", "from ..core import A as A, B as B\n"),
    "folder": ("from .inner import *\n", "from .inner import I as I\n"),
    "used": (
        'from .core import *\nfrom .more import *\n\n__all__ = ["A"]\nprint(B)\n',
        'from .core import A as A, B as B\nfrom .more import C as C\n\n__all__ = ["A"]\nprint(B)\n',
    ),
    "rows": (
        "from .more import *; from .core import *\n",
        "from .more import C as C; from .core import A as A, B as B\n",
    ),
    "long": (
        "try:\r\n    from .many import *\r\nexcept ImportError: ...\r\n",
        (
            "try:\r\n    from .many import (\r\n"
            f"        {LONG} as {LONG},\r\n        C as C,\r\n    )\r\nexcept ImportError: ...\r\n"
        ),
    ),
}
LISTS = {
    "core": NAMES,
    "more": '__all__: list[str] = ["C"]\nfrom .core import A as C\n',
    "many": f"__all__ = ['{LONG}', 'C']\nclass C: ...\n{LONG} = 1\n",
    "inner/__init__": '__all__ = ["I"]\nI = 1\n',
}
NO_LISTS = {
    "empty": "__all__ = []\n",
    "none": "A = 1\n",
    "grown": '__all__ = ["A"]\n__all__ += ["B"]\nA = B = 1\n',
    "called": '__all__ = ["A"]\n__all__.append("B")\nA = B = 1\n',
    "made": '__all__ = ["A"] + ["B"]\nA = B = 1\n',
    "given": "from .names import __all__\nA = 1\n",
    "odd": '__all__ = ["A", 1]\nA = 1\n',
    "lost": '__all__ = ["A", "Z"]\nA = 1\n',
    "broken": '__all__ = ["A"]\nA = (\n',
    "two": '__all__ = ["A"]\nA = 1\n',
    "two/__init__": '__all__ = ["A"]\nA = 1\n',
}
UNNAMED = {f"of_{name}": f"from .{name} import *\n" for name in NO_LISTS if name.isalpha()} | {
    "itself": "from . import *\n",
    "gone": "from .gone import *\n",
    "foreign": "from os.path import *\n",
    "beyond": "from ....core import *\n",
    "rebound": "from .core import *\n\n\ndef A() -> None: ...\n",
    "rivals": "from .core import *\nfrom .core import *\n",
}


def mended(
    tmp_path: Path, pairs: dict[str, tuple[str, str]], same: dict[str, str], beside: dict[str, str]
) -> set[tuple[str, str, Stay | None]]:
    """What stays of imports in packages once each is the second of its pair, or the `same`; and why."""
    before, after = (packages({name: pair[i] for name, pair in pairs.items()} | same) for i in (0, 1))
    target = Target(tmp_path, **beside, **before)
    for unit in units([f for f in target.find(Kind.IMPORT_ERROR) if f.rule in {"F401", "F403"}], WORKS):
        target.patch(unit)
    assert {path: (target.read(path) or b"").decode() for path in after} == after
    rest = [f for f in target.find(Kind.IMPORT_ERROR) if f.location.path.endswith("__init__.py")]
    return {(f.location.path, f.rule, target.tool.why_left(f, WORKS)) for f in rest}


def packages(texts: dict[str, str]) -> dict[str, str]:
    return {f"{name}/__init__.py": text for name, text in texts.items()}


def test_what_a_package_imports_from_itself_is_marked_as_imported_for_others(tmp_path: Path) -> None:
    why = kept("re-export in __init__.py: others may import it from here")
    stays = mended(tmp_path, MARKED, LEFT | QUIET, packages({"within": "X = 1\n"}))
    assert stays == {(path, "F401", why) for path in packages(LEFT)}


def test_one_of_several_is_marked_alone_and_what_a_stub_says_is_left(tmp_path: Path) -> None:
    source = "from .core import A\nfrom .core import B\n"
    target = Target(tmp_path, **{"pkg/__init__.py": source, "stub/__init__.pyi": source})
    found = [f for f in target.find() if f.rule == "F401"]
    assert [(f.location.path, f.fix.value) for f in found] == [
        *[("pkg/__init__.py", "safe")] * 2,
        *[("stub/__init__.pyi", "none")] * 2,
    ]
    _, second = parts(Unit(path="pkg/__init__.py", rule="F401"), found, WORKS)
    target.patch(second)
    assert target.read("pkg/__init__.py") == b"from .core import A\nfrom .core import B as B\n"


def test_a_star_gives_way_to_the_names_that_its_module_lists_and_to_nothing_else(tmp_path: Path) -> None:
    tops = {name.partition("/")[0] for name in (*NAMED, *UNNAMED)}
    lists = {f"{top}/{name}.py": text for top in tops for name, text in (LISTS | NO_LISTS).items()}
    why = for_agent("only the other module knows which names the star brings")
    stays = mended(tmp_path, NAMED, UNNAMED, {**lists, **packages({"above": "X = 1\n"})})
    assert stays == {(path, "F403", why) for path in packages(UNNAMED)}
