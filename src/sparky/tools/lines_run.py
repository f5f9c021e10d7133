"""Which lines of Python no test ran: a program of its own, started beside the tests, in their Python.

It is told by a file of JSON: `data`, where coverage.py left what it saw; `lines`, the numbers to look at by
path; `copies`, the files that may have been run, by path. It prints, by path, the numbers that were not.
"""

import ast
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

import coverage


def main(plan: Path) -> None:
    """Print what was not run, as JSON."""
    told = json.loads(plan.read_text(encoding="utf-8"))
    seen = coverage.Coverage(data_file=told["data"], config_file=False)
    seen.combine()
    unrun = {
        path: sorted(set.intersection(*(_unrun(seen, copy, lines) for copy in told["copies"][path])))
        for path, lines in told["lines"].items()
    }
    sys.stdout.write(json.dumps(unrun))


def _unrun(seen: coverage.Coverage, copy: str, lines: Iterable[int]) -> set[int]:
    _, statements, _, missing, _ = seen.analysis2(copy)
    source = Path(copy).read_bytes()
    if re.search(rb"\r(?!\n)", source):  # a new line to Python, and none to git: no number is sure
        return {*lines}
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    own = {line: line for line in statements}
    return {line for line in lines if own.get(line, _statement(nodes, source, line)) in set(missing)}


def _statement(nodes: list[ast.stmt], source: bytes, line: int) -> int | None:
    """The first line of the statement that a line goes on with; None for comments and blank lines."""
    around = [node for node in nodes if node.lineno <= line <= (node.end_lineno or node.lineno)]
    inner = max(around, key=lambda node: node.lineno, default=None)
    if inner is None:
        return None
    body = getattr(inner, "body", None) or getattr(inner, "cases", None)
    if body is None:
        return inner.lineno
    # Beyond its head only what belongs to no statement is left: comments, `else:`, the end of a block.
    first = getattr(body[0], "lineno", None) or body[0].pattern.lineno
    comment = source.splitlines()[line - 1].lstrip().startswith(b"#")
    return inner.lineno if line < first and not comment else None


if __name__ == "__main__":
    main(Path(sys.argv[1]))
