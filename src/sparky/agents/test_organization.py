"""TEST_ORGANIZATION: the form of pytest's fixtures, marks and parameters, mended by ruff."""

from sparky.agents.example import example
from sparky.agents.specialist import by_rules
from sparky.domain.agent import Agent, Role, ToolFix
from sparky.domain.issue import Kind, Source

TEST_ORGANIZATION = Agent(
    name="test-organization",
    role=Role.CODER,
    kinds=(Kind.TEST_ORGANIZATION,),
    description="Brings fixtures, marks and parameters of pytest into one form with ruff.",
    works=ToolFix(
        tools=("ruff",),
        rules=(
            *("PT001", "PT003", "PT006", "PT007", "PT018", "PT020", "PT022", "PT023", "PT024"),
            *("PT025", "PT026"),
        ),
        unsafe=(
            "PT003",
            "PT006",
            "PT007",
            "PT018",
            "PT022",
            "PT024",
            "PT025",
            "PT026",
        ),
    ),
    bid=by_rules(
        mends=(
            *(r"PT0\d{2}", "pytest style", "parametri[sz]e"),
            *("fixtures? (?:parentheses|style|scope)", "composite assert(?:ion)?s?"),
        ),
        declines=(
            *("move", "rename", "split", "reorgani[sz]e", "restructure", "regroup"),
            *(r"conftest\S*", "director(?:y|ies)", "folders?"),
        ),
        tools="ruff",
    ),
    takes=(
        example("pytest style: parametrize names as a tuple", Kind.TEST_ORGANIZATION),
        example("PT023: parentheses of marks", Kind.TEST_ORGANIZATION),
        example("3 TEST_ORGANIZATION findings", Kind.TEST_ORGANIZATION, source=Source.FINDINGS),
    ),
    declines=(
        example("Move the fixtures of test_report.py to conftest.py", Kind.TEST_ORGANIZATION),
        example("Split the slow tests from the fast ones", Kind.TEST_ORGANIZATION),
    ),
)
