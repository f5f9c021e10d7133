"""Prose that stays as it is for the sake of another file, which reads it, or has its word for a name."""

from pathlib import Path

import pytest

from sparky.domain.finding import Finding, Fix, Location, Stay
from sparky.domain.issue import Kind
from sparky.evidence.elsewhere import NAMED, why_kept
from sparky.tools.tool import READ
from tests.stages.stand import Stand

FILES = {
    "shop/__init__.py": b"'The shop.'\n",
    "shop/cart.py": b"class Cart:\n    def total(self):\n        'Sum.'\n",
    "shop/seperate.py": b"def recieve(): ...\n# of adress\n",
    "shop/main.py": b"from shop.cart import Cart as C\nprint(C.__doc__, shop.__doc__)\n",
    "tests/test_cart.py": b"print(Cart.total.__doc__)\n",
    "bad.py": b"adress = (\n",
}


def typo(path: str, symbol: str = "", word: str = "teh", fix: Fix = Fix.SAFE, rule: str = "typo") -> Finding:
    place = Location(path=path, line=1, symbol=symbol)
    said = f"`{word}` should be `the`"
    kind = Kind.DOCUMENTATION
    return Finding(tool="typos", rule=rule, kind=kind, message=said, location=place, fix=fix)


@pytest.mark.parametrize(
    ("finding", "stays"),
    [
        (typo("shop/cart.py", "Cart"), READ),
        (typo("shop/cart.py", "Cart", rule="D210"), READ),
        (typo("shop/cart.py", "Cart", fix=Fix.NONE), None),
        (typo("shop/cart.py", "Cart.total"), None),
        (typo("shop/__init__.py"), READ),
        (typo("shop/cart.py"), None),
        (typo("shop.md"), None),
        (typo("README.md", word="recieve"), NAMED),
        (typo("README.md", word="recieve", rule="D210"), None),
        (typo("README.md", word="adress"), None),
    ],
)
def test_what_another_file_reads_or_names_stays(finding: Finding, stays: Stay | None, tmp_path: Path) -> None:
    stand = Stand(root=tmp_path)
    assert why_kept(stand.house.ports, stand.commit(FILES))(finding) == stays
