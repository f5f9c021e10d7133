"""Each gate of the mechanical review: what it lets through, and what it says when it does not."""

from dataclasses import replace

import pytest

from sparky.domain import gates
from sparky.domain.agent import Role
from sparky.domain.attempt import GateResult, Verdict
from sparky.domain.change import Change, FileChange, Lines, Sort, Suspicion
from sparky.domain.gates import GATES, Facts, may_edit
from sparky.domain.issue import Kind, Severity, Source
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
        "rules kept",
        "no tricks",
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
        file("tests/conftest.py", "A"),
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
    "pyrefly.toml",
    "pyrightconfig.json",
    ".complexipy.toml",
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


@pytest.mark.parametrize(
    ("kind", "source", "verdict"),
    [
        (Kind.DEPENDENCY, Source.FINDINGS, Verdict.PASS),
        (Kind.DEPENDENCY, Source.SENTENCE, Verdict.REVISE),
        (Kind.FORMATTING, Source.FINDINGS, Verdict.REVISE),
    ],
)
def test_findings_of_dependencies_that_a_person_asked_for_permit_the_file_that_declares_them(
    kind: Kind, source: Source, verdict: Verdict
) -> None:
    asked = facts(file("pyproject.toml"))
    asked = replace(asked, issue=replace(asked.issue, kinds=(kind,), source=source))
    assert gates.protected(asked).verdict is verdict
    locked = replace(asked, change=replace(asked.change, files=(file("uv.lock"),)))
    assert gates.protected(locked).verdict is Verdict.REVISE


def test_a_binary_needs_permission() -> None:
    reason = "logo.png needs explicit permission: the issue does not name it"
    assert gates.protected(facts(file("logo.png", "A", binary=True))) == refused("protected", reason)


def linked(goal: str | None) -> Facts:
    """A link src/link to `goal`; None: it is moved there as it is."""
    link = FileChange(path="src/link", status="R" if goal is None else "A", added=0, deleted=0, link=True)
    lines = {} if goal is None else {"src/link": Lines(added=(goal,))}
    return Facts(issue=ISSUE, change=Change(files=(link,), lines=lines))


@pytest.mark.parametrize(
    "goal",
    ["/", "/etc/passwd", "../../x", "../.git/hooks", "../.GIT/hooks", "a/up/../b", "a/.git/config", None],
)
def test_a_link_out_of_the_repository_needs_permission_and_so_does_one_that_is_moved(
    goal: str | None,
) -> None:
    told = linked(goal)
    reason = "src/link, a link that leads out of the repository, needs explicit permission"
    assert gates.protected(told) == refused("protected", f"{reason}: the issue does not name it")
    named = replace(told, issue=replace(ISSUE, files=("src/link",)))
    assert gates.protected(named).verdict is Verdict.PASS


@pytest.mark.parametrize("goal", ["..", "a.py", "../docs/..a.md"])
def test_a_link_inside_the_repository_needs_none(goal: str) -> None:
    assert gates.protected(linked(goal)).verdict is Verdict.PASS


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
    "def f(x):  # complexipy: ignore",
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


def suspected(sort: Sort, what: str = "test_a (it)", *, body: str = "", for_tester: bool = False) -> Facts:
    one = Suspicion(sort=sort, path=FIXTURE, line=3, what=what, why="because")
    issue = replace(ISSUE, body=body)
    return Facts(issue=issue, change=Change(files=(), suspicions=(one,)), for_tester=for_tester)


KEPT = passed("tests kept", "no test is deleted, skipped or weakened")
OF_TESTS = (Sort.REMOVED, Sort.SKIPPED, Sort.HOLLOW, Sort.LOOSENED, Sort.CHANGED, Sort.REPLACED)


@pytest.mark.parametrize("sort", OF_TESTS)
def test_a_test_keeps_its_worth(sort: Sort) -> None:
    reason = "tests/test_a.py:3: test_a (it): because"
    assert gates.tests_kept(suspected(sort)) == refused("tests kept", reason)


@pytest.mark.parametrize("sort", [Sort.RULES, Sort.TRICK])
def test_what_is_no_test_is_for_other_gates(sort: Sort) -> None:
    assert gates.tests_kept(suspected(sort)) == KEPT


def test_where_a_tester_was_asked_the_mutants_tell_of_changed_tests_and_skips_are_refused() -> None:
    found = {sort: gates.tests_kept(suspected(sort, for_tester=True)).verdict for sort in OF_TESTS}
    free = {Sort.REMOVED, Sort.LOOSENED, Sort.CHANGED}
    assert {sort for sort, verdict in found.items() if verdict is Verdict.PASS} == free


def test_a_snapshot_that_a_person_had_rewritten_is_excused_and_no_other_file() -> None:
    for sort in OF_TESTS:
        facts = suspected(sort)
        assert gates.tests_kept(replace(facts, rewritten=frozenset({FIXTURE}))) == KEPT
        assert gates.tests_kept(replace(facts, rewritten=frozenset({f"{FIXTURE}.ambr"}))) != KEPT


def test_a_rule_is_loosened_only_by_an_issue_that_names_it() -> None:
    what = "tool.coverage.report.fail_under lowers what is demanded"
    reason = f"tests/test_a.py:3: {what}: because"
    assert gates.rules_kept(suspected(Sort.RULES, what)) == refused("rules kept", reason)
    expected = passed("rules kept", "no rule that the code is held to is loosened")
    assert gates.rules_kept(suspected(Sort.RULES, what, body="Set fail_under to 80.")) == expected


def test_a_trick_is_refused() -> None:
    reason = "tests/test_a.py:3: os._exit(): because"
    assert gates.no_tricks(suspected(Sort.TRICK, "os._exit()")) == refused("no tricks", reason)
    assert gates.no_tricks(suspected(Sort.SKIPPED)) == passed("no tricks", "nothing in it deceives the tests")


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


@pytest.mark.parametrize(
    ("role", "path", "expected"),
    [
        (Role.CODER, "shop.py", True),
        (Role.VALIDATOR, "shop.py", True),
        (Role.TESTER, "tests/test_shop.py", True),
        (Role.TESTER, "shop.py", False),
        (Role.DOCUMENTER, "docs/shop.py", True),
        (Role.DOCUMENTER, "README.md", True),
        (Role.DOCUMENTER, "shop.py", False),
        (Role.REVIEWER, "README.md", False),
        (Role.PLANNER, "README.md", False),
    ],
)
def test_a_role_may_edit_what_is_its_business(role: Role, path: str, *, expected: bool) -> None:
    assert may_edit(role, path) is expected
