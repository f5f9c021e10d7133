"""The page about reliability is what `make crash` writes."""

from tests.durable.reliability import PAGE, parse, render


def test_the_committed_page_is_what_is_written_of_its_figures() -> None:
    said = PAGE.read_text(encoding="utf-8")
    figures = parse(said)
    assert render(figures) == said, "run make crash"
    assert all(0 < figures.killed[kind] <= count for kind, count in figures.passed.items())
    assert 0 < figures.cuts <= figures.frames
