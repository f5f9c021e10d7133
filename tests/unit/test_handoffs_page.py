"""The page about the handoff table says what the table says."""

from scripts.handoffs import TARGET, render


def test_the_committed_page_is_that_of_the_table() -> None:
    assert TARGET.read_text(encoding="utf-8") == render(), "run scripts/handoffs.py"
