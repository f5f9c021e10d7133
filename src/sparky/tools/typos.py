"""DOCUMENTATION by typos (MIT, Apache-2.0): misspelt words in prose, never in code, data or tests.

Prose is: comments and docstrings of Python, but none with a doctest, nor one that a program may read; and
Markdown and reStructuredText at the root and in `docs/` and `doc/`. What is in another language than English,
and code in its midst, is none.
"""

import io
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

import msgspec

from sparky.domain.command import Completed
from sparky.domain.finding import for_agent
from sparky.domain.issue import Kind
from sparky.foreign import toml_foreign
from sparky.tools.docstrings import for_people, spans
from sparky.tools.listing import Listing
from sparky.tools.programs.sources import tree_of
from sparky.tools.prose import is_english, is_foreign, masked, unnamed
from sparky.tools.ruff_json import Diagnostic, Edit, Place, Remedy
from sparky.tools.tool import Argv, Read

RULE = "typo"
_CONFIGS = ("typos.toml", "_typos.toml", ".typos.toml")
_PROJECT = "pyproject.toml"
_PAGES = (".md", ".rst")
_PAGE, _COMMENTS = 5, 20
"""From how many words on their language is told: a page has sentences, a comment a few words."""
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
    own = _config(read)
    config = ("--config", own) if own else ()

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


def _config(read: Read) -> str | None:
    """The file in which the target configures typos, as typos looks for it."""
    own = next((name for name in _CONFIGS if read(name) is not None), None)
    if own is not None:
        return own
    try:
        project = toml_foreign(read(_PROJECT) or b"")
    except ValueError:
        return None
    tools = project.get("tool")
    return _PROJECT if isinstance(tools, dict) and "typos" in tools else None


def _typos(result: Completed, read: Read) -> Iterator[Diagnostic]:
    seen: dict[str, list[str]] = {}
    for line in result.stdout.splitlines():
        one = msgspec.json.decode(line, type=_Typo)
        path = PurePosixPath(one.path).as_posix()
        if one.type == "typo" and one.line_num and _may_hold_prose(path):
            source = read(path) or b""
            if path not in seen:
                seen[path] = _prose(path, source)
            yield from _found(path, source, one, seen[path])


def _may_hold_prose(path: str) -> bool:
    folders = PurePosixPath(path).parts[:-1]
    if _TESTS & set(folders):
        return False
    page = path.endswith(_PAGES) and (not folders or folders[0] in _MANUALS) and not is_foreign(path)
    return path.endswith(".py") or page


def _prose(path: str, source: bytes) -> list[str]:
    """The lines of a file, with blanks for what is not prose in English; none where nothing is."""
    lines, enough = masked(source.decode("utf-8", "surrogateescape")), _PAGE
    if path.endswith(".py"):
        enough = _COMMENTS
        told, names = _told(source)
        lines = [unnamed(line, names) if number in told else "" for number, line in enumerate(lines, 1)]
    return lines if is_english("\n".join(lines), enough) else []


def _told(source: bytes) -> tuple[frozenset[int], frozenset[str]]:
    """The lines of Python with a comment, or a docstring that only a person reads; and all names in it."""
    tree = tree_of(source)
    if tree is None:
        return frozenset(), frozenset()
    tokens = [*tokenize.tokenize(io.BytesIO(source).readline)]
    comments = frozenset(token.start[0] for token in tokens if token.type == tokenize.COMMENT)
    names = frozenset(token.string for token in tokens if token.type == tokenize.NAME)
    read = (one for one in for_people(source, tree) if ">>>" not in str(one.value))
    return comments | spans(read), names


def _found(path: str, source: bytes, one: _Typo, prose: Sequence[str]) -> Iterator[Diagnostic]:
    line = source.splitlines()[one.line_num - 1]
    before = line[: one.byte_offset].decode("utf-8", "surrogateescape")
    if path.endswith(".py") and "#" not in before and "#" in line.decode("utf-8", "surrogateescape"):
        return  # code beside a comment
    shown = prose[one.line_num - 1] if one.line_num <= len(prose) else ""
    if shown[len(before) : len(before) + len(one.typo)] != one.typo:
        return
    start = Place(row=one.line_num, column=len(before) + 1)
    end = Place(row=one.line_num, column=len(before) + len(one.typo) + 1)
    only = one.corrections[0] if len(one.corrections) == 1 else ""
    edit = Edit(content=only, location=start, end_location=end)
    fix = Remedy(applicability="safe", edits=(edit,)) if only else None
    meant = f"`{only}`" if only else " or ".join(f"`{word}`" for word in one.corrections) or "another word"
    yield Diagnostic(
        code=RULE, filename=path, message=f"`{one.typo}` should be {meant}", location=start, fix=fix
    )
