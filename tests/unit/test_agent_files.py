"""Agents that a repository or a package brings: what is read, and what is said of a fault, by its line."""

from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

from sparky.agents.agent_md import LONGEST, AgentFileError, parse
from sparky.agents.coder import CODER
from sparky.agents.registry import Registry, assemble, installed, is_agent_file
from sparky.agents.table import AGENTS
from sparky.domain.agent import Role, Session, gather
from sparky.domain.issue import Kind
from sparky.tools.table import TOOLS
from tests.builders import ISSUE

PATH = ".agents/agents/money.md"
_FORMATTING = "formatting (sparky/agents/formatting.py)"
WHOLE = """---
name: money
description: Mends sums
  of money.
kinds: [SECURITY, dry-violation]
role: coder
priority: 90
runner: scripted
model: large
tools: Read, Edit
color: red
hooks: {stop: [{run: x}]}
---
Sums are integers of cents.

    $ echo $HOME
"""


def registry(files: dict[str, str], *points: EntryPoint) -> Registry:
    data = {path: text.encode() for path, text in files.items()}
    return assemble(data, points, tools=frozenset(TOOLS), runners={"scripted"}, runner="scripted")


def text(name: str = "money", prompt: str = "Count.", **more: object) -> str:
    keys = {"name": name, "description": "Counts.", **more}
    return "\n".join(("---", *(f"{key}: {value}" for key, value in keys.items()), "---", prompt))


def test_a_file_is_read_as_it_stands() -> None:
    agent = parse(WHOLE.encode(), PATH, runner="other")
    assert (agent.name, agent.description, agent.role, agent.priority) == (
        "money",
        "Mends sums of money.",
        Role.CODER,
        90,
    )
    assert agent.kinds == (Kind.SECURITY, Kind.DRY_VIOLATION)
    assert agent.works == Session(
        runner="scripted",
        prompt="Sums are integers of cents.\n\n    $ echo $HOME",
        model="large",
        tools=("Read", "Edit"),
    )
    assert agent.more == {"color": "red", "hooks": {"stop": [{"run": "x"}]}}
    assert (agent.places["kinds"], agent.places["runner"]) == (f"{PATH}:5", f"{PATH}:8")


def test_what_a_file_does_not_say_has_a_default() -> None:
    agent = parse(b"---\r\ndescription: Counts.\r\nmodel: inherit\r\n---\r\nCount.\r\n", PATH, runner="other")
    assert (agent.name, agent.role, agent.kinds, agent.priority) == ("money", Role.CODER, (), 110)
    assert agent.works == Session(runner="other", prompt="Count.")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"Count.", "1: it has no front matter: begin with a line '---', and end it with one"),
        (b"---\nname: a\n", "1: it has no front matter: begin with a line '---', and end it with one"),
        (b"---\nname: a\ndescription: b: c\n---\nx", "3: no valid YAML: mapping values are not allowed here"),
        (b"---\n- a\n---\nx", "2: its front matter is no list of keys and values"),
        (b"---\n---\nx", "2: its front matter is no list of keys and values"),
        (b"---\nname: a\nname: b\n---\nx", "3: 'name' is there twice"),
        (b"---\nname: a\nx: &a [1]\ny: *a\n---\nx", "4: references (*name) are not read"),
        (b"---\nname: a\nday: 2026-13-45\n---\nx", "2: no valid YAML: month must be in 1..12"),
        (b"---\nname: a\xff\n---\nx", "2: it is not UTF-8"),
        (b"-" * (LONGEST + 1), f"1: it has {LONGEST + 1} bytes, more than {LONGEST}"),
        (text(name="a b"), "2: 'a b' is no name of an agent: letters, digits and '-', at most 64"),
        (text(name="../x"), "2: '../x' is no name of an agent: letters, digits and '-', at most 64"),
        (text(name="7"), "2: name is 7, and must be a text"),
        (text(description=""), "3: it has no description: say in a line what it is for"),
        (text(prompt=" \n"), "2: it has no prompt: write below the front matter what the agent is told"),
        (text(kinds="[SECURTY]"), "4: 'SECURTY' is no kind; did you mean SECURITY?"),
        (text(kinds="[SECURITY, 7]"), "4: kinds is ['SECURITY', 7], and must be a list of words"),
        (text(kinds="7"), "4: kinds is 7, and must be a list of words"),
        (text(role="tster"), "4: 'tster' is no role; did you mean tester?"),
        (
            text(role="boss"),
            "4: 'boss' is no role; it may be coder, tester, reviewer, documenter, validator, planner",
        ),
        (text(priority="high"), "4: priority is 'high', and must be a whole number"),
        (text(priority="true"), "4: priority is True, and must be a whole number"),
        (text(color="red", prority="3"), "5: unknown key 'prority'; did you mean 'priority'?"),
    ],
)
def test_a_fault_is_named_with_its_line(data: bytes | str, said: str) -> None:
    with pytest.raises(AgentFileError) as error:
        parse(data if isinstance(data, bytes) else data.encode(), PATH, runner="scripted")
    assert str(error.value) == f"{PATH}:{said}"


def test_a_file_joins_the_agents_that_ship_and_bids_on_the_kinds_that_it_declares() -> None:
    found = registry({PATH: WHOLE})
    assert [agent.name for agent in found.agents] == [*(agent.name for agent in AGENTS), "money"]
    bids, left_out = gather(found.agents, replace(ISSUE, kinds=(Kind.SECURITY,)))
    assert {bid.agent: (bid.confidence, bid.reason) for bid in bids}["money"] == (
        0.7,
        "its file declares SECURITY",
    )
    assert (found.faults, left_out) == ((), ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (text(name="coder"), f"{PATH}:2: coder: two agents have this name"),
        (
            text(kinds="FORMATTING", priority=100),
            f"{PATH}:5: FORMATTING: {_FORMATTING} and money share the priority 100",
        ),
        (text(runner="oracle"), f"{PATH}:4: money (): unknown runner oracle; known: scripted"),
    ],
)
def test_what_the_checks_refuse_is_left_out_and_named_by_its_line(text: str, said: str) -> None:
    assert registry({PATH: text}) == Registry(agents=AGENTS, faults=(said,))


def test_two_files_with_one_name_or_one_priority_are_told_apart() -> None:
    files = {".agents/agents/a.md": text("a", kinds="[SECURITY]"), ".agents/agents/b.md": text("b")}
    assert registry(files).faults == ()
    files[".agents/agents/c.md"] = text("c", kinds="[SECURITY]")
    assert registry(files).faults == (".agents/agents/c.md:1: SECURITY: a and c share the priority 110",)


def test_reviewers_and_validators_own_nothing_and_so_share_any_priority() -> None:
    files = {
        ".agents/agents/a.md": text("a", kinds="[FORMATTING]", role="reviewer"),
        ".agents/agents/b.md": text("b", kinds="[FORMATTING]", role="validator"),
    }
    assert registry(files).faults == ()


CLAUDES = """---
name: code-reviewer
description: Use this agent after a change. Examples: <example>Context: a diff</example>
tools: Read, Grep
prority: kept
model: sonnet
---
You review code.
"""


def test_what_was_written_for_another_programme_is_read_as_far_as_it_goes() -> None:
    found = registry({".claude/agents/code-reviewer.md": CLAUDES, ".claude/agents/coder.md": text("coder")})
    assert found.faults == ()
    assert found.notes == (".claude/agents/coder.md:2: coder: two agents have this name",)
    agent = found.agents[-1]
    assert (agent.name, agent.kinds, agent.more) == ("code-reviewer", (), {"prority": "kept"})
    assert agent.works == Session(
        runner="scripted", prompt="You review code.", model="sonnet", tools=("Read", "Grep")
    )
    assert agent.description.endswith("<example>Context: a diff</example>")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".agents/agents/a.md", True),
        (".claude/agents/a.md", True),
        (".agents/agents/deep/a.md", False),
        (".agents/a.md", False),
        ("x/.agents/agents/a.md", False),
        (".agents/agents/a.txt", False),
    ],
)
def test_which_files_declare_agents(path: str, *, expected: bool) -> None:
    assert is_agent_file(path) is expected


def test_an_installed_package_brings_agents_by_entry_points() -> None:
    def point(name: str, value: str) -> EntryPoint:
        return EntryPoint(name=name, value=value, group="sparky.agents")

    found = registry(
        {},
        point("own", "tests.unit.test_agent_files:PACKAGED"),
        point("again", "sparky.agents.coder:CODER"),
        point("gone", "sparky.agents.nowhere:X"),
        point("odd", "sparky.agents.coder:example"),
    )
    both = "coder (sparky/agents/coder.py) and coder (sparky/agents/coder.py)"
    missing = "ModuleNotFoundError: No module named 'sparky.agents.nowhere'"
    assert found.agents == (*AGENTS, PACKAGED)
    assert found.faults == (
        "entry point again: coder: two agents have this name",
        *(f"entry point again: {kind.value}: {both} share the priority 200" for kind in CODER.kinds),
        f"entry point gone: sparky.agents.nowhere:X can't be loaded: {missing}",
        "entry point odd: sparky.agents.coder:example is no sparky Agent",
    )
    assert installed() == ()


PACKAGED = parse(text("packaged").encode(), "packaged.md", runner="scripted")
