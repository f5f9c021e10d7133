"""What mypy says of names that a module imports and does not export: once each, where it imports them."""

import re
from collections.abc import Iterable
from dataclasses import replace

from sparky.tools.programs.annotations import Annotated
from sparky.tools.programs.checking import Error
from sparky.tools.programs.chosen import Files
from sparky.tools.programs.exports import start

_HIDDEN = re.compile(r'Module "([\w.]+)" does not explicitly export attribute "(\w+)"')


def name_of(error: Error, one: Annotated) -> str:
    """The name that an error says a module imports from its own package and does not export; else ""."""
    said = _HIDDEN.match(error.message)
    return said[2] if said and said[1] == one.module and one.exported(said[2]) else ""


def rooted(errors: Iterable[Error], files: Files) -> list[Error]:
    """The errors; those that a module causes by what it does not export stand where it imports that."""
    return [*dict.fromkeys(_rooted(error, files) for error in errors)]


def _rooted(error: Error, files: Files) -> Error:
    for path, one in files.items() if _HIDDEN.match(error.message) else ():
        if name := name_of(error, one):
            where = start(one.source, one.imported[name][0][1])
            return replace(error, file=path, line=where.row, column=where.column)
    return error


def exporting(files: Files, errors: Iterable[Error]) -> Files:
    """The files with all that errors ask them to export."""
    known = [error for error in errors if _HIDDEN.match(error.message)]
    return {
        path: replace(one, exports=frozenset(name for error in known if (name := name_of(error, one))))
        for path, one in files.items()
    }
