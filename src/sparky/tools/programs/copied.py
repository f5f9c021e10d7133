"""A copy of the target's Python files: a checker that is started in it finds no configuration beside them."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sparky.tools.programs.sources import sources


@contextlib.contextmanager
def copied(*suffixes: str) -> Iterator[Path]:
    """A copy of the current directory's `sources`, which is the current directory meanwhile."""
    files = list(sources(["."], *suffixes))
    with tempfile.TemporaryDirectory(prefix="sparky-") as name:
        root = Path(name).resolve()
        for file in files:
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_bytes(Path(file).read_bytes())
        with contextlib.chdir(root):
            yield root
