"""Diffs that were judged, counted, with the bounds of their shares; kept, so that a run can be broken off."""

import math
from collections import defaultdict
from dataclasses import dataclass, field


@dataclass(kw_only=True)
class Tally:
    """Diffs by operator, and those that were suspected."""

    made: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    hit: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    odd: list[str] = field(default_factory=list)

    def count(self, name: str, *, suspected: bool, wanted: bool, said: str) -> None:
        """One diff."""
        self.made[name] += 1
        self.hit[name] += suspected
        if suspected is not wanted:
            self.odd.append(f"{name}: {said}")

    def add(self, other: "Tally") -> None:
        """Those of another tally, too."""
        for name in other.made:
            self.made[name] += other.made[name]
            self.hit[name] += other.hit[name]
        self.odd += other.odd

    def line(self, name: str) -> str:
        """The share that was suspected, with its bounds."""
        n, k = sum(self.made.values()), sum(self.hit.values())
        low, high = wilson(k, n)
        return f"{name}: {k} of {n} = {100 * k / max(n, 1):.2f} % (95 %: {100 * low:.2f} to {100 * high:.2f})"


def wilson(k: int, n: int, z: float = 1.959964) -> tuple[float, float]:
    """The bounds of a share, by Wilson's score."""
    if n == 0:
        return 0.0, 1.0
    p, d = k / n, 1 + z * z / n
    middle, wide = (p + z * z / (2 * n)) / d, z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / d
    return max(0.0, middle - wide), min(1.0, middle + wide)


@dataclass(kw_only=True)
class Part:
    """The figures of one project: cheats, honest changes, and releases that withdraw tests or change rules."""

    caught: Tally = field(default_factory=Tally)
    alarms: Tally = field(default_factory=Tally)
    apart: Tally = field(default_factory=Tally)

    def add(self, other: "Part") -> None:
        """Those of another part, too."""
        self.caught.add(other.caught)
        self.alarms.add(other.alarms)
        self.apart.add(other.apart)
