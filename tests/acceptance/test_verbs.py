"""Every verb: its help, its JSON, and what it says to bad input, with the exit code and no traceback."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from sparky.cli.table import VERBS
from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import BUG, QUICK_BUG
from tests.acceptance.world import Nursery, Said, World, make_world

pytestmark = pytest.mark.xdist_group("verbs")

FILES = {**BUG, "shop.py": "import os\n\nX = 1\n"}
FIX = ("fix", "-k", "import_error", "--json")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, cache: Path, nursery: Nursery) -> World:
    """A repository with a ready run of `fix`, and one of issue 1 that is blocked. No test changes it."""
    world = make_world(tmp_path_factory.mktemp("verbs"), cache, nursery, FILES)
    assert world.sparky("fix", "shop.py").code == 0
    assert world.sparky("run", "1").code == 3
    return world


@pytest.fixture
def ready(here: World) -> str:
    """The run that is ready."""
    return next(str(run["run_id"]) for run in here.runs() if run["outcome"] == "ready")


def refused(said: Said) -> tuple[int, str]:
    """The exit code and the one line of an error, that came with no result."""
    assert said.out == ""
    return said.code, said.err.splitlines()[-1]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_tells_what_it_is_for_and_takes_no_unknown_option(verb: str, here: World) -> None:
    told = here.sparky(verb, "--help")
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith(f"Usage: sparky {verb} ")
    code, line = refused(here.sparky(verb, "--bogus"))
    assert (code, line[:32]) == (2, "Error: No such option '--bogus'.")


def test_an_unknown_run_names_the_newest(here: World) -> None:
    newest = ", ".join(str(run["run_id"]) for run in sorted(here.runs(), key=lambda run: run["issue"]))
    verbs = ("show", "diff", "logs", "resume", "cancel", "merge", "undo", "clean")
    unset = (("resume", ""), ("merge", ""), ("clean", ""))  # a script's variable that it never set
    for verb, word in (*((verb, "nope") for verb in verbs), *unset):
        assert refused(here.sparky(verb, word)) == (
            2,
            f"error: no run starts with {word!r}; the newest are: {newest}",
        ), verb


def test_a_branch_where_work_branches_should_lie_is_refused_before_a_run_begins(world_of: MakeWorld) -> None:
    world = world_of({"a.py": "import os\n"})
    world.git("branch", "sparky")
    rename = "rename it (git branch -m sparky NEW-NAME), then run it again"
    way = f"the branch sparky of {world.repo} is in the way of work branches, which are named sparky/…"
    assert refused(world.sparky("fix")) == (1, f"error: {way}: {rename}")
    assert world.runs() == []


def test_a_run_has_to_be_named(here: World) -> None:
    for verb in ("show", "diff", "logs", "cancel", "undo"):
        assert refused(here.sparky(verb)) == (2, "Error: Missing argument 'RUN'."), verb


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("fiks",), 2, "Error: No such command 'fiks'."),
        (("scan", "-k", "formating"), 2, "did you mean FORMATTING?"),
        (("fix", "-k", "test_creation"), 2, "no detector looks for TEST_CREATION yet"),
        (("fix", "-C", "/nowhere"), 2, "error: /nowhere does not exist"),
        (
            ("fix", "-C", "/"),
            2,
            "error: / is not in a git repository: go to one, or make one with `git init`",
        ),
        (("run", "99"), 2, "error: no issue file for '99'"),
        (("run", "calc.py"), 2, "error: calc.py is no Markdown file"),
        (("run", ""), 2, "error: no issue named: give a number, a Markdown file, or a sentence"),
        (("route", "issues"), 2, "error: issues is a directory: name one file in it"),
        (("init", "-C", "/nowhere"), 2, "error: /nowhere does not exist"),
        (("show", "999"), 2, "error: no run starts with '999'; the newest are: "),
        (("run",), 2, "error: give one ISSUE, or a list of them with --from-json"),
        (("run", "1", "--script", "no.toml"), 2, "File 'no.toml' does not exist."),
        (("scan", "--json", "--format", "sarif"), 2, "--json and --format sarif ask for two formats"),
        (("status", "-n", "x"), 2, "'x' is not a valid integer"),
        (("status", "-n", "0"), 2, "0 is not in the range x>=1"),
    ],
)
def test_bad_input_is_refused_with_a_reason(
    words: tuple[str, ...], code: int, says: str, here: World
) -> None:
    got, line = refused(here.sparky(*words))
    assert got == code
    assert says in line


SETTINGS = {
    "marge = 'auto'": "unknown key 'marge'; did you mean 'merge'?",
    "merge = 'always'": "merge is 'always', and may be 'ask' or 'auto'",
    "merge = ": "Invalid value",
    "test_timeout_s = 'x'": "Expected `float`, got `str`",
    "test_timeout_s = 0": "test_timeout_s is 0.0, and must be above 0 seconds",
    'test_command = "pytest \'x"': "test_command: No closing quotation",
}


def test_settings_that_are_wrong_are_refused_by_file_and_key(world_of: MakeWorld) -> None:
    world = world_of({"a.py": "X = 1\n"})
    for toml, says in SETTINGS.items():
        world.write({"sparky.toml": toml})
        code, line = refused(world.sparky("fix"))
        assert (code, says in line) == (2, True), line
        assert line.startswith(f"error: {world.repo}/sparky.toml")


@pytest.mark.parametrize("words", [("scan",), ("fix",), ("run", "double is wrong")])
def test_a_repository_without_a_commit_is_refused(words: tuple[str, ...], world_of: MakeWorld) -> None:
    world = world_of({})
    assert refused(world.sparky(*words)) == (
        2,
        f"error: {world.repo} has no commit yet: commit something first, then run it again",
    )


def test_places_that_cannot_be_written_are_named(world_of: MakeWorld) -> None:
    world = world_of({"a.py": "X = 1\n"})
    (world.root / "file").write_text("in the way", encoding="utf-8")
    place = str(world.root / "file" / "sparky")
    for name, rest in (
        ("SPARKY_STATE_DIR", "; make it writable, or set SPARKY_STATE_DIR"),
        ("SPARKY_CACHE_DIR", "; make it writable and make room there, or set SPARKY_CACHE_DIR"),
    ):
        said = world.sparky("fix", env={name: place})
        assert refused(said) == (1, f"error: cannot write in {place}: Not a directory{rest}")


def test_a_store_that_is_no_database_is_named(world_of: MakeWorld) -> None:
    world = world_of({"a.py": "X = 1\n"})
    (world.root / "state").mkdir()
    (world.root / "state" / "sparky.db").write_bytes(b"no database " * 500)
    code, line = refused(world.sparky("status"))
    assert code == 1
    assert line.startswith(f"error: {world.root}/state/sparky.db: file is not a database; ")


def test_init_writes_every_setting_once(world_of: MakeWorld) -> None:
    world = world_of({"a.py": "X = 1\n"})
    path = world.repo / "sparky.toml"
    assert world.sparky("init", "--json").json() == {"path": str(path)}
    written = path.read_text()
    assert world.sparky("scan").code == 0
    path.write_text("merge = 'auto'\n", encoding="utf-8")
    assert refused(world.sparky("init")) == (2, f"error: {path} exists already; --force replaces it")
    assert path.read_text() == "merge = 'auto'\n"
    assert world.sparky("init", "--force").code == 0
    assert (path.read_text(), world.git("status", "--porcelain")) == (written, "?? sparky.toml")


def test_the_doctor_finds_what_is_needed_and_names_what_is_not(here: World) -> None:
    tools = ["git", "ruff", "typos", "uv"]
    names = ["sparky", *tools, "sandbox", "state", "disk", "agents", "repository"]
    well = here.sparky("doctor", "--json")
    needed = [one for one in well.json() if one["needed"]]
    assert (well.code, [one["name"] for one in needed]) == (0, names)
    assert all(one["well"] and not one["remedy"] for one in needed)
    nowhere = {"SPARKY_STATE_DIR": str(here.repo / "calc.py" / "state")}
    ill = here.sparky("doctor", "-C", "/", "--json", env=nowhere)
    wrong = [one["name"] for one in ill.json() if one["needed"] and not one["well"]]
    assert (ill.code, wrong) == (1, ["state", "repository"])
    assert "disk" not in [one["name"] for one in ill.json()]
    assert "→ name one with -C" in here.sparky("doctor", "-C", "/").out


def test_scan_lists_each_finding_with_its_fate_and_check_tells_by_its_exit_code(here: World) -> None:
    said = here.sparky("scan", "--check", "--json")
    (one,) = said.json()["findings"]
    assert said.code == 1
    assert (one["agent"], one["why"], one["finding"]["rule"]) == ("imports", "", "F401")
    assert one["finding"]["location"] == {"path": "shop.py", "line": 1, "column": 8, "symbol": ""}
    assert here.sparky("scan", "--check", "calc.py").code == 0
    assert "shop.py:1:8 F401 `os` imported but unused  [mended by imports]" in here.sparky("scan", "-v").out


def test_route_shows_every_bid_and_starts_nothing(here: World) -> None:
    before = here.runs()
    said = here.sparky("route", "Remove", "unused", "imports", "--json")
    assert (said.code, said.json()["kind"], said.json()["agent"]) == (0, "IMPORT_ERROR", "imports")
    assert [bid["agent"] for bid in said.json()["bids"]] == ["imports"]
    none = here.sparky("route", "1", "--json")
    assert (none.code, none.json()["agent"], none.json()["bids"]) == (3, None, [])
    assert here.runs() == before


def test_scan_says_of_each_finding_what_it_waits_for(world_of: MakeWorld) -> None:
    world = world_of(
        {
            "a.py": f"import os\n\nX = '{'x' * 100}'  # needs\n",
            "made.py": "# Generated by a program\nimport os\n",
            "pkg/__init__.py": "import os\n",
            "untested.py": "def f():\n    x = 1\n",
        }
    )
    found = world.sparky("scan", "--json").json()["findings"]
    assert {(one["finding"]["location"]["path"], one["finding"]["rule"]): one["fate"] for one in found} == {
        ("a.py", "format"): None,
        ("a.py", "F401"): None,
        ("a.py", "E501"): "coding_agent",
        ("made.py", "F401"): "person",
        ("pkg/__init__.py", "F401"): "kept",
        ("untested.py", "F841"): "kept",
    }


def test_agents_are_listed_with_what_they_own(here: World) -> None:
    said = here.sparky("agents", "--check", "--json")
    listed: list[dict[str, Any]] = said.json()
    assert said.code == 0
    assert {one["name"]: one["works_by"] for one in listed} == {
        "formatting": "ruff",
        "imports": "ruff",
        "dead-code": "ruff, vulture",
        "security": "rewrite",
        "performance": "ruff",
        "complexity": "ruff",
        "dry": "repeated",
        "documentation": "ruff, typos",
        "dependency": "deptry",
        "test-organization": "ruff",
        "test-failure": "failures",
        "types": "mypy",
        "tester": "a session (scripted)",
        "documenter": "a session (scripted)",
        "planner": "a session (scripted)",
        "coder": "a session (scripted)",
    }
    owned = [kind for one in listed for kind in one["owns"]]
    assert len(owned) == len(set(owned))


def test_status_lists_what_waits_first_and_only_what_is_asked_for(here: World, ready: str) -> None:
    assert [run["outcome"] for run in here.runs()] == ["blocked", "ready"]
    assert [run["needs_person"] for run in here.runs()] == [True, True]
    assert here.runs()[1]["next_step"] == f"sparky merge {ready}"
    assert len(here.sparky("status", "-n", "1", "--json").json()) == 1
    assert len(here.sparky("status", "-C", ".", "--json", cwd=here.repo / "tests").json()) == 2
    assert refused(here.sparky("status", "-C", "/nowhere")) == (2, "error: /nowhere does not exist")


def test_status_of_another_repository_is_empty(here: World, world_of: MakeWorld) -> None:
    other = world_of({"a.py": "X = 1\n"})
    state = {"SPARKY_STATE_DIR": str(here.root / "state")}
    assert other.sparky("status", "-C", ".", "--json", env=state).json() == []
    assert len(other.sparky("status", "--json", env=state).json()) == 2


def test_show_tells_the_story_and_json_has_all_of_it(here: World, ready: str) -> None:
    told = here.sparky("show", ready[:-2], "--json").json()
    assert (told["run_id"], told["life"], told["target"]) == (ready, "waiting", "main")
    assert [step["stage"] for step in told["steps"]] == [
        *("route", "execute", "execute", "review", "execute", "test", "verify"),
    ]
    assert {key for step in told["steps"] for key in step} == {
        *("stage", "number", "agent", "strategy", "verdict", "reason", "seconds", "gates", "evidence"),
        *("commands", "items", "briefing", "turn"),
    }
    test = next(step for step in told["steps"] if step["stage"] == "test")
    assert [sorted(evidence) for evidence in test["evidence"]] == [
        ["code", "command", "note", "output", "sandbox", "seconds", "sha"]
    ] * 3  # the base is red, and so run twice


def test_a_prefix_of_several_runs_names_them(world_of: MakeWorld) -> None:
    world = world_of({"a.py": "import os\n", "b.py": "import os\n"})
    runs = [world.sparky(*FIX, name).json()["run_id"] for name in ("a.py", "b.py")]
    code, line = refused(world.sparky("show", "fix"))
    assert code == 2
    assert line.startswith("error: 'fix' fits 2 runs: ")
    assert all(run in line for run in runs)


def test_the_diff_is_what_git_shows(here: World, ready: str) -> None:
    branch = next(str(run["branch"]) for run in here.runs() if run["run_id"] == ready)
    assert here.sparky("diff", ready).out.strip() == here.git("diff", "--full-index", "main", branch)
    assert here.sparky("diff", ready, "--stat").out == "M shop.py  +0 -2\n"
    facts = {"added": 0, "deleted": 2, "old_path": None, "binary": False, "link": False}
    assert here.sparky("diff", ready, "--json").json() == [{"path": "shop.py", "status": "M", **facts}]


def test_logs_show_progress_and_the_output_of_each_command(here: World, ready: str) -> None:
    lines = here.sparky("logs", ready, "--json").json()
    assert here.sparky("logs", ready).out.splitlines() == lines
    assert here.sparky("logs", ready, "--follow").out.splitlines() == lines
    assert lines[-1].endswith("ready: verified at the tested commit; 1 of 1 finding(s) gone")
    story = here.sparky("show", ready, "--json").json()
    test = next(step for step in story["steps"] if step["stage"] == "test")
    log = here.sparky("logs", ready, "--blob", test["evidence"][1]["output"][:12])
    assert "1 failed, 1 passed" in log.out
    assert refused(here.sparky("logs", ready, "--blob", "zz")) == (
        2,
        "error: 0 outputs of this run start with 'zz'; `sparky show --json` has them",
    )


def test_nothing_is_resumed_where_nothing_is_interrupted(here: World, ready: str) -> None:
    assert (here.sparky("resume", "--json").json(), here.sparky("resume").code) == ([], 0)
    assert refused(here.sparky("resume", ready)) == (
        2,
        f"error: {ready} is waiting: there is nothing to resume; see `sparky show {ready}`",
    )


def test_a_waiting_run_that_is_cancelled_keeps_its_work_on_its_branch(world_of: MakeWorld) -> None:
    world = world_of({"shop.py": "import os\n\nX = 1\n"})
    ready = world.sparky(*FIX).json()
    run, branch = ready["run_id"], ready["branch"]
    said = world.sparky("cancel", run, "--json")
    assert (said.code, said.json()["outcome"]) == (0, "cancelled")
    work = f"unverified work is kept at {ready['commit'][:12]} on {branch}"
    assert said.json()["partial_fixes"] == [work]
    assert world.git("show", f"{branch}:shop.py") == "X = 1"
    assert refused(world.sparky("cancel", run)) == (2, f"error: {run} has ended already: cancelled")
    assert refused(world.sparky("merge", run))[0] == 3
    there = f"what it did is on its branch alone, if anywhere: see `sparky show {run}`"
    assert refused(world.sparky("undo", run)) == (
        3,
        f"error: nothing of {run} is merged, so there is nothing to take back; {there}",
    )
    for code, words in ((0, ("-n",)), (0, ()), (3, (run, "-n")), (3, (run,))):
        kept = world.sparky("clean", *words, "--json")
        assert (kept.code, kept.json()["removed"], list(kept.json()["kept"])) == (code, [], [run])
        assert "is on no other branch: merge it, or delete it yourself" in kept.json()["kept"][run]

    world.git("merge", "-q", "--ff-only", branch)
    for words in (("-n",), ()):
        cleaned = world.sparky("clean", *words, "--json").json()
        assert (cleaned["removed"], cleaned["kept"]) == ([run], {})
    assert (world.runs(), world.git("for-each-ref", "--format=%(refname)")) == ([], "refs/heads/main")


def test_a_merged_run_is_undone_by_one_commit_and_only_once(world_of: MakeWorld) -> None:
    world = world_of({"shop.py": "import os\n\nX = 1\n"})
    run = world.sparky(*FIX).json()["run_id"]
    assert refused(world.sparky("undo", run))[0] == 3
    merged = world.sparky("merge", run, "--json").json()["commit"]
    world.write({"shop.py": "Y = 1\n"})
    code, line = refused(world.sparky("undo", run))
    assert (code, line) == (
        3,
        f"error: uncommitted changes in {world.repo}: shop.py: commit or stash it, then run it again",
    )
    world.git("checkout", "-q", ".")
    undone = world.sparky("undo", run, "--json").json()
    assert world.git("log", "--format=%s%n%P", "-1") == (f'Revert "Fix IMPORT_ERROR"\n{merged}')
    assert (undone["branch"], undone["commit"]) == ("main", world.git("rev-parse", "HEAD"))
    assert (world.repo / "shop.py").read_text() == "import os\n\nX = 1\n"
    again = world.sparky("undo", run, "--json").json()
    assert again == {**undone, "what": "main does not have these changes any more"}


def test_what_later_commits_changed_is_not_undone_blindly(world_of: MakeWorld) -> None:
    world = world_of({"shop.py": "import os\n\nX = 1\n"})
    said = world.sparky(*FIX).json()
    assert world.sparky("merge", said["run_id"]).code == 0
    later = world.commit({"shop.py": "import json\n\nX = json\n"})
    assert refused(world.sparky("undo", said["run_id"])) == (
        3,
        "error: later commits changed the same lines: resolve shop.py by hand",
    )
    assert world.git("rev-parse", "main") == later


def test_runs_of_a_repository_that_is_gone_can_be_cleaned(world_of: MakeWorld) -> None:
    world = world_of({"shop.py": "import os\n\nX = 1\n"})
    run = world.sparky(*FIX).json()["run_id"]
    assert world.sparky("cancel", run).code == 0
    world.repo.rename(world.root / "moved")
    assert world.sparky("clean", "--json", cwd=world.root).json()["removed"] == [run]


def test_blobs_go_with_the_last_run_that_refers_to_them(world_of: MakeWorld) -> None:
    world = world_of({"shop.py": "import os\n\nX = 1\n"})
    run = world.sparky(*FIX).json()["run_id"]
    assert world.sparky("merge", run).code == 0
    blobs = [path for path in (world.root / "state" / "blobs").rglob("*") if path.is_file()]
    for path in blobs:
        os.utime(path, (0, 0))
    freed = {"blobs": len(blobs), "environments": 0, "bytes": sum(path.stat().st_size for path in blobs)}
    assert blobs != []
    assert world.sparky("clean", "-n", "--json").json()["freed"] == freed
    assert all(path.exists() for path in blobs)
    assert world.sparky("clean", "--json").json()["freed"] == freed
    assert not any(path.exists() for path in blobs)
    none = "freed 0.0 MB: 0 blob(s) of no run, 0 environment(s) unused for 30 days"
    assert world.sparky("clean").out.splitlines() == ["removed 0 run(s), kept 0", none]


def test_the_cache_goes_when_it_is_asked_for_and_not_before(world_of: MakeWorld) -> None:
    world = world_of({"a.py": "import os\n"})
    cache = world.root / "cache"
    env = {"SPARKY_CACHE_DIR": str(cache)}
    assert world.sparky("scan", env=env).code == 0
    for words, there in (((), True), (("--cache", "-n"), True), (("--cache",), False)):
        assert world.sparky("clean", *words, env=env).code == 0
        assert cache.exists() is there


def test_the_demo_overwrites_nothing(here: World) -> None:
    assert refused(here.sparky("demo", str(here.repo))) == (
        2,
        f"error: {here.repo} exists already: name a directory that does not",
    )


def test_all_json_is_alone_on_standard_output(here: World, ready: str) -> None:
    verbs = [
        ("scan",),
        ("route", "1"),
        ("agents",),
        ("status",),
        ("show", ready),
        ("doctor",),
        ("clean", "-n"),
    ]
    said = [here.sparky(*words, "--json") for words in verbs]
    assert [type(json.loads(one.out)) for one in said] == [dict, dict, list, list, dict, list, dict]


def test_a_fault_of_its_own_ends_each_verb_that_drives_with_70_and_a_report(world_of: MakeWorld) -> None:
    world = world_of({**QUICK_BUG, "shop.py": FILES["shop.py"], "bill.py": "import os\n\nY = 1\n"})
    ready = world.sparky(*FIX, "shop.py").json()["run_id"]
    receipts = world.root / "state" / "receipts"
    shutil.rmtree(receipts)
    receipts.write_text("in the way", encoding="utf-8")
    for words in (("merge", ready), (*FIX, "bill.py"), ("run", "1", *world.script({}))):
        said = world.sparky(*words, "--json", env={"TMPDIR": str(world.root)})
        result = said.json()
        assert (said.code, result["outcome"], result["responsibility"]) == (70, "failed", "sparky"), words
        (report,) = world.root.glob("sparky-bug-*.txt")
        assert said.err.splitlines()[-1].endswith(f"a report to paste is in {report}")
        told = report.read_text(encoding="utf-8")
        assert f"run {result['run_id']}, " in told
        assert "\nTraceback (most recent call last):\n" in told
        assert "NotADirectoryError: " in told.splitlines()[-1]
        report.unlink()
