"""Drives a run in a process of its own and kills it with SIGKILL at a named point.

A point is `before:perform:execute`, `after:perform:execute`, `before:decide:3`, `after:close`, and so on; at
`full before:perform:review` the disk is full instead. The run of issue 001 is started, or gone on with if it
is there. The processes are forked from one that has loaded the engine, since loading takes longer than
all the rest.
"""

import errno
import gc
import multiprocessing
import os
import signal
from dataclasses import replace

from sparky.app.engine import Engine, local_steps
from sparky.app.intake import find_issue, first_state
from sparky.app.read import House
from sparky.cli.options import place
from sparky.domain.attempt import Attempt, Budget
from sparky.domain.run import Take, take
from sparky.domain.state import End, Handoff, MergePolicy, PipelineState, Preferences
from sparky.pipeline import Steps
from tests.durable.world import World


class Killing:
    """The steps, with death at the points that were asked for."""

    def __init__(self, steps: Steps, points: set[str]) -> None:
        self._steps = steps
        self._points = points

    def decide(self, state: PipelineState) -> Handoff | End:
        name = f"decide:{len(state.attempts)}"
        self._reach(f"before:{name}")
        following = self._steps.decide(state)
        self._reach(f"after:{name}")
        return following

    def perform(self, handoff: Handoff, state: PipelineState) -> Attempt:
        self._reach(f"before:perform:{handoff.stage.value}")
        attempt = self._steps.perform(handoff, state)
        self._reach(f"after:perform:{handoff.stage.value}")
        return attempt

    def close(self, state: PipelineState) -> None:
        self._reach("before:close")
        self._steps.close(state)
        self._reach("after:close")

    def _reach(self, point: str) -> None:
        if point in self._points:
            os.kill(os.getpid(), signal.SIGKILL)
        if f"full {point}" in self._points:
            raise OSError(errno.ENOSPC, "No space left on device", "some file")


def drive(world: World, points: set[str]) -> None:
    """Start or go on with the run, to its end or to its death."""
    os.environ.update(world.env)
    os.chdir(world.repo)

    def steps(house: House, state: PipelineState) -> Steps:
        return Killing(local_steps(house, state), points)

    here = place(world.repo)
    home = here.house
    wanted = Preferences(merge=MergePolicy.AUTO, script=str(world.script))
    state = first_state(home, here.found, find_issue(home, here.found, "001").issue, wanted, Budget())
    with home.locks.executor() as executor:
        decision = home.store.claim(
            state, executor, lambda held: take(held, state.context.base, driven=False)
        )
        held = home.store.holder(state.issue.key)
        engine = Engine(home, executor, adopting=decision is Take.ADOPT, steps=steps)
        if decision is Take.ADOPT and held is not None:
            engine.adopt(held)
        elif decision is Take.START:
            engine.start(state)
        engine.stop()


_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload([__name__])
gc.freeze()


def exit_code(world: World, *points: str) -> int:
    """Drive the run in a new process; its exit code, negative for a signal."""
    process = _FORKS.Process(target=drive, args=(replace(world, nursery=None), set(points)))
    process.start()
    process.join(180)
    return 999 if process.exitcode is None else process.exitcode
