"""Which imports may be sorted where no test shows what that does."""

import pytest

from sparky.tools.ruff_json import Diagnostic, Edit, Place, Remedy
from sparky.tools.sorting import SORTED, weighed


def weight(before: str, after: str) -> str:
    """How safe it is to write `after` for `before`, which stands below a comment."""
    start, end = Place(row=2, column=1), Place(row=2 + before.count("\n"), column=1)
    fix = Remedy(applicability="safe", edits=(Edit(content=after, location=start, end_location=end),))
    said = weighed(
        Diagnostic(code=SORTED, filename="a.py", message="", fix=fix), f"# é\n{before}x\n".encode()
    )
    return said.fix.applicability if said.fix else ""


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("import sys\nimport os\n", "import os\nimport sys\n", "safe"),
        ("    import sys\n    import os\n", "    import os\n    import sys\n", "safe"),
        ("import shop\nimport os\n", "import os\n\nimport shop\n", "safe"),
        ("from .a import (\n  b)\n", "from .a import b\n", "safe"),
        ("import os.path\nimport os\nimport a\n", "import os.path\nimport os\n\nimport a\n", "safe"),
        ("from .b import B\nfrom .a import A\n", "from .a import A\nfrom .b import B\n", "unsafe"),
        ("from .a import c, b\n", "from .a import b, c\n", "unsafe"),
        ("import shop\nimport cart\n", "import cart\nimport shop\n", "unsafe"),
        (
            "from shop import path\nfrom os import path\n",
            "from os import path\n\nfrom shop import path\n",
            "unsafe",
        ),
        ("import test.plug\nimport shop\n", "import shop\n\nimport test.plug\n", "unsafe"),
        ("import (\n", "import os\n", "unsafe"),
    ],
)
def test_sorting_is_safe_where_all_modules_but_pythons_own_stay_in_order(
    before: str, after: str, expected: str
) -> None:
    assert weight(before, after) == expected


def test_what_edits_a_part_of_a_line_is_not_known_to_be_safe() -> None:
    edit = Edit(content="import os", location=Place(row=1, column=7), end_location=Place(row=1, column=16))
    told = Diagnostic(
        code=SORTED, filename="a.py", message="", fix=Remedy(applicability="safe", edits=(edit,))
    )
    unfixed = Diagnostic(code=SORTED, filename="a.py", message="")
    assert [weighed(one, b"if 1: import os\n").fix for one in (told, unfixed)] == [
        Remedy(applicability="unsafe", edits=(edit,)),
        None,
    ]
