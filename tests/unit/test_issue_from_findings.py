"""The issue of a `fix`."""

from sparky.domain.finding import Finding, Location, findings_issue, leftovers_issue
from sparky.domain.issue import Issue, Kind, Severity, Source


def finding(kind: Kind, rule: str, severity: Severity = Severity.LOW) -> Finding:
    place = Location(path="a.py", line=1)
    return Finding(tool="ruff", rule=rule, kind=kind, message="m", location=place, severity=severity)


FOUND = (
    finding(Kind.FORMATTING, "W291"),
    finding(Kind.DEAD_CODE, "F401", Severity.HIGH),
    finding(Kind.FORMATTING, "W291"),
    finding(Kind.SECURITY, "S1", Severity.CRITICAL),
)


def test_findings_become_one_issue_of_the_kinds_asked_for() -> None:
    issue = findings_issue(FOUND, (Kind.FORMATTING, Kind.DEAD_CODE), "house", ["./src/", "a.py", "src"])
    assert issue == Issue(
        id="fix",
        key=issue.key,
        title="Fix FORMATTING, DEAD_CODE",
        source=Source.FINDINGS,
        body="- DEAD_CODE: ruff F401, 1\n- FORMATTING: ruff W291, 2",
        kinds=(Kind.FORMATTING, Kind.DEAD_CODE),
        severity=Severity.HIGH,
        files=("a.py", "src"),
    )


def test_without_kinds_every_kind_found_is_asked_for() -> None:
    issue = findings_issue(FOUND, (), "house", ["."])
    assert (issue.title, issue.files) == ("Fix FORMATTING, SECURITY, DEAD_CODE", ())


def test_nothing_found_is_still_an_issue() -> None:
    issue = findings_issue((), (), "house", ())
    assert (issue.title, issue.kinds, issue.severity, issue.body) == (
        "Fix what the tools find", (), Severity.LOW, "",
    )  # fmt: skip


def test_the_same_fix_has_the_same_key_whatever_was_found() -> None:
    kinds = (Kind.FORMATTING, Kind.DEAD_CODE)
    one = findings_issue(FOUND, kinds, "house", ["a", "b/"])
    assert one.key == findings_issue((), kinds[::-1], "house", ["./b", "a"]).key


def test_another_fix_has_another_key() -> None:
    fixes = [
        findings_issue(FOUND, kinds, repository, paths).key
        for repository in ("house", "barn")
        for kinds in ((), (Kind.FORMATTING,), (Kind.DEAD_CODE,))
        for paths in ((), ("a",), ("a", "b"))
    ]
    assert len(set(fixes)) == len(fixes)


def test_what_is_left_of_a_kind_is_an_issue_that_permits_nothing() -> None:
    whole = findings_issue(FOUND, (Kind.DEAD_CODE,), "house", ["src"])
    issue = leftovers_issue(Kind.DEAD_CODE, ["a.py:1 F401 m: why", "b.py:2 F841 n: why"], "house", whole)
    assert issue == Issue(
        id="left-dead-code",
        key=issue.key,
        title="DEAD_CODE: mend 2 finding(s) that no rule mends",
        source=Source.LEFTOVERS,
        body="- a.py:1 F401 m: why\n- b.py:2 F841 n: why",
        kinds=(Kind.DEAD_CODE,),
        severity=Severity.HIGH,
        constraints=("mend the cause of each finding, and hide none of them",),
        files=("src",),
        author="sparky",
        association="TOOL",
        parent_issue="fix",
    )
    assert (issue.may_permit, issue.key == whole.key) == (False, False)
