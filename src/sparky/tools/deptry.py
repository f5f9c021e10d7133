"""DEPENDENCY by deptry (MIT), with the edits of pyproject.toml that `programs/declared.py` knows."""

from collections.abc import Sequence

from sparky.domain.finding import for_agent, for_person, kept
from sparky.domain.issue import Kind, Severity
from sparky.tools.listing import Listing, program
from sparky.tools.programs.pyproject import requirements
from sparky.tools.tool import Argv, Read

_WHY = {
    "DEP001": for_person("a guess could install a stranger's package of that name"),
    "DEP002": kept("it may be a plugin, or bring a module that no package is known for; or a file names it"),
    "DEP004": for_agent("a dependency of development is imported by the package itself"),
}


def configure(binary: str, read: Read) -> Listing:
    """deptry for the target whose files `read` gives; it finds nothing where none is declared."""
    declares = bool(requirements(read("pyproject.toml") or b""))

    def argv(paths: Sequence[str]) -> Argv:
        del paths  # what one file imports says nothing about the whole
        return program("declared")(())

    return Listing(
        name="deptry",
        binary=binary,
        kinds=dict.fromkeys(_WHY, Kind.DEPENDENCY) if declares else {},
        argv=argv,
        why=_WHY,
        severity=Severity.MEDIUM,
        suffixes=(".py", ".toml"),
    )
