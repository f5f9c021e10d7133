"""MERGE: the target gets the tested commit, or nothing happens and a person is told what to do."""

from dataclasses import replace

from sparky.app.target import undo
from sparky.domain.attempt import Attempt, Stage, Trait, Verdict
from sparky.domain.state import End, Outcome, PipelineState
from tests.builders import CONTEXT, ISSUE, RUN
from tests.stages.stand import Files, Stand

CHANGE: Files = {"a.py": b"A = 2\n"}


def ready(
    stand: Stand, files: Files = CHANGE, *, test: Verdict = Verdict.PASS, target: str | None = "main"
) -> PipelineState:
    """A run whose change was tested."""
    base = stand.commit({"a.py": b"A = 1\n", "b.py": b"B = 1\n"})
    head = stand.change(files)
    work = Attempt(stage=Stage.EXECUTE, number=1, verdict=Verdict.PASS, reason="done", sha=head)
    traits = (Trait.NO_TESTS,) if test is Verdict.SKIP else ()
    ran = Attempt(stage=Stage.TEST, number=1, verdict=test, reason="ran", sha=head, traits=traits)
    return stand.state(base, work, ran, target=target)


def test_the_target_is_put_to_the_tested_commit(stand: Stand) -> None:
    state = ready(stand)
    attempt = stand.perform(Stage.MERGE, state)
    assert (attempt.verdict, attempt.traits, attempt.sha) == (Verdict.PASS, (Trait.MERGED,), state.head)
    assert attempt.reason == f"main has {state.head[:10]}, the tested commit"
    assert stand.house.repository.resolve("main") == state.head
    assert stand.perform(Stage.MERGE, state).verdict is Verdict.PASS


def test_bug_what_a_person_put_on_the_work_branch_was_left_out_without_a_word(stand: Stand) -> None:
    state = ready(stand)
    mine = [stand.house.repository.write({"b.py": text}, CONTEXT.branch)[:10] for text in (b"2", b"3", b"4")]
    told = f"{CONTEXT.branch}: {'; '.join(f'{sha} by a person' for sha in mine)}"
    said = f"main has {state.head[:10]}, the tested commit; not merged, since not tested: "
    assert stand.perform(Stage.MERGE, state).reason == f"{said}3 commit(s) of others on {told}"
    assert stand.house.repository.resolve("main") == state.head
    stand.house.repository.write({"b.py": b"5"}, CONTEXT.branch)
    assert stand.perform(Stage.MERGE, state).reason == f"{said}4 commit(s) of others on {told} (and 1 more)"
    stand.house.repository.merge("main", state.head, stand.house.repository.resolve(CONTEXT.branch) or "")
    assert stand.perform(Stage.MERGE, state).reason == f"main has {state.head[:10]}, the tested commit"


def test_what_no_test_looked_at_is_not_called_tested(stand: Stand) -> None:
    state = ready(stand, test=Verdict.SKIP)
    assert stand.perform(Stage.MERGE, state).reason == f"main has {state.head[:10]}, which no test looked at"


def test_a_commit_that_did_not_pass_the_tests_is_sent_back_to_them(stand: Stand) -> None:
    state = ready(stand, test=Verdict.REVISE)
    attempt = stand.perform(Stage.MERGE, state)
    assert (attempt.verdict, attempt.traits) == (Verdict.REVISE, (Trait.MOVED,))
    assert attempt.reason == f"{state.head[:10]} is not the commit that was tested"
    assert stand.house.repository.resolve("main") == state.base


def test_without_a_branch_to_merge_into_it_waits(stand: Stand) -> None:
    attempt = stand.perform(Stage.MERGE, ready(stand, target=None))
    assert (attempt.verdict, attempt.items) == (Verdict.ESCALATE, ("check out a branch",))
    assert attempt.reason == "HEAD is detached: there is no branch to merge into"


def test_a_target_that_moved_is_rebased_onto_and_tested_again(stand: Stand) -> None:
    state = ready(stand)
    moved = stand.commit({"b.py": b"B = 2\n"})
    attempt = stand.perform(Stage.MERGE, state)
    repository = stand.house.repository
    assert (attempt.verdict, attempt.traits, attempt.base) == (Verdict.REVISE, (Trait.MOVED,), moved)
    assert attempt.reason == f"main moved to {moved[:10]}: rebased, to be tested again"
    assert attempt.sha == repository.resolve(CONTEXT.branch) != state.head
    assert [change.path for change in repository.changes(moved, attempt.sha or "")] == ["a.py"]
    assert repository.resolve("main") == moved


def test_a_target_that_has_the_change_already_is_merged(stand: Stand) -> None:
    state = ready(stand)
    moved = stand.commit(CHANGE)
    attempt = stand.perform(Stage.MERGE, state)
    assert (attempt.verdict, attempt.reason) == (Verdict.PASS, "main has this change already")
    assert (attempt.sha, attempt.base) == (moved, moved)


def test_a_conflict_names_each_file_and_moves_nothing(stand: Stand) -> None:
    state = ready(stand)
    moved = stand.commit({"a.py": b"A = 3\n"})
    attempt = stand.perform(Stage.MERGE, state)
    assert (attempt.verdict, attempt.traits) == (Verdict.ESCALATE, (Trait.CONFLICT,))
    assert attempt.reason == "main moved, and does not go with this change"
    assert attempt.items == (
        "resolve conflict in a.py",
        f"or run it again: it starts anew at {moved[:10]}",
    )
    assert attempt.validation_errors == ("a.py",)
    assert stand.house.repository.resolve(CONTEXT.branch) == state.head


def test_a_checkout_with_edits_is_waited_for(stand: Stand) -> None:
    state = ready(stand)
    stand.house.repository.dirty = ("b.py",)
    attempt = stand.perform(Stage.MERGE, state)
    assert (attempt.verdict, attempt.traits) == (Verdict.ESCALATE, (Trait.DIRTY,))
    assert (attempt.reason, attempt.items) == (
        "uncommitted changes: b.py",
        ("commit or stash your changes",),
    )


def test_a_target_that_is_gone_is_named(stand: Stand) -> None:
    attempt = stand.perform(Stage.MERGE, ready(stand, target="release"))
    assert (attempt.verdict, attempt.reason) == (Verdict.ESCALATE, "the branch release is gone")
    assert attempt.items == ("make release again",)


def test_bug_the_title_in_the_subject_of_an_undo_was_cut_off_and_looked_whole(stand: Stand) -> None:
    stand.issue = replace(ISSUE, title=f"Fix {'DEAD_CODE, ' * 6}FORMATTING")
    state = ready(stand)
    merged = state.record(stand.perform(Stage.MERGE, state))
    undone = undo(merged.ended(End(outcome=Outcome.MERGED, reason="merged")), stand.house.ports)
    subject = stand.house.repository.message(undone.commit).partition("\n")[0]
    assert subject == f'Revert "Fix {"DEAD_CODE, " * 5}…"'


def test_merges_of_one_repository_wait_for_each_other(stand: Stand) -> None:
    state = ready(stand)
    stand.perform(Stage.MERGE, state)
    assert list(stand.house.lock.locks) == [f"merge {state.context.git_dir}"]
    assert RUN in state.run_id
