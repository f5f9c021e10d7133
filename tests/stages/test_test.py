"""TEST: base and head compared by the identity of each failure, and whose turn it is."""

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from sparky.domain.attempt import Attempt, Responsibility, Stage, Trait, Verdict
from sparky.domain.state import Preferences
from sparky.domain.testing import Comparison, Trouble
from sparky.formats.values_json import decode
from tests.builders import CONTEXT
from tests.stages.stand import Files, Red, Stand


def outcome(stand: Stand, *, base: Trouble | None = None, head: Trouble | None = None) -> Attempt:
    """TEST of a change from a.py = old to a.py = new, with these troubles."""
    old = stand.commit({"a.py": b"old"})
    new = stand.change({"a.py": b"new"})
    troubles = {sha: trouble for sha, trouble in ((old, base), (new, head)) if trouble is not None}
    stand.house.tests.trouble.update(troubles)
    before = Attempt(stage=Stage.EXECUTE, number=1, verdict=Verdict.PASS, reason="done", sha=new)
    attempt = stand.perform(Stage.TEST, stand.state(old, before))
    assert (attempt.sha, attempt.agent) == (new, "tester")
    return attempt


def told(attempt: Attempt) -> tuple[Verdict, str]:
    return attempt.verdict, attempt.reason


def test_no_worse_than_base_passes_and_lists_what_is_fixed_and_what_is_old(stand: Stand) -> None:
    stand.ids = ("test_a", "test_b", "test_c")
    stand.red = lambda f: {"test_a": "no", "test_c": "old"} if f["a.py"] == b"old" else {"test_c": "old"}
    attempt = outcome(stand)
    assert told(attempt) == (
        Verdict.PASS,
        "2 passed, none worse than at base; 1 fixed: test_a; 1 failing at base too (pre-existing)",
    )
    assert [evidence.note for evidence in attempt.evidence] == [
        "1 passed, 2 failed, 3 in all",
        "1 passed, 2 failed, 3 in all",
        "2 passed, 1 failed, 3 in all",
    ]
    seen = decode(stand.house.blobs.get(attempt.blobs["comparison"]), Comparison)
    assert seen == Comparison(fixed=("test_a",), same=("test_c",), messages={"test_c": "old"})


def test_new_failures_go_back_to_the_coder_with_their_messages(stand: Stand) -> None:
    stand.red = lambda f: {} if f["a.py"] == b"old" else {"test_b": "1 != 2"}
    attempt = outcome(stand)
    assert told(attempt) == (Verdict.REVISE, "1 test(s) worse than at base: test_b")
    assert (attempt.items, attempt.validation_errors) == (("test_b: 1 != 2",), ("test_b",))
    assert attempt.responsibility is Responsibility.CODER
    assert stand.house.tests.ran[-1][1] == ("test_b",)


def pytest_ids(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The tests of test files that hold nothing but functions."""
    return tuple(
        f"{path}::{name.decode()}"
        for path, text in sorted(files.items())
        if path.startswith("tests/")
        for name in re.findall(rb"def (\w+)", text)
    )


OLD, NEW = b"def test_old():\n    assert 1\n", b"def test_new():\n    assert 1\n"


@pytest.mark.parametrize(
    ("after", "verdict", "said"),
    [
        ({"tests/test_a.py": NEW}, Verdict.PASS, "1 under another name"),
        ({"tests/test_a.py": None, "tests/test_b.py": OLD}, Verdict.PASS, "1 under another name"),
        ({"tests/test_a.py": NEW.replace(b"1", b"2")}, Verdict.REVISE, "tests/test_a.py::test_old"),
        ({"tests/test_a.py": None}, Verdict.REVISE, "tests/test_a.py::test_old"),
    ],
)
def test_a_test_that_only_has_another_name_or_place_has_not_vanished(
    after: Files, verdict: Verdict, said: str, stand: Stand
) -> None:
    stand.listed = pytest_ids
    base = stand.commit({"tests/test_a.py": OLD, "tests/test_z.py": b"def test_z():\n    assert 1\n"})
    head = stand.change(after)
    done = Attempt(stage=Stage.EXECUTE, number=1, verdict=Verdict.PASS, reason="done", sha=head)
    attempt = stand.perform(Stage.TEST, stand.state(base, done))
    assert attempt.verdict is verdict
    assert attempt.reason.endswith(said)


def test_a_failure_of_another_message_is_a_new_one(stand: Stand) -> None:
    stand.red = lambda f: {"test_a": f"got {f['a.py'].decode()}"}
    assert told(outcome(stand)) == (Verdict.REVISE, "1 test(s) worse than at base: test_a")


def test_a_test_that_is_gone_is_worse(stand: Stand) -> None:
    def red(files: Mapping[str, bytes]) -> Red:
        stand.ids = ("test_a", "test_b") if files["a.py"] == b"old" else ("test_a",)
        return {}

    stand.red = red
    attempt = outcome(stand)
    assert (told(attempt)[0], attempt.items) == (Verdict.REVISE, ("test_b: is gone",))


def test_what_passes_when_run_alone_is_flaky_and_passes(stand: Stand) -> None:
    seen: list[bytes] = []

    def red(files: Mapping[str, bytes]) -> Red:
        seen.append(files["a.py"])
        return {"test_a": "at times"} if seen.count(b"new") == 1 and files["a.py"] == b"new" else {}

    stand.red = red
    attempt = outcome(stand)
    assert told(attempt) == (Verdict.PASS, "1 passed, none worse than at base; 1 flaky")
    assert (attempt.traits, attempt.items) == ((Trait.FLAKY,), ("test_a",))


def test_a_red_base_is_run_twice_and_what_differs_there_is_not_blamed_on_the_change(stand: Stand) -> None:
    seen: list[bytes] = []

    def red(files: Mapping[str, bytes]) -> Red:
        seen.append(files["a.py"])
        shaky = {} if len(seen) == 1 else {"test_c": "now and then"}
        return {"test_a": f"took {len(seen)} steps", **shaky}

    stand.ids, stand.red = ("test_a", "test_b", "test_c"), red
    attempt = outcome(stand)
    assert told(attempt) == (
        Verdict.PASS,
        "1 passed, none worse than at base; 1 failing at base too (pre-existing); 1 flaky",
    )
    assert (attempt.traits, attempt.items) == ((Trait.FLAKY,), ("test_c",))
    assert [evidence.note for evidence in attempt.evidence] == [
        "2 passed, 1 failed, 3 in all",
        "1 passed, 2 failed, 3 in all",
        "1 passed, 2 failed, 3 in all",
    ]


def test_a_second_run_at_base_that_gives_no_verdict_says_nothing(stand: Stand) -> None:
    def red(files: Mapping[str, bytes]) -> Red:
        if files["a.py"] == b"new":
            stand.house.tests.trouble[stand.house.repository.resolve("main") or ""] = Trouble.CRASHED
        return {"test_a": "always"}

    stand.red = red
    assert told(outcome(stand)) == (
        Verdict.PASS,
        "1 passed, none worse than at base; 1 failing at base too (pre-existing)",
    )


def test_without_a_command_nothing_is_said_of_the_tests(stand: Stand) -> None:
    stand.command = None
    attempt = outcome(stand)
    assert told(attempt) == (Verdict.SKIP, "unverified by tests: no test command was found")
    assert (attempt.traits, attempt.evidence) == ((Trait.NO_TESTS,), ())


def test_where_no_test_was_collected_or_none_passes_nothing_is_verified(stand: Stand) -> None:
    stand.ids = ()
    assert told(outcome(stand)) == (Verdict.SKIP, "unverified by tests: there are none in memory")
    stand.ids, stand.red = ("test_a",), lambda _: {"test_a": "always"}
    attempt = outcome(Stand(root=stand.root / "other", ids=("test_a",), red=stand.red))
    assert told(attempt) == (
        Verdict.SKIP,
        "unverified by tests: not one of them passes, at base or at head",
    )
    assert attempt.traits == (Trait.NO_TESTS,)


def test_the_environment_blocks_and_no_agent_is_asked(stand: Stand) -> None:
    attempt = outcome(stand, base=Trouble.ENVIRONMENT)
    assert told(attempt) == (Verdict.ESCALATE, "environment at base: environment in memory")
    assert (attempt.responsibility, attempt.error_type) == (Responsibility.ENVIRONMENT, "environment")
    assert len(stand.house.tests.ran) == 1


def test_foreign_code_at_head_blocks(stand: Stand) -> None:
    attempt = outcome(stand, head=Trouble.FOREIGN_CODE)
    assert attempt.verdict is Verdict.ESCALATE
    assert attempt.reason.startswith(f"{Trouble.FOREIGN_CODE.value} at head")


def test_tests_that_are_killed_from_outside_block_and_no_agent_is_asked(stand: Stand) -> None:
    attempt = outcome(stand, head=Trouble.KILLED)
    assert told(attempt) == (
        Verdict.ESCALATE,
        "killed from outside at head: killed from outside in memory",
    )
    assert attempt.responsibility is Responsibility.ENVIRONMENT


def test_a_kill_while_suspects_run_alone_says_nothing_of_them(stand: Stand) -> None:
    def red(files: Mapping[str, bytes]) -> Red:
        if files["a.py"] == b"old":
            return {}
        stand.house.tests.trouble[stand.house.repository.resolve(CONTEXT.branch) or ""] = Trouble.KILLED
        return {"test_a": "boom"}

    stand.red = red
    attempt = outcome(stand)
    assert (attempt.verdict, attempt.responsibility) == (Verdict.ESCALATE, Responsibility.ENVIRONMENT)


def test_tests_that_ran_through_at_base_and_hang_at_head_are_the_changes_doing(stand: Stand) -> None:
    attempt = outcome(stand, head=Trouble.TIMED_OUT)
    assert told(attempt) == (Verdict.REVISE, "the tests ran through at base, and not at head: timed out")
    assert attempt.items == ("timed out: timed out in memory",)
    assert attempt.responsibility is Responsibility.CODER


def test_the_users_command_is_the_one_that_is_run(stand: Stand) -> None:
    stand.command = None
    stand.preferences = replace(Preferences(), test_command=("make", "test"))
    attempt = outcome(stand)
    assert [evidence.command for evidence in attempt.evidence] == [("make", "test")] * 2
