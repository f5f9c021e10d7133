"""What each slot of a function may be annotated with, from all that is known; the likeliest first.

None for what returns nothing, what Python itself demands of a special method, what the tests showed, what
`pyrefly infer` (MIT) says, the type of a plain default. Never `Any` or `object`: they would hush a checker,
and say nothing.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sparky.tools.programs.annotations import Annotated
from sparky.tools.programs.expressions import names_in
from sparky.tools.programs.inferred import inferred_words, is_muddled, members
from sparky.tools.programs.shapes import Classes, Shape
from sparky.tools.programs.signatures import (
    Function,
    Key,
    Place,
    arguments,
    families,
    fickle,
    is_generator,
    open_slots,
    own,
    with_default,
)
from sparky.tools.programs.traced import Traces

_NAME = re.compile(r"\w+")
Words = dict[str, tuple[str, ...]]
_SCALARS = (bool, int, float, str, bytes)
_SPECIAL = {
    **dict.fromkeys(("__str__", "__repr__", "__format__"), "str"),
    **dict.fromkeys(("__len__", "__hash__", "__int__", "__index__"), "int"),
    **dict.fromkeys(
        ("__bool__", "__contains__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"), "bool"
    ),
    **dict.fromkeys(("__init__", "__setattr__", "__delattr__", "__setitem__", "__delitem__"), "None"),
    "__bytes__": "bytes",
    "__float__": "float",
}


def propose(
    files: Mapping[str, Annotated], inferred: Mapping[str, bytes], traces: Traces
) -> dict[str, Annotated]:
    """The files with the words for every open slot."""
    nodes = {(path, key): node for path, one in files.items() for key, node in one.functions.items()}
    related = families({path: one.tree for path, one in files.items()})
    shared = traces.shared(related, nodes)
    odd = fickle({path: one.tree for path, one in files.items()})
    made: dict[str, Annotated] = {}
    for path, one in files.items():
        theirs = inferred_words(one, inferred.get(path, b""))
        slots: dict[Key, Words] = {}
        for key, node in one.functions.items():
            words = _merged(node, shared.words((path, key), node), theirs.get(key, {}))
            made_here = odd & {*_called(node)}
            words["return"] = [word for word in words["return"] if not made_here & {*_NAME.findall(word)}]
            if strange := _made_of(one, node, traces.seen.get((path, key), {}).get("return", ())):
                words["return"].append(strange)
            if kept := _open(one, node, words):
                slots[key] = kept
        made[path] = replace(one, slots=slots)
    return made


def _made_of(one: Annotated, node: Function, seen: Sequence[Shape]) -> str:
    """The class of another package that each `return` calls, and that the tests saw; "" if there is none."""
    gives = [found.value for found in own(node) if isinstance(found, ast.Return)]
    called = [give.func for give in gives if isinstance(give, ast.Call)]
    names = {func.id for func in called if isinstance(func, ast.Name)}
    full = one.names.get(min(names, default=""), "")
    if re.split(r"[.:]", full)[0] in {"", one.module.partition(".")[0]} or len(names) > 1:
        return ""
    calls_it = len(called) == len(gives) and all(isinstance(func, ast.Name) for func in called)
    return full if calls_it and seen and all([*shape] == [full] for shape in seen) else ""


def _called(node: Function) -> Iterator[str]:
    """What a function calls, by the last part of its name."""
    for call in (one for one in own(node) if isinstance(one, ast.Call)):
        yield call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _open(one: Annotated, node: Function, words: Mapping[str, Iterable[str]]) -> Words:
    """The words that can be written, of the slots that have no annotation."""
    able = {
        slot: tuple(word for word in words.get(slot, ()) if one.can_say(word) and not is_muddled(word))
        for slot in sorted(open_slots(node))
    }
    return {slot: some for slot, some in able.items() if some}


def _merged(
    node: Function, traced: Mapping[str, list[str]], theirs: Mapping[str, str]
) -> dict[str, list[str]]:
    defaults = dict(_defaults(node))
    words: dict[str, list[str]] = {}
    for arg in arguments(node):
        default = defaults.get(arg.arg, "")
        some = [*traced.get(arg.arg, ()), theirs.get(arg.arg, "")]
        joined = [_with(word, default) for word in some if word]
        words[arg.arg] = [*dict.fromkeys([*joined, *([default] if default not in {"", "None"} else [])])]
        if arg is node.args.kwarg and node.name == "__init__" and _is_passed_on(node, arg):
            words[arg.arg] = [word for word in words[arg.arg] if len(members(word)) == 1]
    words["return"] = [*dict.fromkeys(_given(node, traced, theirs))]
    return words


def _is_passed_on(node: Function, kwarg: ast.arg) -> bool:
    """Whether a call is given all that has no parameter here: what takes it by name takes no union."""
    calls = (one for one in own(node) if isinstance(one, ast.Call))
    given = (keyword.value for call in calls for keyword in call.keywords if keyword.arg is None)
    return any(isinstance(value, ast.Name) and value.id == kwarg.arg for value in given)


def _given(node: Function, traced: Mapping[str, list[str]], theirs: Mapping[str, str]) -> Iterator[str]:
    if _returns_nothing(node):
        yield "None"
        return
    if node.name in _SPECIAL:
        yield _SPECIAL[node.name]
    if "return" in theirs and theirs["return"] != "None":
        yield theirs["return"]
    gives = is_generator(node) or any(isinstance(one, ast.Return) and one.value for one in own(node))
    yield from (word for word in traced.get("return", ()) if gives is (word != "None"))


def _with(word: str, default: str) -> str:
    """The union of a word with the type of a default."""
    parts = members(word)
    if (
        not default
        or default in parts
        or (default == "bool" and "int" in parts)
        or (default == "int" and "float" in parts)
    ):
        return word
    if "None" in parts:
        return " | ".join([*(part for part in parts if part != "None"), default, "None"])
    return f"{word} | {default}"


def _defaults(node: Function) -> Iterator[tuple[str, str]]:
    """The type of each default that is a constant."""
    for arg, value in with_default(node):
        if isinstance(value, ast.Constant) and value.value is None:
            yield arg.arg, "None"
        elif isinstance(value, ast.Constant) and isinstance(value.value, _SCALARS):
            yield arg.arg, type(value.value).__name__


def alike(files: Mapping[str, Annotated], classes: Classes) -> dict[str, Annotated]:
    """Words for parameters that nothing is known of but their name: that of two thirds of all others of it.

    Else the class that all of these are. Whether None is taken, too, depends on the default alone.
    """
    known: dict[str, Counter[str]] = defaultdict(Counter)
    for one in files.values():
        for mine in one.slots.values():
            for slot, some in mine.items():
                known[slot][some[0].removesuffix(" | None")] += 1
    usual = {name: _usual(words, classes) for name, words in known.items() if name != "return"}
    sure = {name: word for name, word in usual.items() if word}
    made = {}
    for path, one in files.items():
        slots: dict[Key, Mapping[str, tuple[str, ...]]] = {**one.slots}
        for key, node in one.functions.items():
            defaults = dict(_defaults(node))
            mine = one.slots.get(key, {})
            names = open_slots(node) & {*sure} - {*mine}
            missing = {name: [_with(sure[name], defaults.get(name, ""))] for name in names}
            if more := _open(one, node, missing):
                slots[key] = {**mine, **more}
        made[path] = replace(one, slots=slots)
    return made


def _usual(words: Counter[str], classes: Classes) -> str:
    """The word of two thirds of these, or the class that all of them are; "" if there is neither."""
    word, count = words.most_common(1)[0]
    if count * 3 >= words.total() * 2:
        return word
    return classes.common([*words]) if words.keys() <= classes.bases.keys() else ""


def inherited(files: Mapping[str, Annotated]) -> Iterator[tuple[list[Place], Place, str, str]]:
    """Parameters that have a type where a method is first, and none where it is overridden.

    Each with its family, where it has none, its name, and the word of the first: checkers take that for it.
    """
    for family in families({path: one.tree for path, one in files.items()}):
        path, key = family[0]
        first = files[path].slots.get(key, {})
        for place in family[1:]:
            one, mine = files[place[0]], files[place[0]].slots.get(place[1], {})
            for slot in sorted(open_slots(one.functions[place[1]]) & {*first} - {*mine, "return"}):
                if one.can_say(first[slot][0]):
                    yield family, place, slot, first[slot][0]


def halves(files: Mapping[str, Annotated], calls: Mapping[str, int]) -> dict[str, Annotated]:
    """The files without the annotations of functions of which parameters and the return stay open, both.

    mypy would name such a function twice, and once without any annotation; but not its `calls`, by name, so
    that those that are called stay.
    """
    made: dict[str, Annotated] = {}
    for path, one in files.items():
        slots: dict[Key, Mapping[str, tuple[str, ...]]] = {}
        for key, some in one.slots.items():
            node = one.functions[key]
            left = open_slots(node) - {*some}
            kept = {slot: words for slot, words in some.items() if not _is_refilled(node, slot, words, left)}
            name = key[0].rpartition(".")[2]
            if kept and ("return" not in left or left == {"return"} or calls.get(name, 0)):
                slots[key] = kept
        made[path] = replace(one, slots=slots)
    return made


def _is_refilled(node: Function, slot: str, words: tuple[str, ...], left: set[str]) -> bool:
    """Whether a parameter that may be None is assigned what an open one gives: None may be that, too."""
    puts = (one for one in own(node) if isinstance(one, ast.Assign) and slot in names_in(one.targets[0]))
    return "None" in members(words[0]) and any(names_in(one.value) & left for one in puts)


def _returns_nothing(node: Function) -> bool:
    if is_generator(node) or any(isinstance(one, ast.Return) and one.value for one in own(node)):
        return False
    return not isinstance(node.body[-1], ast.Raise) and not _is_stub(node)


def _is_stub(node: Function) -> bool:
    """Whether the body says nothing: its overrides may return something."""
    said = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return all(isinstance(statement, ast.Pass) for statement in said)
