"""EXECUTE again after a fix was refused: what is safe is kept, and only the culprit goes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import pytest

from sparky.adapters.memory import MemoryTests
from sparky.domain.attempt import Stage, Verdict
from sparky.domain.issue import Kind
from sparky.domain.state import Context, Handoff, Outcome
from sparky.domain.testing import TestOutcome, TestRun, Trouble
from sparky.fixing.trial import MAX_TRIALS, trial_of
from sparky.fixing.verdict import Blame
from sparky.tools.tool import Unit
from tests.stages.stand import Red, Stand, real_ruff, typed
from tests.stages.whole import end, fixed, left, refused, text

NEEDED = b"import json\nimport needed\nimport os\n\nX = 1\n"


def needs_it(files: Mapping[str, bytes]) -> Red:
    """`test_a` needs an import that looks unused."""
    return {} if b"import needed" in files["a.py"] else {"test_a": "nothing is registered"}


@dataclass(kw_only=True)
class Troubled:
    """Tests that come to trouble where `when` says so, of the number of the run and what is in a.py."""

    inner: MemoryTests
    trouble: Trouble
    when: Callable[[int, bytes], bool]
    runs: int = 0

    def discover(self, context: Context, sha: str) -> tuple[str, ...] | None:
        return self.inner.discover(context, sha)

    def run(
        self,
        context: Context,
        sha: str,
        command: tuple[str, ...],
        *,
        only: Sequence[str] = (),
        timeout_s: float = 900.0,
        turn: int = 1,
        lines: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
    ) -> TestRun:
        done = self.inner.run(context, sha, command, only=only, timeout_s=timeout_s, turn=turn, lines=lines)
        self.runs += 1
        if self.when(self.runs, self.inner.repository.read(sha, "a.py") or b""):
            return replace(done, cases=(), trouble=self.trouble, detail="of a test's making")
        return done

    def trace(self, context: Context, sha: str, command: tuple[str, ...], *, timeout_s: float) -> Path | None:
        return self.inner.trace(context, sha, command, timeout_s=timeout_s)

    def rewritten(
        self, context: Context, sha: str, command: tuple[str, ...], test: str, *, timeout_s: float
    ) -> Mapping[str, bytes | None]:
        return self.inner.rewritten(context, sha, command, test, timeout_s=timeout_s)


@dataclass(kw_only=True)
class Dependent(Troubled):
    """Tests that fail wherever they are run without the others."""

    trouble: Trouble = Trouble.CRASHED
    when: Callable[[int, bytes], bool] = lambda _number, _source: False

    def run(
        self,
        context: Context,
        sha: str,
        command: tuple[str, ...],
        *,
        only: Sequence[str] = (),
        timeout_s: float = 900.0,
        turn: int = 1,
        lines: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
    ) -> TestRun:
        done = super().run(context, sha, command, only=only, timeout_s=timeout_s, turn=turn, lines=lines)
        red = (replace(case, outcome=TestOutcome.FAILED, message="alone") for case in done.cases)
        return replace(done, cases=tuple(red)) if only else done


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    return Stand(root=tmp_path, tool=real_ruff, red=needs_it)


def test_only_the_culprit_of_a_rule_and_file_is_withdrawn_and_its_innocent_neighbours_are_mended(
    stand: Stand,
) -> None:
    state = fixed(stand, {"a.py": NEEDED})
    assert end(state).outcome is Outcome.READY
    assert text(stand, state) == b"import needed\n\nX = 1\n"
    why = "withdrawn: its fix breaks test_a"
    assert left(state) == (f"a.py:1 F401 `needed` imported but unused: {why}",)
    assert refused(stand) == [why]


def test_what_was_refused_once_does_not_keep_its_neighbours_from_being_mended_in_the_next_run(
    stand: Stand,
) -> None:
    fixed(stand, {"a.py": NEEDED})
    state = fixed(stand, {"a.py": b"import needed\nimport sys\n\nX = 2\n"})
    assert text(stand, state) == b"import needed\n\nX = 2\n"
    assert [a.number for a in state.of(Stage.EXECUTE)] == [1, 1, 1]
    assert left(state) == ("a.py:1 F401 `needed` imported but unused: withdrawn: its fix breaks test_a",)


def test_one_culprit_among_many_findings_of_one_file_costs_about_log_n_runs_of_the_tests(
    stand: Stand,
) -> None:
    names = [f"mod{number:02}" for number in range(64)]
    names[41] = "needed"
    source = "".join(f"import {name}\n" for name in names) + "\nX = 1\n"
    state = fixed(stand, {"a.py": source.encode()})
    assert text(stand, state) == b"import needed\n\nX = 1\n"
    ran = stand.house.tests.ran
    assert len(ran) <= 18
    assert {only for _, only in ran} == {(), ("test_a",)}
    assert {sha for sha, only in ran if not only} >= {state.base, state.head}


def test_the_file_that_a_red_test_points_to_is_looked_at_first(stand: Stand) -> None:
    stand.ids = ("a.py::test_a", "test_b")
    stand.red = lambda files: {"a.py::test_a": "it is gone"} if needs_it(files) else {}
    others = {f"other{number:02}.py": b"import os\n\nX = 1\n" for number in range(40)}
    state = fixed(stand, {"a.py": NEEDED, **others})
    assert text(stand, state) == b"import needed\n\nX = 1\n"
    assert {text(stand, state, path) for path in others} == {b"X = 1\n"}
    last = state.of(Stage.EXECUTE)[-1]
    assert last.reason == "42 edit(s) kept, 1 withdrawn after 4 trial(s)"


def test_a_test_that_fails_alone_at_base_too_is_judged_beside_the_others_and_blames_no_innocent(
    stand: Stand,
) -> None:
    ports = replace(stand.house.ports, tests=Dependent(inner=stand.house.tests))
    state = fixed(stand, {"a.py": NEEDED, "b.py": b"import os\n\nX = 1\n"}, ports)
    assert (text(stand, state), text(stand, state, "b.py")) == (b"import needed\n\nX = 1\n", b"X = 1\n")
    assert refused(stand) == ["withdrawn: its fix breaks test_a"]


def test_what_only_the_whole_shows_is_looked_for_in_another_round(stand: Stand) -> None:
    def red(files: Mapping[str, bytes]) -> Red:
        if needs_it(files):
            return needs_it(files)
        return {} if b"import os" in files["b.py"] else {"test_b": "no os"}

    stand.red = red
    state = fixed(stand, {"a.py": NEEDED, "b.py": b"import os\nimport re\n\nX = 1\n"})
    assert (text(stand, state), text(stand, state, "b.py")) == (
        b"import needed\n\nX = 1\n",
        b"import os\n\nX = 1\n",
    )
    assert refused(stand) == ["withdrawn: its fix breaks test_a", "withdrawn: its fix breaks test_b"]


def test_edits_that_are_sound_alone_and_not_together_are_made_one_after_the_other(stand: Stand) -> None:
    source = b"def f(x):\n    if x:\n        import os\n        import re\n    import needed\n"
    state = fixed(stand, {"a.py": source})
    assert text(stand, state) == b"def f(x):\n    if x:\n        pass\n    import needed\n"


@pytest.mark.parametrize(
    ("trouble", "first", "last"),
    [
        # Runs 1 to 3: base, head, the suspects alone. In a trial the base is asked for first.
        (Trouble.ENVIRONMENT, 4, 4),
        (Trouble.ENVIRONMENT, 5, 99),
        (Trouble.KILLED, 5, 99),
        (Trouble.KILLED, 6, 6),
        (Trouble.TIMED_OUT, 5, 99),
    ],
)
def test_bug_trouble_during_the_search_was_held_against_innocent_fixes(
    trouble: Trouble, first: int, last: int, stand: Stand
) -> None:
    tests = Troubled(inner=stand.house.tests, trouble=trouble, when=lambda number, _: first <= number <= last)
    state = fixed(stand, {"a.py": NEEDED}, replace(stand.house.ports, tests=tests))
    assert (end(state).outcome, refused(stand)) == (Outcome.BLOCKED, [])
    assert end(state).reason == (
        f"the search for the safe part of the fix was broken off: {trouble.value}: of a test's making"
    )
    steps = ("mend the cause named above, then run it again", f"then: sparky answer {state.run_id} coder")
    assert end(state).manual_steps == steps
    assert stand.house.repository.resolve(state.context.branch) == state.head


def test_a_fix_that_makes_the_tests_break_off_is_withdrawn_and_tried_again_the_next_time(
    stand: Stand,
) -> None:
    crash = Troubled(
        inner=stand.house.tests,
        trouble=Trouble.CRASHED,
        when=lambda _, source: b"import needed" not in source,
    )
    state = fixed(stand, {"a.py": NEEDED}, replace(stand.house.ports, tests=crash))
    assert text(stand, state) == b"import needed\n\nX = 1\n"
    (stays,) = left(state)
    assert stays == (
        "a.py:1 F401 `needed` imported but unused: withdrawn: its fix makes the tests break off "
        "(of a test's making); the next run tries it again"
    )
    assert refused(stand) == []


def test_what_was_not_tried_for_want_of_trials_is_not_blamed(stand: Stand) -> None:
    state = stand.state(stand.commit({"a.py": NEEDED}))
    refused = Handoff(stage=Stage.TEST, reason="").begin(Verdict.REVISE, "red")
    trial = trial_of(state.record(refused), stand.house.ports, ())
    trial.count = MAX_TRIALS
    piece = (0, Unit(path="a.py", rule="F401"))
    assert trial.is_green([piece]) is False
    assert trial.blame == {piece: Blame(why="was not shown to be safe in 60 trials", lasting=False)}


ELSE = """
def f{0}():
    if X:
        return {0}
    else:
        return None
"""


def test_types_are_not_made_anew_for_each_part_of_other_edits_that_is_tried(stand: Stand) -> None:
    stand.programs = {"mypy": typed}
    needed = b"return 11\n    else:"
    stand.red = lambda files: {} if needed in files["a.py"] else {"test_a": "it is needed"}
    source = "X = 1\n" + "".join("\n" + ELSE.format(number) for number in range(16))
    kinds = (Kind.COMPLEXITY, Kind.TYPE_ERROR, Kind.FORMATTING)
    state = fixed(stand, {"a.py": source.encode()}, kinds=kinds)
    made = text(stand, state) or b""
    assert (made.count(b"else"), made.count(b" -> None:"), needed in made) == (1, 16, True)
    made_anew = [command for command in stand.house.shell.ran if "--annotate" in command.argv]
    assert len(made_anew) == 2


def test_bug_a_test_that_fails_now_and_then_condemned_an_innocent_fix_for_good(stand: Stand) -> None:
    unlucky = iter(range(5))  # as many runs as it takes to find a culprit

    def red(files: Mapping[str, bytes]) -> Red:
        late = b"import os" not in files["a.py"] and next(unlucky, None) is not None
        return {"test_b": "too late"} if late else {}

    stand.red = red
    state = fixed(stand, {"a.py": b"import os\nimport re\n\nX = 1\n"})
    assert (text(stand, state), refused(stand)) == (b"X = 1\n", [])
