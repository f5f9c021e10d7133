"""The labelled titles: how often their kind is read rightly, and how seldom wrongly with confidence."""

from collections import Counter
from pathlib import Path

from sparky.domain.issue import Issue, Kind, Source
from sparky.issues.kind import kind_of

TITLES = Path(__file__).parent.parent / "golden" / "routing" / "titles.tsv"


def test_nine_of_ten_titles_are_read_rightly_and_hardly_any_is_wrong_with_confidence() -> None:
    rows = [line.split("\t") for line in TITLES.read_text(encoding="utf-8").splitlines()]
    told = Counter[str]()
    for kind, title in rows:
        guess = kind_of(Issue(id="1", key="1", title=title, source=Source.SENTENCE))
        told["right" if guess.kind is Kind[kind] else "sure" if guess.confidence >= 0.8 else "wrong"] += 1
    assert len(rows) >= 150
    assert told["right"] / len(rows) >= 0.9
    assert told["sure"] / len(rows) <= 0.02
