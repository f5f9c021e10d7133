"""Annotations give way to what the checkers say of them: which, and to what, on small sources."""

from dataclasses import replace
from pathlib import Path

import pytest

from sparky.tools.programs.blame import Blame
from sparky.tools.programs.checking import Error
from sparky.tools.programs.healing import Healing
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
    tmp_path: Path, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text(BOX)
    found = run(["m.py"], (), None, known, annotate=True)
    edits = [edit for one in found if one.fix for edit in one.fix.edits]
    assert patched(BOX.encode(), edits).decode() == (
        BOX.replace("named(box: Box)", "named(box: Box) -> str").replace(
            '(text="-")', '(text: str = "-") -> int'
        )
    )


def test_a_file_is_written_only_when_other_words_stand_in_it(
    tmp_path: Path, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = file("def f(a):\n    pass\n", "m")
    shop = workshop(tmp_path, known, monkeypatch, one)
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


def test_a_parameter_that_nothing_is_known_of_is_what_two_thirds_or_all_of_its_name_are() -> None:
    classes = Classes(bases={"m:A": ["m:Base"], "m:B": ["m:Base"], "m:Odd": []}, can_name=bool)
    one = file("".join(f"def {name}(item):\n    return item\n" for name in "abcd"), "m")
    given = []
    for words in (("str", "int", "str"), ("str", "int"), ("m:A", "m:B"), ("m:A", "m:Odd")):
        slots = {(name, 0): {"item": (word,)} for name, word in zip("abc", words, strict=False)}
        given.append(alike({"m.py": replace(one, slots=slots)}, classes)["m.py"].slots.get(("d", 0)))
    assert given == [{"item": ("str",)}, None, {"item": ("m:Base",)}, None]


HUB = """\
import re


class Hub:
    def __init__(self, port):
        self.port = port

    def match(self):
        return "hub"


def page(text):
    def find(text):
        return text
    return find(text)


def start(hub):
    hub.port.register(page)
    hub.match()
    re.compile("a").match("b")
    hub.find()
    for part in page:
        parts = []
"""


@pytest.mark.parametrize(
    ("line", "code", "message", "blamed"),
    [
        (19, "union-attr", 'Item "str" of "str | None" has no attribute "register"', ["Hub.__init__ port"]),
        (20, "arg-type", "-", ["Hub.match return", "start hub"]),
        (21, "arg-type", "-", []),
        (22, "arg-type", "-", ["start hub"]),
        (18, "type-arg", 'Missing type arguments for generic type "Hub"', ["start hub"]),
        (24, "var-annotated", "-", ["start hub", "start return"]),
    ],
)
def test_an_error_blames_what_it_may_come_from(line: int, code: str, message: str, blamed: list[str]) -> None:
    words = {
        "Hub.__init__": {"port": ("str | None",)},
        "Hub.match": {"return": ("str",)},
        "page": {"return": ("str",)},
        "page.find": {"return": ("str",)},
        "start": {"hub": ("m:Hub",), "return": ("None",)},
    }
    one = replace(file(HUB, "m"), slots={(name, 0): slots for name, slots in words.items()})
    error = Error(file="m.py", line=line, column=0, code=code, message=message)
    found = Blame({"m.py": one}, {"m.py": one.tree})
    slots = found.of(error, {("m.py", key, slot) for key, some in one.slots.items() for slot in some})
    assert sorted(f"{key[0]} {slot}" for _, key, slot in slots) == blamed


SHEET = """\
class Form:
    meta = None


class Base:
    def take(self, form):
        pass


class Own(Base):
    def take(self, form):
        self.meta = form.meta

    def size(self) -> int:
        return len(self.meta)
"""


def test_bug_a_method_kept_a_type_that_what_its_override_sets_does_not_bear(
    tmp_path: Path, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = file(SHEET, "m")
    healing = Healing(workshop(tmp_path, known, monkeypatch, one))
    found = {"m.py": replace(one, slots={("Base.take", 0): {"form": ("m:Form",), "return": ("None",)}})}
    assert healing.agreed(found)["m.py"].slots == {("Base.take", 0): {"return": ("None",)}}


def test_what_returns_any_is_tried_again_when_more_has_types(
    tmp_path: Path, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = file("import json\ndef load(text):\n    return json.loads(text)\n", "m")
    wanted = {"m.py": replace(one, slots={("load", 0): {"text": ("str",), "return": ("int", "str")}})}
    healing = Healing(workshop(tmp_path, known, monkeypatch, one))
    found = healing.healed(wanted, {"m.py": one})
    assert (found["m.py"].slots, healing.untried(found, wanted)) == (
        {("load", 0): {"text": ("str",)}},
        wanted,
    )


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
