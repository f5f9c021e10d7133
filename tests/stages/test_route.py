"""ROUTE: an agent for each kind, and every bid."""

from dataclasses import replace
from threading import Event

from sparky.agents.coder import CODER
from sparky.agents.table import AGENTS
from sparky.domain.agent import Role, Thresholds, gather
from sparky.domain.attempt import Stage, Trait, Verdict
from sparky.domain.finding import Finding, Location
from sparky.domain.issue import Issue, Kind, Source
from sparky.domain.state import Preferences
from sparky.formats.values_json import encode
from sparky.stages.route import in_time
from tests.builders import ISSUE, REVIEWER
from tests.stages.stand import Stand

BOTH = ("imports", ("coder",))


def test_each_kind_of_the_findings_goes_to_its_owner(stand: Stand) -> None:
    kinds = (Kind.DEAD_CODE, Kind.IMPORT_ERROR, Kind.FORMATTING)
    stand.issue = replace(stand.issue, kinds=kinds, source=Source.FINDINGS)
    attempt = stand.perform(Stage.ROUTE, stand.state("b"))
    assert (attempt.verdict, attempt.items) == (Verdict.PASS, ())
    assert attempt.reason == "DEAD_CODE: dead-code, IMPORT_ERROR: imports, FORMATTING: formatting"
    assert [(route.kind, route.agent) for route in attempt.route] == [
        (Kind.DEAD_CODE, "dead-code"),
        (Kind.IMPORT_ERROR, "imports"),
        (Kind.FORMATTING, "formatting"),
    ]


def test_with_a_script_the_coder_is_the_last_resort(stand: Stand) -> None:
    stand.issue = replace(stand.issue, title="Remove unused imports")
    stand.preferences = Preferences(script="session.toml")
    (route,) = stand.perform(Stage.ROUTE, stand.state("b")).route
    assert (route.kind, route.agent, route.fallbacks) == (Kind.IMPORT_ERROR, "imports", ("coder",))
    assert [bid.agent for bid in route.bids] == ["imports", "coder"]


def test_how_confident_a_bid_must_be_is_as_the_user_wants_it(stand: Stand) -> None:
    stand.issue = replace(stand.issue, title="Remove unused imports")
    for chosen, fallback, said in ((0.95, 0.6, (None, ())), (0.5, 0.6, ("imports", ())), (0.5, 0.5, BOTH)):
        wanted = Thresholds(chosen=chosen, fallback=fallback)
        stand.preferences = Preferences(script="session.toml", thresholds=wanted)
        (route,) = stand.perform(Stage.ROUTE, stand.state("b")).route
        assert (route.agent, route.fallbacks) == said


def test_where_nobody_can_work_the_run_is_told_who_was_left_out(stand: Stand) -> None:
    stand.issue = replace(stand.issue, title="The login page crashes")
    attempt = stand.perform(Stage.ROUTE, stand.state("b"))
    why = "coder: it needs a coding agent (--runner NAME) or a script (--script FILE)"
    assert (attempt.verdict, attempt.traits) == (Verdict.ESCALATE, (Trait.NO_AGENT,))
    assert attempt.reason == f"no agent bids enough for GENERAL: {why}"
    assert attempt.items == ("no agent for GENERAL",)
    assert [(route.agent, route.bids, route.left_out) for route in attempt.route] == [(None, (), (why,))]


def test_kinds_that_nobody_takes_are_named_beside_those_that_are_taken(stand: Stand) -> None:
    stand.issue = replace(stand.issue, kinds=(Kind.FORMATTING, Kind.TEST_CREATION), source=Source.FINDINGS)
    attempt = stand.perform(Stage.ROUTE, stand.state("b"))
    assert (attempt.verdict, attempt.reason) == (Verdict.PASS, "FORMATTING: formatting")
    assert attempt.items == ("no agent for TEST_CREATION",)


def test_an_agent_without_kinds_takes_what_names_it_and_one_that_looks_at_things_takes_nothing(
    stand: Stand,
) -> None:
    stand.preferences = Preferences(script="session.toml")
    looks = (replace(CODER, name=role.value, role=role) for role in (Role.REVIEWER, Role.VALIDATOR))
    stand.agents = (*AGENTS, *looks)
    stand.issue = replace(stand.issue, kinds=(Kind.GENERAL,), agent="planner")
    (route,) = stand.perform(Stage.ROUTE, stand.state("b")).route
    assert (route.agent, route.fallbacks, route.validator) == ("planner", ("coder",), "validator")
    assert [bid.agent for bid in route.bids] == ["coder"]


def test_the_agent_that_the_issue_names_is_taken_or_nobody(stand: Stand) -> None:
    stand.preferences = Preferences(script="session.toml")
    stand.issue = replace(stand.issue, kinds=(Kind.IMPORT_ERROR,), agent="coder")
    (route,) = stand.perform(Stage.ROUTE, stand.state("b")).route
    assert (route.agent, route.fallbacks) == ("coder", ("imports",))
    stand.issue = replace(stand.issue, agent="wizard")
    (route,) = stand.perform(Stage.ROUTE, stand.state("b")).route
    assert (route.agent, route.fallbacks) == (None, ())
    assert route.left_out[0] == "wizard: the issue names it, and no agent of that name takes IMPORT_ERROR"


def test_a_reviewer_reviews_what_others_make_and_makes_nothing(stand: Stand) -> None:
    stand.preferences = Preferences(script="session.toml")
    stand.agents = (*AGENTS, replace(REVIEWER, kinds=(Kind.GENERAL, Kind.REVIEW)))
    stand.issue = replace(stand.issue, kinds=(Kind.GENERAL, Kind.REVIEW, Kind.SECURITY))
    general, review, security = stand.perform(Stage.ROUTE, stand.state("b")).route
    assert (general.agent, general.tester, general.reviewer) == ("coder", "tester", "reviewer")
    assert (review.agent, review.bids, security.reviewer) == (None, (), None)


def test_an_agent_that_thinks_too_long_is_left_out_and_named() -> None:
    never = Event()

    def slow(_: Issue) -> tuple[float, str]:
        never.wait()
        return 1.0, "at last"

    def broken(_: Issue) -> tuple[float, str]:
        raise KeyError("title")

    agents = (replace(CODER, name="slow", bid=slow), replace(CODER, name="broken", bid=broken), CODER)
    asked = replace(ISSUE, kinds=(Kind.GENERAL,))
    bids, left_out = gather([in_time(agent, 0.01 if agent.name == "slow" else 5) for agent in agents], asked)
    never.set()
    assert [bid.agent for bid in bids] == ["coder"]
    assert left_out == (
        "slow: its bid raised TimeoutError: no answer within 0.01 s",
        "broken: its bid raised KeyError: 'title'",
    )


def test_what_no_rule_mends_goes_to_no_agent_that_works_by_rules(stand: Stand) -> None:
    stand.issue = replace(stand.issue, kinds=(Kind.SECURITY,), source=Source.LEFTOVERS)
    stand.preferences = Preferences(script="s.toml")
    (route,) = stand.perform(Stage.ROUTE, stand.state("b")).route
    assert (route.agent, [bid.agent for bid in route.bids]) == ("coder", ["coder"])


def test_bug_what_was_found_in_code_was_handed_to_an_agent_that_may_edit_documents_only(stand: Stand) -> None:
    place = Location(path="a.py", line=1)
    found = Finding(tool="typos", rule="typo", kind=Kind.DOCUMENTATION, message="`teh`", location=place)
    given = stand.house.blobs.put(encode((found,)))
    kinds = (Kind.DOCUMENTATION,)
    stand.issue = replace(stand.issue, kinds=kinds, source=Source.LEFTOVERS, findings=given)
    stand.preferences = Preferences(script="s.toml")
    (route,) = stand.perform(Stage.ROUTE, stand.state("b")).route
    assert (route.agent, [bid.agent for bid in route.bids]) == ("coder", ["coder"])
