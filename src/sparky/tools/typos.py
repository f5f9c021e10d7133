"""DOCUMENTATION by typos (MIT, Apache-2.0): misspelt words in prose, never in code, data or tests.

Prose is: comments and docstrings of Python, but none with a doctest, nor one that a program may read; and
Markdown and reStructuredText at the root and in `docs/` and `doc/`.
"""

import io
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

import msgspec

from sparky.domain.command import Completed
from sparky.domain.finding import for_agent
from sparky.domain.issue import Kind
from sparky.tools.docstrings import for_people, spans
from sparky.tools.listing import Listing
from sparky.tools.programs.sources import tree_of
from sparky.tools.ruff_json import Diagnostic, Edit, Place, Remedy
from sparky.tools.tool import Argv, Read

RULE = "typo"
_CONFIGS = ("typos.toml", "_typos.toml", ".typos.toml")
_PAGES = (".md", ".rst")
_MANUALS = frozenset({"doc", "docs"})
_TESTS = frozenset({"test", "tests", "testing", "fixtures", "data", "locale", "golden"})


class _Typo(msgspec.Struct):
    """One line of its answer; other sorts of lines lack the fields."""

    type: str
    path: str = ""
    line_num: int = 0
    byte_offset: int = 0
    typo: str = ""
    corrections: list[str] = []


def configure(binary: str, read: Read) -> Listing:
    """typos for the target whose files `read` gives, with its own configuration where there is one."""
    config = next((("--config", name) for name in _CONFIGS if read(name) is not None), ())

    def argv(paths: Sequence[str]) -> Argv:
        return ("--format", "json", "--isolated", "--no-ignore-parent", *config, "--", *paths)

    return Listing(
        name="typos",
        binary=binary,
        kinds={RULE: Kind.DOCUMENTATION},
        argv=argv,
        parse=_typos,
        why={RULE: for_agent("more than one word may be meant")},
        suffixes=(".py", *_PAGES),
        codes=frozenset({0, 2}),
    )


def _typos(result: Completed, read: Read) -> Iterator[Diagnostic]:
    seen: dict[str, frozenset[int] | None] = {}
    for line in result.stdout.splitlines():
        one = msgspec.json.decode(line, type=_Typo)
        path = PurePosixPath(one.path).as_posix()
        if one.type == "typo" and one.line_num and _may_hold_prose(path):
            source = read(path)
            if path not in seen:
                seen[path] = _prose(source or b"") if path.endswith(".py") else None
            prose = seen[path]
            if source is not None and (prose is None or one.line_num in prose):
                yield from _found(path, source, one, code=prose is not None)


def _may_hold_prose(path: str) -> bool:
    folders = PurePosixPath(path).parts[:-1]
    if _TESTS & set(folders):
        return False
    return path.endswith(".py") or (path.endswith(_PAGES) and (not folders or folders[0] in _MANUALS))


def _prose(source: bytes) -> frozenset[int]:
    """The lines of Python that hold a comment, or a docstring that nothing but a person reads."""
    tree = tree_of(source)
    if tree is None:
        return frozenset()
    lines = set()
    for token in tokenize.tokenize(io.BytesIO(source).readline):
        if token.type == tokenize.COMMENT:
            lines.add(token.start[0])
    read = (one for one in for_people(source, tree) if ">>>" not in str(one.value))
    return frozenset(lines) | spans(read)


def _found(path: str, source: bytes, one: _Typo, *, code: bool) -> Iterator[Diagnostic]:
    line = source.splitlines()[one.line_num - 1]
    before = line[: one.byte_offset].decode("utf-8", "surrogateescape")
    if code and "#" not in before and "#" in line.decode("utf-8", "surrogateescape"):
        return  # code beside a comment
    start = Place(row=one.line_num, column=len(before) + 1)
    end = Place(row=one.line_num, column=len(before) + len(one.typo) + 1)
    only = one.corrections[0] if len(one.corrections) == 1 else ""
    edit = Edit(content=only, location=start, end_location=end)
    fix = Remedy(applicability="safe", edits=(edit,)) if only else None
    meant = f"`{only}`" if only else " or ".join(f"`{word}`" for word in one.corrections) or "another word"
    yield Diagnostic(
        code=RULE, filename=path, message=f"`{one.typo}` should be {meant}", location=start, fix=fix
    )
