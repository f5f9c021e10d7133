"""Functions that are hard to follow: what a reader has to keep in mind, where ruff's C901 counts paths.

complexipy is called as a library. Its command leaves a cache in the directory it is started in, gives no JSON
on standard output, and puts a new file in place of what it is told to write to, even of /dev/stdout.
"""

import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path

from complexipy import FunctionComplexity, code_complexity

from sparky.tools.programs.sources import diagnostic, lines
from sparky.tools.ruff_json import Diagnostic, Place

_RULE = "cognitive-complexity"
_NOQA = r"noqa(?:\s*:[^#]*\bC901\b|(?!\s*:))"
"""Whoever has judged a function by what ruff says of it, which is nearly the same, is not asked again."""
_JUDGED = re.compile(rf"#\s*{_NOQA}", re.IGNORECASE)
_ALL_JUDGED = re.compile(rf"\s*#\s*(?:ruff|flake8)\s*:\s*{_NOQA}", re.IGNORECASE)
_DEFINES = re.compile(r"\s*(?:async\s+)?def\b")


def hard(path: str, source: bytes, limit: int) -> Iterator[Diagnostic]:
    """A finding, at its `def`, for each function over the limit; a nested one counts for the outermost."""
    over = [one for one in _functions(source) if one.complexity > limit]
    text = lines(source) if over else []
    if any(map(_ALL_JUDGED.match, text)):
        return
    for one in over:
        rows = range(one.line_start, one.line_end + 1)
        row = next((row for row in rows if _DEFINES.match(text[row - 1])), one.line_start)
        line = text[row - 1]
        name = one.name.replace("::", ".")
        message = f"`{name}` is hard to follow (cognitive complexity {one.complexity} > {limit})"
        if not _JUDGED.search(line):
            yield diagnostic(_RULE, path, message, Place(row=row, column=len(line) - len(line.lstrip()) + 1))


def _functions(source: bytes) -> list[FunctionComplexity]:
    """None of what can't be read: such a file is ruff's to name."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        return code_complexity(source.decode(encoding), with_plans=False).functions
    except (SyntaxError, ValueError, LookupError):
        return []


def found(files: Sequence[str], _option: str, limit: str) -> Iterator[Diagnostic]:
    """What is hard to follow in the files; `--limit`: over which complexity."""
    return (one for path in files for one in hard(path, Path(path).read_bytes(), int(limit)))
