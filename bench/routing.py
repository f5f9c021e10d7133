"""How well the kind of an issue is read from its title, beside two other ways.

Usage: routing.py [FILE]; default: tests/golden/routing/titles.tsv, a kind and a title on each line. Printed
are accuracy, the confident errors (0.8 or more, and wrong), which kinds are taken for which, and the regret:
how much of what the best way knows each other way gets wrong. Exits with 1 if a goal is missed.
"""

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from sparky.domain.issue import Issue, Kind, Source
from sparky.issues.kind import kind_of

TITLES = Path(__file__).parent.parent / "tests" / "golden" / "routing" / "titles.tsv"
ACCURACY, CONFIDENT, SURE = 0.90, 0.02, 0.8

_OLD = {
    Kind.TEST_FAILURE: ("test",),
    Kind.FORMATTING: ("format", "style", "lint"),
    Kind.TYPE_ERROR: ("type",),
    Kind.SECURITY: ("security", "vulnerab", "injection"),
    Kind.IMPORT_ERROR: ("import",),
    Kind.COMPLEXITY: ("complex", "refactor"),
    Kind.DEAD_CODE: ("unused", "dead"),
    Kind.DEPENDENCY: ("depend", "upgrade", "version"),
    Kind.DRY_VIOLATION: ("duplicat", "repeat"),
    Kind.PERFORMANCE: ("slow", "perform", "memory"),
    Kind.DOCUMENTATION: ("doc", "readme", "typo"),
}
"""Keywords anywhere in the text, the first that is found: how coordinators used to do it."""


def read(title: str) -> tuple[Kind, float]:
    """What sparky says, and how sure it is."""
    guess = kind_of(Issue(id="1", key="1", title=title, source=Source.SENTENCE))
    return guess.kind, guess.confidence


def keywords(title: str) -> tuple[Kind, float]:
    """What the old rules say."""
    text = title.lower()
    found = (kind for kind, words in _OLD.items() if any(word in text for word in words))
    return next(found, Kind.GENERAL), 0.9


def always_general(_title: str) -> tuple[Kind, float]:
    """What nobody can be blamed for."""
    return Kind.GENERAL, 0.3


def measure(rows: list[tuple[Kind, str]], way: Callable[[str], tuple[Kind, float]]) -> tuple[float, float]:
    """The shares of titles that are right, and that are wrong with confidence."""
    answers = [(kind, *way(title)) for kind, title in rows]
    right = sum(kind is said for kind, said, _ in answers)
    confident = sum(kind is not said and sure >= SURE for kind, said, sure in answers)
    return right / len(rows), confident / len(rows)


def labelled(path: Path) -> list[tuple[Kind, str]]:
    """The titles with their kinds."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [(Kind[kind], title) for kind, _, title in (line.partition("\t") for line in lines)]


def main() -> int:
    """Print the figures."""
    rows = labelled(Path(sys.argv[1]) if len(sys.argv) > 1 else TITLES)
    best, confident = measure(rows, read)
    print(f"{len(rows)} titles\n\n{'way':20} accuracy  confident errors  regret")
    for name, way in (("sparky", read), ("old keywords", keywords), ("always GENERAL", always_general)):
        accuracy, wrong = measure(rows, way)
        print(f"{name:20} {accuracy:8.1%}  {wrong:16.1%}  {max(best - accuracy, 0.0):6.1%}")
    errors = [(kind, *read(title), title) for kind, title in rows if read(title)[0] is not kind]
    print("\nwanted             said               how often")
    for (kind, said), count in Counter((kind, said) for kind, said, _, _ in errors).most_common():
        print(f"{kind.value:18} {said.value:18} {count}")
    for kind, said, sure, title in errors:
        print(f"  {title}: {said.value} {sure:.2f}, not {kind.value}")
    return int(best < ACCURACY or confident > CONFIDENT)


if __name__ == "__main__":
    sys.exit(main())
