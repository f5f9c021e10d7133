"""What people get wrong: each mistake has its sentence and its exit code, and nothing is started."""

from pathlib import Path

import pytest

from tests.acceptance.conftest import Files, MakeWorld
from tests.acceptance.files import BUG
from tests.acceptance.world import Nursery, Said, World, make_world, replacing

RIGHT = replacing("calc.py", "x * 3", "x * 2")

KINDS = (
    "FORMATTING, IMPORT_ERROR, TYPE_ERROR, SECURITY, TEST_FAILURE, COMPLEXITY, DEAD_CODE, DEPENDENCY, "
    "DRY_VIOLATION, PERFORMANCE, DOCUMENTATION, TEST_ORGANIZATION, TEST_CREATION, REVIEW, GENERAL"
)
ISSUES: Files = {
    "issues/1-empty.md": b"",
    "issues/2-blank.md": b" \n\r\n\t",
    "issues/3-binary.md": b"\x89PNG\0",
    "issues/4-large.md": b"# Large\n" + b"x" * 5_000_000,
    "issues/5-latin.md": "# Änderung\n".encode("latin-1"),
    "issues/6-kind.md": "---\nkind: SECURTY\n---\n# A slip\n",
    "issues/7-one.md": "# One\n",
    "issues/007-other.md": "# Other\n",
    "notes/8-folder.md/inside.txt": "x\n",
    "tool.py": "X = 1\n",
}
REFERENCES = {
    "1": "issues/1-empty.md is empty",
    "2": "issues/2-blank.md is empty",
    "3": "issues/3-binary.md is no text: it has a NUL at byte 4. Save it as UTF-8.",
    "4": "issues/4-large.md is too large: 5000008 bytes; an issue has at most 1000000",
    "5": "issues/5-latin.md is not UTF-8 at byte 2. Save it as UTF-8.",
    "6": f'issues/6-kind.md: "SECURTY" is no kind; the nearest is SECURITY. Kinds: {KINDS}. '
    "Without a `kind:` sparky finds the kind by itself.",
    "7": "7 means 2 files: issues/007-other.md, issues/7-one.md. Give the path of one.",
    "notes/8-folder.md": "notes/8-folder.md is a directory: name one file in it",
    "tool.py": "tool.py is no Markdown file: an issue file ends in .md",
    "issues/1-emty.md": "no issue file for 'issues/1-emty.md': looked in issues of {repo} (8 files). "
    "Nearest: issues/1-empty.md.",
    "99": "no issue file for '99': looked in issues of {repo} (8 files). "
    "A sentence of several words is an issue, too.",
}


@pytest.fixture(scope="module")
def issues(tmp_path_factory: pytest.TempPathFactory, cache: Path, nursery: Nursery) -> World:
    """A repository of issue files that can't be used."""
    return make_world(tmp_path_factory.mktemp("issues"), cache, nursery, ISSUES)


@pytest.mark.parametrize("reference", REFERENCES)
def test_an_issue_that_cannot_be_read_fails_with_its_reason(reference: str, issues: World) -> None:
    err = f"error: {REFERENCES[reference].format(repo=issues.repo)}\n"
    assert issues.sparky("run", reference) == Said(code=2, out="", err=err)


def test_nothing_is_started_for_it_and_a_route_says_the_same(issues: World) -> None:
    assert issues.sparky("route", "1") == issues.sparky("run", "1")
    assert issues.runs() == []


def test_two_issue_files_with_one_id_are_two_issues(world_of: MakeWorld) -> None:
    text = "# Issue #001: double is wrong\n"
    files = {"calc.py": BUG["calc.py"], "issues/001-double.md": text, "docs/issues/001-other.md": text}
    world = world_of(files)
    asked = ("issues/001-double.md", "docs/issues/001-other.md", "issues/001-double.md")
    said = [world.sparky("run", path, "--json", *world.script(RIGHT)) for path in asked]
    assert [(one.code, one.json()["outcome"]) for one in said] == [(0, "ready")] * 3
    first, other, again = (one.json()["run_id"] for one in said)
    assert (first == again, first == other) == (True, False)


@pytest.mark.parametrize("words", [("scan",), ("fix",), ("run", "mend it"), ("route", "mend it"), ("init",)])
def test_a_place_that_is_no_repository_is_a_mistake_of_usage(
    words: tuple[str, ...], world_of: MakeWorld
) -> None:
    world = world_of({})
    (world.root / "elsewhere").mkdir()
    err = "error: . is not in a git repository: go to one, or make one with `git init`\n"
    assert world.sparky(*words, cwd=world.root / "elsewhere") == Said(code=2, out="", err=err)
    assert world.runs() == []


STEP = "[[session]]\n[[session.steps]]\n"
SCRIPTS = {
    "[[sesion]]\n": ": unknown key 'sesion'; did you mean 'session'?",
    "[[session]]\nsucces = false\n": ", session 1: unknown key 'succes'; did you mean 'success'?",
    "[[session]]\n[[session]]\nsays = ''\n": ", session 2: unknown key 'says'; known keys are issue, number, "
    "agent, steps, ending, success, summary, handover, plan, report, code, tokens, turns, cost_usd",
    f'{STEP}do = "write"\ntxt = ""\n': ", session 1, step 1: unknown key 'txt'; did you mean 'text'?",
    f'{STEP}do = "wirte"\n': ": Invalid enum value 'wirte' - at `$.session[0].steps[0].do`",
    '[[session]]\nending = "crsh"\n': ": Invalid enum value 'crsh' - at `$.session[0].ending`",
    "[[session]\n": " is not valid TOML: Expected ']]' at the end of an array declaration "
    "(at line 1, column 10)",
    "# \udcff\n": " is not UTF-8 at byte 2; save it as UTF-8",
}


@pytest.mark.parametrize("toml", SCRIPTS)
def test_a_slip_in_a_script_is_named_with_what_was_meant(toml: str, world_of: MakeWorld) -> None:
    world = world_of(BUG)
    path = world.root / "script.toml"
    path.write_bytes(toml.encode(errors="surrogateescape"))
    err = f"error: {path}{SCRIPTS[toml]}\n"
    assert world.sparky("run", "1", "--script", str(path)) == Said(code=2, out="", err=err)
    assert world.runs() == []


def test_a_script_of_the_settings_that_is_not_there_is_named(world_of: MakeWorld) -> None:
    world = world_of({**BUG, "sparky.toml": 'script = "play.toml"\n'})
    err = f"error: {world.repo}/play.toml: No such file or directory\n"
    assert world.sparky("run", "1") == Said(code=2, out="", err=err)


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("FORMATING", "'FORMATING' is no kind; did you mean FORMATTING?"),
        ("TYPO", f"'TYPO' is no kind; kinds are {KINDS}"),
    ],
)
def test_a_word_that_is_no_kind_is_a_mistake_of_usage(word: str, why: str, world_of: MakeWorld) -> None:
    world = world_of({})
    for verb in ("scan", "fix"):
        said = world.sparky(verb, "-k", word)
        assert (said.code, said.out) == (2, "")
        assert said.err.splitlines()[-1] == f"Error: Invalid value for '-k' / '--kind': {why}"
