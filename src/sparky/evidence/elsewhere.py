"""What the other files of a target say of a text: that a program reads it, or that a word of it is a name."""

import io
import re
import tokenize
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import PurePosixPath

from sparky.domain.change import is_test_path
from sparky.domain.finding import Finding, Fix, Stay, kept
from sparky.domain.issue import Kind
from sparky.ports import Ports
from sparky.tools.docstrings import read_by_name
from sparky.tools.tool import READ
from sparky.tools.typos import RULE

NAMED = kept("the target's code has a name that is spelt so")
_WORD = re.compile(r"`(\w+)`")


def why_kept(ports: Ports, sha: str) -> Callable[[Finding], Stay | None]:
    """What says why a finding of DOCUMENTATION is not to be mended for another file's sake; None if it is.

    The files of the commit are read when that is first asked of a finding that could be mended. What a test
    reads is for the tests to judge.
    """
    sources = cache(lambda: _sources(ports, sha))
    read = cache(lambda: _read(sources()))

    def why(finding: Finding) -> Stay | None:
        if finding.kind is not Kind.DOCUMENTATION or finding.fix not in {Fix.SAFE, Fix.UNSAFE}:
            return None
        if _name(finding) in read():
            return READ
        word = _WORD.match(finding.message) if finding.rule == RULE else None
        return NAMED if word and _is_name(word[1], sources()) else None

    return why


def _sources(ports: Ports, sha: str) -> Mapping[str, bytes]:
    paths = [path for path in ports.repository.files(sha) if path.endswith(".py")]
    return dict(ports.repository.contents(sha, paths))


def _read(sources: Mapping[str, bytes]) -> frozenset[str]:
    """The names of what the target's own code reads the docstrings of."""
    read = (read_by_name(source) for path, source in sources.items() if not is_test_path(path))
    return frozenset[str]().union(*read)


def _name(finding: Finding) -> str:
    """What is called by the docstring's name: a function, a class, or the module; "" outside of Python."""
    path = PurePosixPath(finding.location.path)
    module = path.parent.name if path.stem == "__init__" else path.stem
    return (finding.location.symbol.rpartition(".")[2] or module) if path.suffix == ".py" else ""


def _is_name(word: str, sources: Mapping[str, bytes]) -> bool:
    return any(word.encode() in source and word in _names(source) for source in sources.values())


def _names(source: bytes) -> frozenset[str]:
    try:
        tokens = [*tokenize.tokenize(io.BytesIO(source).readline)]
    except (tokenize.TokenError, SyntaxError):  # such a file is ruff's to name
        return frozenset()
    return frozenset(token.string for token in tokens if token.type == tokenize.NAME)
