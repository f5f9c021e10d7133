"""What people read holds against the code: verbs, options, settings, links."""

import re
from dataclasses import fields
from pathlib import Path

import click
import pytest

from sparky.agents.table import AGENTS
from sparky.cli.init import TEMPLATE
from sparky.cli.table import VERBS, load
from sparky.config import Settings
from sparky.domain.gates import GATES
from sparky.domain.issue import Kind
from sparky.domain.state import Outcome

TOP = Path(__file__).parents[2]
PAGES = sorted([*TOP.glob("*.md"), *TOP.glob("docs/**/*.md")])


def text(name: str) -> str:
    return (TOP / name).read_text(encoding="utf-8")


def row(page: str, first: str) -> str:
    """The first row of a table that begins with a word in code."""
    found, *_ = [line for line in text(page).splitlines() if re.match(rf"\| `{re.escape(first)}[` ]", line)]
    return found


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_and_option_is_in_the_reference(verb: str) -> None:
    said = row("docs/reference.md", verb)
    options = [p for p in load(verb).command.params if isinstance(p, click.Option)]
    assert [o.opts for o in options if not any(re.search(rf"{name}\b", said) for name in o.opts)] == []


@pytest.mark.parametrize("setting", fields(Settings), ids=lambda setting: setting.name)
def test_every_setting_is_in_the_page_and_in_the_template(setting: object) -> None:
    name = str(getattr(setting, "name", ""))
    assert re.search(rf"(?m)^(# )?{name} = ", TEMPLATE)
    assert row("docs/configuration.md", name)


def test_every_gate_and_outcome_is_told_on_the_path() -> None:
    page = text("docs/path-of-an-issue.md")
    names = [gate.__name__.replace("_", " ") for gate in GATES] + [outcome.value for outcome in Outcome]
    assert [name for name in names if f"| {name} |" not in page and name != "partial"] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(TOP).as_posix())
def test_every_link_within_the_docs_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8"))
    for path, anchor in links:
        target = page.parent / path if path else page
        assert target.exists(), path
        if anchor:
            headings = re.findall(r"(?m)^#+ (.*)$", target.read_text(encoding="utf-8"))
            assert anchor in {re.sub(r"[^\w]+", "-", heading.lower()).strip("-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(TOP).as_posix())
def test_every_module_that_is_named_is_there(page: Path) -> None:
    source = TOP / "src" / "sparky"
    rooms = [room.name for room in source.iterdir() if (room / "__init__.py").is_file()]
    named = re.findall(rf"`((?:{'|'.join(rooms)})/\w+\.(?:py|md))`", page.read_text(encoding="utf-8"))
    assert [path for path in named if not (source / path).is_file()] == []


def test_every_page_is_in_the_navigation() -> None:
    pages = {path.relative_to(TOP / "docs").as_posix() for path in PAGES if TOP / "docs" in path.parents}
    assert pages <= set(re.findall(r"[\w/-]+\.md", text("mkdocs.yml")))


def test_the_owners_that_the_page_prints_beside_the_old_ones_are_the_owners() -> None:
    cells = [[cell.strip() for cell in line.split("|")[1:6]] for line in text("docs/agents.md").splitlines()]
    printed = {row[0]: (row[3], row[4]) for row in cells if len(row) == 5 and row[0] in Kind.__members__}
    assert len(printed) == 12
    for name, (first, then) in printed.items():
        named = re.findall("`(.*?)`", f"{first} {then}")
        claiming = sorted((a for a in AGENTS if Kind(name) in a.kinds), key=lambda a: a.priority)
        assert (name, named) == (name, [agent.name for agent in claiming])
