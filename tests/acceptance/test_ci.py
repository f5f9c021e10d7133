"""sparky in CI: exit codes, SARIF, and calls that are limited to what is changed."""

import json
import re
from pathlib import Path

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import SHOP
from tests.acceptance.world import Said, World
from tests.json_schema import faults

TOP = Path(__file__).parents[2]
UNUSED = "import os\n"
SCAN = ("scan", "-k", "import_error", "--json")
CLEAN = "X = 1\n"


def found(said: Said) -> list[str]:
    """The files that a scan found something in."""
    return [one["finding"]["location"]["path"] for one in said.json()["findings"]]


def forked(world_of: MakeWorld) -> World:
    """A branch off main on which a file is new, one changed, one deleted, one a link, and one no Python."""
    world = world_of({"old.py": UNUSED, "gone.py": UNUSED, "pkg/changed.py": CLEAN})
    world.git("switch", "-qc", "feature")
    (world.repo / "link.py").symlink_to("old.py")
    world.commit(
        {
            "pkg/changed.py": UNUSED,
            "new ü.py": UNUSED,
            "gone.py": None,
            "page.md": "```python\nx  =  1\n```\n",
        }
    )
    return world


def test_sarif_is_what_the_standard_says_and_names_who_mends_it(world_of: MakeWorld) -> None:
    world = world_of({**SHOP, "bad.py": "def f(:\n"})
    said = world.sparky("scan", "--format", "sarif", "--check")
    log = said.json()
    standard = json.loads((TOP / "tests/golden/sarif/schema.json").read_text(encoding="utf-8"))
    assert (said.code, faults(log, standard)) == (1, [])
    run, *others = log["runs"]
    assert [one["results"] for one in others] == [[] for _ in others]
    assert run["properties"] == {"sparky/commit": world.git("rev-parse", "HEAD")}
    assert {(one["ruleId"], one["properties"]["sparky/mendable-by"]) for one in run["results"]} == {
        ("F401", "imports"),
        ("F841", "dead-code"),
        ("format", "formatting"),
        ("invalid-syntax", None),
    }
    levels = {one["ruleId"]: one["level"] for one in run["results"]}
    assert (levels["F401"], levels["invalid-syntax"]) == ("note", "error")


def test_sarif_without_findings_is_a_run_without_results(world_of: MakeWorld) -> None:
    said = world_of({"a.py": CLEAN}).sparky("scan", "--format", "sarif", "--check")
    assert (said.code, {str(run["results"]) for run in said.json()["runs"]}) == (0, {"[]"})


def test_json_is_a_format_with_a_short_form_and_text_is_what_comes_without(world_of: MakeWorld) -> None:
    world = world_of({"a.py": UNUSED})
    long, short, text, bare = (
        world.sparky(*SCAN[:3], *words).out
        for words in (("--format", "json"), ("--json",), ("--format", "text"), ())
    )
    assert json.loads(long)["sha"] == json.loads(short)["sha"] == world.git("rev-parse", "HEAD")
    assert text == bare
    assert text.startswith("KIND ")


def test_fix_check_lists_what_it_would_mend_and_starts_nothing(world_of: MakeWorld) -> None:
    world = world_of({"a.py": "import os\n\nX = 1\n", "pkg/__init__.py": "import json\n"})
    before, refs = world.snapshot(), world.git("for-each-ref")
    check = ("fix", "--check", "-k", "import_error")
    said = world.sparky(*check)
    sha = world.git("rev-parse", "--short=10", "HEAD")
    assert said == Said(
        code=1,
        out=(
            "a.py:1:8 F401 `os` imported but unused  [mended by imports]\n"
            f"`sparky fix` would mend 1 finding(s) at {sha}; 1 stay\n"
        ),
        err="",
    )
    told = world.sparky(*check, "--json")
    assert (told.code, found(told)) == (1, ["a.py", "pkg/__init__.py"])
    assert (world.snapshot(), world.git("for-each-ref"), world.runs()) == (before, refs, [])
    rest = world.sparky(*check, "pkg")
    assert (rest.code, rest.out) == (0, f"`sparky fix` would mend 0 finding(s) at {sha}; 1 stay\n")


def test_fix_check_does_not_forget_what_was_withdrawn(world_of: MakeWorld) -> None:
    said = world_of({"a.py": UNUSED}).sparky("fix", "--check", "--again")
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        "error: --check changes nothing, and --again forgets what was withdrawn: give one of them\n"
    )


def test_changed_looks_at_what_differs_from_where_the_branch_left_main(world_of: MakeWorld) -> None:
    world = forked(world_of)
    base = world.git("rev-parse", "--short=10", "main")
    world.git("switch", "-q", "main")
    world.commit({"later.py": UNUSED})
    world.git("switch", "-q", "feature")
    whole = world.sparky(*SCAN)
    assert found(whole) == ["new ü.py", "old.py", "pkg/changed.py"]
    for words in (("--changed",), ("--since", "main")):
        said = world.sparky(*SCAN, *words)
        assert (said.code, found(said)) == (0, ["new ü.py", "pkg/changed.py"])
        assert said.err == f"note: limited to 2 file(s) changed since main ({base})\n"
    assert found(world.sparky(*SCAN, "--changed", "pkg", "old.py")) == ["pkg/changed.py"]


def test_fix_changed_mends_only_what_is_changed_and_joins_itself(world_of: MakeWorld) -> None:
    world = forked(world_of)
    first, again = (world.sparky("fix", "-k", "import_error", "--changed", "--json") for _ in range(2))
    assert (first.code, first.json()["outcome"]) == (0, "ready"), first.err
    assert sorted(first.json()["work_completed"]["files_modified"]) == ["new ü.py", "pkg/changed.py"]
    assert again.json() == first.json()


def test_edits_and_files_that_are_not_committed_are_named_and_left_out(world_of: MakeWorld) -> None:
    world = forked(world_of)
    world.write({"old.py": "import sys\n", "untracked.py": UNUSED})
    said = world.sparky(*SCAN, "--changed")
    assert found(said) == ["new ü.py", "pkg/changed.py"]
    assert said.err.splitlines()[:2] == [
        "warning: uncommitted edits are not part of the base: old.py",
        "note: untracked files are not part of the base: untracked.py",
    ]


def test_where_nothing_is_changed_it_says_so_and_is_done(world_of: MakeWorld) -> None:
    world = world_of({"a.py": UNUSED})
    nothing = f"no Python file is changed since HEAD ({world.git('rev-parse', '--short=10', 'HEAD')})"
    for words in (("scan", "--check", "--json"), ("scan", "--check", "--format", "sarif")):
        said = world.sparky(*words, "--since", "HEAD")
        assert (said.code, said.err) == (0, f"note: {nothing}\n")
    fixed = world.sparky("fix", "--since", "HEAD", "--json")
    assert (fixed.code, fixed.json()["outcome"], fixed.json()["reason"]) == (0, "nothing_to_do", nothing)
    assert nothing in world.sparky("fix", "--since", "HEAD").out
    assert world.runs() == []


def test_the_upstream_counts_unless_it_is_the_branchs_own_copy(world_of: MakeWorld) -> None:
    world = forked(world_of)
    world.git("switch", "-qc", "topic")
    world.commit({"topic.py": UNUSED})
    world.git("branch", "-q", "--set-upstream-to", "feature")
    assert found(world.sparky(*SCAN, "--changed")) == ["topic.py"]
    world.git("init", "-q", "--bare", str(world.root / "remote"))
    world.git("remote", "add", "origin", str(world.root / "remote"))
    world.git("push", "-qu", "origin", "main", "topic")
    said = world.sparky(*SCAN, "--changed")
    assert found(said) == ["new ü.py", "pkg/changed.py", "topic.py"]
    assert "changed since origin/main (" in said.err


def test_a_shallow_history_is_compared_with_the_ref_itself(world_of: MakeWorld) -> None:
    world = forked(world_of)
    world.git("switch", "-q", "--orphan", "island")
    world.commit({"old.py": UNUSED, "mine.py": UNUSED})
    said = world.sparky(*SCAN, "--since", "main")
    assert found(said) == ["mine.py"]
    assert "note: HEAD and main have no common commit here; main itself is compared with\n" in said.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--since", "v9"), "'v9' names no commit here; if it is on a remote: git fetch"),
        (("--since", "--all"), "'--all' names no commit here; if it is on a remote: git fetch"),
        (("--changed",), "no upstream and no default branch to compare with: name a commit with --since REF"),
        (("--changed", "--since", "HEAD"), "--changed and --since REF exclude each other"),
        (("--since", "HEAD", "nix.py"), "nix.py: not in the commit "),
    ],
)
@pytest.mark.parametrize("verb", ["scan", "fix"])
def test_what_cannot_be_compared_is_refused(
    verb: str, words: tuple[str, ...], says: str, world_of: MakeWorld
) -> None:
    said = world_of({"a.py": UNUSED}).sparky(verb, *words)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"error: {says}")


def test_a_name_that_is_no_text_is_left_out_and_refused_by_name(world_of: MakeWorld) -> None:
    world = world_of({"a.py": CLEAN})
    odd = "\udcff.py"
    base = world.git("rev-parse", "HEAD")
    world.commit({odd: UNUSED})
    odd_note, empty_note = world.sparky("scan", "--since", base, "--check").err.splitlines()
    assert odd_note.startswith("note: '\\udcff.py' is left out: its name is not UTF-8")
    assert empty_note.startswith("note: no Python file is changed")
    for verb in ("scan", "fix"):
        said = world.sparky(verb, odd)
        assert (said.code, said.out) == (2, "")
        assert said.err.startswith("error: '\\udcff.py' is not UTF-8, and tools report in UTF-8")


def test_the_hook_fails_where_something_could_be_mended(world_of: MakeWorld) -> None:
    hooks = (TOP / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (entry,) = re.findall(r"(?m)^  entry: sparky (.*)$", hooks)
    world = world_of({"a.py": UNUSED})
    assert world.sparky(*entry.split()).code == 1
    world.commit({"a.py": CLEAN})
    assert world.sparky(*entry.split()).code == 0
