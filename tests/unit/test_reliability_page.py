"""The page about reliability is what `make crash` writes, once it was run to its end."""

from tests.durable.reliability import PAGE, Figures, parse, render

FIGURES = Figures(
    passed={"file write": 20, "rename": 3},
    killed={"file write": 1, "rename": 0},
    states=17,
    unreached=2,
    cuts=6,
    frames=90,
)


def test_a_page_says_its_figures_and_nothing_else() -> None:
    assert parse(render(FIGURES)) == FIGURES
    for page in (page.read_text(encoding="utf-8") for page in [PAGE] if page.exists()):
        assert render(parse(page)) == page, "run make crash"
