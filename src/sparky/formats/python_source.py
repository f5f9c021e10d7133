"""Python source of a target, as a tree."""

import ast
import threading
import warnings

_WARNINGS = threading.Lock()


def parse(source: bytes) -> ast.Module:
    """The tree of the source. Raises SyntaxError, or ValueError, RecursionError or MemoryError."""
    # An invalid escape in the target's source makes the parser warn: not our warning, and not to be shown.
    # Filters are the process's, so two threads must not save and restore them crosswise.
    with _WARNINGS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)
