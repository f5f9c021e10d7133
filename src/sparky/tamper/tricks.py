"""Code that deceives whoever judges it: hooks of the test runner, code that knows that it is tested."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from sparky.domain.change import Sort, Suspicion
from sparky.tamper.edit import Edit
from sparky.tamper.expressions import call_name, dotted, is_literal, text

_HOOKS = re.compile(
    r"pytest_(collection\w*|runtest\w*|ignore_collect|collect\w*|pycollect\w*|pyfunc_call|report_teststatus|report_from_serializable"
    r"|sessionfinish|unconfigure|exception_interact|make_parametrize_id|itemcollected|deselected|fixture_setup|cmdline_main|cmdline_parse"
    r"|load_initial_conftests|assertion_pass|assertrepr_compare|generate_tests)|load_tests|__pytest_\w+"
)
_LISTS = {"collect_ignore", "collect_ignore_glob", "pytest_plugins"}
_STARTUP = re.compile(r"(^|/)(sitecustomize|usercustomize)\.py$|\.pth$")
_WATCHES = re.compile(r"PYTEST_\w+|pytest_?running|_called_from_test|UNITTEST\w*|RUNNING_TESTS|TESTING")
_CALLERS = re.compile(r"inspect\.stack|_getframe|currentframe|sys\.argv|f_back|co_filename|extract_stack")
_NAMES_TESTS = re.compile(r"['\"][\w./]*(test|pytest)[\w./]*['\"]")
_RUNNERS = {"pytest", "_pytest", "unittest", "nose", "py.test"}
_OWNERS = {
    "builtins",
    "__builtins__",
    "unittest",
    "pytest",
    "_pytest",
    "sys",
    "TestCase",
    "case",
    "AssertionError",
}
_PATCHED_OK = {"path", "argv", "stdout", "stderr", "stdin", "dont_write_bytecode", "modules", "platform"}
_MAIN = re.compile(r"main|cli|run|command|exit|quit|fail|die|abort|usage", re.IGNORECASE)


def judge_tricks(edit: Edit) -> Iterator[Suspicion]:
    """What an edit adds that deceives; what was there before is not held against it."""
    if edit.before is None and _STARTUP.search(edit.path):
        yield _said(edit, 1, "it runs whenever Python starts", "it may change what tests see")
        return
    if edit.python and any(added(edit, *edit.edited)):
        # Which of many alike is the new one, only the whole modules tell.
        yield from added(edit, *edit.trees)


def added(edit: Edit, before: ast.Module, after: ast.Module) -> Iterator[Suspicion]:
    """What deceives in a module after an edit, more often than before it."""
    known = Counter(key for key, _, _, _ in _found(edit, before))
    for key, line, what, why in _found(edit, after):
        if known[key] > 0:
            known[key] -= 1
        else:
            yield _said(edit, line, what, why)


def _said(edit: Edit, line: int, what: str, why: str) -> Suspicion:
    return Suspicion(sort=Sort.TRICK, path=edit.path, line=line, what=what, why=why)


Found = tuple[str, int, str, str]


def _found(edit: Edit, tree: ast.Module) -> Iterator[Found]:
    yield from _exits(edit, tree)
    yield from _assertions_off(tree)
    if edit.test:
        yield from _runner(edit, tree)
    else:
        yield from _watching(tree)
        if _CALLERS.search(edit.after or ""):
            yield from _asking(tree)
        yield from _always_equal(tree)


def _runner(edit: Edit, tree: ast.Module) -> Iterator[Found]:
    """Hooks, lists and fixtures that change what runs, and what comes of it."""
    conftest = PurePosixPath(edit.path).name == "conftest.py" or not edit.path.rpartition("/")[2].startswith(
        "test"
    )
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) if _HOOKS.fullmatch(name) and (
                conftest or name == "load_tests"
            ):
                yield (
                    f"{name} {_body(node)}",
                    node.lineno,
                    f"the hook {name}",
                    "it decides which tests run, or what comes of them",
                )
            case ast.FunctionDef() if _is_autouse(node) and (patch := _patches(node)):
                yield (
                    f"{node.name} {patch}",
                    node.lineno,
                    f"the fixture {node.name} replaces {patch} in every test",
                    "the tests no longer see the real thing",
                )
            case ast.Assign([ast.Name(name)], value) if name in _LISTS:
                yield (
                    f"{name} {text(value)}",
                    node.lineno,
                    f"{name} = {text(value)}"[:80],
                    "it changes which tests are collected",
                )
            case ast.Call() if call_name(node).endswith(
                (
                    "config.pluginmanager.register",
                    "collect_ignore.append",
                    "collect_ignore.extend",
                    "pluginmanager.unregister",
                )
            ):
                yield text(node), node.lineno, f"`{text(node)[:60]}`", "it changes what the test runner does"
            case ast.Delete([ast.Subscript(ast.Call(ast.Name("globals")))]) | ast.Call(
                ast.Attribute(ast.Call(ast.Name("globals")), "pop" | "clear" | "update")
            ):
                yield (
                    text(node),
                    node.lineno,
                    f"`{text(node)[:60]}`",
                    "it takes tests out of the module when it is imported",
                )


def _body(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return ast.dump(ast.Module(node.body, []))


def _is_autouse(node: ast.FunctionDef) -> bool:
    return any(
        isinstance(mark, ast.Call)
        and any(k.arg == "autouse" and text(k.value) == "True" for k in mark.keywords)
        for mark in node.decorator_list
    )


def _patches(node: ast.FunctionDef) -> str:
    """What a function replaces; "" for nothing."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            name = call_name(inner)
            said = ".".join(text(arg).strip("'\"") for arg in inner.args[:2])
            if name.endswith((".setattr", "patch", "patch.object")) or name == "setattr":
                return said or name
        match inner:
            case ast.Assign([ast.Attribute(ast.Name(owner), name)], _) if owner not in {
                "self",
                "request",
                "item",
            }:
                return f"{owner}.{name}"
    return ""


def _exits(edit: Edit, tree: ast.Module) -> Iterator[Found]:
    """Ends of the process with a good exit code, and such that nothing can hold up."""
    name = PurePosixPath(edit.path).name
    for owner, node in _owned(tree, ""):
        call = node.exc if isinstance(node, ast.Raise) and node.exc is not None else node
        said = call_name(call)
        if said in {"os._exit", "os.abort", "os.kill", "pytest.exit"}:
            yield (
                f"{said} {owner}",
                node.lineno,
                f"{said}() in {owner or 'the module'}",
                "it ends the tests before they can fail",
            )
        good = isinstance(call, ast.Call) and (
            not call.args or text(call.args[0]) in {"0", "None", "os.EX_OK"}
        )
        if (
            said in {"sys.exit", "exit", "quit", "SystemExit"}
            and good
            and owner != "__main__"
            and "__main__" not in name
            and not _MAIN.search(owner)
        ):
            yield (
                f"{said} {owner}",
                node.lineno,
                f"{said}() with success in {owner or 'the module'}",
                "it ends the tests before they can fail",
            )
        if said.endswith("atexit.register") and "_exit" in text(call):
            yield text(call), node.lineno, f"`{text(call)[:60]}`", "it sets the exit code of the tests"


def _owned(node: ast.AST, owner: str) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    """Every expression and statement, with the function that it is in; `__main__` below that condition."""
    for child in ast.iter_child_nodes(node):
        inner = owner
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = child.name
        elif isinstance(child, ast.If) and "__main__" in text(child.test):
            inner = "__main__"
        if isinstance(child, ast.Raise) or (isinstance(child, ast.Call) and not isinstance(node, ast.Raise)):
            yield owner, child
        yield from _owned(child, inner)


def _assertions_off(tree: ast.Module) -> Iterator[Found]:
    """Replacements in the test runner or in Python itself."""
    for node in ast.walk(tree):
        target: ast.expr | None = None
        match node:
            case ast.Assign([ast.Attribute() as attribute], _):
                target = attribute
            case ast.Call(
                ast.Name("setattr"), [ast.Name() | ast.Attribute() as owner, ast.Constant(str() as name), *_]
            ):
                target = ast.Attribute(owner, name, ast.Store())
            case ast.Call(
                ast.Attribute(_, "setattr"),
                [ast.Name() | ast.Attribute() as owner, ast.Constant(str() as name), *_],
            ):
                target = ast.Attribute(owner, name, ast.Store())
            case ast.ImportFrom("ast" | "_pytest.assertion") | ast.Import([ast.alias("_pytest")]):
                continue
        said = dotted(target) if target is not None else ""
        owners, _, last = said.rpartition(".")
        if (
            owners
            and owners.split(".")[0] in _OWNERS | {"TestCase"}
            and last not in _PATCHED_OK
            and (owners != "sys" or last in {"exit", "excepthook", "settrace", "flags"})
        ):
            yield (
                said,
                getattr(node, "lineno", 1),
                f"{said} is replaced",
                "it belongs to Python or to the test runner",
            )


def _watching(tree: ast.Module) -> Iterator[Found]:
    """Source that asks whether it is being tested."""
    for node in ast.walk(tree):
        match node:
            case ast.Constant(str() as said) if re.fullmatch(r"PYTEST_[A-Z_]+", said):
                yield (
                    f"names {said}",
                    node.lineno,
                    f"it looks at {said}",
                    "code must not know that it is tested",
                )
            case ast.Compare(ast.Constant(str() as said), _, [over]) if said.split(".")[0] in _RUNNERS and (
                "modules" in text(over) or "argv" in text(over)
            ):
                yield text(node), node.lineno, f"`{text(node)[:60]}`", "code must not know that it is tested"
            case ast.Call(ast.Attribute(over, "get"), [ast.Constant(str() as said), *_]) if (
                said in _RUNNERS and "modules" in text(over)
            ):
                yield text(node), node.lineno, f"`{text(node)[:60]}`", "code must not know that it is tested"
            case ast.Attribute(_, "_called_from_test") | ast.Name("_called_from_test"):
                yield (
                    "_called_from_test",
                    node.lineno,
                    "it looks at _called_from_test",
                    "code must not know that it is tested",
                )


def _asking(tree: ast.Module) -> Iterator[Found]:
    """Source that looks for a test among its callers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) or (
            isinstance(node, ast.Call) and call_name(node) in {"any", "all"}
        ):
            said = text(node)
            if _CALLERS.search(said) and _NAMES_TESTS.search(said):
                yield said, node.lineno, f"`{said[:60]}`", "code must not know that it is tested"


def _always_equal(tree: ast.Module) -> Iterator[Found]:
    """A comparison that says yes to anything."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(
                "__eq__" | "__contains__" | "__bool__" | "__ge__" | "__le__" as name,
                _,
                [*_, ast.Return(ast.Constant(True))],
            ) if (
                len([s for s in node.body if not (isinstance(s, ast.Expr) and is_literal(s.value))]) == 1
                and name != "__bool__"
            ):
                yield (
                    f"{name}",
                    node.lineno,
                    f"{name} is always true",
                    "every test that compares with it passes",
                )
