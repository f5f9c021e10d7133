"""What pyright (MIT) finds in a target as that configures it, but for what would lead it elsewhere.

It looks at a copy of the target's Python files and stubs, always at all of those that the target chose. It
gets no PATH, so that there is no interpreter for it to ask. Where it gives no answer, one finding says why.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import msgspec

from sparky.tools.programs.copied import copied
from sparky.tools.programs.pyright_config import CONFIG, MUTE, PROJECT, configured_in, harmless
from sparky.tools.programs.sources import arguments, diagnostic, put, sources
from sparky.tools.ruff_json import Diagnostic, Place
from sparky.tools.tool import SILENT

_LIMIT_BYTES = 50_000_000
"""The longest answer: of some 100,000 errors."""
_ELSEWHERE = (
    *("reportMissingImports", "reportMissingModuleSource", "reportMissingTypeStubs"),
    *("reportUnknown", "reportUntyped", "reportUnnecessaryTypeIgnoreComment"),
)
"""How the rules begin that depend on what is installed."""


class _Point(msgspec.Struct, frozen=True, kw_only=True):
    """Both count from 0."""

    line: int
    character: int


class _Range(msgspec.Struct, frozen=True, kw_only=True):
    start: _Point


class _Said(msgspec.Struct, frozen=True, kw_only=True):
    """A part of its answer. Without a rule it is of the syntax, which ruff tells."""

    file: str
    severity: str
    message: str
    range: _Range = _Range(start=_Point(line=0, character=0))
    rule: str = ""


class _Summary(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    files_analyzed: int


class _Answer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    general_diagnostics: tuple[_Said, ...]
    summary: _Summary


class _SilentError(Exception):
    """It gave no answer; the text says how."""


def judged(command: Sequence[str], limit_s: float, paths: list[str]) -> list[Diagnostic]:
    """The errors in these files, of those of the whole current directory."""
    told, where, asked = harmless(_read), configured_in(_read) or PROJECT, set(sources(paths))
    if not asked:
        return []
    with copied(".pyi") as root:
        try:
            said = _asked(command, limit_s, told)
        except _SilentError as error:
            return [Diagnostic(code=SILENT, filename=where, message=f"pyright gave no answer: {error}")]
    named = ((one, Path(one.file)) for one in said if _counts(one))
    found = ((one, path.relative_to(root).as_posix()) for one, path in named if path.is_relative_to(root))
    return [_found(one, path) for one, path in found if path in asked]


def _read(path: str) -> bytes | None:
    file = Path(path)
    return file.read_bytes() if file.is_file() and not file.is_symlink() else None


def _counts(one: _Said) -> bool:
    return one.severity == "error" and bool(one.rule) and not one.rule.startswith(_ELSEWHERE)


def _found(one: _Said, path: str) -> Diagnostic:
    # What follows the first line goes into the types, which an edit elsewhere changes.
    message, at = one.message.partition("\n")[0], one.range.start
    return diagnostic(one.rule, path, message, Place(row=at.line + 1, column=at.character + 1))


def _asked(command: Sequence[str], limit_s: float, told: Mapping[str, object]) -> tuple[_Said, ...]:
    """All that it says of the files of the current directory, configured so."""
    Path(CONFIG).write_bytes(msgspec.json.encode(told))
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        code = _code([*command, "--outputjson", "-p", CONFIG], limit_s, out, errors)
        if out.seek(0, os.SEEK_END) >= _LIMIT_BYTES:
            raise _SilentError(f"it said more than {_LIMIT_BYTES // 1_000_000} MB")
        out.seek(0)
        errors.seek(0)
        if code not in {0, 1}:
            said = errors.read(1000).decode("utf-8", "backslashreplace").strip().partition("\n")[0]
            raise _SilentError(f"exit code {code}" + (f", {said}" if said else ""))
        try:
            answer = msgspec.json.decode(out.read(), type=_Answer)
        except msgspec.DecodeError as error:
            raise _SilentError(f"what it said can't be read: {error}") from error
    if not answer.summary.files_analyzed:
        raise _SilentError("it looked at no file")
    return answer.general_diagnostics


def _code(argv: Sequence[str], limit_s: float, out: IO[bytes], errors: IO[bytes]) -> int:
    """Its exit code, or minus the signal that ended it; who writes more than the limit can't go on."""
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    limit = _LIMIT_BYTES if most == resource.RLIM_INFINITY else min(_LIMIT_BYTES, most)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))
    env = {"PATH": str(Path.cwd() / "nothing")}
    try:
        done = subprocess.run(argv, stdout=out, stderr=errors, env=env, check=False, timeout=limit_s)
    except subprocess.TimeoutExpired as error:
        raise _SilentError(f"it took longer than {limit_s:g} s") from error
    except OSError as error:
        raise _SilentError(str(error)) from error
    return done.returncode


if __name__ == "__main__":
    answer = judged(sys.argv[2 : sys.argv.index("--")], float(sys.argv[1]), arguments())
    put(answer)
    sys.exit(MUTE if any(one.code == SILENT for one in answer) else 0)
