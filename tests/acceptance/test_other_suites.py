"""`sparky run` on projects whose tests are not pytest's: from the issue to the merged commit."""

import shutil
from dataclasses import replace

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.world import World, replacing

SHELL = {
    "Makefile": "test:\n\tsh test.sh\n",
    "double.sh": "#!/bin/sh\necho $(($1 * 3))\n",
    "test.sh": 'test "$(sh double.sh 2)" = 4 || { echo "double.sh 2 is not 4"; exit 1; }\n',
    "issues/001-double.md": "# Issue #001: double is wrong\n\n## Type\nbug\n\n## Files\n- double.sh\n",
}
CARGO = {
    "Cargo.toml": '[package]\nname = "cart"\nversion = "0.1.0"\nedition = "2021"\n',
    "Cargo.lock": 'version = 4\n\n[[package]]\nname = "cart"\nversion = "0.1.0"\n',
    ".gitignore": "target\n",
    "src/lib.rs": (
        "pub fn double(x: u32) -> u32 {\n    x * 3\n}\n\n#[cfg(test)]\nmod tests {\n"
        "    #[test]\n    fn doubles() {\n        assert_eq!(super::double(2), 4);\n    }\n"
        "    #[test]\n    fn zero() {\n        assert_eq!(super::double(0), 0);\n    }\n}\n"
    ),
    "issues/001-double.md": "# Issue #001: double is wrong\n\n## Type\nbug\n\n## Files\n- src/lib.rs\n",
}
CASE = "import unittest\n\nimport calc\n\n\nclass Test(unittest.TestCase):\n"
UNITTEST = {
    "calc.py": "def double(x):\n    return x * 3\n",
    "tests/__init__.py": "",
    "tests/test_calc.py": f"{CASE}    def test_double(self):\n        self.assertEqual(calc.double(2), 4)\n",
    "tests/test_zero.py": f"{CASE}    def test_zero(self):\n        self.assertEqual(calc.double(0), 0)\n",
    "issues/001-double.md": "# Issue #001: double is wrong\n\n## Type\nbug\n\n## Files\n- calc.py\n",
}


def merged(world: World, path: str, old: str, new: str) -> str:
    """Run issue 1 with an agent that replaces one text: it is merged. Returns what was told on the way."""
    said = world.sparky("run", "1", "--auto", "--json", *world.script(replacing(path, old, new)))
    assert (said.code, said.json()["outcome"]) == (0, "merged"), said.out + said.err
    assert world.git("log", "--format=%s", "main").splitlines() == ["double is wrong", "by a person"]
    assert new in (world.repo / path).read_text()
    assert world.git("status", "--porcelain") == ""
    return said.err


def test_a_project_of_shell_and_make_without_any_python_is_mended(world_of: MakeWorld) -> None:
    world = world_of(SHELL)
    world = replace(world, cache=world.root / "cache")
    merged(world, "double.sh", "* 3", "* 2")
    assert [path.name for path in world.cache.iterdir() if path.name in {"envs", "uv", "installs"}] == []


def test_a_change_that_its_command_refuses_is_not_merged(world_of: MakeWorld) -> None:
    world = world_of({**SHELL, "double.sh": "#!/bin/sh\necho $(($1 * 2))\n"})
    session = replacing("double.sh", "* 2", "* 5")
    said = world.sparky("run", "1", "--auto", "--json", *world.script(session))
    assert (said.code, said.json()["outcome"]) == (1, "failed")
    assert "tester: 1 test(s) worse than at base: make test" in said.json()["reason"]


def test_a_project_of_unittest_is_mended_test_by_test(world_of: MakeWorld) -> None:
    err = merged(world_of(UNITTEST), "calc.py", "x * 3", "x * 2")
    assert "tests at base: 1 passed, 1 failed" in err
    assert "tests at head: 2 passed, 0 failed" in err


def test_the_report_that_the_settings_name_is_read(world_of: MakeWorld) -> None:
    script = (
        'mkdir -p out; sh test.sh && bad="" || bad="<failure message=\'not 4\'/>"\n'
        "echo \"<testsuite name='s'><testcase name='double'>$bad</testcase><testcase name='x'/></testsuite>\""
        " > out/r.xml\n"
    )
    settings = 'test_command = "sh all.sh"\ntest_report = "out/*.xml"\n'
    world = world_of({**SHELL, "all.sh": script, "sparky.toml": settings})
    err = merged(world, "double.sh", "* 3", "* 2")
    assert "tests at base: 1 passed, 1 failed" in err


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_a_crate_is_mended_test_by_test(world_of: MakeWorld) -> None:
    err = merged(world_of(CARGO), "src/lib.rs", "x * 3", "x * 2")
    assert "tests at base: 1 passed, 1 failed" in err
    assert "tests at head: 2 passed, 0 failed" in err
