"""Docstrings that a program may read as it runs: their text is code, however much it looks like prose."""

import ast
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from functools import lru_cache

from msgspec import structs

from sparky.tools.programs.sources import tree_of
from sparky.tools.ruff_json import Diagnostic, patched

FORM = frozenset({"D200", "D207", "D208", "D209", "D210", "D403", "D410", "D411", "D412"})
"""The rules whose fix changes a docstring's text, and not just its quotes or what is around it."""
READ = "read"
"""How safe a fix is that changes what a program may read."""

_READS = re.compile(rb"__doc__|\bgetdoc\b|\bdoctest\b")
_READERS = re.compile(
    rb"^[ \t]*(?:from|import)[ \t]+"
    rb"(?:apispec|clize|docopt|docopt_ng|fire|flasgger|plac|ply|spark|spark_parser)\b",
    re.MULTILINE,
)
_BY_NAME = re.compile(
    rb"(\w+)\.__doc__\b"
    rb"|\b(?:getdoc|help|render_doc)\((?:\w+\.)*(\w+)"
    rb"|\bfrom[ \t]+[\w.]*?(\w+)[ \t]+import\b[^\n]*\b__doc__\b"
)
_SIGNS = (b"__doc__", b"getdoc(", b"help(", b"render_doc(")
_ALIAS = re.compile(rb"\b(\w+)[ \t]+as[ \t]+(\w+)")
_SHOWN = re.compile(
    rb"^[ \t]*(?:from|import)[ \t]+(?:asyncclick|click|cyclopts|fastapi|invoke|rich_click|typer)\b",
    re.MULTILINE,
)
"""What shows users the docstrings of what it decorates."""
_GRAMMAR = ("p_", "t_")
_RAW = re.compile(rb"[rR]['\"]")
_HINT = re.compile(rb"\bdef[ \t]+[pt]_|\b[rR]['\"]")
_DEFINES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def for_people(source: bytes, tree: ast.Module) -> Iterator[ast.Constant]:
    """The docstrings of a parsed source that nothing but a person reads."""
    return (text for text, is_read in _docstrings(source, tree) if not is_read)


def for_programs(source: bytes, tree: ast.Module) -> Iterator[ast.Constant]:
    """Those that a program may read: all where the file reads any, raw ones, those of PLY and of commands."""
    return (text for text, is_read in _docstrings(source, tree) if is_read)


def read_by_name(source: bytes) -> frozenset[str]:
    """The names of the functions, classes and modules whose docstrings a source reads, as far as it says."""
    if not any(sign in source for sign in _SIGNS):  # few files hold any
        return frozenset()
    found = {next(filter(None, match.groups())) for match in _BY_NAME.finditer(source)}
    found |= {name for name, alias in _ALIAS.findall(source) if alias in found}
    return frozenset(name.decode() for name in found)


def spans(docstrings: Iterable[ast.Constant]) -> frozenset[int]:
    """The lines on which docstrings stand."""
    each = (range(one.lineno, (one.end_lineno or one.lineno) + 1) for one in docstrings)
    return frozenset(line for span in each for line in span)


def spared(one: Diagnostic, source: bytes) -> Diagnostic:
    """What ruff says of a source; with a fix that is `READ` if it changes a docstring for programs."""
    if one.fix is None or not (_is_reformed if one.code in FORM else _is_reworded)(one, source):
        return one
    return structs.replace(one, fix=structs.replace(one.fix, applicability=READ))


def _is_reformed(one: Diagnostic, source: bytes) -> bool:
    return one.location is not None and one.location.row in _read_lines(source)


def _is_reworded(one: Diagnostic, source: bytes) -> bool:
    """Whether the formatter would change such a text."""
    before = _read_texts(source)
    edits = one.fix.edits if one.fix else ()
    return bool(before) and before != _read_texts(patched(source, edits))


@lru_cache(maxsize=64)
def _read_lines(source: bytes) -> frozenset[int]:
    return spans(_read(source))


@lru_cache(maxsize=64)
def _read_texts(source: bytes) -> tuple[object, ...]:
    return tuple(one.value for one in _read(source))


def _read(source: bytes) -> Iterator[ast.Constant]:
    # Few files hold any, and to parse them all would take as long as ruff does.
    able = any(sign.search(source) for sign in (_HINT, _READS, _READERS, _SHOWN))
    tree = tree_of(source) if able else None
    return for_programs(source, tree) if tree is not None else iter(())


def _docstrings(source: bytes, tree: ast.Module) -> Iterator[tuple[ast.Constant, bool]]:
    rows = source.removeprefix(BOM_UTF8).splitlines()
    all_are = bool(_READS.search(source) or _READERS.search(source))
    decorated_are = _SHOWN.search(source) is not None
    for node in ast.walk(tree):
        match node.body if isinstance(node, _DEFINES) else ():
            case [ast.Expr(value=ast.Constant(value=str()) as text), *_]:
                raw = _RAW.match(rows[text.lineno - 1], text.col_offset) is not None
                shown = decorated_are and bool(getattr(node, "decorator_list", ()))
                yield text, all_are or raw or shown or getattr(node, "name", "").startswith(_GRAMMAR)
