"""The snapshots that lie in a tree, and what a run of tests made of them."""

from pathlib import Path

from sparky.adapters.written import Stamps, stamps, written
from sparky.tools.failing.snapshots import is_snapshot

_PATTERN = "*snapshots*/*"
_LIMIT = 16_000_000
"""How many bytes are read of all files."""


def snapshots(tree: Path) -> Stamps:
    """The snapshots that lie in a tree, each with what no change of it leaves alone."""
    return {path: stamp for path, stamp in stamps(tree, _PATTERN).items() if is_snapshot(path)}


def changed(tree: Path, before: Stamps) -> dict[str, bytes | None]:
    """Those that were written since `before`; None: it is gone, or too large to be read, or a link by now."""
    made = written(tree, before, _PATTERN, _LIMIT)
    whole = {path: one.data if one.whole else None for path, one in made.items() if is_snapshot(path)}
    return {**dict.fromkeys(before.keys() - snapshots(tree).keys()), **whole}
