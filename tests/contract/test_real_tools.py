"""Real tools of other languages, in the sandbox: what they print is what the golden files say they do."""

import shutil
import subprocess
from dataclasses import replace

import pytest

from sparky.domain.testing import TestOutcome, TestRun
from tests.contract.conftest import Target

PASSED, FAILED = TestOutcome.PASSED, TestOutcome.FAILED
GO = {
    "go.mod": "module example.org/cart\n\ngo 1.18\n",
    "cart.go": "package cart\n\nfunc Double(x int) int { return x * 3 }\n",
    "cart_test.go": (
        'package cart\n\nimport "testing"\n\nfunc TestZero(t *testing.T) {}\n\n'
        "func TestDouble(t *testing.T) {\n\tif got := Double(2); got != 4 {\n"
        '\t\tt.Errorf("got %d, want 4", got)\n\t}\n}\n'
    ),
}
CRATE = '[package]\nname = "NAME"\nversion = "0.1.0"\nedition = "2021"\n'
LIB = '#[test]\nfn fine() {}\n\n#[test]\nfn wrong() {\n    assert!(1 == 2, "no");\n}\n'
WORKSPACE = {
    "Cargo.toml": '[workspace]\nmembers = ["one", "two"]\nresolver = "2"\n',
    "one/Cargo.toml": CRATE.replace("NAME", "one"),
    "one/src/lib.rs": LIB,
    "two/Cargo.toml": CRATE.replace("NAME", "two"),
    "two/src/lib.rs": LIB.replace("wrong", "right").replace("1 == 2", "1 == 1"),
}
SCRIPT = 'const {{ expect, test }} = require("{}");\n'
CASES = 'test("doubles", () => expect(2 * 2).toBe(4));\ntest("triples", () => expect(2 * 2).toBe(6));\n'

pytestmark = pytest.mark.soak


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


def outcomes(told: TestRun) -> dict[str, tuple[TestOutcome, str]]:
    assert (told.trouble, told.detail) == (None, "")
    return {case.id: (case.outcome, case.message) for case in told.cases}


@needs("go")
def test_go(fresh_target: Target) -> None:
    sha = fresh_target.commit(dict(GO))
    context = fresh_target.context(sha)
    command = fresh_target.tests.discover(context, sha)
    assert command == ("go", "test", "-json", "./...")
    assert outcomes(fresh_target.tests.run(context, sha, command)) == {
        "example.org/cart.TestZero": (PASSED, ""),
        "example.org/cart.TestDouble": (FAILED, "got 6, want 4"),
    }


@needs("cargo")
@pytest.mark.parametrize("how", ["text", "json"])
def test_a_workspace_of_cargo(fresh_target: Target, how: str) -> None:
    sha = fresh_target.commit(dict(WORKSPACE))
    context = fresh_target.context(sha)
    command = fresh_target.tests.discover(context, sha)
    assert command == ("cargo", "test", "--no-fail-fast")
    if how == "json":
        options = ("--lib", "--", "-Z", "unstable-options", "--format", "json")
        command = ("env", "RUSTC_BOOTSTRAP=1", *command, *options)
    assert outcomes(fresh_target.tests.run(context, sha, command)) == {
        "one src/lib.rs::fine": (PASSED, ""),
        "one src/lib.rs::wrong": (FAILED, "no"),
        "two src/lib.rs::fine": (PASSED, ""),
        "two src/lib.rs::right": (PASSED, ""),
    }


TOOLS = {
    "jest": ("cart.test.js", SCRIPT.format("@jest/globals") + CASES, ("npx", "jest", "--json")),
    "vitest": (
        "cart.test.mjs",
        'import { expect, test } from "vitest";\n' + CASES,
        ("npx", "vitest", "run", "--reporter=json"),
    ),
}


@pytest.mark.network
@needs("npm")
@pytest.mark.parametrize("tool", TOOLS)
def test_node_s_tools_are_fetched_and_read(fresh_target: Target, tool: str) -> None:
    path, text, command = TOOLS[tool]
    asked = subprocess.run(["npm", "config", "get", "registry"], check=True, capture_output=True, text=True)
    target = replace(fresh_target, index={"npm_config_registry": asked.stdout.strip()})
    package = '{"private": true, "scripts": {"test": "x"}}'
    sha = target.commit({"package.json": package, path: text, ".gitignore": "node_modules\n"})
    context = target.context(sha)
    assert target.tests.discover(context, sha) == ("npm", "test")
    set_up = ("npm", "install", "--no-save", "--no-audit", "--no-fund", tool)
    told = target.tests_with(set_up=set_up).run(context, sha, command)
    by_name = {name.rpartition("::")[2]: outcome for name, (outcome, _) in outcomes(told).items()}
    assert by_name == {"doubles": PASSED, "triples": FAILED}
    assert not (target.cache / "envs").exists()
