"""Print the house: its rooms, their sizes, who imports whom; with --check, fail where a rule is broken.

The rules: no import circle (function-level imports count), imports at the top but of optional extras, no
file over 300 lines, no function over 50, a core of at most 40 modules.
"""

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from statistics import median

SOURCE = Path(__file__).parent.parent / "src"
FILE_LIMIT, FUNCTION_LIMIT, CORE_LIMIT = 300, 50, 40
CORE = ("sparky.domain", "sparky.formats", "sparky.pipeline", "sparky.stages", "sparky.durable", "sparky.app")
DATA = "sparky.demo.repository"
EXTRAS = {"sparky.adapters.traces"}


def modules() -> dict[str, Path]:
    """Module names and files, without the demo's data."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        if not name.startswith(DATA):
            found[name] = path
    return found


def imports(tree: ast.Module, known: dict[str, Path]) -> Iterator[str]:
    """The known modules that a module imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names} & set(known)
            yield from names
            if node.module in known and len(names) < len(node.names):
                yield node.module


def faults(name: str, tree: ast.Module, lines: int) -> Iterator[str]:
    """What is too long in a module, or imported where it should not be."""
    if lines > FILE_LIMIT:
        yield f"{name}: {lines} lines, over {FILE_LIMIT}"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LIMIT:
                yield f"{name}.{node.name}: {length} lines, over {FUNCTION_LIMIT}"
            if any(_is_import(inner) for inner in ast.walk(node)):
                yield f"{name}.{node.name}: an import inside a function"


def _is_import(node: ast.AST) -> bool:
    """Whether it brings something in that has to stand at the top: all but what an optional extra brings."""
    return isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.module not in EXTRAS)


def main() -> int:
    """Look at every module; the exit code is 1 if --check is given and a rule is broken."""
    known = modules()
    graph: dict[str, set[str]] = {}
    sizes: dict[str, int] = {}
    wrong: list[str] = []
    for name, path in known.items():
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        sizes[name] = text.count("\n")
        graph[name] = set(imports(tree, known)) - {name}
        wrong += faults(name, tree, sizes[name])
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        wrong.append(f"import circle: {' -> '.join(error.args[1])}")
        order = sorted(graph)
    core = [n for n in known if n.startswith(CORE) and known[n].name != "__init__.py"]
    if len(core) > CORE_LIMIT:
        wrong.append(f"the core has {len(core)} modules, over {CORE_LIMIT}")
    if "--check" not in sys.argv:
        for name in reversed(order):
            below = ", ".join(sorted(n.removeprefix("sparky.") for n in graph[name])) or "nothing"
            print(f"{sizes[name]:4} {name} -> {below}")
    real = [size for size in sizes.values() if size]
    print(f"{len(real)} modules, {sum(real)} lines, median {median(real):.0f}, core {len(core)}")
    for line in wrong:
        print(line)
    return 1 if wrong and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
