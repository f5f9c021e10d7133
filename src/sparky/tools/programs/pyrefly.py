"""pyrefly (MIT): what it would annotate, and what it says of the annotations that are there."""

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
import tomlkit

from sparky.tools.programs.checking import Error

CONFIG = "pyrefly.toml"
SAFE: Mapping[str, object] = {"skip-interpreter-query": True}
"""The interpreter that it would ask imports what lies beside it: a target's own `json`, say."""
_USUAL = {"preset": "default", **SAFE}
_TIMEOUT_S = 300
_ELSEWHERE = frozenset({"missing-import", "missing-source", "untyped-import", "missing-module-attribute"})
"""What is not for annotations to mend: it depends on what is installed."""


class _Said(msgspec.Struct, frozen=True, kw_only=True):
    """One line of its answer."""

    path: str
    line: int
    column: int
    name: str
    concise_description: str
    severity: str = "error"


class _Answer(msgspec.Struct, frozen=True, kw_only=True):
    errors: tuple[_Said, ...] = ()


def infer(texts: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files as it annotates them; what it can't do, it leaves."""
    with tempfile.TemporaryDirectory(prefix="sparky-types-") as name:
        root = Path(name)
        for path, source in texts.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(source)
        _run(_USUAL, "infer", *texts, root=root)
        return {path: (root / path).read_bytes() for path in texts}


def review(files: Sequence[str]) -> list[Error]:
    """What it finds in the files of the current directory; nothing where it gives no answer.

    It knows what functions give that have no annotation: so it sees errors between these and those that do.
    """
    return checked(_USUAL, files) or []


def checked(told: Mapping[str, object], files: Sequence[str] = ()) -> list[Error] | None:
    """What it finds, configured so, in the files; without any, in those that the configuration chooses.

    None where it gives no answer, as where it refuses the configuration.
    """
    said = _run(told, "check", "--output-format", "json", *files)
    try:
        answer = msgspec.json.decode(said, type=_Answer)
    except msgspec.DecodeError:
        return None
    return [
        Error(
            file=one.path,
            line=one.line,
            column=one.column,
            code=one.name,
            message=one.concise_description.replace("`", '"'),
            reviewed=True,
        )
        for one in answer.errors
        if one.severity == "error" and one.name not in _ELSEWHERE
    ]


def more(known: Iterable[Error], said: Iterable[Error]) -> list[Error]:
    """The errors of a file and code that there are more of than before: those of them with a new text.

    Its texts have types in them, which annotations change; so a text alone makes no error new.
    """
    counts = Counter((error.file, error.code) for error in known)
    texts = Counter(error.identity for error in known)
    found = list(said)
    now = Counter((error.file, error.code) for error in found)
    new = []
    for error in found:
        texts[error.identity] -= 1
        group = (error.file, error.code)
        if now[group] > counts[group] and texts[error.identity] < 0:
            new.append(error)
    return new


def _run(told: Mapping[str, object], *words: str, root: Path = Path()) -> bytes:
    (root / CONFIG).write_text(tomlkit.dumps(told), encoding="utf-8")
    binary = Path(sys.executable).with_name("pyrefly")
    argv = [str(binary), words[0], "--config", CONFIG, *words[1:]]
    return subprocess.run(argv, cwd=root, capture_output=True, check=False, timeout=_TIMEOUT_S).stdout
