"""TYPE_ERROR from findings to a merged commit: types that the tests showed, and one that a test refuses."""

import pytest

from tests.acceptance.conftest import MakeWorld

CART = """\
class Cart:
    def __init__(self, owner):
        self.owner = owner


def owner(cart, more=None):
    return cart.owner + (more or "")


def plain(text):
    return text.upper()
"""
TESTS = """\
import cart


def test_the_owner() -> None:
    assert cart.owner(cart.Cart("ada")) == "ada"
    assert cart.owner(cart.Cart("ada"), "!") == "ada!"


def test_what_reads_annotations() -> None:
    assert cart.plain("a") == "A"
    assert cart.plain.__annotations__ == {}
"""
PROJECT = '[project]\nname = "cart"\nversion = "1"\nrequires-python = ">=3.8"\n'


@pytest.mark.soak
def test_types_that_the_tests_showed_are_merged_and_what_a_test_refuses_is_withdrawn_alone(
    world_of: MakeWorld,
) -> None:
    windows = CART.replace("\n", "\r\n")
    world = world_of({"cart.py": windows, "test_cart.py": TESTS, "pyproject.toml": PROJECT})
    said = world.sparky("fix", "--auto", "--json", "-k", "type_error")
    assert (said.code, said.json()["outcome"]) == (0, "merged"), said.err
    assert (world.repo / "cart.py").read_bytes().decode() == (
        windows.replace("class Cart:", "from __future__ import annotations\r\n\r\n\r\nclass Cart:", 1)
        .replace("(self, owner):", "(self, owner: str) -> None:")
        .replace("(cart, more=None):", "(cart: Cart, more: str | None = None) -> str:")
    )
    (left,) = said.json()["issues_remaining"]
    assert left == (
        "cart.py:13 no-untyped-def Function is missing a type annotation: withdrawn: "
        "its fix breaks test_cart.py::test_what_reads_annotations"
    )
