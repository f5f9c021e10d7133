"""Each gate of the mechanical review: what it lets through, and what it says when it does not."""

from dataclasses import replace

import pytest

from sparky.domain import gates
from sparky.domain.attempt import GateResult, Verdict
from sparky.domain.change import Change, FileChange, Lines
from sparky.domain.gates import GATES, Facts
from sparky.domain.issue import Severity
from tests.builders import ISSUE

KEY = "AKIA" + "Q" * 16
FIXTURE = "tests/test_a.py"


def file(path: str, status: str = "M", *, old: str | None = None, binary: bool = False) -> FileChange:
    return FileChange(path=path, status=status, added=1, deleted=1, old_path=old, binary=binary)


def facts(*files: FileChange, named: tuple[str, ...] = (), body: str = "") -> Facts:
    return Facts(issue=replace(ISSUE, files=named, body=body), change=Change(files=files))


def lines(path: str, *, added: tuple[str, ...] = (), removed: tuple[str, ...] = (), body: str = "") -> Facts:
    change = Change(files=(file(path),), lines={path: Lines(added=added, removed=removed)})
    return Facts(issue=replace(ISSUE, body=body), change=change)


def passed(gate: str, reason: str, severity: Severity = Severity.HIGH) -> GateResult:
    return GateResult(gate=gate, verdict=Verdict.PASS, reason=reason, severity=severity)


def refused(gate: str, reason: str, severity: Severity = Severity.HIGH) -> GateResult:
    return GateResult(gate=gate, verdict=Verdict.REVISE, reason=reason, severity=severity)


def test_a_change_that_is_fine_passes_every_gate_in_order() -> None:
    found = gates.review(lines("src/a.py", added=("x = 1",), removed=("x = 2",)))
    assert [result.gate for result in found] == [
        "parses",
        "scope",
        "protected",
        "suppressions",
        "secrets",
        "tests kept",
        "reports kept",
    ]
    assert {result.verdict for result in found} == {Verdict.PASS}
    assert len(found) == len(GATES)


def test_files_that_do_not_parse_are_refused_by_name() -> None:
    broken = {"b.py": "line 2: invalid syntax", "a.py": "line 1: '(' was never closed"}
    told = Facts(issue=ISSUE, change=Change(files=(), broken=broken))
    reason = "a.py: line 1: '(' was never closed; b.py: line 2: invalid syntax"
    assert gates.parses(told) == refused("parses", reason)
    assert gates.parses(facts()) == passed("parses", "every changed Python file parses")


@pytest.mark.parametrize(("count", "more"), [(5, ""), (6, " (and 1 more)"), (7, " (and 2 more)")])
def test_more_than_five_refusals_are_counted(count: int, more: str) -> None:
    broken = {f"{n}.py": "why" for n in range(count)}
    reason = f"0.py: why; 1.py: why; 2.py: why; 3.py: why; 4.py: why{more}"
    assert gates.parses(Facts(issue=ISSUE, change=Change(files=(), broken=broken))).reason == reason


def test_an_issue_that_names_no_files_allows_all() -> None:
    expected = passed("scope", "the issue names no files, so none is out of scope")
    assert gates.scope(facts(file("anything.py"))) == expected


@pytest.mark.parametrize(
    "change",
    [
        file("src/a.py"),
        file("src/shop/deep/b.py", "D"),
        file("lib/c.py", "R", old="src/a.py"),
        file("tests/test_new.py", "A"),
    ],
)
def test_named_files_what_is_below_named_directories_and_new_tests_are_in_scope(change: FileChange) -> None:
    told = facts(change, named=("src/a.py", "src/shop/", "lib"))
    assert gates.scope(told) == passed("scope", "all changed files are named by the issue")


@pytest.mark.parametrize(
    "change",
    [
        file("src/b.py"),
        file("src/shopping.py"),
        file("tests/test_old.py"),
        file("src/new.py", "A"),
        file("src/a.py", "R", old="elsewhere.py"),
        file("elsewhere.py", "R", old="src/a.py"),
    ],
)
def test_what_the_issue_does_not_name_is_out_of_scope(change: FileChange) -> None:
    reason = f"{change.path} is not among the files that the issue names"
    assert gates.scope(facts(change, named=("src/a.py", "src/shop"))) == refused("scope", reason)


PROTECTED = [
    "uv.lock",
    "web/package-lock.json",
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
    "ruff.toml",
    "pyproject.toml",
    "setup.cfg",
    ".pre-commit-config.yaml",
    "sub/pytest.ini",
    ".gitattributes",
    ".env",
    ".env.local",
    "keys/server.pem",
    "id_ed25519",
    "Jenkinsfile",
]


@pytest.mark.parametrize("path", PROTECTED)
def test_what_is_protected_needs_permission(path: str) -> None:
    reason = f"{path} needs explicit permission: the issue does not name it"
    assert gates.protected(facts(file(path))) == refused("protected", reason)
    allowed = passed("protected", "no lock file, CI, tool configuration or binary is touched")
    assert gates.protected(facts(file(path), named=(path,))) == allowed


def test_a_binary_needs_permission() -> None:
    reason = "logo.png needs explicit permission: the issue does not name it"
    assert gates.protected(facts(file("logo.png", "A", binary=True))) == refused("protected", reason)


def test_a_protected_file_is_not_moved_away_either() -> None:
    moved = facts(file("notes.yml", "R", old=".github/workflows/ci.yml"))
    reason = ".github/workflows/ci.yml needs explicit permission: the issue does not name it"
    assert gates.protected(moved) == refused("protected", reason)


@pytest.mark.parametrize("path", ["src/a.py", "src/keys.py", "docs/github.md", "src/environment.py"])
def test_the_rest_is_not_protected(path: str) -> None:
    expected = passed("protected", "no lock file, CI, tool configuration or binary is touched")
    assert gates.protected(facts(file(path))) == expected


SUPPRESSIONS = [
    "import os  # noqa",
    "import os  #NOQA: F401",
    "x: int = ''  # type: ignore[assignment]",
    "x = y  # pyright: ignore",
    "if x:  # pragma: no cover",
    "# pylint: disable=all",
    "# fmt: off",
    "# ruff: noqa: E501",
    "eval(x)  # nosec",
]


@pytest.mark.parametrize("line", SUPPRESSIONS)
def test_a_suppression_is_no_fix(line: str) -> None:
    reason = "a.py: adds 1 comment(s) that hide a finding instead of mending it"
    assert gates.suppressions(lines("a.py", added=(line,))) == refused("suppressions", reason)


def test_a_suppression_that_moves_or_goes_is_not_held_against_the_change() -> None:
    expected = passed("suppressions", "no suppression is added")
    old, new = "import os  # noqa", "import os, sys  # noqa"
    assert gates.suppressions(lines("a.py", added=(new,), removed=(old,))) == expected
    assert gates.suppressions(lines("a.py", removed=(old,))) == expected


def test_an_issue_that_asks_for_a_suppression_gets_it() -> None:
    asked = lines("a.py", added=("import os  # noqa",), body="Put `# noqa: F401` behind the import.")
    assert gates.suppressions(asked) == passed("suppressions", "no suppression is added")


@pytest.mark.parametrize(
    "line",
    [
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----",
        f"key = {KEY!r}",
        "token = 'ghp_" + "a" * 36 + "'",
        "glpat-" + "x" * 20,
        "xoxb-" + "1" * 12,
        "sk-ant-" + "y" * 40,
    ],
)
def test_a_key_or_token_is_refused_and_not_repeated(line: str) -> None:
    expected = refused("secrets", "a.py: looks like a key or token", Severity.CRITICAL)
    assert gates.secrets(lines("a.py", added=(line,))) == expected


def test_a_key_that_goes_and_a_word_that_looks_a_little_like_one_are_let_through() -> None:
    expected = passed("secrets", "no key or token is added", Severity.CRITICAL)
    told = lines("a.py", added=("task-list = 'sk-short'", "AKIA is a prefix"), removed=(KEY,))
    assert gates.secrets(told) == expected


KEPT = passed("tests kept", "no test is deleted, skipped or weakened")


def test_a_test_that_is_deleted_is_named() -> None:
    assert gates.tests_kept(facts(file(FIXTURE, "D"))) == refused("tests kept", "tests/test_a.py is deleted")
    assert gates.tests_kept(facts(file("src/a.py", "D"))) == KEPT


def test_a_test_that_is_moved_to_where_no_test_is_looked_for_is_named() -> None:
    moved = facts(file("tests/a_old.py", "R", old=FIXTURE))
    reason = "tests/test_a.py is moved to tests/a_old.py, where no test is looked for"
    assert gates.tests_kept(moved) == refused("tests kept", reason)
    assert gates.tests_kept(facts(file("tests/unit/test_a.py", "R", old=FIXTURE))) == KEPT


@pytest.mark.parametrize(
    "line",
    [
        "@pytest.mark.skip",
        "@pytest.mark.skipif(True, reason='x')",
        "@pytest.mark.xfail",
        "@mark.xfail(strict=False)",
        "@unittest.skip('later')",
        "@skipIf(True, 'x')",
        "@unittest.expectedFailure",
        "    pytest.skip('later')",
        "    pytest.xfail('known')",
        "os = pytest.importorskip('nothing')",
        "pytestmark = pytest.mark.skip",
        "    pytest.param(1, marks=pytest.mark.xfail),",
        "    self.skipTest('later')",
        "    raise unittest.SkipTest",
        "collect_ignore = ['test_b.py']",
        "    __test__ = False",
    ],
)
def test_a_test_is_not_skipped(line: str) -> None:
    reason = "tests/test_a.py: a skip or xfail is added"
    assert gates.tests_kept(lines(FIXTURE, added=(line,))) == refused("tests kept", reason)
    assert gates.tests_kept(lines(FIXTURE, added=(line,), removed=(line,))) == KEPT


def test_a_test_that_is_cut_out_of_its_file_is_named_and_one_that_is_rewritten_is_not() -> None:
    old = ("def test_sum(self):", "async def test_wait(self):", "def help_out():")
    told = lines(FIXTURE, removed=old, added=("def test_sum(self, numbers):",))
    assert gates.tests_kept(told) == refused("tests kept", "tests/test_a.py: test_wait is removed")


@pytest.mark.parametrize(
    "assertion",
    [
        "    assert x == 1",
        "    self.assertEqual(x, 1)",
        "    with pytest.raises(ValueError):",
        "    with self.assertRaises(ValueError):",
    ],
)
def test_a_test_keeps_its_assertions(assertion: str) -> None:
    reason = "tests/test_a.py: 1 assertion(s) fewer"
    assert gates.tests_kept(lines(FIXTURE, removed=(assertion,))) == refused("tests kept", reason)
    assert gates.tests_kept(lines(FIXTURE, removed=(assertion,), added=("    assert x is None",))) == KEPT


def test_what_is_no_test_may_lose_assertions() -> None:
    assert gates.tests_kept(lines("src/a.py", removed=("    assert x", "def test_mode(self):"))) == KEPT


REPORT = "docs/reports/Coding_Issue#7_Report_v1.md"


@pytest.mark.parametrize(
    "change", [file(REPORT), file(REPORT, "D"), file("docs/reports/CodingAgent_issue#7_report_V12.md")]
)
def test_a_report_is_never_edited(change: FileChange) -> None:
    reason = f"{change.path} is a report, and reports are never edited"
    assert gates.reports_kept(facts(change)) == refused("reports kept", reason)


def test_a_report_is_not_moved_either() -> None:
    reason = "old.md is a report, and reports are never edited"
    assert gates.reports_kept(facts(file("old.md", "R", old=REPORT))) == refused("reports kept", reason)


@pytest.mark.parametrize("change", [file(REPORT, "A"), file("docs/reports/README.md"), file("a.py")])
def test_a_new_report_and_other_files_are_let_through(change: FileChange) -> None:
    assert gates.reports_kept(facts(change)) == passed("reports kept", "no report is edited")
