"""What a module imports, and where more of it may stand."""

import ast
from collections.abc import Iterator, Mapping

from sparky.tools.programs.signatures import Function
from sparky.tools.ruff_json import Place


def bindings(tree: ast.Module, module: str, *, package: bool) -> dict[str, str]:
    """What the names of a module's top level stand for: see `annotations.Annotated.names`."""
    found: dict[str, str] = {}
    for node in (
        one for top in tree.body for one in (ast.walk(top) if isinstance(top, ast.If | ast.Try) else [top])
    ):
        if isinstance(node, ast.Import):
            for alias in node.names:
                full = alias.name if alias.asname or "." not in alias.name else alias.name.partition(".")[0]
                found[alias.asname or full] = f"{full}:"
        elif isinstance(node, ast.ImportFrom):
            start = _absolute(node, f"{module}." if package else module)
            found |= {alias.asname or alias.name: f"{start}:{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ClassDef):
            found[node.name] = f"{module}:{node.name}"
        elif isinstance(node, Function):
            found[node.name] = ""
        elif isinstance(node, ast.Assign):
            found |= {
                one.id: "" for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)
            }
    return found


def _absolute(node: ast.ImportFrom, module: str) -> str:
    """The module that is imported from, told from a module of this name (packages end with a dot here)."""
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    return ".".join([*parts[: len(parts) - node.level], *([node.module] if node.module else [])])


def sections(imports: Mapping[str, list[str]], own: str) -> Iterator[str]:
    """The lines that import names by module, those of the package `own` last."""
    mine = [module for module in imports if module.partition(".")[0] == own]
    others = [module for module in imports if module not in mine]
    for number, modules in enumerate(part for part in (others, mine) if part):
        if number:
            yield ""
        for module in modules:
            yield f"    from {module} import {', '.join(imports[module])}"


def top(tree: ast.Module) -> Place:
    """Where an import of a module may stand first: after its docstring, before all other code."""
    body = tree.body
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    first = body[1] if documented and len(body) > 1 else body[0]
    decorators = getattr(first, "decorator_list", [])
    return Place(row=min([first.lineno, *(one.lineno for one in decorators)]), column=1)


def future_end(tree: ast.Module, top: Place) -> Place:
    """Where the first import that is not of the future may stand."""
    futures = [n for n in tree.body if isinstance(n, ast.ImportFrom) and n.module == "__future__"]
    return Place(row=(futures[-1].end_lineno or 0) + 1, column=1) if futures else top


def after_imports(tree: ast.Module, top: Place) -> Place:
    """Where the imports at the head of a module end."""
    row = top.row
    for node in tree.body:
        is_doc = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_doc and not isinstance(node, ast.Import | ast.ImportFrom):
            break
        if not is_doc:
            row = (node.end_lineno or 0) + 1
    return Place(row=row, column=1)
