"""TYPE_ERROR from end to end below the command line: what each layer makes of a small source."""

import ast
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sparky.adapters.traced import gathered
from sparky.tools.programs.annotations import Annotated, Style
from sparky.tools.programs.checking import Error, module_of, roots
from sparky.tools.programs.chosen import annotated
from sparky.tools.programs.inferred import Names, inferred_words
from sparky.tools.programs.proposals import alike, halves, inherited, propose
from sparky.tools.programs.shapes import Classes, is_type, word
from sparky.tools.programs.signatures import Place, families
from sparky.tools.programs.sources import tree_of
from sparky.tools.programs.stubs import unpack
from sparky.tools.programs.traced import Seen, Traces, read
from sparky.tools.programs.typed import run
from sparky.tools.programs.variables import Variables
from sparky.tools.programs.workshop import CACHE, Workshop
from sparky.tools.ruff_json import patched
from tests.contract.conftest import Target
from tests.contract.test_traced import traced

CLASSES = Classes(
    bases={"shop.cart:Big": ["shop.cart:Cart"], "tests.fake:Fake": ["shop.cart:Cart"], "tests.fake:Odd": []},
    can_name=lambda module: module in {"shop.cart", "datetime"},
)
NONE, STR, INT, BIG, CART, FAKE = (
    (name,) for name in ("None", "str", "int", "shop.cart:Big", "shop.cart:Cart", "tests.fake:Fake")
)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ([STR], "str"),
        ([STR, NONE], "str | None"),
        ([("bool",), INT], "int"),
        ([("list", [STR]), ("list", [INT])], "list[int | str]"),
        ([("list", []), ("list", [STR])], "list[str]"),
        ([("list", [])], None),
        ([("tuple", [INT], [STR]), ("tuple", [NONE], [STR])], "tuple[int | None, str]"),
        ([("tuple", [INT]), ("tuple", [INT], [INT])], "tuple[int, ...]"),
        ([("tuple", [INT])], "tuple[int, ...]"),
        ([BIG, CART], "shop.cart:Cart"),
        ([FAKE], "shop.cart:Cart"),
        ([("tests.fake:Odd",), STR], "str"),
        ([("!",), STR], None),
        ([STR, INT, ("bytes",), ("list", [STR])], None),
        ([("type", [BIG]), ("type", [CART])], "type[shop.cart:Cart]"),
        ([("datetime:date.<locals>.Own",)], None),
    ],
)
def test_what_was_seen_is_put_together(seen: list[tuple[str]], expected: str | None) -> None:
    assert word(seen, CLASSES) == expected


def test_containers_of_several_sorts_are_what_they_have_in_common() -> None:
    assert word([("list", [STR]), ("tuple", [STR])], CLASSES, wide=True) == "collections.abc:Sequence[str]"
    assert word([("list", [STR]), ("set", [STR])], CLASSES, wide=True) == "collections.abc:Iterable[str]"


def file(source: str | bytes, module: str = "shop.page", style: Style | None = None) -> Annotated:
    data = source.encode() if isinstance(source, str) else source
    tree = tree_of(data)
    assert tree is not None
    return Annotated(source=data, tree=tree, module=module, style=style or Style())


def with_words(one: Annotated, slots: dict[str, dict[str, str]]) -> str:
    words = {(name, 0): {slot: (text,) for slot, text in some.items()} for name, some in slots.items()}
    return annotated(Annotated(**{**vars(one), "slots": words})).decode()


def test_annotations_bring_what_they_need_above_them() -> None:
    one = file('"""Pages."""\nimport os\n\n\ndef show(cart, width=80):\n    return os.sep\n')
    words = {"cart": "shop.cart:Cart | None", "width": "int", "return": "str"}
    assert with_words(one, {"show": words}) == (
        '"""Pages."""\nfrom __future__ import annotations\nfrom typing import TYPE_CHECKING\nimport os\n'
        "\nif TYPE_CHECKING:\n    from shop.cart import Cart\n"
        "\n\ndef show(cart: Cart | None, width: int = 80) -> str:\n    return os.sep\n"
    )


@pytest.mark.parametrize(
    ("above", "brought", "name"),
    [
        ("import re", "TYPE_CHECKING, ClassVar", "ClassVar"),
        ("import typing", "TYPE_CHECKING", "typing.ClassVar"),
        ("from typing import ClassVar", "TYPE_CHECKING", "ClassVar"),
    ],
)
def test_what_is_of_a_class_says_so_by_a_name_that_is_there_when_it_runs(
    above: str, brought: str, name: str
) -> None:
    one = file(f"{above}\n\n\nclass Page:\n    cart = None\n")
    assert annotated(replace(one, variables={5: "typing:ClassVar[shop.cart:Cart]"})).decode() == (
        f"from __future__ import annotations\nfrom typing import {brought}\n{above}\n\n"
        "if TYPE_CHECKING:\n    from shop.cart import Cart\n\n\n"
        f"class Page:\n    cart: {name}[Cart] = None\n"
    )


def test_plain_annotations_bring_nothing() -> None:
    one = file("def show(width = 80, *rest, **more):\n    pass\n")
    words = {"width": "int", "rest": "str", "more": "bool", "return": "None"}
    assert with_words(one, {"show": words}) == (
        "def show(width: int = 80, *rest: str, **more: bool) -> None:\n    pass\n"
    )


def test_for_a_python_before_3_7_annotations_are_quoted() -> None:
    source = "def show(cart, page, width):\n    pass\n\n\nclass Page:\n    pass\n"
    one = file(source, style=Style(quoted=True))
    words = {"cart": "str | None", "page": "shop.page:Page", "width": "int", "return": "None"}
    assert with_words(one, {"show": words}) == source.replace(
        "cart, page, width)", 'cart: "str | None", page: "Page", width: int) -> None'
    )


def test_line_ends_stay_and_a_long_signature_gets_a_line_for_each_parameter() -> None:
    one = file(
        "class Page:\r\n    def show(self, cart, *, width=80):\r\n        pass\r\n", style=Style(line=50)
    )
    assert with_words(one, {"Page.show": {"cart": "str", "width": "int", "return": "None"}}) == (
        "class Page:\r\n    def show(\r\n        self,\r\n        cart: str,\r\n        *,\r\n"
        "        width: int = 80,\r\n    ) -> None:\r\n        pass\r\n"
    )


def test_a_signature_of_several_lines_is_split_only_where_it_would_be_too_long() -> None:
    source = "def show(\n    cart, width\n):  # all\n    pass\n"
    short = {"show": {"cart": "str", "width": "int", "return": "None"}}
    assert with_words(file(source), short) == source.replace(
        "cart, width\n)", "cart: str, width: int\n) -> None"
    )
    assert with_words(file(source, style=Style(line=20)), short) == (
        "def show(\n    cart: str,\n    width: int,\n) -> None:  # all\n    pass\n"
    )
    noted = source.replace("width\n", "width  # in px\n")
    assert "cart: str, width: int  # in px\n) -> None" in with_words(file(noted, style=Style(line=20)), short)


def test_a_name_that_is_taken_is_not_written() -> None:
    one = file("Cart = 1\nfrom datetime import date\nimport re\n")
    assert [one.can_say(text) for text in ("shop.cart:Cart", "datetime:date", "re:Match[str]")] == [
        False,
        True,
        True,
    ]


FAMILY = """\
class Base:
    def take(self, what): ...
    def give(self): ...


class Own(Base):
    def take(self, what): ...
"""


def test_what_overrides_takes_what_the_first_takes() -> None:
    one = file(FAMILY)
    related = families({"a.py": one.tree})
    assert related == [[("a.py", ("Base.take", 0)), ("a.py", ("Own.take", 0))]]
    seen: Seen = {"what": [STR], "return": [INT]}
    traces = Traces(seen={("a.py", ("Own.take", 0)): seen}, classes=CLASSES)
    proposed = propose({"a.py": one}, {}, traces)["a.py"]
    assert proposed.slots == {
        ("Base.take", 0): {"what": ("str",)},
        ("Own.take", 0): {"what": ("str",)},
    }


def test_each_source_of_types_is_asked_in_turn() -> None:
    one = file(
        "def show(cart, width=80, name=None, quiet=False):\n    print(cart)\n\n\n"
        "def size(cart):\n    return len(cart)\n\n\ndef each(carts):\n    yield from carts\n"
        "\n\nclass Page:\n    def __len__(self):\n        return 1\n"
    )
    inferred = b"def size(cart: Any) -> int: ...\n"
    seen: dict[Place, Seen] = {
        ("a.py", ("show", 0)): {"name": [STR]},
        ("a.py", ("size", 0)): {"cart": [("list", [STR])]},
        ("a.py", ("each", 0)): {"carts": [("list", [STR])], "yield": [STR], "return": [NONE]},
    }
    proposed = propose({"a.py": one}, {"a.py": inferred}, Traces(seen=seen, classes=CLASSES))["a.py"]
    assert proposed.slots == {
        ("show", 0): {"name": ("str | None",), "quiet": ("bool",), "return": ("None",), "width": ("int",)},
        ("size", 0): {"cart": ("list[str]", "collections.abc:Sequence[str]"), "return": ("int",)},
        ("each", 0): {
            "carts": ("list[str]", "collections.abc:Sequence[str]"),
            "return": ("collections.abc:Iterator[str]",),
        },
        ("Page.__len__", 0): {"return": ("int",)},
    }
    more = alike({"a.py": proposed}, CLASSES)["a.py"]
    assert more.slots["show", 0]["cart"] == ("list[str]",)


def test_a_function_that_mypy_would_name_twice_stays_as_it_is_unless_it_is_called() -> None:
    one = file("def show(cart, width=1):\n    return cart\n")
    some = Annotated(**{**vars(one), "slots": {("show", 0): {"width": ("int",)}}})
    assert halves({"a.py": some}, {})["a.py"].slots == {}
    assert halves({"a.py": some}, {"show": 1}) == {"a.py": some}


def test_bug_a_generator_below_a_method_had_that_return_none() -> None:
    one = file(
        "class Base:\n    def each(self):\n        raise ValueError\n\n\n"
        "class Own(Base):\n    def each(self):\n        yield 1\n"
    )
    seen: Seen = {"yield": [INT], "return": [NONE]}
    traces = Traces(seen={("a.py", ("Own.each", 0)): seen}, classes=CLASSES)
    assert ("Base.each", 0) not in propose({"a.py": one}, {}, traces)["a.py"].slots


def test_what_a_call_of_a_class_gives_is_left_open_where_its_new_gives_something_else() -> None:
    one = file(
        "class Field:\n    def __new__(cls):\n        return Later(cls)\n\n\n"
        "class Own(Field):\n    pass\n\n\ndef made():\n    return Own()\n\n\ndef kept(own):\n    return own\n"
    )
    seen: dict[Place, Seen] = {("a.py", (name, 0)): {"return": [("m:Own",)]} for name in ("made", "kept")}
    classes = Classes(bases={}, can_name=bool)
    one = replace(one, module="m")
    assert propose({"a.py": one}, {}, Traces(seen=seen, classes=classes))["a.py"].slots == {
        ("kept", 0): {"return": ("m:Own",)}
    }


def test_a_parameter_is_left_open_that_is_none_or_what_an_open_one_gives() -> None:
    one = file(
        "def show(field, text=None):\n    if text is None:\n        text = field.name()\n    print(text)\n"
    )
    open_one = {"text": ("str | None",), "return": ("None",)}
    some = replace(one, slots={("show", 0): open_one})
    every = replace(one, slots={("show", 0): {**open_one, "field": ("str",)}})
    assert halves({"a.py": some}, {})["a.py"].slots == {("show", 0): {"return": ("None",)}}
    assert halves({"a.py": every}, {}) == {"a.py": every}


def test_whether_a_parameter_takes_none_is_for_its_default_to_say() -> None:
    one = file("def f(name): ...\ndef g(name=None): ...\ndef h(name): ...\n")
    some = replace(one, slots={("f", 0): {"name": ("str",)}})
    assert alike({"a.py": some}, CLASSES)["a.py"].slots == {
        ("f", 0): {"name": ("str",)},
        ("g", 0): {"name": ("str | None",)},
        ("h", 0): {"name": ("str",)},
    }


def test_what_overrides_and_has_no_type_is_named_with_that_of_the_first() -> None:
    one = replace(file(FAMILY), slots={("Base.take", 0): {"what": ("str",)}})
    first, own = ("a.py", ("Base.take", 0)), ("a.py", ("Own.take", 0))
    assert [*inherited({"a.py": one})] == [([first, own], own, "what", "str")]


VARIABLES = """\
from dataclasses import dataclass


class Page:
    rules = tuple()
    widget = Page()
    def __init__(self):
        self.parts = {}
        self.odd = []

    def add(self, name, odd):
        self.parts[name] = [1]
        self.parts["all"] = [2.5]
        self.odd.append(odd)


class Own(Page):
    rules = ("a", f"b")
    widget = Own()


@dataclass
class Record:
    names = []


def total():
    global seen
    seen = []
    found = set()
    found.add(1)
    more = []
    more.extend(["a", None])
    Record.names.append("a")
"""


def wants(line: int, name: str) -> Error:
    return Error(file="a.py", line=line, column=1, code="var-annotated", message=f'annotation for "{name}"')


def test_a_variable_gets_the_type_of_what_is_put_into_it(tmp_path: Path) -> None:
    one = file(VARIABLES)
    lines = {node.targets[0].lineno: ast.unparse(node.targets[0]) for _, node in one.assignments.values()}
    said = 'Incompatible types in assignment (… base class "Page" defined the type as "Page")'
    redefined = Error(file="a.py", line=19, column=1, code="assignment", message=said)
    errors = [*(wants(*pair) for pair in lines.items()), redefined]
    found = Variables({"a.py": one}, tmp_path).words(errors)["a.py"]
    assert {lines[line]: text for line, text in sorted(found.variables.items(), reverse=True)} == {
        "rules": "tuple[str, ...]",
        "widget": "typing:ClassVar[shop.page:Page]",
        "found": "set[int]",
        "more": "list[str | None]",
    }
    made = annotated(replace(one, variables={5: "tuple[str, ...]", 6: "shop.page:Page"})).decode()
    assert made == VARIABLES.replace("rules = tu", "rules: tuple[str, ...] = tu").replace(
        "widget = Page", "widget: Page = Page"
    ).replace("from d", "from __future__ import annotations\nfrom d")


@pytest.mark.parametrize(
    ("elsewhere", "expected"),
    [
        ("page.widget.size = 1\nsetattr(page, 'size', 1)\n", True),
        ("page.widget = None\n", False),
        ("del page.widget\n", False),
        ("page.widget += 1\n", False),
        ("for page.widget in (): ...\n", False),
        ("setattr(page, 'widget', 1)\n", False),
        ("setattr(page, name, 1)\n", False),
        ("super().__setattr__(name, 1)\n", False),
        ("vars(page)\npage.__dict__.update(widget=1)\n", False),
        ("class Slotted:\n    __slots__ = ('size', 'widget')\n", False),
        ("class Other:\n    widget: int\n", False),
        ("page.widget = (\n", True),
    ],
)
def test_what_no_instance_has_of_its_own_is_of_its_class(
    elsewhere: str, tmp_path: Path, *, expected: bool
) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_page.py").write_text(elsewhere)
    said = 'Incompatible types in assignment (… base class "Page" defined the type as "Page")'
    redefined = Error(file="a.py", line=19, column=1, code="assignment", message=said)
    found = Variables({"a.py": file(VARIABLES)}, tmp_path).words([redefined])["a.py"]
    assert found.variables == {6: "typing:ClassVar[shop.page:Page]" if expected else "shop.page:Page"}


def test_what_hushes_a_checker_is_never_proposed() -> None:
    one = file("import re\n\n\ndef f(a, b, c, d):\n    return a\n")
    said = b"import re\ndef f(a: Any, b: object, c: list[Any], d: re.Match[str]) -> Nobody: ...\n"
    assert inferred_words(one, said) == {("f", 0): {"d": "re:Match[str]"}}


def test_a_type_of_a_message_widens_a_word() -> None:
    names = Names({"a.py": file("from shop.cart import Cart\n")})
    assert [names.word(text, "str | None") for text in ("Cart", "list[int]", "Any", "def (x: int)")] == [
        "str | shop.cart:Cart | None",
        "str | list[int] | None",
        "",
        "",
    ]


def test_modules_are_named_as_they_are_imported() -> None:
    files = ["src/shop/__init__.py", "src/shop/parts/__init__.py", "src/shop/parts/cart.py", "tool.py"]
    packages = {"src/shop", "src/shop/parts"}
    assert [module_of(path, packages) for path in files] == ["shop", "shop.parts", "shop.parts.cart", "tool"]
    assert roots(files) == ["src"]


@pytest.mark.soak
def test_the_program_annotates_what_mypy_and_the_tests_bear_out(tmp_path: Path) -> None:
    told = traced(tmp_path)
    argv = (sys.executable, "-I", "-m", "sparky.tools.programs.typed", "--annotate", "--traces", str(told))
    done = subprocess.run((*argv, "--", "shop.py"), cwd=tmp_path / "code", capture_output=True, check=True)
    lines = [line for one in json.loads(done.stdout) for line in [one["message"]]]
    assert lines == ["Function is missing a type annotation"] * 4
    edits = {edit["content"] for one in json.loads(done.stdout) for edit in one["fix"]["edits"]}
    assert {": list[int]", " -> float", ": Cart", " -> str", ": str", " -> Iterator[str]"} <= edits


@pytest.mark.parametrize(
    "text",
    ["int | None", "tuple[int, ...]", "a.B[c.D]", "Literal['f()', 1]", "Callable[[int], 'Own']"],
)
def test_a_type_is_made_of_names(text: str) -> None:
    assert is_type(text)


@pytest.mark.parametrize(
    "text", ["int = 1", "f()", "int #", "int\n", "list['f()']", "lambda: 0", "a: 1", "", "\0", "1"]
)
def test_what_runs_is_no_type(text: str) -> None:
    assert not is_type(text)


def test_a_trace_that_is_code_is_not_written() -> None:
    assert not file("").can_say("int = __import__('os').getpid()")


SOUND = {"functions": [["a.py", "f", 0, {"a": [["list", [["int"]]], ["!"]]}]], "classes": {"m:A": ["m:B"]}}


def test_of_what_tests_left_only_sound_traces_are_gathered(tmp_path: Path) -> None:
    (tmp_path / "calls-1.json").write_text(json.dumps(SOUND))
    odd: list[object] = [[], {}, {**SOUND, "classes": {"m:A": 3}}]
    forged: list[list[object]] = [[[]], [["list", 3]], [3]]
    odd += [{**SOUND, "functions": [["a.py", "f", 0, {"a": shapes}]]} for shapes in forged]
    for number, told in enumerate(odd, 2):
        (tmp_path / f"calls-{number}.json").write_text(json.dumps(told))
    os.mkfifo(tmp_path / "calls-pipe.json")
    (tmp_path / "calls-link.json").symlink_to("calls-1.json")
    (tmp_path / "calls-deep.json").write_text('{"functions": ' + "[" * 100_000)
    with (tmp_path / "calls-large.json").open("wb") as large:
        large.truncate(10**12)
    assert json.loads(gathered(tmp_path)) == SOUND


def test_traces_of_no_test_are_none() -> None:
    assert read(None, {"a.py": "a"}).seen == {}


def test_a_class_of_another_package_is_named_where_each_return_calls_it() -> None:
    one = file(
        "from page.text import Safe\n\n\ndef shown(text):\n    return Safe(text)\n\n\n"
        "def passed(text):\n    if text:\n        return Safe(text)\n    return shown(text)\n"
    )
    seen: dict[Place, Seen] = {
        ("a.py", (name, 0)): {"return": [("page.text:Safe",)]} for name in ("shown", "passed")
    }
    assert propose({"a.py": one}, {}, Traces(seen=seen, classes=CLASSES))["a.py"].slots == {
        ("shown", 0): {"return": ("page.text:Safe",)}
    }


BESIDE = "import calc\n\n\ndef test_add():\n    assert calc.add(1, 2) == 3\n"


@pytest.mark.parametrize("installed", [True, False])
def test_the_tests_of_a_repository_are_watched_wherever_its_code_is_imported_from(
    target: Target, *, installed: bool
) -> None:
    build = '[build-system]\nrequires = ["uv_build>=0.9"]\nbuild-backend = "uv_build"\n'
    project = f'[project]\nname = "calc"\nversion = "1"\n{build}'
    code = "def add(a, b):\n    return a + b\n"
    files = {"pyproject.toml": project, "src/calc/__init__.py": code} if installed else {"calc.py": code}
    sha = target.commit({**files, "test_calc.py": BESIDE})
    context = target.context(sha)
    kept = target.tests.trace(context, sha, ("pytest",), timeout_s=60.0)
    assert kept is not None
    seen = {row[1]: row[3] for row in json.loads(kept.read_bytes())["functions"]}
    assert seen["add"] == {"a": [["int"]], "b": [["int"]], "return": [["int"]]}
    assert target.tests.trace(context, sha, ("pytest",), timeout_s=60.0) == kept


def test_bug_a_trace_that_ran_out_of_time_was_kept_as_if_the_tests_called_nothing(target: Target) -> None:
    sha = target.commit({"test_hang.py": "import time\ndef test_hang(): time.sleep(600)\n"})
    assert target.tests.trace(target.context(sha), sha, ("pytest",), timeout_s=1.0) is None


@pytest.mark.parametrize(
    "source",
    [
        b"x = 1\n\x0c\ndef f(a):\n    return a\n",
        "s = '\u2028\x85\x1c'\ndef f(a):\n    return a\n".encode(),
        b"\xef\xbb\xbfdef f(a):\n    return a\n",
        "def f(é, a):\r    return a\r".encode(),
    ],
)
def test_slots_are_where_python_sees_them(source: bytes) -> None:
    words = {"f": {"a": "int", "return": "int"}}
    assert with_words(file(source), words) == source.decode().replace("a)", "a: int) -> int")


def test_a_file_that_is_not_utf_8_is_not_annotated() -> None:
    latin = '# coding: latin-1\ndef f(b="é", a=1):\n    pass\n'
    assert not file(latin.encode("latin-1")).can_say("int")
    assert file(latin.replace("é", "e").encode()).can_say("int")
    marked = [file(f"# coding: latin-1\nfrom .{name} import A\n".encode("latin-1")) for name in "éa"]
    assert [[edit.content for edit in one.exported("A")] for one in marked] == [[], [" as A"]]


def workshop(tmp_path: Path, known: Path, monkeypatch: pytest.MonkeyPatch, one: Annotated) -> Workshop:
    monkeypatch.chdir(tmp_path)
    unpack(known, tmp_path / CACHE)
    (tmp_path / "m.py").write_bytes(one.source)
    return Workshop(tmp_path, {"m.py": one}, ())


def test_a_file_that_would_not_parse_any_more_loses_its_annotations(
    tmp_path: Path, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = file("def f(a):\n    pass\n")
    shop = workshop(tmp_path, known, monkeypatch, one)
    broken = replace(one, slots={("f", 0): {"a": ("int]",)}})
    found, trees = shop.write({"m.py": broken})
    assert ((tmp_path / "m.py").read_bytes(), found["m.py"].slots, trees) == (
        one.source,
        {},
        {"m.py": one.tree},
    )


def test_bug_mypy_took_a_file_for_what_it_was_if_its_size_and_the_second_were_the_same(
    tmp_path: Path, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = file("def f(a):\n    return a.upper()\n\n\nLOUD = f('a')\n", "m")
    shop = workshop(tmp_path, known, monkeypatch, one)
    seconds, found = [], []
    for text in ("str", "int", "str"):
        shop.write({"m.py": replace(one, slots={("f", 0): {"a": (text,), "return": ("str",)}})})
        seconds.append(int((tmp_path / "m.py").stat().st_mtime))
        found.append([error.code for error in shop.new() if not error.reviewed])
    assert len({*seconds}) == len(seconds)
    assert found == [[], ["no-any-return", "attr-defined", "arg-type"], []]


def test_a_signature_that_is_split_keeps_what_its_author_wrote() -> None:
    source = "def f(mode=0o644, *, size=1_000, name=\"é\", n: 'int'=(k := 2), end=(1 + 2)):\n    pass\n"
    made = with_words(file(source, style=Style(line=80)), {"f": {"mode": "int", "return": "None"}})
    assert made == (
        'def f(\n    mode: int = 0o644,\n    *,\n    size=1_000,\n    name="é",\n'
        "    n: 'int' = (k := 2),\n    end=1 + 2,\n) -> None:\n    pass\n"
    )


RULES = """\
class Scanner:
    rules = tuple()
    kind = "plain"

    def scan(self, text):
        return text in self.rules


class Strict(Scanner):
    rules = ("a", "b")
    kind = 1

    def scan(self, text):
        return text.name in self.rules


def scanned(text):
    return Scanner().scan(text)
"""


def test_a_variable_is_annotated_and_a_method_only_with_what_overrides_it(
    tmp_path: Path, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text(RULES)
    shapes = {"functions": [["m.py", name, 0, {"text": [STR]}] for name in ("Scanner.scan", "scanned")]}
    (tmp_path / "calls.json").write_text(json.dumps({**shapes, "classes": {}}))
    found = run(["m.py"], (), tmp_path / "calls.json", known, annotate=True)
    edits = [edit for one in found if one.fix for edit in one.fix.edits]
    assert patched(RULES.encode(), edits).decode() == (
        "from __future__ import annotations\nfrom typing import ClassVar\n"
        + RULES.replace("rules = tuple()", "rules: tuple[str, ...] = tuple()")
        .replace('kind = "plain"', 'kind: ClassVar[int | str] = "plain"')
        .replace("def scan(self, text):", "def scan(self, text) -> bool:")
        .replace("def scanned(text):", "def scanned(text: str) -> bool:")
    )


PACKAGE = {
    "shop/__init__.py": "from .cart import Cart, total\r\nfrom shop.goods import tea as drink, water\r\n"
    "from json import dumps\r\n",
    "shop/cart.py": "class Cart: ...\n\n\ndef total() -> int:\n    return 3\n",
    "shop/goods.py": "__all__ = ['tea']\ntea, water = 1, 2\n",
    "shop/sums.py": "from shop import *\n\ntotal = 'a sum'\n",
    "shop/till.py": "import shop\nfrom shop import Cart, dumps, drink, water\n\n\n"
    "def text() -> int:\n    from shop import Cart, total\n\n"
    "    print(shop.Cart, Cart, dumps, drink, water)\n    return total()\n",
}


def exports(paths: list[str], known: Path, *, annotate: bool) -> list[tuple[str, int, str, list[str]]]:
    """What the program says of names that are not exported: place, name, edits."""
    return [
        (
            one.filename,
            one.location.row if one.location else 0,
            one.message.rpartition(" ")[2],
            [edit.content for edit in one.fix.edits] if one.fix else [],
        )
        for one in run(paths, (), None, known, annotate=annotate)
        if one.code == "attr-defined"
    ]


def test_what_a_module_does_not_export_is_told_and_mended_once_where_that_imports_it(
    tmp_path: Path, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop").mkdir()
    for path, text in PACKAGE.items():
        (tmp_path / path).write_bytes(text.encode())
    elsewhere: list[tuple[str, int, str, list[str]]] = [
        ("shop/till.py", 2, '"dumps"', []),
        ("shop/till.py", 2, '"drink"', []),
    ]
    cart, water = ("shop/__init__.py", 1, '"Cart"'), ("shop/__init__.py", 2, '"water"')
    mended, total = [(*cart, [" as Cart"]), (*water, [" as water"])], ("shop/__init__.py", 1, '"total"')
    found = exports(["."], known, annotate=False)
    assert sorted(found) == sorted([*mended, *elsewhere, (*total, [" as total"])])
    assert sorted(exports(["."], known, annotate=True)) == sorted([*mended, *elsewhere, (*total, [])])
