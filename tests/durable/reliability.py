"""The page about reliability: figures in, Markdown out, and back."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
_ROW = re.compile(r"^\| ([a-z ]+?) \| (\d+) \| (\d+) \|$", re.MULTILINE)
_UNREACHED = re.compile(r"when it pleases: (\d+)\.")
_STATES = re.compile(r"These are (\d+) states")
_CUTS = re.compile(r"cut in (\d+) of its (\d+) frames")


@dataclass(frozen=True, kw_only=True)
class Figures:
    """How many boundaries of each kind were gone on from, and at how many the run was killed.

    `states`: what lay on the disk there, without repetitions; `unreached`: boundaries that were passed once,
    and never again. Also the log's cuts and frames.
    """

    passed: Mapping[str, int]
    killed: Mapping[str, int]
    states: int
    unreached: int
    cuts: int
    frames: int


def render(figures: Figures) -> str:
    """The page's text."""

    def row(name: str, *counts: int) -> str:
        return f"| {' | '.join((name, *map(str, counts)))} |\n"

    columns = (figures.passed, figures.killed)
    rows = "".join(row(kind, *(counts.get(kind, 0) for counts in columns)) for kind in sorted(figures.passed))
    total, killed = (sum(counts.values()) for counts in columns)
    return f"""# Reliability

Written by `make crash` from the run of it; `tests/durable/crash.py` is the script. Kills at a few of the
boundaries are among the tests.

A run of the whole path (route, execute, review, test, verify, merge) is traced: every program that it starts
and every change that it makes to a file, by itself or by git, the sandbox, an agent or the tests. None of
these boundaries is chosen by hand. What comes after a change comes before the next one.

Right before a change everything is stopped, and what lies on the disk then is put aside: that is what
`kill -9` of the run and of all that it had started leaves. A new process goes on from it. At every twentieth
boundary the run is also killed itself, with `kill -9`, while what it had started lives on as it can.

| before a | gone on from | killed at |
|---|---|---|
{rows}{row("all of them", total, killed)}
These are {figures.states} states of the disk: where a program is started, or a change lies in a directory
that one command has for itself, there is often the one that was there before. Each was gone on from once.
Boundaries that the first run passed and three later ones did not, such as those at which the database copies
its log back when it pleases: {figures.unreached}. They are not in the table.

After each time there was, in the end:

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
    cuts, states, unreached = (pattern.search(text) for pattern in (_CUTS, _STATES, _UNREACHED))
    return Figures(
        passed={kind: int(count) for kind, count, _ in rows},
        killed={kind: int(count) for kind, _, count in rows},
        states=int(states[1]) if states else 0,
        unreached=int(unreached[1]) if unreached else 0,
        cuts=int(cuts[1]) if cuts else 0,
        frames=int(cuts[2]) if cuts else 0,
    )
