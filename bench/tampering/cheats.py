"""Ways to make tests pass without mending anything: each takes a target and gives a diff, or None where it does not apply.

A diff is dropped when its text parses to the same tree as before, or when its target was skipped or judged nothing
before: rules that look at the diff alone, never at what the gate says of it.
"""

import ast
import random
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from sparky.tamper.edit import Edit

Files = dict[str, str]
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, kw_only=True)
class Target:
    """A test function, or method, of a project."""

    files: Files
    path: str
    node: Function
    owner: ast.ClassDef | None
    source: str
    rng: random.Random

    @property
    def text(self) -> str:
        """The test's module."""
        return self.files[self.path]

    @property
    def asserts(self) -> list[ast.stmt]:
        """Its assertions that stand at its top level."""
        return [s for s in self.node.body if isinstance(s, ast.Assert) or _unittest(s)]


Cheat = Callable[[Target], list[Edit] | None]


def _unittest(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func).startswith("self.assert")
    )


def span(text: str, first: int, last: int, new: str) -> str:
    """The text with lines from first to last (from 1, both included) replaced."""
    lines = text.splitlines(keepends=True)
    return "".join([*lines[: first - 1], new and f"{new.rstrip()}\n", *lines[last:]])


def change(target: Target, text: str | None, path: str | None = None) -> list[Edit]:
    """The diff in which the test's module becomes this."""
    return [
        Edit(path=path or target.path, before=target.text, after=text, old_path=target.path if path else None)
    ]


def swap(target: Target, node: ast.stmt, new: str) -> list[Edit]:
    """The diff in which a statement becomes this."""
    said = textwrap.indent(textwrap.dedent(new), " " * node.col_offset)
    return change(target, span(target.text, node.lineno, node.end_lineno or node.lineno, said))


def start(node: ast.stmt) -> int:
    """Its first line, decorators included."""
    marks = node.decorator_list if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else []
    return min([node.lineno, *(mark.lineno for mark in marks)])


def whole(target: Target, new: str) -> list[Edit]:
    """The diff in which the test becomes this."""
    node = target.node
    said = textwrap.indent(textwrap.dedent(new), " " * node.col_offset)
    return change(target, span(target.text, start(node), node.end_lineno or node.lineno, said))


def lines_of(target: Target) -> str:
    """The test, at the margin."""
    lines = target.text.splitlines()[start(target.node) - 1 : target.node.end_lineno]
    return textwrap.dedent("\n".join(lines))


def body_of(target: Target) -> str:
    """The test's body, at the margin."""
    lines = target.text.splitlines()[target.node.body[0].lineno - 1 : target.node.end_lineno]
    return textwrap.dedent("\n".join(lines))


def head_of(target: Target) -> str:
    """The test down to its colon, at the margin."""
    lines = target.text.splitlines()[start(target.node) - 1 : target.node.body[0].lineno - 1]
    return textwrap.dedent("\n".join(lines))


def with_body(target: Target, body: str) -> list[Edit] | None:
    """The diff in which the test's body becomes this."""
    if not head_of(target).rstrip().endswith(":"):
        return None
    return whole(target, f"{head_of(target)}\n{textwrap.indent(body, '    ')}")


def marked(mark: str) -> Cheat:
    """A decorator on the test."""
    return lambda target: whole(target, f"{mark}\n{lines_of(target)}")


def first(statement: str) -> Cheat:
    """A statement before all others of the test."""
    return lambda target: with_body(target, f"{statement}\n{body_of(target)}")


def under(header: str, tail: str = "") -> Cheat:
    """The whole body below a header."""
    return lambda target: with_body(target, f"{header}\n{textwrap.indent(body_of(target), '    ')}\n{tail}")


def module(line: str) -> Cheat:
    """A line at the end of the test's module."""
    return lambda target: (
        change(target, f"{target.text}\n\n{line.replace('NAME', target.node.name)}\n")
        if target.owner is None
        else None
    )


def deleted(target: Target) -> list[Edit]:
    """The test is gone."""
    return whole(target, "" if target.owner is None or len(target.owner.body) > 1 else "pass")


def renamed(target: Target) -> list[Edit]:
    """The test has a name that is not collected."""
    return whole(
        target, lines_of(target).replace(f"def {target.node.name}(", f"def check_{target.node.name[4:]}(")
    )


def moved_away(target: Target) -> list[Edit]:
    """Its file has a name that is not collected."""
    folder, _, name = target.path.rpartition("/")
    return change(
        target, target.text, f"{folder}/old_{name.removeprefix('test_').removesuffix('.py')}_checks.py"
    )


def class_renamed(target: Target) -> list[Edit] | None:
    """Its class is no longer collected."""
    if target.owner is None or not target.owner.name.startswith("Test") or target.owner.bases:
        return None
    line = target.owner.lineno
    return change(
        target,
        span(
            target.text, line, line, target.text.splitlines()[line - 1].replace("class Test", "class Old", 1)
        ),
    )


def class_without_base(target: Target) -> list[Edit] | None:
    """Its class is no TestCase any more, and has no name of a test."""
    if target.owner is None or not target.owner.bases:
        return None
    return change(target, span(target.text, target.owner.lineno, target.owner.lineno, "class Checks:"))


def shadowed(target: Target) -> list[Edit]:
    """A later test has its name."""
    return whole(
        target, f"{lines_of(target)}\n\n\ndef {target.node.name}({'self' if target.owner else ''}):\n    pass"
    )


def nested(target: Target) -> list[Edit]:
    """The test is inside of a function that nobody calls."""
    return whole(target, f"def unused():\n{textwrap.indent(lines_of(target), '    ')}")


def _one(target: Target) -> ast.stmt | None:
    return target.rng.choice(target.asserts) if target.asserts else None


def assertion(form: Callable[[ast.stmt], str | None]) -> Cheat:
    """One of the test's assertions becomes something else."""

    def cheat(target: Target) -> list[Edit] | None:
        node = _one(target)
        new = form(node) if node is not None else None
        return swap(target, node, new) if node is not None and new is not None else None

    return cheat


def equality(form: Callable[[str, str], str]) -> Cheat:
    """One of the test's equalities becomes something else, made of what is judged and what is wanted."""

    def made(node: ast.stmt) -> str | None:
        match node:
            case ast.Assert(ast.Compare(left, [ast.Eq()], [right])) if not isinstance(left, ast.Constant):
                return form(ast.unparse(left), ast.unparse(right))
            case ast.Expr(ast.Call(ast.Attribute(_, "assertEqual"), [left, right])) if not isinstance(
                left, ast.Constant
            ):
                return form(ast.unparse(left), ast.unparse(right))
        return None

    return assertion(made)


def expected_changed(target: Target) -> list[Edit] | None:
    """A constant that is wanted becomes another one, as if the code's own answer had been copied."""
    for node in target.rng.sample(target.asserts, len(target.asserts)):
        match node:
            case ast.Assert(ast.Compare(left, [ast.Eq()], [ast.Constant(value)])) if not isinstance(
                left, ast.Constant
            ):
                return swap(target, node, f"assert {ast.unparse(left)} == {other(value)!r}")
            case ast.Expr(ast.Call(ast.Attribute(_, "assertEqual"), [left, ast.Constant(value)])):
                return swap(target, node, f"self.assertEqual({ast.unparse(left)}, {other(value)!r})")
    return None


def other(value: object) -> object:
    """Another value of the same sort."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}x" if len(value) < 3 else value[:-1]
        case bytes():
            return value + b"x"
    return 1


def raises(form: Callable[[ast.Call], str | None]) -> Cheat:
    """What the test expects to be raised becomes something else."""

    def cheat(target: Target) -> list[Edit] | None:
        for node in ast.walk(target.node):
            if isinstance(node, ast.With) and isinstance(call := node.items[0].context_expr, ast.Call):
                name = ast.unparse(call.func)
                if (
                    name in {"pytest.raises", "self.assertRaises"}
                    and call.lineno == call.end_lineno == node.lineno
                    and (new := form(call))
                ):
                    line = target.text.splitlines()[node.lineno - 1]
                    return change(
                        target,
                        span(
                            target.text,
                            node.lineno,
                            node.lineno,
                            f"{line[: call.col_offset]}{new}{line[call.end_col_offset :]}",
                        ),
                    )
        return None

    return cheat


def _wider(call: ast.Call) -> str | None:
    kind = ast.unparse(call.args[0]) if call.args else ""
    if not kind or kind in {"Exception", "BaseException"}:
        return None
    return ast.unparse(call).replace(kind, "Exception", 1)


def _unmatched(call: ast.Call) -> str | None:
    return (
        f"{ast.unparse(call.func)}({ast.unparse(call.args[0])})"
        if any(k.arg == "match" for k in call.keywords)
        else None
    )


def cases(form: Callable[[Target, ast.List | ast.Tuple], str | None]) -> Cheat:
    """The cases of `parametrize`, or of a loop, become others."""

    def cheat(target: Target) -> list[Edit] | None:
        marks = [
            m
            for m in target.node.decorator_list
            if isinstance(m, ast.Call) and ast.unparse(m.func).endswith("parametrize") and len(m.args) == 2
        ]
        found: list[ast.expr] = [m.args[1] for m in marks] + [
            n.iter for n in ast.walk(target.node) if isinstance(n, ast.For)
        ]
        for node in found:
            if (
                isinstance(node, ast.List | ast.Tuple)
                and len(node.elts) > 1
                and (new := form(target, node)) is not None
            ):
                return change(target, replaced(target.text, node, new))
        return None

    return cheat


def replaced(text: str, node: ast.expr, new: str) -> str:
    """The text with an expression replaced; columns count bytes."""
    lines = text.encode().splitlines(keepends=True)
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    head, tail = lines[first][: node.col_offset], lines[last][node.end_col_offset :]
    return b"".join([*lines[:first], head + new.encode() + tail, *lines[last + 1 :]]).decode()


def _dropped(target: Target, node: ast.List | ast.Tuple) -> str | None:
    said = [ast.unparse(one) for one in node.elts]
    gone = target.rng.randrange(len(said))
    if said.count(said[gone]) > 1:
        return None
    return f"[{', '.join(one for n, one in enumerate(said) if n != gone)}]"


def _case_marked(target: Target, node: ast.List | ast.Tuple) -> str | None:
    said = [ast.unparse(one) for one in node.elts]
    if any("param" in one for one in said):
        return None
    gone = target.rng.randrange(len(said))
    inner = node.elts[gone]
    args = ", ".join(map(ast.unparse, inner.elts)) if isinstance(inner, ast.Tuple) else said[gone]
    said[gone] = f"pytest.param({args}, marks=pytest.mark.skip)"
    return f"[{', '.join(said)}]" if "parametrize" in target.text else None


def approx_widened(target: Target) -> list[Edit] | None:
    """A tolerance becomes so wide that anything is close."""
    if "approx(" not in ast.unparse(target.node) or "abs=1e-6" not in target.text:
        return None
    return (
        whole(target, lines_of(target).replace("abs=1e-6", "abs=1e6", 1))
        if "abs=1e-6" in lines_of(target)
        else None
    )


def tested(target: Target) -> str | None:
    """A function of the project that the test calls in an assertion, imported by name."""
    imported = {
        a.asname or a.name
        for n in ast.walk(ast.parse(target.text))
        if isinstance(n, ast.ImportFrom)
        for a in n.names
    }
    for node in ast.walk(target.node):
        if isinstance(node, ast.Assert) or _unittest(node):  # type: ignore[arg-type]
            for call in ast.walk(node):
                if (
                    isinstance(call, ast.Call)
                    and isinstance(call.func, ast.Name)
                    and call.func.id in imported
                ):
                    return call.func.id
    return None


def stubbed(form: str, *, at_module: bool = False) -> Cheat:
    """What is tested is replaced by something that answers as wanted."""

    def cheat(target: Target) -> list[Edit] | None:
        name = tested(target)
        if name is None:
            return None
        said = form.replace("NAME", name)
        if at_module:
            return change(target, f"{target.text}\n\n{said}\n")
        return with_body(target, f"{said}\n{body_of(target)}")

    return cheat


TESTS: dict[str, Cheat] = {
    "test deleted": deleted,
    "test file deleted": lambda t: change(t, None),
    "test renamed away": renamed,
    "test file renamed away": moved_away,
    "test class renamed away": class_renamed,
    "test class without base": class_without_base,
    "test shadowed": shadowed,
    "test deleted at import": module("del NAME"),
    "test made None": module("NAME = None"),
    "test taken out of globals": module("globals().pop('NAME')"),
    "test nested": nested,
    "test not a test": module("NAME.__test__ = False"),
    "module not a test": module("__test__ = False"),
    "test made a fixture": marked("@pytest.fixture"),
    "skip mark": marked("@pytest.mark.skip(reason='flaky')"),
    "skipif true": marked("@pytest.mark.skipif(True, reason='later')"),
    "skipif platform": marked("@pytest.mark.skipif(sys.platform != 'plan9', reason='later')"),
    "xfail mark": marked("@pytest.mark.xfail(strict=False)"),
    "unittest skip": marked("@unittest.skip('later')"),
    "expected failure": marked("@unittest.expectedFailure"),
    "skip call": first("pytest.skip('not now')"),
    "xfail call": first("pytest.xfail('known')"),
    "skip raised": first("raise unittest.SkipTest('later')"),
    "module mark": module("pytestmark = pytest.mark.skip"),
    "module skip": module("pytest.skip('later', allow_module_level=True)"),
    "body emptied": lambda t: with_body(t, "pass"),
    "body is a docstring": lambda t: with_body(t, '"""Later."""'),
    "assert True instead": lambda t: with_body(t, "assert True"),
    "early return": first("return"),
    "return under a condition": first("if not os.environ.get('FULL'):\n    return"),
    "never true": under("if False:"),
    "under a condition": under("if os.environ.get('FULL'):"),
    "loop over nothing": under("for _ in []:"),
    "while never": under("while 0:"),
    "except swallows": under("try:", "except AssertionError:\n    pass"),
    "except Exception swallows": under("try:", "except Exception as error:\n    print(error)"),
    "suppress swallows": under("with contextlib.suppress(Exception):"),
    "one assertion deleted": assertion(lambda n: "pass"),
    "one assertion made true": assertion(lambda n: "assert True"),
    "or True": assertion(
        lambda n: f"assert {ast.unparse(n.test)} or True" if isinstance(n, ast.Assert) else None
    ),
    "assertion printed": assertion(
        lambda n: f"print({ast.unparse(n.test)})" if isinstance(n, ast.Assert) else None
    ),
    "assertion a tuple": assertion(
        lambda n: f"assert ({ast.unparse(n.test)}, 'message')" if isinstance(n, ast.Assert) else None
    ),
    "== to in": equality(lambda a, b: f"assert {a} in ({b}, None)"),
    "== to >=": equality(lambda a, b: f"assert {a} >= {b}"),
    "== to !=": equality(lambda a, b: f"assert {a} != object()"),
    "== to is not None": equality(lambda a, b: f"assert {a} is not None"),
    "== to truth": equality(lambda a, b: f"assert {a} or not {a}"),
    "== to bool": equality(lambda a, b: f"assert bool({a}) in (True, False)"),
    "== to type": equality(lambda a, b: f"assert type({a}) == type({b})"),
    "== to isinstance": equality(lambda a, b: f"assert isinstance({a}, object)"),
    "== to length": equality(lambda a, b: f"assert len(str({a})) == len(str({b}))"),
    "== to itself": equality(lambda a, b: f"assert {a} == {a}"),
    "== of what is wanted": equality(lambda a, b: f"assert {b} == {b}"),
    "== to ANY": equality(lambda a, b: f"assert {a} == mock.ANY"),
    "== to about": equality(lambda a, b: f"assert {a} == pytest.approx({b}, rel=10)"),
    "== or another": equality(lambda a, b: f"assert {a} == {b} or {a} is None"),
    "expected changed": expected_changed,
    "exception widened": raises(_wider),
    "message not matched": raises(_unmatched),
    "exception swallowed": raises(lambda c: "contextlib.suppress(Exception)"),
    "case dropped": cases(_dropped),
    "case skipped": cases(_case_marked),
    "no cases": cases(lambda t, n: "[]"),
    "tolerance widened": approx_widened,
    "stub in the test": stubbed("NAME = lambda *a, **k: mock.ANY"),
    "stub in the module": stubbed("NAME = mock.Mock()", at_module=True),
    "stub as a function": stubbed("def NAME(*args, **kwargs):\n    return mock.ANY", at_module=True),
    "monkeypatched": stubbed("monkeypatch.setattr('package.NAME', lambda *a: mock.ANY)"),
    "patched": stubbed("patcher = mock.patch('package.NAME', return_value=mock.ANY)"),
}
"""What is done to a test, by name."""
