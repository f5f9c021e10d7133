"""Calls that ruff's security rules name and that can be rewritten with equal behaviour.

S324: a hash says that it is for no secret (Python 3.9, the same digest), where neither the file's name nor
the function around it speaks of one. S506: `yaml.load(x)` without a loader is `yaml.safe_load(x)`, as the
newer PyYAML demands one. More are in `safer`.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from sparky.tools.programs.safer import safer
from sparky.tools.programs.sources import diagnostic, place, tree_of
from sparky.tools.ruff_json import Diagnostic, Edit

_HASHES = frozenset({"md5", "sha1"})
_SECRET = re.compile(
    r"pass(?:w|phrase|code)|pwd|secret|token|auth|login|sign|hmac|salt|session|credential|nonce|otp|csrf|cookie"
    r"|crypt|api_?key|(?:^|_)pin(?:_|$)",
    re.IGNORECASE,
)
"""What names of secrets have in them."""


def rewrites(path: str, source: bytes, *, flags: bool) -> Iterator[Diagnostic]:
    """The findings of a file that can be mended; those of S324 only if the target's Python has `flags`."""
    yield from safer(path, source)
    tree = tree_of(source) if b"hashlib" in source or b"yaml" in source else None
    for node in ast.walk(tree) if tree is not None else ():
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="hashlib"), attr=name)) if (
                flags and name in _HASHES and not _is_for_a_secret(path, source, tree, node)
            ):
                yield from _hash(path, source, node, name)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="yaml"), attr="load") as called, args=[_], keywords=[]
            ):
                end = place(source, called.end_lineno or 0, called.end_col_offset or 0)
                start = place(source, called.end_lineno or 0, (called.end_col_offset or 0) - len("load"))
                where = place(source, node.lineno, node.col_offset)
                edit = Edit(content="safe_load", location=start, end_location=end)
                yield diagnostic(
                    "S506", path, "`yaml.load` without a loader can make any object", where, edit
                )


def _is_for_a_secret(path: str, source: bytes, tree: ast.Module | None, node: ast.Call) -> bool:
    """Whether a word for a secret stands in the file's name, or in what the hash is made in."""
    line = node.lineno
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    around = [n for n in ast.walk(tree) if isinstance(n, kinds)] if tree else []
    around = [n for n in around if n.lineno <= line <= (n.end_lineno or 0)]
    inner = max((n for n in around if not isinstance(n, ast.ClassDef)), key=lambda n: n.lineno, default=node)
    rows = source.splitlines()[inner.lineno - 1 : inner.end_lineno]
    said = (path, *(n.name for n in around), b"\n".join(rows).decode("utf-8", "replace"))
    return any(_SECRET.search(text) for text in said)


def _hash(path: str, source: bytes, node: ast.Call, name: str) -> Iterator[Diagnostic]:
    if any(word.arg in {None, "usedforsecurity"} for word in node.keywords):
        return
    given = [*node.args, *(word.value for word in node.keywords)]
    before = source.splitlines()[(node.end_lineno or 1) - 1][: (node.end_col_offset or 1) - 1].rstrip()
    if before.endswith(b",") or not before:  # one argument a line: where a comment may stand
        return
    end = place(source, node.end_lineno or 0, (node.end_col_offset or 1) - 1)
    text = f"{', ' if given else ''}usedforsecurity=False"
    where = place(source, node.lineno, node.col_offset)
    message = f"Probable use of insecure hash functions in `hashlib`: `{name}`"
    yield diagnostic("S324", path, message, where, Edit(content=text, location=end, end_location=end))


def found(files: Sequence[str], *options: str) -> Iterator[Diagnostic]:
    """What can be rewritten in the files; `--hash-flags`: the target's Python is 3.9 or newer."""
    flags = "--hash-flags" in options
    return (one for path in files for one in rewrites(path, Path(path).read_bytes(), flags=flags))
