"""Functions of a module that do the same."""

import pytest

from sparky.tools.programs.repeated import repeated
from sparky.tools.ruff_json import patched


def test_bug_a_function_that_is_nested_too_deep_to_be_told_hid_all_others_of_its_file() -> None:
    body = "    a = 1\n    b = 2\n    return a + b\n"
    deep = f"def deep():\n    x = {' + '.join('1' * 1500)}\n{body}"
    source = f"{deep}\n\ndef one():\n{body}\n\ndef two():\n{body}"
    assert [one.message for one in repeated("a.py", source.encode())] == ["`two` has the same body as `one`"]


CLASS = """\
class Cart:
    def total(self, *, rate=1):
        found = self.prices
        found = [one * rate for one in found]
        return sum(found)

    def amount(self, *, rate=1):
        found = self.prices
        found = [one * rate for one in found]
        return sum(found)
"""


def mended(text: str) -> str:
    found = [edit for one in repeated("a.py", text.encode()) if one.fix for edit in one.fix.edits]
    return patched(text.encode(), found).decode()


def test_a_method_calls_the_one_of_its_own_class_and_never_that_of_a_subclass() -> None:
    first, _, _ = CLASS.partition("    def amount")
    assert (
        mended(CLASS)
        == f"{first}    def amount(self, *, rate=1):\n        return Cart.total(self, rate=rate)\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    def amount", "class Order:\n    def amount"),
        ("class Cart", "@single\nclass Cart"),
        ("    def total", "    @cached\n    def total"),
        ("    def amount", "    @property\n    def amount"),
        ("    def amount", "    total = cached(total)\n    def amount"),
        ("    def amount", "    def test_amount"),
        ("class Cart", "Cart = None\nclass Cart"),
        ("class Cart", "def patch(cart):\n    cart.total = None\nclass Cart"),
        ("self, *,", "Cart, *,"),
        ("self, *,", "*,"),
        ("self.prices", "super().prices"),
        ("class Cart", "class __Cart"),
        ("rate", "__rate"),
        ("def total", "def __class_getitem__"),
        ("    def amount", "    del total\n\n    def amount"),
        ("return sum(found)\n\n", "return sum(found)\n\n    tax = amount = None\n\n"),
    ],
)
def test_a_method_keeps_its_body_where_the_other_may_be_something_else(old: str, new: str) -> None:
    text = CLASS.replace(old, new)
    assert text != CLASS
    assert mended(text) == text
