"""When a run of tests is a verdict about the code, and when it is not."""

import pytest

from sparky.domain.command import Completed, Ending
from sparky.domain.testing import TestCase, TestOutcome, Trouble
from sparky.targets.suite import Judgement, Seen, SuiteReport, own_names
from sparky.targets.suites import by_pytest

PASSED = TestCase(id="t.py::a", outcome=TestOutcome.PASSED)
NUMPY = TestCase(
    id="n.py", outcome=TestOutcome.ERROR, message="ModuleNotFoundError: No module named 'numpy.linalg'"
)
HERE = ("/cache/tree",)
CONFTEST = """ImportError while loading conftest '/cache/tree/tests/conftest.py'.
tests/conftest.py:1: in <module>
    import MODULE
E   ModuleNotFoundError: No module named 'MODULE'
"""


def completed(code: int = 0, ending: Ending = Ending.EXITED, said: str = "") -> Completed:
    return Completed(
        argv=("pytest", "-x"), ending=ending, code=code, stdout=said.encode(), stderr=b"", seconds=61.7
    )


def report(
    *cases: TestCase, running: tuple[str, ...] = (), imported: str = "/cache/tree/pkg.py"
) -> SuiteReport:
    return SuiteReport(
        cases=cases, running=running, imported={"pkg": (imported,)}, started=True, ended=not running
    )


def judge(done: Completed, told: SuiteReport) -> Judgement:
    own = frozenset({"pkg", "helpers"})
    return by_pytest.judge(Seen(name="pytest -x", completed=done, report=told, roots=HERE, own=own))


@pytest.mark.parametrize(
    ("done", "told", "expected"),
    [
        (completed(), report(PASSED), Judgement(cases=(PASSED,))),
        (
            completed(1),
            report(PASSED, NUMPY),
            Judgement(cases=(PASSED, NUMPY), detail="not installed: numpy"),
        ),
        (
            completed(1),
            report(NUMPY),
            Judgement(
                cases=(NUMPY,),
                trouble=Trouble.ENVIRONMENT,
                detail="no test module can be imported: numpy not installed",
            ),
        ),
        (
            completed(5),
            report(),
            Judgement(cases=(), trouble=Trouble.NO_TESTS, detail="pytest found no tests"),
        ),
        (
            completed(4, said="usage: pytest\npytest: error: unrecognized arguments: --cov\n  inifile: x\n"),
            report(),
            Judgement(
                cases=(),
                trouble=Trouble.ENVIRONMENT,
                detail="pytest: error: unrecognized arguments: --cov",
            ),
        ),
        (
            completed(1, said="/env/bin/python: No module named pytest\n"),
            SuiteReport(),
            Judgement(
                cases=(),
                trouble=Trouble.ENVIRONMENT,
                detail="pytest did not start: /env/bin/python: No module named pytest",
            ),
        ),
        (
            completed(1),
            SuiteReport(),
            Judgement(cases=(), trouble=Trouble.ENVIRONMENT, detail="pytest did not start: it said nothing"),
        ),
        (
            completed(-9, Ending.TIMED_OUT),
            report(PASSED, running=("t.py::b", "t.py::c")),
            Judgement(
                cases=(PASSED,),
                trouble=Trouble.TIMED_OUT,
                detail="after 62 s, while t.py::b, t.py::c ran",
            ),
        ),
        (
            completed(-11, Ending.KILLED),
            report(running=("t.py::b",)),
            Judgement(cases=(), trouble=Trouble.CRASHED, detail="killed by signal 11, while t.py::b ran"),
        ),
        (
            completed(-9, Ending.KILLED),
            report(running=("t.py::b",)),
            Judgement(
                cases=(),
                trouble=Trouble.KILLED,
                detail="killed by signal 9, as the system does where memory runs out, while t.py::b ran",
            ),
        ),
        (
            completed(0),
            report(running=("t.py::b",)),
            Judgement(
                cases=(), trouble=Trouble.CRASHED, detail="exit code 0 before the end, while t.py::b ran"
            ),
        ),
        (
            completed(3, said="INTERNALERROR> boom"),
            report(PASSED),
            Judgement(
                cases=(PASSED,), trouble=Trouble.CRASHED, detail="pytest broke off: INTERNALERROR> boom"
            ),
        ),
        (
            completed(126, Ending.REFUSED),
            SuiteReport(),
            Judgement(cases=(), trouble=Trouble.ENVIRONMENT, detail="refused by the sandbox: pytest"),
        ),
        (
            completed(0),
            report(PASSED, imported="/elsewhere/pkg.py"),
            Judgement(cases=(PASSED,), trouble=Trouble.FOREIGN_CODE, detail="they import /elsewhere/pkg.py"),
        ),
    ],
)
def test_a_run_is_judged(done: Completed, told: SuiteReport, expected: Judgement) -> None:
    assert judge(done, told) == expected


@pytest.mark.parametrize(("module", "trouble"), [("helpers.gone", None), ("numpy", Trouble.ENVIRONMENT)])
def test_a_conftest_that_cannot_be_imported_is_red(module: str, trouble: Trouble | None) -> None:
    judged = judge(completed(4, said=CONFTEST.replace("MODULE", module)), SuiteReport())
    message = f"ModuleNotFoundError: No module named '{module}'"
    red = TestCase(id="tests/conftest.py", outcome=TestOutcome.ERROR, message=message)
    assert (judged.cases, judged.trouble) == ((red,), trouble)


def test_a_conftest_that_cannot_be_imported_is_red_also_without_a_reason() -> None:
    judged = judge(completed(4, said=CONFTEST.splitlines()[0] + "\n"), SuiteReport())
    assert judged.cases == (
        TestCase(id="tests/conftest.py", outcome=TestOutcome.ERROR, message="ImportError"),
    )


def test_every_directory_and_module_may_be_the_repository_s_own() -> None:
    names = own_names(["src/pkg/mod.py", "tests/common.py", "docs/x.md"])
    assert names == {"src", "pkg", "mod", "tests", "common"}


@pytest.mark.parametrize(
    ("command", "at"),
    [
        ("pytest -q", 1),
        ("/env/bin/py.test", 1),
        ("env A=1 B=2 pytest -q", 4),
        ("env A=1", None),
        ("python -X dev -m pytest tests", 5),
        ("coverage run -m pytest", 4),
        ("python -m unittest", None),
        ("make pytest", None),
    ],
)
def test_pytest_is_found_in_a_command(command: str, at: int | None) -> None:
    assert by_pytest.find_arguments(command.split()) == at
