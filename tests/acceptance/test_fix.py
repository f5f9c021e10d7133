"""`sparky fix`: what it mends, what it leaves; and the person's files stay as they are until the merge."""

import os
from pathlib import Path

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import BUG, CONFIG, SHOP, SIDE_EFFECT
from tests.acceptance.world import World

HOOKS = (
    "pre-commit",
    "commit-msg",
    "post-checkout",
    "post-merge",
    "post-index-change",
    "reference-transaction",
)


def hook(world: World) -> Path:
    """Hooks that leave a mark when they are run; the mark."""
    mark = world.root / "hooked"
    for name in HOOKS:
        path = world.repo / ".git/hooks" / name
        path.write_text(f"#!/bin/sh\necho {name} >> '{mark}'\n", encoding="utf-8")
        path.chmod(0o755)
    return mark


def subjects(world: World, since: str) -> list[str]:
    """The subjects of the commits on main since one."""
    return world.git("log", "--format=%s", f"{since}..main").splitlines()


def test_each_kind_is_a_commit_and_the_checkout_stays_as_it_is_until_the_merge(world_of: MakeWorld) -> None:
    world = world_of({**SHOP, ".gitignore": "*.log\n", "pkg/__init__.py": "import json\n"})
    base = world.git("rev-parse", "HEAD")
    world.write({"shop.py": "stashed = 1\n"})
    world.git("stash", "-q")
    world.write({"notes.txt": "untracked\n", "build.log": "ignored\n"})
    mark = hook(world)
    before = world.snapshot()

    first = world.sparky("fix", "--json")
    assert (first.code, first.json()["outcome"]) == (0, "ready"), first.err
    again = world.sparky("fix", "--json")
    assert (again.code, again.json()) == (0, first.json())
    run, commit = first.json()["run_id"], first.json()["commit"]
    assert again.err == f"joining run {run}: it has this issue already\n"
    assert (world.snapshot(), mark.exists()) == (before, False)

    merged = world.sparky("merge", run, "--json")
    assert (merged.code, merged.json()["outcome"], mark.exists()) == (0, "merged", False), merged.err
    assert subjects(world, base) == [
        "FORMATTING: mend 1 finding(s) in 1 file(s)",
        "IMPORT_ERROR: mend 2 finding(s) in 1 file(s)",
        "DEAD_CODE: mend 1 finding(s) in 1 file(s)",
    ]
    assert (world.git("rev-parse", "HEAD"), world.git("status", "--porcelain")) == (commit, "?? notes.txt")
    assert (world.repo / "shop.py").read_text() == "def total(items):\n    return sum(items)\n"
    assert world.git("stash", "list").startswith("stash@{0}: WIP on main")
    assert world.git("for-each-ref", "--format=%(refname)") == "refs/heads/main\nrefs/stash"

    rest = world.sparky("fix", "--json")
    (left,) = rest.json()["issues_remaining"]
    assert (rest.code, rest.json()["outcome"]) == (0, "nothing_to_do")
    assert left.startswith("pkg/__init__.py:1 F401 `json` imported but unused")
    assert left.endswith(": re-export in __init__.py: others may import it from here")


def test_a_fix_that_breaks_a_test_is_withdrawn_and_named_and_not_tried_again(world_of: MakeWorld) -> None:
    world = world_of(SIDE_EFFECT)
    said = world.sparky("fix", "--auto", "--json")
    (left,) = said.json()["issues_remaining"]
    assert (said.code, said.json()["outcome"]) == (0, "merged"), said.err
    assert left == (
        "report.py:1 F401 `csv_format` imported but unused: withdrawn: "
        "its fix breaks tests/test_report.py::test_csv"
    )
    assert "unused = 1" not in (world.repo / "report.py").read_text()
    runs = world.runs()
    again = world.sparky("fix", "--json")
    assert (again.code, again.json()["outcome"]) == (0, "nothing_to_do")
    assert again.json()["issues_remaining"] == [left]
    assert world.runs() == runs


def test_what_a_fix_brings_is_mended_by_the_same_agent_or_by_a_later_one(world_of: MakeWorld) -> None:
    fills = "def g(i):\n    return dict((p, i) for p in range(5))\n"
    world = world_of({"a.py": "import os\n\n\ndef f():\n    x = os.sep\n    return 1\n", "b.py": fills})
    said = world.sparky("fix", "--json")
    assert (said.json()["outcome"], said.json()["issues_remaining"]) == ("ready", [])
    assert [world.git("show", f"{said.json()['commit']}:{name}") for name in ("a.py", "b.py")] == [
        "def f():\n    return 1",
        "def g(i):\n    return dict.fromkeys(range(5), i)",
    ]


def test_files_that_cannot_be_read_are_named_and_the_others_are_mended(world_of: MakeWorld) -> None:
    world = world_of(
        {
            "bad.py": "import os\ndef f(:\n",
            "latin.py": b"# -*- coding: latin-1 -*-\nimport os\nX = '\xe4'\n",
            "good.py": "import os\n\nX = 1\n",
            "windows.py": b"import os\r\n\r\n\r\ndef f( a ):\r\n    return a\r\n",
        }
    )
    (scanned,) = {
        one["why"] for one in world.sparky("scan", "--json").json()["findings"] if one["agent"] is None
    }
    said = world.sparky("fix", "--json").json()
    show = [world.git("show", f"{said['commit']}:{name}") for name in ("good.py", "windows.py")]
    assert scanned == "ruff cannot read this file, so nothing in it is mended"
    assert {line.split(":")[0] for line in said["issues_remaining"]} == {"bad.py", "latin.py"}
    assert all(line.endswith("so nothing in it is mended") for line in said["issues_remaining"])
    assert show == ["X = 1", "def f(a):\r\n    return a"]


def test_bug_a_file_whose_name_is_not_utf8_was_left_out_without_a_word(world_of: MakeWorld) -> None:
    world = world_of({"good.py": "import os\n\nX = 1\n"})
    base = world.git("rev-parse", "HEAD")
    (world.repo / os.fsdecode(b"caf\xe9.py")).write_text("import os\n")
    world.commit({})
    note = "note: 'caf\\udce9.py' is left out: its name is not UTF-8, and tools report in UTF-8"
    said = {verb: world.sparky(*verb) for verb in (("scan",), ("fix", "--check"), ("scan", "--since", base))}
    assert [one.code for one in said.values()] == [0, 1, 0]
    assert [one.err.splitlines()[0] for one in said.values()] == [note] * 3
    fixed = world.sparky("fix", "--json")
    assert (fixed.code, fixed.json()["work_completed"]["files_modified"]) == (0, ["good.py"]), fixed.err
    assert fixed.err.splitlines()[0] == note


def test_a_repository_without_python_files_has_nothing_to_do(world_of: MakeWorld) -> None:
    world = world_of({"README.md": "# Words\n"})
    said = [world.sparky("fix", "--json"), world.sparky("scan", "--check", "--json")]
    assert [one.code for one in said] == [0, 0]
    assert said[0].json()["outcome"] == "nothing_to_do"
    assert said[1].json()["findings"] == []


def test_without_tests_it_is_ready_at_most_whatever_the_policy(world_of: MakeWorld) -> None:
    world = world_of({"a.py": "import os\n\nX = 1\n"})
    said = world.sparky("fix", "--auto", "--json")
    assert (said.code, said.json()["outcome"]) == (0, "ready"), said.err
    assert said.json()["reason"].startswith("for a person: unverified by tests")
    assert said.json()["work_completed"]["tests_passed"] is None
    assert (said.json()["notes"], said.json()["all_errors"]) == (["unverified by tests"], [])
    merged = world.sparky("merge", said.json()["run_id"], "--json").json()
    assert (merged["outcome"], merged["reason"][-25:]) == ("merged", ", which no test looked at")
    assert (world.repo / "a.py").read_text() == "X = 1\n"


def test_what_is_red_at_base_is_listed_and_excuses_nothing(world_of: MakeWorld) -> None:
    red = "from report import render\n\n\ndef test_red():\n    assert render(['a']) == 'b'\n"
    world = world_of({**SIDE_EFFECT, "tests/test_red.py": red, "sparky.toml": "merge = 'auto'\n"})
    said = world.sparky("fix", "--json")
    assert said.json()["outcome"] == "merged", said.err
    assert "1 failing at base too (pre-existing)" in said.err
    (left,) = said.json()["issues_remaining"]
    assert "its fix breaks 2 tests, such as tests/test_red.py::test_red" in left


def test_a_base_that_fails_otherwise_each_time_blames_no_fix(world_of: MakeWorld) -> None:
    tests = (
        "import time\n\n\ndef test_clock():\n    assert time.time_ns() == 0\n\n\ndef test_b():\n    pass\n"
    )
    world = world_of({**CONFIG, "shop.py": "import os\n\nX = 1\n", "tests/test_shop.py": tests})
    said = world.sparky("fix", "--json")
    assert (said.json()["outcome"], said.json()["issues_remaining"]) == ("ready", []), said.err
    assert "tests at base once more: 1 passed, 1 failed" in said.err


def test_a_project_that_is_not_for_this_python_is_blocked_and_told_what_to_do(world_of: MakeWorld) -> None:
    project = '[project]\nname = "shop"\nversion = "1"\nrequires-python = ">=3.99"\n'
    world = world_of({**SHOP, "pyproject.toml": project})
    said = world.sparky("fix", "--json")
    assert (said.code, said.json()["outcome"]) == (3, "blocked")
    assert "environment at base: shop requires Python >=3.99 (pyproject.toml), and" in said.json()["reason"]
    assert said.json()["reason"].endswith(": install sparky into one that fits")


def test_a_test_that_is_red_only_beside_others_is_marked_flaky(world_of: MakeWorld) -> None:
    tests = (
        "import shop\n\nseen = []\n\n\n"
        "def test_a():\n    if not hasattr(shop, 'os'):\n        seen.append(1)\n\n\n"
        "def test_b():\n    assert not seen\n"
    )
    world = world_of({**CONFIG, "shop.py": "import os\n\nX = 1\n", "tests/test_shop.py": tests})
    said = world.sparky("fix", "--json").json()
    assert (said["outcome"], said["notes"]) == ("ready", ["flaky: tests/test_shop.py::test_b"])


def test_paths_and_kinds_limit_what_is_mended(world_of: MakeWorld) -> None:
    world = world_of({"Größe ü/a b.py": "import os\n\nX = 1\n", "it's.py": "import os\n\nX=1\n"})
    one = world.sparky("fix", "Größe ü", "--json").json()
    assert one["work_completed"]["files_modified"] == ["Größe ü/a b.py"]
    other = world.sparky("fix", "-k", "import-error", "it's.py", "--json").json()
    assert world.git("show", f"{other['commit']}:it's.py") == "X=1"
    everything = world.sparky("fix", "--json").json()
    assert everything["work_completed"]["files_modified"] == ["Größe ü/a b.py", "it's.py"]
    assert len({one["run_id"], other["run_id"], everything["run_id"]}) == 3


def test_a_linked_worktree_is_worked_in_like_any_checkout(world_of: MakeWorld) -> None:
    world = world_of(
        {**SHOP, "run.py": "#!/usr/bin/env python\nimport os\n\nX = 1\n", ".gitattributes": "* text\n"}
    )
    (world.repo / "run.py").chmod(0o755)
    (world.repo / "link.py").symlink_to("run.py")
    world.commit({})
    linked = world.root / "linked"
    world.git("worktree", "add", "-q", "-b", "feature/x", str(linked))
    before = world.snapshot()
    said = world.sparky("fix", "--auto", "--json", cwd=linked)
    assert (said.code, said.json()["outcome"]) == (0, "merged"), said.err
    changed = world.git("diff", "--raw", "--abbrev=4", "main", "feature/x").splitlines()
    assert [(line[1:14], line.split("\t")[1]) for line in changed] == [
        ("100755 100755", "run.py"),
        ("100644 100644", "shop.py"),
    ]
    assert world.git("-C", str(linked), "status", "--porcelain") == ""
    assert {name for name, state in world.snapshot().items() if before.get(name) != state} <= {
        ".git/refs/heads/feature/x",
        ".git/logs/refs/heads/feature/x",
    }


def test_a_call_from_within_a_hook_looks_at_the_repository_that_it_is_in(world_of: MakeWorld) -> None:
    world = world_of(BUG)
    env = {"GIT_DIR": "/nonexistent", "GIT_INDEX_FILE": "/nonexistent/index", "GIT_WORK_TREE": "/"}
    said = world.sparky("scan", "--json", env=env)
    assert (said.code, said.json()["sha"]) == (0, world.git("rev-parse", "HEAD")), said.err
