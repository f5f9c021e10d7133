"""What is seen of functions while a program runs, by each of the ways in which they are watched."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

from sparky.adapters.traced import start

SHOP = """\
class Cart:
    def __init__(self, owner):
        self.owner = owner

    def names(self, few=None):
        for name in few or ["a"]:
            yield name


def total(prices, *more, tax=0):
    if not prices:
        raise ValueError
    return sum(prices) + tax


def owner(cart):
    return cart.owner
"""
CALLS = (
    "import shop\ncart = shop.Cart('ada')\nlist(cart.names())\nshop.total([1], 'x', tax=1.5)\n"
    "shop.owner(cart)\n"
    "try:\n    shop.total([])\nexcept ValueError:\n    pass\n"
)


def traced(root: Path, source: str = SHOP, *argv: str) -> Path:
    """What was seen of a source while CALLS, or another program, ran, in a process watched from its start."""
    code = root / "code"
    for folder in (root / "plugin", root / "out", code):
        folder.mkdir(parents=True)
    (code / "shop.py").write_text(source)
    start(root, [code])
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(root / "plugin"), str(code)))}
    subprocess.run([sys.executable, *(argv or ("-c", CALLS))], cwd=code, env=env, check=True)
    (told,) = (root / "out").glob("calls-*.json")
    return told


def slots(told: Path) -> dict[str, dict[str, list[list[str]]]]:
    """The types of each slot, by file, name and number."""
    rows = json.loads(told.read_bytes())["functions"]
    return {f"{path} {name} {number}": slots for path, name, number, slots in rows}


def test_a_running_program_shows_what_its_functions_are_called_with(tmp_path: Path) -> None:
    assert slots(traced(tmp_path)) == {
        "shop.py Cart.__init__ 0": {"owner": [["str"]], "return": [["None"]]},
        "shop.py Cart.names 0": {"few": [["None"]], "yield": [["str"]], "return": [["None"]]},
        "shop.py total 0": {
            "prices": [["list", [["int"]]], ["list", []]],
            "more": [["str"]],
            "tax": [["float"], ["int"]],
            "return": [["float"]],
        },
        "shop.py owner 0": {"cart": [["shop:Cart"]], "return": [["str"]]},
    }


PAGE = """\
import asyncio
import threading


class Page:
    @property
    def __class__(it):
        return Page

    def lines(self, width=80, /, *more, **named):
        'With a word on it.'

        def each(items):
            got = yield from items
            return got

        return list(each(more))


def talk():
    heard = yield 'who?'
    try:
        yield heard
    finally:
        del heard


def talk_on():
    return (yield from talk())


if threading:

    def turn(page): return page


def turn(page):
    if page is None:
        raise ValueError
    return lambda: page


async def items(count):
    for number in range(count):
        yield number


async def total(count):
    return sum([number async for number in items(count)])


if __name__ == "__main__":
    page = Page()
    page.lines(60, 'a', b'b', wide=True)
    talking = talk_on()
    assert next(talking) == 'who?'
    assert talking.send(1.5) == 1.5
    assert list(talking) == []
    thread = threading.Thread(target=turn, args=(page,))
    thread.start()
    thread.join()
    try:
        turn(None)
    except ValueError as error:
        assert error.__traceback__.tb_next.tb_lineno == 39
    assert asyncio.run(total(2)) == 1
"""


def test_a_module_shows_what_it_does_and_does_the_same_for_it(tmp_path: Path) -> None:
    found = slots(traced(tmp_path, PAGE, "-m", "shop"))
    assert found.pop("shop.py items 0")["count"] == [["int"]]  # from 3.12 on its items come wrapped
    assert found == {
        "shop.py Page.lines 0": {
            "width": [["int"]],
            "more": [["bytes"], ["str"]],
            "named": [["bool"]],
            "return": [["list", [["bytes"], ["str"]]]],
        },
        "shop.py Page.lines.each 0": {
            "items": [["tuple", [["str"]], [["bytes"]]]],
            "yield": [["bytes"], ["str"]],
            "return": [["None"]],
        },
        "shop.py talk 0": {"yield": [["float"], ["str"]], "return": [["None"]]},
        "shop.py talk_on 0": {"yield": [["float"], ["str"]], "return": [["None"]]},
        "shop.py turn 1": {"page": [["None"], ["shop:Page"]], "return": [["!"]]},
        "shop.py total 0": {"count": [["int"]], "return": [["int"]]},
    }


def test_a_script_shows_what_it_does_and_names_its_classes_as_others_would(tmp_path: Path) -> None:
    calls = CALLS.replace("import shop\n", "").replace("shop.", "")
    script = f"{SHOP}\n\nif __name__ == '__main__':\n{textwrap.indent(calls, '    ')}"
    assert slots(traced(tmp_path / "1", script, "shop.py")) == slots(traced(tmp_path / "2"))
