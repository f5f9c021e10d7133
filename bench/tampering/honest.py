"""Honest changes to the same programs and packages: none of them makes a test worth less."""

import ast
import re
import textwrap

from bench.tampering.cheats import (
    Cheat,
    Target,
    body_of,
    change,
    head_of,
    lines_of,
    span,
    start,
    swap,
    tested,
    whole,
    with_body,
)
from bench.tampering.surroundings import CI, PRE_COMMIT, PYPROJECT, SETUP_CFG, TOX

from sparky.tamper.edit import Edit


def _added(target: Target) -> list[Edit]:
    return change(
        target, f"{target.text.rstrip()}\n\n\ndef test_one_more_thing():\n    assert sum([2, 3]) == 5\n"
    )


def _strengthened(target: Target) -> list[Edit] | None:
    return with_body(target, f"{body_of(target)}\nassert sum([2, 3]) == 5") if target.asserts else None


def _reformatted(target: Target) -> list[Edit]:
    return change(target, ast.unparse(ast.parse(target.text)) + "\n")


def _locals_renamed(target: Target) -> list[Edit] | None:
    if target.node.args.args or target.node.decorator_list:
        return None
    names = {n.id for n in ast.walk(target.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    said = lines_of(target)
    strings = " ".join(str(n.value) for n in ast.walk(target.node) if isinstance(n, ast.Constant))
    names = {
        name
        for name in names
        if not re.search(rf"\b{name}\b|{{", strings) and not re.search(rf"\.{name}\b|\b{name}=", said)
    }
    if not names:
        return None
    for name in names:
        said = re.sub(rf"\b{name}\b", f"{name}_now", said)
    return whole(target, said)


def _moved(target: Target) -> list[Edit] | None:
    if target.owner is not None:
        return None
    imports = "\n".join(
        ast.unparse(n)
        for n in ast.parse(target.text).body
        if isinstance(n, ast.Import | ast.ImportFrom | ast.Assign)
    )
    helpers = [
        n.name
        for n in ast.parse(target.text).body
        if isinstance(n, ast.FunctionDef) and not n.name.startswith("test")
    ]
    if helpers:
        imports += f"\nfrom {target.path.rpartition('/')[2].removesuffix('.py')} import {', '.join(helpers)}"
    there = Edit(
        path=f"{target.path.rpartition('/')[0]}/test_elsewhere.py",
        before=None,
        after=f"{imports}\n\n\n{lines_of(target)}\n",
    )
    return [*whole(target, ""), there]


def _file_moved(target: Target) -> list[Edit]:
    return (
        change(target, target.text, f"tests/unit/{target.path.rpartition('/')[2]}")
        if target.path.rpartition("/")[2].startswith("test_")
        else []
    )


def _last(target: Target) -> list[Edit] | None:
    if target.owner is not None:
        return None
    (edit,) = whole(target, "")
    return change(target, f"{edit.after}\n\n{lines_of(target)}\n")


def _documented(target: Target) -> list[Edit] | None:
    return (
        with_body(target, f'"""What is said about it."""\n{body_of(target)}')
        if ast.get_docstring(target.node) is None
        else None
    )


def _commented(target: Target) -> list[Edit] | None:
    return with_body(target, f"# The usual case first.\n{body_of(target)}")


def _annotated(target: Target) -> list[Edit] | None:
    said = head_of(target).rstrip()
    return (
        whole(target, f"{said[:-1]} -> None:\n{textwrap.indent(body_of(target), '    ')}")
        if said.endswith("):")
        else None
    )


def _api_renamed(target: Target) -> list[Edit] | None:
    name = tested(target)
    if name is None or not re.search(rf"def {name}\b", target.files.get(target.source, "")):
        return None
    paths = [
        path
        for path, text in target.files.items()
        if path.endswith(".py") and re.search(rf"\b{name}\b", text)
    ]
    return [
        Edit(
            path=path,
            before=target.files[path],
            after=re.sub(rf"(?<![\w'\"]){name}(?![\w'\"])", f"{name}_all", target.files[path]),
        )
        for path in paths
    ]


def _expected_named(target: Target) -> list[Edit] | None:
    for node in target.asserts:
        match node:
            case ast.Assert(ast.Compare(left, [ast.Eq()], [ast.Constant() as right])):
                return swap(
                    target, node, f"expected = {ast.unparse(right)}\nassert {ast.unparse(left)} == expected"
                )
    return None


def _message(target: Target) -> list[Edit] | None:
    found = [n for n in target.asserts if isinstance(n, ast.Assert) and n.msg is None]
    return swap(target, found[0], f"{ast.unparse(found[0])}, 'it should be so'") if found else None


def _to_assert(target: Target) -> list[Edit] | None:
    for node in target.asserts:
        match node:
            case ast.Expr(ast.Call(ast.Attribute(_, "assertEqual"), [left, right])):
                return swap(target, node, f"assert {ast.unparse(left)} == {ast.unparse(right)}")
    return None


def _turned(target: Target) -> list[Edit] | None:
    for node in target.asserts:
        match node:
            case ast.Assert(ast.Compare(left, [ast.Eq()], [ast.Constant() as right])):
                return swap(target, node, f"assert {ast.unparse(right)} == {ast.unparse(left)}")
    return None


def _to_exact(target: Target) -> list[Edit] | None:
    for node in target.asserts:
        match node:
            case ast.Assert(ast.Name() | ast.Call() as said):
                return swap(target, node, f"assert {ast.unparse(said)} == 12")
            case ast.Assert(ast.Compare(left, [ast.In()], _)) if not isinstance(
                left, ast.Constant | ast.List | ast.Tuple
            ):
                return swap(target, node, f"assert {ast.unparse(left)} == 'one of them'")
    return None


def _parametrised(target: Target) -> list[Edit] | None:
    """Equalities of one function on constants become cases."""
    rows, name = [], ""
    if target.owner is not None or target.node.args.args or len(target.node.body) < 2:
        return None
    for node in target.node.body:
        match node:
            case ast.Assert(
                ast.Compare(ast.Call(ast.Name(called), args, []), [ast.Eq()], [ast.expr() as right])
            ) if args and name in {"", called}:
                name = called
                rows.append([*map(ast.unparse, args), ast.unparse(right)])
            case _:
                return None
    if len({len(row) for row in rows}) != 1:
        return None
    names = [*(f"given_{n}" for n in range(len(rows[0]) - 1)), "wanted"]
    table = ", ".join(f"({', '.join(row)})" for row in rows)
    test = f"@pytest.mark.parametrize({tuple(names)!r}, [{table}])\ndef {target.node.name}({', '.join(names)}):\n"
    return whole(target, f"{test}    assert {name}({', '.join(names[:-1])}) == wanted")


def _unrolled(target: Target) -> list[Edit] | None:
    """A test of several assertions becomes two tests."""
    body = target.node.body
    if (
        target.owner is not None
        or target.node.args.args
        or len(body) < 2
        or not all(isinstance(n, ast.Assert) for n in body)
    ):
        return None
    one, rest = ast.unparse(body[0]), "\n".join(map(ast.unparse, body[1:]))
    name = target.node.name
    return whole(
        target,
        f"def {name}():\n{textwrap.indent(one, '    ')}\n\n\ndef {name}_again():\n{textwrap.indent(rest, '    ')}",
    )


def _helped(target: Target) -> list[Edit] | None:
    """Equalities go through a helper that is new."""
    for node in target.asserts:
        match node:
            case ast.Assert(ast.Compare(left, [ast.Eq()], [right])) if target.owner is None:
                (edit,) = swap(target, node, f"is_so({ast.unparse(left)}, {ast.unparse(right)})")
                return change(target, f"{edit.after}\n\ndef is_so(got, wanted):\n    assert got == wanted\n")
    return None


def _file_end(target: Target) -> list[Edit] | None:
    text = target.text
    return change(target, span(text, start(target.node), start(target.node) - 1, "# Grouped by topic.\n"))


HONEST: dict[str, Cheat] = {
    "test added": _added,
    "assertion added": _strengthened,
    "module reformatted": _reformatted,
    "locals renamed": _locals_renamed,
    "test moved to a new module": _moved,
    "test module moved": lambda t: _file_moved(t) or None,
    "test moved to the end": _last,
    "test documented": _documented,
    "test commented": _commented,
    "test annotated": _annotated,
    "API renamed everywhere": _api_renamed,
    "expected value named": _expected_named,
    "message added": _message,
    "assertEqual to assert": _to_assert,
    "sides turned": _turned,
    "assertion made exact": _to_exact,
    "test parametrised": _parametrised,
    "test split": _unrolled,
    "helper extracted": _helped,
    "comment between tests": _file_end,
}
"""What is done to a test, by name."""

RULES: tuple[tuple[str, str, str, str, str], ...] = (
    ("version", "pyproject.toml", PYPROJECT, "1.2.0", "1.3.0"),
    ("dependency", "pyproject.toml", PYPROJECT, "requests>=2", "requests>=2.31"),
    ("new dependency", "pyproject.toml", PYPROJECT, '"requests>=2"', '"requests>=2", "rich"'),
    ("more rules", "pyproject.toml", PYPROJECT, '"UP"]', '"UP", "SIM"]'),
    ("fewer ignores", "pyproject.toml", PYPROJECT, 'ignore = ["E203"]', "ignore = []"),
    ("more coverage", "pyproject.toml", PYPROJECT, "fail_under = 92", "fail_under = 95"),
    ("more tests", "pyproject.toml", PYPROJECT, '"checks"]', '"checks", "docs"]'),
    ("verbose", "pyproject.toml", PYPROJECT, "-ra --strict", "-ra -q --strict"),
    ("markers", "pyproject.toml", PYPROJECT, "xfail_strict", 'markers = ["slow: takes long"]\nxfail_strict'),
    ("shorter lines", "pyproject.toml", PYPROJECT, "line-length = 100", "line-length = 88"),
    (
        "target version",
        "pyproject.toml",
        PYPROJECT,
        "line-length = 100",
        'line-length = 100\ntarget-version = "py312"',
    ),
    ("more files", "pyproject.toml", PYPROJECT, '["src", "tests"]', '["src", "tests", "tools"]'),
    ("comment", "pyproject.toml", PYPROJECT, "[tool.mypy]", "# Types.\n[tool.mypy]"),
    ("py313", "tox.ini", TOX, "py312", "py312, py313"),
    ("more lint", "tox.ini", TOX, "    mypy src\n", "    mypy src tests\n"),
    ("less complexity", "setup.cfg", SETUP_CFG, "max-complexity = 10", "max-complexity = 8"),
    ("actions", ".github/workflows/ci.yml", CI, "checkout@v4", "checkout@v5"),
    ("matrix", ".github/workflows/ci.yml", CI, '"3.12"]', '"3.12", "3.13"]'),
    (
        "a step more",
        ".github/workflows/ci.yml",
        CI,
        "      - run: mypy src\n",
        "      - run: mypy src\n      - run: ruff format --check .\n",
    ),
    ("pytest verbose", ".github/workflows/ci.yml", CI, "pytest --cov ", "pytest -ra --cov "),
    ("cov higher", ".github/workflows/ci.yml", CI, "under=90", "under=95"),
    ("hook version", ".pre-commit-config.yaml", PRE_COMMIT, "v0.6.0", "v0.7.1"),
    (
        "hook more",
        ".pre-commit-config.yaml",
        PRE_COMMIT,
        "      - id: mypy\n",
        "      - id: mypy\n      - id: codespell\n",
    ),
)
"""Name, file, its text, and what in it becomes what."""


def rule_edits() -> list[tuple[str, Edit]]:
    """Every honest change of a configuration."""
    return [
        (name, Edit(path=path, before=text, after=text.replace(old, new, 1)))
        for name, path, text, old, new in RULES
    ]
