"""Annotations give way to what the checkers say of them: which, and to what, on small sources."""

from dataclasses import replace
from pathlib import Path

import pytest

from sparky.tools.programs.inferred import Names
from sparky.tools.programs.proposals import alike, propose
from sparky.tools.programs.shapes import Classes
from sparky.tools.programs.traced import Traces
from sparky.tools.programs.typed import run
from sparky.tools.ruff_json import patched
from tests.contract.test_types import file, workshop

BOX = """\
class Box:
    def __init__(self):
        self.parts = None


def fill(box: Box) -> None:
    box.parts = [1]


def named(box: Box):
    return "box"


def shown(text="-"):
    return sum(len(one) for one in (text, *named(Box())))
"""


def test_a_function_that_brings_an_error_elsewhere_loses_its_annotations_and_no_other_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text(BOX)
    found = run(["m.py"], (), None, None, annotate=True)
    edits = [edit for one in found if one.fix for edit in one.fix.edits]
    assert patched(BOX.encode(), edits).decode() == (
        BOX.replace("named(box: Box)", "named(box: Box) -> str").replace(
            '(text="-")', '(text: str = "-") -> int'
        )
    )


def test_a_file_is_written_only_when_other_words_stand_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = file("def f(a):\n    pass\n", "m")
    shop = workshop(tmp_path, monkeypatch, one)
    words = replace(one, slots={("f", 0): {"a": ("int", "str"), "return": ("None",)}})
    _, first = shop.write({"m.py": words})
    _, same = shop.write({"m.py": replace(words, slots={("f", 0): {"a": ("int",), "return": ("None",)}})})
    said = (tmp_path / "m.py").read_text()
    shop.write({"m.py": one})
    assert (first["m.py"] is same["m.py"], said) == (True, "def f(a: int) -> None:\n    pass\n")
    assert (tmp_path / "m.py").read_bytes() == one.source


def test_what_an_initializer_passes_on_by_name_is_of_no_one_type() -> None:
    source = (
        "class Own(Base):\n"
        "    def __init__(self, **rest):\n        super().__init__(**rest)\n"
        "    def render(self, **rest):\n        return tag(**rest)\n"
        "class Kept:\n    def __init__(self, **rest):\n        self.rest = rest\n"
    )
    seen = {"rest": [("str",), ("int",)]}
    names = ("Own.__init__", "Own.render", "Kept.__init__")
    traces = Traces(
        seen={("m.py", (name, 0)): seen for name in names},
        classes=Classes(bases={}, can_name=bool),
    )
    made = propose({"m.py": file(source, "m")}, {}, traces)["m.py"].slots
    assert [made[name, 0].get("rest") for name in names] == [None, ("int | str",), ("int | str",)]


def test_a_parameter_that_nothing_is_known_of_is_what_two_thirds_of_its_name_are() -> None:
    one = file("".join(f"def {name}(item):\n    return item\n" for name in "abcd"), "m")
    given = []
    for words in (("str", "int", "str"), ("str", "int")):
        slots = {(name, 0): {"item": (word,)} for name, word in zip("abc", words, strict=False)}
        given.append(alike({"m.py": replace(one, slots=slots)})["m.py"].slots.get(("d", 0)))
    assert given == [{"item": ("str",)}, None]


@pytest.mark.parametrize(
    ("word", "lacks", "wider"),
    [
        ("list[str]", "Sequence[str]", "collections.abc:Sequence[str]"),
        ("collections.abc:Sequence[int]", "tuple[int, ...]", "collections.abc:Sequence[int]"),
        ("list[int] | None", "Sequence[str]", "list[int] | collections.abc:Sequence[str] | None"),
        ("str", "Sequence[str]", ""),
        ("str", "list[str]", "str | list[str]"),
    ],
)
def test_what_is_a_sequence_anyway_is_not_named_beside_it(word: str, lacks: str, wider: str) -> None:
    assert Names({}).word(lacks, word) == wider
