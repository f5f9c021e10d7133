"""What of a public API a change breaks: griffe's answer, from the sources alone; nothing is imported."""

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

import griffe

from sparky.domain.change import is_test_path

_NOBODYS = {"setup.py", "noxfile.py", "conftest.py"}
_OF_A_PARAMETER = "PARAMETER"


class UnreadableApiError(Exception):
    """Sources whose API griffe can't tell; the text says whose, and why."""


def breaks(before: Path, after: Path, paths: Iterable[str]) -> tuple[str, ...]:
    """What code outside of the changed modules could miss in `after`, each as "module.name: what".

    Only breaking changes count, of the packages and modules that hold the changed `paths`; a new value of a
    constant is for the tests to judge. Raises UnreadableApiError.
    """
    modules = sorted({module for path in paths for module in _module(before, path)})
    return tuple(said for module in modules for said in _compared(before, after, module))


def _module(root: Path, path: str) -> Iterator[PurePosixPath]:
    """The package or single module that others import a file by; nothing where nobody does."""
    file = PurePosixPath(path)
    if file.suffix != ".py" or is_test_path(path) or file.name in _NOBODYS or not (root / file).is_file():
        return
    package = None
    for parent in file.parents:
        if not (root / parent / "__init__.py").is_file() or parent == PurePosixPath():
            break
        package = parent
    if package is not None:
        yield package
    elif file.parent in {PurePosixPath(), PurePosixPath("src")}:
        yield file.with_suffix("")


def _compared(before: Path, after: Path, module: PurePosixPath) -> Iterator[str]:
    if not (after / module).is_dir() and not (after / f"{module}.py").is_file():
        yield f"{module.name}: it is gone"
        return
    try:
        old, new = (_loaded(root, module) for root in (before, after))
        yield from dict.fromkeys(_said(breakage) for breakage in griffe.find_breaking_changes(old, new))
    except (griffe.GriffeError, ImportError, SyntaxError, ValueError, RecursionError) as error:
        raise UnreadableApiError(f"{module}: {str(error) or type(error).__name__}") from error


def _loaded(root: Path, module: PurePosixPath) -> griffe.Object | griffe.Alias:
    loader = griffe.GriffeLoader(search_paths=[root / module.parent], allow_inspection=False)
    loaded = loader.load(module.name, try_relative_path=False)
    loader.resolve_aliases(implicit=False, external=False)
    return loaded


def _said(breakage: griffe.Breakage) -> str:
    of = breakage.old_value or breakage.new_value
    name = f"({of.name})" if breakage.kind.name.startswith(_OF_A_PARAMETER) else ""
    return f"{breakage.obj.path}{name}: {breakage.kind.value.lower()}"
