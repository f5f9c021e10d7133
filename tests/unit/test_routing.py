from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from sparky.domain.agent import Agent, Bid, Role, Route, Session, Thresholds, choose, gather
from sparky.domain.issue import Issue, Kind, Source


def issue(*kinds: Kind) -> Issue:
    return Issue(id="1", key="k", title="t", source=Source.SENTENCE, kinds=kinds)


def agent(name: str, bid: Callable[[Issue], tuple[float, str]], *kinds: Kind, priority: int = 100) -> Agent:
    return Agent(
        name=name,
        role=Role.CODER,
        kinds=kinds or (Kind.SECURITY,),
        works=Session(runner="scripted"),
        bid=bid,
        description="",
        priority=priority,
    )


def bid(name: str, confidence: float, priority: int = 100) -> Bid:
    return Bid(agent=name, confidence=confidence, reason="", priority=priority)


def chosen(*bids: Bid) -> tuple[str | None, tuple[str, ...]]:
    route = choose(Kind.SECURITY, bids)
    return route.agent, route.fallbacks


def test_the_lowest_level_is_asked_first_although_a_later_one_bids_more() -> None:
    assert chosen(bid("late", 1.0, 200), bid("early", 0.5, 10)) == ("early", ("late",))


def test_within_a_level_the_highest_bid_is_taken_and_the_others_follow_in_order() -> None:
    assert chosen(bid("low", 0.4), bid("high", 0.9), bid("middle", 0.6)) == ("high", ("middle", "low"))


def test_a_level_whose_best_bid_is_too_low_is_passed_over_but_may_fall_back() -> None:
    assert chosen(bid("unsure", 0.49, 10), bid("sure", 0.5, 20)) == ("sure", ("unsure",))


def test_a_bid_under_the_fallback_threshold_is_no_fallback() -> None:
    assert chosen(bid("a", 0.9), bid("b", 0.3), bid("c", 0.29)) == ("a", ("b",))


def test_where_nobody_bids_enough_there_is_neither_an_agent_nor_a_fallback_and_all_bids_are_shown() -> None:
    bids = (bid("a", 0.49), bid("b", 0.45, 20))
    expected = Route(kind=Kind.DRY_VIOLATION, agent=None, fallbacks=(), bids=bids[::-1], left_out=("c: why",))
    assert choose(Kind.DRY_VIOLATION, bids, left_out=["c: why"]) == expected


def test_equal_bids_of_a_level_are_ordered_by_name() -> None:
    assert chosen(bid("b", 0.7), bid("a", 0.7)) == ("a", ("b",))


def test_thresholds_can_be_set() -> None:
    route = choose(Kind.SECURITY, (bid("a", 0.2), bid("b", 0.1)), Thresholds(chosen=0.2, fallback=0.1))
    assert (route.agent, route.fallbacks) == ("a", ("b",))


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 4)), max_size=8))
def test_nobody_with_enough_stands_before_the_chosen_one(offers: list[tuple[float, int]]) -> None:
    bids = [bid(str(n), confidence, priority) for n, (confidence, priority) in enumerate(offers)]
    route = choose(Kind.SECURITY, bids)
    enough = [b for b in bids if b.confidence >= 0.5]
    assert (route.agent is None) is (not enough)
    assert sorted(b.agent for b in route.bids) == sorted(b.agent for b in bids)
    if enough:
        best = min(enough, key=lambda b: (b.priority, -b.confidence, b.agent))
        assert route.agent == best.agent
        assert set(route.fallbacks) == {b.agent for b in bids if b.confidence >= 0.3} - {best.agent}


def test_only_agents_of_the_kind_are_asked_and_their_bids_bear_their_priority() -> None:
    agents = (
        agent("able", lambda shown: (0.7, f"asked for {shown.kinds[0].value}"), priority=7),
        agent("other", lambda _: (1.0, ""), Kind.DRY_VIOLATION),
    )
    expected = Bid(agent="able", confidence=0.7, reason="asked for SECURITY", priority=7)
    assert gather(agents, issue(Kind.SECURITY)) == ((expected,), ())


def test_a_bid_that_raises_or_lies_outside_0_to_1_is_left_out_and_named() -> None:
    def broken(_: Issue) -> tuple[float, str]:
        raise KeyError("title")

    agents = (
        agent("broken", broken),
        agent("boastful", lambda _: (1.5, "")),
        agent("negative", lambda _: (-0.1, "")),
        agent("undecided", lambda _: (float("nan"), "")),
        agent("fine", lambda _: (1, "sure")),
    )
    bids, left_out = gather(agents, issue(Kind.SECURITY))
    assert [b.agent for b in bids] == ["fine"]
    assert left_out == (
        "broken: its bid raised KeyError: 'title'",
        "boastful: its confidence 1.5 is not within 0 and 1",
        "negative: its confidence -0.1 is not within 0 and 1",
        "undecided: its confidence nan is not within 0 and 1",
    )


def test_old_case_a_missing_return_type_goes_to_the_refactoring_specialist_not_to_the_architect() -> None:
    def bids(architect: float) -> Route:
        agents = (
            agent("architect", lambda _: (architect, "plans, mostly"), Kind.TYPE_ERROR, priority=20),
            agent("refactoring", lambda _: (0.9, "adds return types"), Kind.TYPE_ERROR, priority=30),
        )
        return choose(Kind.TYPE_ERROR, gather(agents, issue(Kind.TYPE_ERROR))[0])

    timid, ready = bids(0.1), bids(0.4)
    assert (timid.agent, timid.fallbacks) == ("refactoring", ())
    assert [(bid.agent, bid.confidence) for bid in timid.bids] == [("architect", 0.1), ("refactoring", 0.9)]
    assert (ready.agent, ready.fallbacks) == ("refactoring", ("architect",))
