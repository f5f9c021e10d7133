"""The page about reliability: figures in, Markdown out, and back."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
_ROW = re.compile(r"^\| ([a-z ]+?) \| (\d+) \| (\d+) \|$", re.MULTILINE)
_CUTS = re.compile(r"cut in (\d+) of its (\d+) frames")


@dataclass(frozen=True, kw_only=True)
class Figures:
    """How many boundaries of each kind a run passed, at how many it was killed; the log's cuts and frames."""

    passed: Mapping[str, int]
    killed: Mapping[str, int]
    cuts: int
    frames: int


def render(figures: Figures) -> str:
    """The page's text."""
    kinds = sorted(figures.passed)
    rows = "".join(f"| {kind} | {figures.passed[kind]} | {figures.killed.get(kind, 0)} |\n" for kind in kinds)
    total, killed = sum(figures.passed.values()), sum(figures.killed.values())
    return f"""# Reliability

Written by `make crash` from the run of it; `tests/durable/crash.py` is the script, and a sample of it runs
with the tests.

A run of the whole path (route, execute, review, test, verify, merge) is traced: every program that it starts
and every change that it makes to a file, by itself or by git, the sandbox, an agent or the tests. None of
these boundaries is chosen by hand. Then, for one after the other, the same run is killed with `kill -9` right
before that change, and gone on with in a new process. What comes after a change comes before the next one.

| before a | there are | killed at |
|---|---|---|
{rows}| all of them | {total} | {killed} |

Where the figures differ, every n-th was taken: so it is in directories that one command works in, and that
nobody looks into after it.

After each of the {killed} kills there was, in the end:

* one commit on `main`, with the right content, and nothing uncommitted;
* one run, merged, each of its stages recorded once, and no claim left;
* no worktree, branch, ref, record or lock file of git but those that were there before;
* no process that outlived the killed one by more than ten seconds.

A power failure may also take the database's last commits, while files and refs stay. The write-ahead log of a
finished run was cut in {figures.cuts} of its {figures.frames} frames, and the issue asked for again: there
was one commit on `main` every time.
"""


def parse(text: str) -> Figures:
    """The figures of a page."""
    rows = [row for row in _ROW.findall(text) if row[0] != "all of them"]
    cuts = _CUTS.search(text)
    return Figures(
        passed={kind: int(count) for kind, count, _ in rows},
        killed={kind: int(count) for kind, _, count in rows},
        cuts=int(cuts[1]) if cuts else 0,
        frames=int(cuts[2]) if cuts else 0,
    )
