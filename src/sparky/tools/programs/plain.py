"""The target's own code as it is, to be annotated."""

import ast
import re
from pathlib import Path

from sparky.tools.programs.annotations import Annotated, Style
from sparky.tools.programs.checking import module_of
from sparky.tools.programs.chosen import Files
from sparky.tools.programs.sources import sources, tree_of
from sparky.tools.ruff_config import load, oldest

_NO_CODE = re.compile(
    r"(?:^|/)(?:tests?|docs?|examples?|benchmarks?)/|(?:^|/)(?:test_[^/]*|conftest|setup)\.py$"
)
_FUTURE = 7
"""The minor version of Python since which annotations may be left unread."""


def plain() -> Files:
    """The files of the current directory that are the target's own code, without any annotation of ours."""
    found, style = _texts(), _style()
    packages = {str(Path(path).parent) for path in found if Path(path).name == "__init__.py"}
    return {
        path: Annotated(
            source=source,
            tree=tree_of(source) or ast.Module(body=[], type_ignores=[]),
            module=module_of(path, packages),
            package=Path(path).name == "__init__.py",
            style=style,
        )
        for path, source in found.items()
    }


def _texts() -> dict[str, bytes]:
    """The sources of the target's own code."""
    found = {path: Path(path).read_bytes() for path in sources(["."]) if not _NO_CODE.search(path)}
    return {path: source for path, source in found.items() if tree_of(source) is not None}


def _style() -> Style:
    """How annotations are to be written here, as the target is configured."""

    def own(path: str) -> bytes | None:
        return Path(path).read_bytes() if Path(path).is_file() else None

    declared = oldest(own)
    return Style(line=load(own).width, quoted=declared is not None and declared < _FUTURE)
