"""TYPE_ERROR by pyrefly (MIT), in a target that configures it: what mypy has to say comes beside it.

No program that a target's configuration names is run: where that tells of a build system, pyrefly is not
asked; nor is an interpreter, so modules of other packages are not known, and nothing is said of imports.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from sparky.domain.command import Completed
from sparky.domain.issue import Kind, Severity
from sparky.tools.listing import Listing
from sparky.tools.ruff_json import Diagnostic, Place
from sparky.tools.tool import Argv, Read

_INSTALLED = frozenset({"missing-import", "missing-source", "missing-source-for-stubs", "untyped-import"})
"""What depends on what is installed."""


class _Error(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    line: int
    column: int
    name: str
    concise_description: str
    severity: str


class _Answer(msgspec.Struct, frozen=True, kw_only=True):
    errors: tuple[_Error, ...]


def configure(binary: str, read: Read) -> Listing:
    """pyrefly for the target whose files `read` gives; it finds nothing where it is not configured."""
    path, told = _configuration(read)
    runs = "build-system" in told

    def argv(paths: Sequence[str]) -> Argv:
        some = () if list(paths) == ["."] else ("--", *paths)  # else the target's own choice of files
        return ("check", "--config", path, "--skip-interpreter-query", "--output-format", "json", *some)

    return Listing(
        name="pyrefly",
        binary=binary,
        kinds=Kind.TYPE_ERROR if path and not runs else {},
        argv=argv,
        parse=_errors,
        severity=Severity.MEDIUM,
        codes=frozenset({0, 1}),
        notes=(f"pyrefly is not asked: the build-system in {path} would run a program",) if runs else (),
    )


def _configuration(read: Read) -> tuple[str, Mapping[str, object]]:
    """The path of the target's configuration ("": there is none), and what can be read of it."""
    if (own := read("pyrefly.toml")) is not None:
        return "pyrefly.toml", _toml(own)
    tools = _toml(read("pyproject.toml") or b"").get("tool")
    told = tools.get("pyrefly") if isinstance(tools, dict) else None
    return ("pyproject.toml", told) if isinstance(told, dict) else ("", {})


def _toml(data: bytes) -> Mapping[str, object]:
    try:
        return tomllib.loads(data.decode("utf-8", "replace"))
    except tomllib.TOMLDecodeError:
        return {}


def _errors(result: Completed, read: Read) -> Iterator[Diagnostic]:
    del read
    for one in msgspec.json.decode(result.stdout, type=_Answer).errors:
        if one.severity == "error" and one.name not in _INSTALLED:
            where = Place(row=one.line, column=one.column)
            yield Diagnostic(
                code=one.name, filename=one.path, message=one.concise_description, location=where
            )
