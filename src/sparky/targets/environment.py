"""What a project declares about the environment of its tests."""

import ast
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from packaging.specifiers import InvalidSpecifier, SpecifierSet

_DECLARING = frozenset(
    {"pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "tox.toml", "Pipfile"}
    | {"Pipfile.lock", "poetry.lock", "pdm.lock", "uv.lock", "pylock.toml"}
    | {"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"}
)
_LISTS = re.compile(r"(^|[-_./])(requirements?|reqs?|constraints?|deps)([-_./]|$)", re.IGNORECASE)
_DEPTH = 3
_UNREACHABLE = re.compile(
    r"error sending request|dns error|connect error|timed out|connection (refused|reset)|server error",
    re.IGNORECASE,
)
_UNBUILT = re.compile(r"Failed to build|build backend returned an error|Invalid `pyproject.toml`")
_UNRESOLVED = re.compile(r"No solution found|Failed to resolve")


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What a project declares.

    `source`: the file that an installer reads the project's own dependencies from, None if there is no
    project to install. `runtime` are those of them that can be known without running foreign code.
    `testing`: what its tests want, optional one by one. `extras` are the project's own extras among that.
    `constraints` are exact versions from lock files and constraint files. All are PEP 508 lines. `pythons`:
    specifiers of the Pythons that it runs on, each with the file that says so.
    """

    name: str = ""
    source: str | None = None
    runtime: tuple[str, ...] = ()
    testing: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    pythons: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class TargetEnvironment:
    """A complete environment at `path`, for one Python version.

    `missing`: what could not be installed; `replaced`: what could be had in another version only than the
    declared one, as "WHAT instead of DECLARED".
    """

    key: str
    path: str
    python: str
    missing: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Where it is not as declared, for a person."""
        said = {"could not be installed": self.missing, "other than declared": self.replaced}
        return tuple(f"{what}: {', '.join(lines)}" for what, lines in said.items() if lines)


def declares(path: str) -> bool:
    """Whether a file of a repository may say what the tests need."""
    parts = PurePosixPath(path).parts
    if len(parts) > _DEPTH:
        return False
    listed = path.endswith((".txt", ".in")) and bool(_LISTS.search("/".join(parts[-2:])))
    return path in _DECLARING or listed


def meaning(path: str, data: bytes) -> bytes:
    """What of a declaring file can make another environment: of Python that parses, all but its layout."""
    if not path.endswith(".py"):
        return data
    try:
        return ast.dump(ast.parse(data)).encode()
    except (SyntaxError, ValueError, RecursionError):
        return data


def unfit(declared: Declared, python: str) -> str:
    """Why a Python of this exact version is none for the project; "" if it is, or nobody can tell."""
    for specifier, path in declared.pythons:
        try:
            fits = SpecifierSet(specifier).contains(python, prereleases=True)
        except InvalidSpecifier:
            continue
        if not fits:
            return f"{declared.name or 'the project'} requires Python {specifier} ({path})"
    return ""


def looser(requirement: str) -> tuple[str, ...]:
    """What to ask for where this cannot be had: what an exact pin is compatible with, then any version.

    A direct reference (a URL or path) has no other versions.
    """
    if "@" in requirement or "/" in requirement:
        return ()
    wanted, marker, condition = requirement.partition(";")
    name = re.sub(r"\s*\(?(===|[=<>!~]=|[<>]).*", "", wanted).strip()
    pin = re.search(r"==\s*(?P<version>(?P<major>\d+)[\d.]*)\s*\)?\s*$", wanted)
    near = [f"{name}>={pin['version']},<{int(pin['major']) + 1}"] if pin else []
    return tuple(f"{text} {marker}{condition}".strip() for text in (*near, name))


def distribution(requirement: str) -> str:
    """The normalised name of what is required; "" for a bare URL or path."""
    found = re.match(r"\s*([A-Za-z0-9][\w.-]*)\s*(?=$|[\[;@(<>=!~,\s])", requirement)
    return re.sub(r"[-_.]+", "-", found[1]).lower() if found else ""


def is_own_fault(said: str) -> bool:
    """Whether a build failed for what is built, not for what the build needs."""
    return bool(_UNBUILT.search(said)) and not is_unresolved(said) and not is_unreachable(said)


def is_unresolved(said: str) -> bool:
    """Whether an installer failed for something that it needs and could not find."""
    return bool(_UNRESOLVED.search(said))


def is_unreachable(said: str) -> bool:
    """Whether an installer failed for the network or the disk, not for what it was asked to install."""
    return bool(_UNREACHABLE.search(said))
