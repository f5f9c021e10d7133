"""Small repositories that many scenarios start from."""

CONFIG = {"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n'}

SHOP = {
    **CONFIG,
    "shop.py": "import os\nimport sys\n\n\ndef total( items ):\n    unused = 1\n    return sum(items)\n",
    "tests/test_shop.py": "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
}
"""A green repository with a finding of each kind."""

BUG = {
    **CONFIG,
    "calc.py": "def double(x):\n    return x * 3\n",
    "tests/test_calc.py": "from calc import double\n\n\ndef test_double():\n    assert double(2) == 4\n",
    "tests/test_zero.py": "from calc import double\n\n\ndef test_zero():\n    assert double(0) == 0\n",
    "issues/001-double.md": "# Issue #001: double is wrong\n\n## Type\nbug\n\n## Files\n- calc.py\n",
}
"""A repository with a bug that one of its tests shows, and an issue that names it."""

QUICK_BUG = {name: BUG[name] for name in ("calc.py", "issues/001-double.md")} | {
    "Makefile": "test:\n\t@python -c 'import calc; assert calc.double(2) == 4'\n"
}
"""The same where the tests take little time, for scenes of what comes before and after them."""

SIDE_EFFECT = {
    **CONFIG,
    "formats.py": "FORMATS = {}\n",
    "csv_format.py": 'from formats import FORMATS\n\nFORMATS["csv"] = ",".join\n',
    "report.py": (
        "import csv_format\n\nfrom formats import FORMATS\n\n\n"
        "def render(fields):\n    unused = 1\n    return FORMATS['csv'](fields)\n"
    ),
    "tests/test_report.py": (
        "from report import render\n\n\ndef test_csv():\n    assert render(['a', 'b']) == 'a,b'\n"
    ),
}
"""A repository in which an import that looks unused is needed."""
