from dataclasses import replace
from importlib import import_module

import pytest

from sparky.adapters.cli_runners import KNOWN, MODEL
from sparky.agents.coder import CODER
from sparky.agents.complexity import COMPLEXITY
from sparky.agents.dead_code import DEAD_CODE
from sparky.agents.dependency import DEPENDENCY
from sparky.agents.documentation import DOCUMENTATION
from sparky.agents.dry import DRY
from sparky.agents.example import example
from sparky.agents.formatting import FORMATTING
from sparky.agents.imports import IMPORTS
from sparky.agents.performance import PERFORMANCE
from sparky.agents.security import SECURITY
from sparky.agents.table import AGENTS, SERVED, check, overlaps, owner
from sparky.agents.test_failure import TEST_FAILURE
from sparky.agents.test_organization import TEST_ORGANIZATION
from sparky.agents.tester import TESTER
from sparky.agents.types import TYPES
from sparky.config import RUNNERS
from sparky.domain.agent import Agent, Session, ToolFix, choose, gather
from sparky.domain.issue import Issue, Kind, Source
from sparky.testing import check_agent
from sparky.tools.table import TOOLS

TOOL_NAMES = frozenset(TOOLS)
HERE = "sparky/agents"


def problems(*agents: Agent, kinds: tuple[Kind, ...] = ()) -> list[str]:
    return check(agents, tools=TOOL_NAMES, runners={"scripted"}, kinds=kinds)


def route(issue: Issue) -> tuple[str | None, tuple[str, ...]]:
    bids, _ = gather(AGENTS, issue)
    chosen = choose(issue.kinds[0], bids)
    return chosen.agent, chosen.fallbacks


def test_nothing_is_wrong_with_the_agents_that_ship() -> None:
    assert check(AGENTS, tools=TOOL_NAMES, runners={"scripted"}) == []


def test_the_owner_of_a_kind_is_its_most_specific_agent_and_a_review_is_no_issue() -> None:
    owners = {kind: owner(kind) for kind in Kind}
    specialists = {
        Kind.FORMATTING: FORMATTING,
        Kind.IMPORT_ERROR: IMPORTS,
        Kind.DEAD_CODE: DEAD_CODE,
        Kind.SECURITY: SECURITY,
        Kind.PERFORMANCE: PERFORMANCE,
        Kind.COMPLEXITY: COMPLEXITY,
        Kind.DRY_VIOLATION: DRY,
        Kind.DOCUMENTATION: DOCUMENTATION,
        Kind.DEPENDENCY: DEPENDENCY,
        Kind.TYPE_ERROR: TYPES,
        Kind.TEST_FAILURE: TEST_FAILURE,
        Kind.TEST_ORGANIZATION: TEST_ORGANIZATION,
        Kind.TEST_CREATION: TESTER,
        Kind.REVIEW: None,
    }
    assert owners == {kind: specialists.get(kind, CODER) for kind in Kind}
    assert set(Kind) - set(SERVED) == {Kind.REVIEW}


@pytest.mark.parametrize(
    ("issue", "expected"),
    [
        (example("3 findings", Kind.FORMATTING, source=Source.FINDINGS), ("formatting", ("coder",))),
        (example("Fix the formatting of the code", Kind.FORMATTING), ("formatting", ("coder",))),
        (example("Fix formatting", Kind.FORMATTING), ("formatting", ("coder",))),
        (example("Wrong date formatting", Kind.FORMATTING), ("coder", ())),
        (example("Style of the error pages", Kind.FORMATTING), ("coder", ("formatting",))),
        (example("Unused import in a.py", Kind.IMPORT_ERROR), ("imports", ("coder",))),
        (example("9 findings", Kind.IMPORT_ERROR, source=Source.FINDINGS), ("imports", ("coder",))),
        (example("Tidy the imports of the package", Kind.IMPORT_ERROR), ("coder", ("imports",))),
        (example("ImportError on Windows", Kind.IMPORT_ERROR), ("coder", ())),
        (example("Unused local variables", Kind.DEAD_CODE), ("dead-code", ("coder",))),
        (example("9 findings", Kind.DEAD_CODE, source=Source.FINDINGS), ("dead-code", ("coder",))),
        (example("Some dead code", Kind.DEAD_CODE), ("dead-code", ("coder",))),
        (example("Remove Unused Agent Files", Kind.DEAD_CODE), ("coder", ())),
        (example("Old things in billing", Kind.DEAD_CODE), ("coder", ("dead-code",))),
        (example("Add a flag", Kind.GENERAL), ("coder", ())),
        (example("The README is old", Kind.DOCUMENTATION), ("documenter", ("documentation", "coder"))),
        (example("Docstrings of the parser", Kind.DOCUMENTATION), ("coder", ("documentation",))),
        (example("Hard-coded password", Kind.SECURITY), ("coder", ())),
        (example("Tests fail: cannot import name 'total'", Kind.TEST_FAILURE), ("test-failure", ("coder",))),
        (example("Tests of dates fail", Kind.TEST_FAILURE), ("coder", ("test-failure",))),
        (example("Flaky test of the clock", Kind.TEST_FAILURE), ("coder", ())),
    ],
)
def test_an_issue_goes_to_the_agent_that_can_do_it(
    issue: Issue, expected: tuple[str | None, tuple[str, ...]]
) -> None:
    assert route(issue) == expected


def test_a_kind_without_an_agent_is_told() -> None:
    assert problems(FORMATTING, kinds=(Kind.FORMATTING, Kind.SECURITY)) == [
        "SECURITY: no agent owns this kind"
    ]


@pytest.mark.parametrize("agent", [FORMATTING, SECURITY])
def test_two_agents_of_one_kind_at_one_priority_are_told_with_the_file_of_each(agent: Agent) -> None:
    file = f"{HERE}/{agent.name}.py"
    told = f"{agent.kinds[0].value}: {agent.name} ({file}) and rival ({file}) share the priority 100"
    assert problems(agent, replace(agent, name="rival")) == [told]


def test_two_agents_of_one_name_are_told() -> None:
    assert problems(FORMATTING, replace(FORMATTING, priority=7)) == ["formatting: two agents have this name"]


def test_an_unknown_tool_or_runner_is_told() -> None:
    tool = replace(DEAD_CODE, works=ToolFix(tools=("rough",), rules=("F841",), unsafe=("F841", "F401")))
    runner = replace(
        CODER, kinds=(Kind.GENERAL, Kind.DRY_VIOLATION), works=Session(runner="oracle"), takes=()
    )
    assert problems(tool, runner) == [
        f"dead-code (DEAD_CODE): unknown tool rough; known: {', '.join(sorted(TOOLS))}",
        "dead-code (DEAD_CODE): F401 is allowed unsafe, but not among its rules",
        "coder (GENERAL, DRY_VIOLATION): unknown runner oracle; known: scripted",
    ]


def test_a_confidence_outside_of_0_to_1_is_told() -> None:
    boastful = replace(FORMATTING, bid=lambda _: (2.0, ""), takes=FORMATTING.takes[:1], declines=())
    (said,) = problems(boastful)
    where = "FORMATTING: formatting (tests/unit/test_agents.py)"
    assert said == f"{where}: formatting: its confidence 2.0 is not within 0 and 1"


def test_an_example_that_its_bid_belies_is_told() -> None:
    swapped = replace(IMPORTS, takes=IMPORTS.declines[:1], declines=IMPORTS.takes[:1])
    where = f"imports ({HERE}/imports.py), IMPORT_ERROR,"
    assert problems(swapped) == [
        f'{where} bids 0.1 on "Circular import between models and views", which it takes',
        f'{where} bids 0.85 on "Remove unused imports", which it declines',
    ]


def test_an_example_is_tried_although_the_agent_does_not_support_its_kind() -> None:
    stray = replace(DEAD_CODE, takes=(example("A review", Kind.REVIEW),), declines=())
    assert problems(stray) == [
        f'dead-code ({HERE}/dead_code.py): its example "A review" is of no kind that it supports (REVIEW)'
    ]


def test_an_unknown_kind_is_told_with_those_there_are() -> None:
    (said,) = problems(replace(IMPORTS, kinds=("NONSENSE",)))  # type: ignore[arg-type]
    assert said.startswith(f"imports ({HERE}/imports.py): unknown kind NONSENSE; known: FORMATTING, ")


def test_overlapping_claims_are_a_warning_that_names_both_files_and_the_owner() -> None:
    late = replace(DEAD_CODE, name="late", priority=120)
    assert overlaps(AGENTS) == []
    file = f"{HERE}/dead_code.py"
    told = f"DEAD_CODE: late ({file}) and dead-code ({file}) both claim it; dead-code owns it"
    assert overlaps((late, DEAD_CODE, CODER)) == [told]


@pytest.mark.parametrize("agent", [agent for agent in AGENTS if isinstance(agent.works, ToolFix)])
def test_every_deterministic_agent_passes_the_check_for_agents_of_others(agent: Agent) -> None:
    assert check_agent(agent) == []


def test_the_check_for_agents_of_others_names_what_is_wrong_with_just_this_one() -> None:
    assert check_agent(replace(IMPORTS, name="mine")) == [
        f"IMPORT_ERROR: imports ({HERE}/imports.py) and mine ({HERE}/imports.py) share the priority 100"
    ]
    (overlapping,) = check_agent(replace(IMPORTS, name="mine", priority=120))
    assert overlapping.endswith("both claim it; imports owns it")
    assert check_agent(replace(IMPORTS, declines=()), beside=()) == [
        "imports: it shows no issue that it declines"
    ]


def test_every_runner_of_the_settings_is_known_with_its_program() -> None:
    modules = {name: import_module(f"sparky.adapters.{known.module}") for name, known in KNOWN.items()}
    assert (*KNOWN, MODEL) == RUNNERS
    assert {name: modules[name].AGENTS[name].program for name in KNOWN} == {
        name: known.program for name, known in KNOWN.items()
    }
