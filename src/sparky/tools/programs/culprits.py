"""The function whose annotations bring an error that its own place does not explain, found by trying."""

import ast
import builtins
import re
from collections.abc import Collection, Iterator, Mapping

from sparky.tools.programs.annotations import Annotated
from sparky.tools.programs.blame import Blame, Slot
from sparky.tools.programs.checking import Error
from sparky.tools.programs.chosen import Files, only, places
from sparky.tools.programs.signatures import Function, Place, own
from sparky.tools.programs.workshop import Workshop

_CLASS = re.compile(r"\w+")
_FIRST, _STEP = 3, 4
"""How many functions are left out at first, and how many times as many where these were not enough."""
_HOPS = 2


def suspects(blame: Blame, error: Error, doubted: Collection[Slot]) -> list[Place]:
    """The functions that have slots in doubt, those first that the error names, these call, and so on.

    Of functions equally far away those first that give what is in the error's text, then those that take it.
    """
    wide = sorted((path, key) for path, key, _ in blame.wide(error))
    near = dict.fromkeys([*blame.emptied(error), *blame.around(error), *wide])
    found = [*near]
    for _ in range(_HOPS):
        called = {name for place in near for name in _named_in(blame.nodes[place])}
        near = dict.fromkeys(place for name in sorted(called) for place in blame.named.get(name, ()))
        found += sorted(near, key=lambda place: _kinship(blame.files, place, error))
    in_doubt = dict.fromkeys((path, key) for path, key, _ in sorted(doubted))
    return [place for place in dict.fromkeys([*found, *in_doubt]) if place in in_doubt]


def _named_in(node: Function) -> Iterator[str]:
    for one in own(node):
        if isinstance(one, ast.Name):
            yield one.id
        elif isinstance(one, ast.Attribute):
            yield one.attr


def _kinship(files: Mapping[str, Annotated], place: Place, error: Error) -> int:
    """0 for what gives a type that the error names, 1 for what takes or belongs to one, 2 for all else."""
    path, key = place
    said = {name for name in _CLASS.findall(error.message) if name not in vars(builtins)}
    words = files[path].slots.get(key, {})
    if said & {*_CLASS.findall(words.get("return", ("",))[0])}:
        return 0
    taken = {name for some in words.values() for name in _CLASS.findall(some[0])}
    return 1 if said & {*taken, *key[0].split(".")[:-1]} else 2


def culprit(shop: Workshop, found: Files, error: Error, asked: list[Place]) -> Place | None:
    """The function among those asked, the likeliest first; None if it is none of them."""
    everything = places(found)

    def is_there(left_out: int) -> bool:
        spared = {*asked[:left_out]}
        shop.write(only(found, [place for place in everything if place not in spared]))
        said = shop.review() if error.reviewed else shop.check()
        return error.identity in {one.identity for one in said}

    low, high = 0, min(_FIRST, len(asked))
    while high and is_there(high):
        if high == len(asked):
            return None
        low, high = high, min(high * _STEP, len(asked))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_there(middle) else (low, middle)
    return asked[high - 1] if high else None
