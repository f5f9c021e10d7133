"""What silences a checker without mending anything: comments for it, annotations that say nothing, casts."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.fixing.package import git

_COMMENT = re.compile(
    r"#\s*(?:(?:ruff|flake8):\s*noqa|noqa|nosec|type:\s*(?:ignore|Any)|(?:mypy|pyright|pyrefly|ty):|pragma:"
    r"|pylint:\s*(?:disable|skip)|(?:fmt|isort):\s*(?:off|skip)|(?:codespell|typos|complexipy):\s*ignore)",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"\b(?:Any|object|cast)\b")


def hushes(source: str) -> int:
    """How often a module silences a checker; only its comments count where it is no Python 3."""
    try:
        said = [*_said(ast.parse(source))]
    except (SyntaxError, ValueError):
        said = []
    return len(_COMMENT.findall(source)) + sum(len(_EMPTY.findall(one)) for one in said)


def hushed(repo: Path, base: str, head: str) -> int:
    """How much more often the changed modules silence a checker at head than at base.

    Where one does it less, that does not make up for another.
    """
    paths = git(repo, "diff", "--name-only", "-z", "--no-renames", base, head).split("\0")
    modules = [path for path in paths if path.endswith((".py", ".pyi"))]
    return sum(max(0, hushes(_at(repo, head, path)) - hushes(_at(repo, base, path))) for path in modules)


def _said(tree: ast.Module) -> Iterator[str]:
    """Every annotation of a module, and the word `cast` for each call of it."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.arg(annotation=ast.expr() as said)
                | ast.AnnAssign(annotation=said)
                | ast.FunctionDef(returns=ast.expr() as said)
                | ast.AsyncFunctionDef(returns=ast.expr() as said)
            ):
                yield ast.unparse(said)
            case ast.Call(func=ast.Name(id="cast") | ast.Attribute(attr="cast")):
                yield "cast"
            case _:
                pass


def _at(repo: Path, sha: str, path: str) -> str:
    """A file of a commit, byte for character; "" where it has none of that name."""
    done = subprocess.run(["git", "show", f"{sha}:{path}"], cwd=repo, capture_output=True, check=False)
    return done.stdout.decode("latin-1")
