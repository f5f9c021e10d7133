"""TEST_FAILURE: tests that fail since something moved, led to where it is now; stale snapshots, if asked."""

from sparky.agents.example import example
from sparky.agents.specialist import by_rules
from sparky.domain.agent import Agent, Role, ToolFix
from sparky.domain.issue import Kind, Source

TEST_FAILURE = Agent(
    name="test-failure",
    role=Role.CODER,
    kinds=(Kind.TEST_FAILURE,),
    description="Leads imports, names and paths of failing tests to what moved; rewrites snapshots if asked.",
    works=ToolFix(
        tools=("failures",), rules=("moved-import", "renamed-name", "moved-file", "stale-snapshot")
    ),
    bid=by_rules(
        mends=(
            *("ModuleNotFoundError", "cannot import name", "FileNotFoundError"),
            "(?:moved|renamed) (?:modules?|imports?|functions?|class(?:es)?|methods?|names?|files?)",
        ),
        declines=(
            *("flaky", "snapshots?", "AssertionError", "asserts?", "time[sd]? out", "timeouts?", "hangs?"),
            *("wrong", "sometimes", "intermittent(?:ly)?", "slow", "Windows", "macOS", "CI"),
        ),
        tools="the run of the tests and the history of git",
    ),
    takes=(
        example("Tests fail: cannot import name 'total' from 'shop.prices'", Kind.TEST_FAILURE),
        example("test_report.py fails with FileNotFoundError", Kind.TEST_FAILURE),
        example("3 TEST_FAILURE findings", Kind.TEST_FAILURE, source=Source.FINDINGS),
    ),
    declines=(
        example("test_total fails: AssertionError: 3 == 4", Kind.TEST_FAILURE),
        example("Flaky test in test_clock.py", Kind.TEST_FAILURE),
        example("The snapshot of the report is stale", Kind.TEST_FAILURE),
    ),
)
