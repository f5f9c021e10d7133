"""Issues as `takes` and `declines` show them."""

from sparky.domain.issue import Issue, Kind, Source


def example(title: str, kind: Kind, *, body: str = "", source: Source = Source.SENTENCE) -> Issue:
    """An issue of one kind, as an agent is shown it when it bids."""
    return Issue(id="example", key="example", title=title, body=body, kinds=(kind,), source=source)
