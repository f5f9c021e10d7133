"""What any command says by its exit code and its own results, and what is made of two that disagree."""

import pytest

from sparky.domain.command import Completed, Ending
from sparky.domain.testing import TestCase, TestOutcome, Trouble
from sparky.targets.suite import Judgement, Seen, Written
from sparky.targets.suites import by_command

PASSED, FAILED = TestOutcome.PASSED, TestOutcome.FAILED
GREEN = b'<testsuite name="s"><testcase name="a"/></testsuite>'
RED = b'<testsuite name="s"><testcase name="a"><failure message="no"/></testcase></testsuite>'
EMPTY = b'<testsuite name="s"/>'


def judge(
    code: int = 0,
    ending: Ending = Ending.EXITED,
    *,
    out: str = "",
    err: str = "",
    written: dict[str, Written] | None = None,
    asked: str = "",
    dropped: int = 0,
) -> Judgement:
    completed = Completed(
        argv=("make", "test"),
        ending=ending,
        code=code,
        stdout=out.encode(),
        stderr=err.encode(),
        seconds=61.7,
        dropped=dropped,
    )
    return by_command.judge(Seen(name="make test", completed=completed, written=written or {}, asked=asked))


def itself(message: str = "") -> TestCase:
    return TestCase(id="make test", outcome=FAILED if message else PASSED, message=message, seconds=61.7)


def in_trouble(trouble: Trouble, detail: str) -> Judgement:
    return Judgement(cases=(), trouble=trouble, detail=detail)


def test_without_results_the_exit_code_is_the_one_result() -> None:
    assert judge(0) == Judgement(cases=(itself(),))
    assert judge(2) == Judgement(cases=(itself("exit code 2"),))


NO_VERDICT = {
    "not found by the shell": (judge(127, err="sh: make: not found"), "sh: make: not found"),
    "not found": (judge(127, Ending.NOT_FOUND), "command not found: make"),
    "not to be executed": (judge(126, err="sh: ./run: Permission denied"), "sh: ./run: Permission denied"),
    "not found by make": (
        judge(2, err="make: tool: No such file\nmake: *** [Makefile:2: test] Error 127\n"),
        "make: *** [Makefile:2: test] Error 127",
    ),
}


@pytest.mark.parametrize("how", NO_VERDICT)
def test_a_command_that_is_not_there_is_the_environment_s_fault(how: str) -> None:
    judged, detail = NO_VERDICT[how]
    assert judged == in_trouble(Trouble.ENVIRONMENT, detail)


def test_a_command_that_was_ended_is_no_verdict() -> None:
    memory = "killed by signal 9, as the system does where memory runs out"
    assert judge(-9, Ending.TIMED_OUT) == in_trouble(Trouble.TIMED_OUT, "after 62 s")
    assert judge(-9, Ending.KILLED) == in_trouble(Trouble.KILLED, memory)
    assert judge(137) == in_trouble(Trouble.KILLED, memory)
    assert judge(139) == in_trouble(Trouble.CRASHED, "killed by signal 11")
    assert judge(255) == Judgement(cases=(itself("exit code 255"),))


def test_the_results_of_a_report_are_the_cases() -> None:
    green = TestCase(id="s.a", outcome=PASSED)
    red = TestCase(id="s.a", outcome=FAILED, message="no")
    assert judge(0, written={"r.xml": Written(data=GREEN)}) == Judgement(cases=(green,))
    assert judge(1, written={"r.xml": Written(data=RED)}) == Judgement(cases=(red,))
    assert judge(1, written={"r.xml": Written(data=RED), "all.xml": Written(data=GREEN)}).cases == (red,)


def test_an_exit_code_that_lies_is_named_and_the_failed_tests_count() -> None:
    judged = judge(0, written={"r.xml": Written(data=RED)})
    assert [case.red for case in judged.cases] == [True]
    assert judged.detail == "exit code 0, and yet 1 test(s) failed"


def test_a_command_that_fails_and_names_no_failed_test_is_one_itself() -> None:
    judged = judge(3, written={"r.xml": Written(data=GREEN)})
    message = "no failing test is named, and yet the exit code is 3"
    assert judged == Judgement(cases=(TestCase(id="s.a", outcome=PASSED), itself(message)))
    assert judge(3, asked="r.xml") == Judgement(cases=(itself("exit code 3"),))


def test_results_without_a_test_are_no_tests() -> None:
    empty = {"r.xml": Written(data=EMPTY)}
    assert judge(0, written=empty) == in_trouble(Trouble.NO_TESTS, "make test ran no tests")
    assert judge(0, out="running 0 tests\n\ntest result: ok. 0 passed\n").trouble is Trouble.NO_TESTS


BOMB = b'<!DOCTYPE t [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>'
OUTSIDE = (
    b'<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&x;"/></testsuite>'
)
UNREADABLE = {
    "broken": (Written(data=GREEN[:-5]), "it is broken XML: unclosed token: line 1, column 40"),
    "entities": (Written(data=BOMB), "it declares a document type, which a report has no need of"),
    "a foreign file": (Written(data=OUTSIDE), "it declares a document type, which a report has no need of"),
    "huge": (Written(data=GREEN[:30], whole=False), "more than 32 MB of reports"),
}


@pytest.mark.parametrize("how", UNREADABLE)
@pytest.mark.parametrize("asked", ["", "r.xml"])
def test_a_report_that_cannot_be_read_is_no_verdict(how: str, asked: str) -> None:
    file, why = UNREADABLE[how]
    judged = judge(0, written={"r.xml": file}, asked=asked)
    assert judged == in_trouble(Trouble.UNREADABLE, f"r.xml: {why}")


def test_a_report_that_was_asked_for_must_be_there_and_be_one() -> None:
    missing = "exit code 0, and yet r.xml was not written"
    assert judge(0, asked="r.xml", out="running 0 tests\n") == in_trouble(Trouble.UNREADABLE, missing)
    other = "r.xml: neither JUnit's XML nor the JSON of jest or vitest"
    for file in (Written(data=b"<coverage/>"), Written(data=b"")):
        assert judge(0, asked="r.xml", written={"r.xml": file}) == in_trouble(Trouble.UNREADABLE, other)
    broken = judge(0, asked="r", written={"r": Written(data=b'{"testResults": [')})
    assert (broken.trouble, broken.detail[:18]) == (Trouble.UNREADABLE, "r: it is broken JS")


def test_other_files_that_a_command_writes_are_not_its_report() -> None:
    others = {"c.xml": Written(data=b"<coverage/>"), "d.xml": Written(data=b"<data>", whole=False)}
    assert judge(0, written=others) == Judgement(cases=(itself(),))


def test_results_that_were_printed_and_torn_are_no_verdict() -> None:
    judged = judge(0, out='{"log": 1\n{"numTotalTests": 1, "testResults": [\n')
    assert judged.trouble is Trouble.UNREADABLE
    assert judged.detail.startswith("the JSON that was printed is torn: ")
    assert judge(0, out='{"log": "testResults"\n{"testResults": 1}\n') == Judgement(cases=(itself(),))
    assert judge(1, out='{"testResults": [{"name": "a", "status": "failed"}]}').cases[0].id == "a"


def test_results_that_were_printed_and_not_kept_are_no_verdict() -> None:
    judged = judge(0, out="running 1 test\ntest a ... ok\n", dropped=7)
    why = "the results are in what it printed, and 7 bytes of that were not kept"
    assert judged == in_trouble(Trouble.UNREADABLE, why)
    assert judge(0, out="noise", dropped=200_000_000) == Judgement(cases=(itself(),))
