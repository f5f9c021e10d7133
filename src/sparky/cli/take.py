"""Taking an issue: start its run, join the one there is, or go on with it; then its result."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from threading import Event, Thread
from typing import TypeVar

from sparky.app.build import left_out
from sparky.app.read import House
from sparky.cli.bug import report_bug
from sparky.cli.follow import follow
from sparky.cli.output import put_json, say
from sparky.cli.screen import put_result
from sparky.cli.table import load
from sparky.domain.attempt import TRACEBACK, Responsibility
from sparky.domain.result import Result
from sparky.domain.run import RunRow, Take, take
from sparky.domain.state import Outcome, PipelineState

T = TypeVar("T")

_EXIT = {
    Outcome.MERGED: 0,
    Outcome.READY: 0,
    Outcome.NOTHING_TO_DO: 4,
    Outcome.PARTIAL: 4,
    Outcome.BLOCKED: 3,
    Outcome.FAILED: 1,
    Outcome.CANCELLED: 1,
}
"""Outcome to exit code."""


def take_issue(
    home: House,
    state: PipelineState,
    meanwhile: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> tuple[str, Take]:
    """See the issue through to its segment's end, with progress; returns the run and how it was taken.

    If a run is started, it is within `meanwhile`, and so is the loading of the engine: a second or two.
    """
    with home.locks.executor() as executor:
        decision = home.store.claim(state, executor, lambda held: _judge(home, held, state.context.base))
        held = home.store.holder(state.issue.key)
        run = held.run_id if held is not None else state.run_id
        match decision:
            case Take.START:
                say(f"run {run}")
                with meanwhile():
                    watch(home, run, lambda: load("drive").start(home, executor, state))
                return run, decision
            case Take.ADOPT if held is not None:
                say(f"going on with the interrupted run {run}")
                watch(home, run, lambda: load("drive").adopt(home, executor, [held]))
            case _:
                say(f"joining run {run}: it has this issue already")
    follow(home, run, say, len(home.progress.lines(run)))
    return run, decision


def go_on(home: House, state: PipelineState) -> None:
    """Start the next segment of a run, and see it to its end."""
    for fault in left_out(home, state.context):
        say(f"warning: {fault}")
    with home.locks.executor() as executor:
        home.store.continue_run(state, executor)
        watch(home, state.run_id, lambda: load("drive").start(home, executor, state))


def watch(home: House, run: str, work: Callable[[], T]) -> T:
    """Do the work with the run's new lines of progress on the screen; returns what it returns."""
    ended = Event()
    start = len(home.progress.lines(run))

    def print_lines() -> None:
        for line in home.progress.follow(run, ended, start):
            say(line)

    printer = Thread(target=print_lines, daemon=True)
    printer.start()
    try:
        return work()
    finally:
        ended.set()
        printer.join(timeout=5)


def put_outcome(home: House, run: str, *, as_json: bool) -> Result:
    """Print a run's result and return it."""
    result = home.result(home.store.state(run))
    if as_json:
        put_json(result)
    else:
        put_result(result)
    return result


def exit_code(home: House, result: Result) -> int:
    """What a run's result ends the process with; a fault of sparky's own is reported in a file."""
    if result.responsibility is not Responsibility.SPARKY:
        return _EXIT[result.outcome or Outcome.FAILED]
    state = home.store.state(result.run_id)
    last = state.attempts[-1]
    trace = home.blobs.get(last.blobs[TRACEBACK]).decode() if TRACEBACK in last.blobs else ""
    where = f"run {result.run_id}, {last.stage.value} {last.number} by {last.agent}"
    return report_bug(f"{where}, sandbox {result.sandbox}\n{result.reason}\n\n{trace}")


def _judge(home: House, held: RunRow | None, base: str) -> Take:
    return take(held, base, driven=held is not None and home.locks.is_held(held.executor))
