"""What verbs that drive a run need, and only they: the durable engine. Loaded through the verb table."""

from dataclasses import replace

from sparky.app.engine import Engine
from sparky.app.read import House
from sparky.domain.flow import decide
from sparky.domain.run import RunRow
from sparky.domain.state import End, PipelineState


def start(home: House, executor: str, state: PipelineState) -> None:
    """Drive a run's current segment to its end."""
    engine = Engine(home, executor, adopting=False)
    try:
        engine.start(state)
    finally:
        engine.stop()


def adopt(home: House, executor: str, rows: list[RunRow]) -> list[RunRow]:
    """Go on with interrupted runs, one after the other; returns those that were not taken by another."""
    engine = Engine(home, executor, adopting=True)
    try:
        return [row for row in rows if engine.adopt(row)]
    finally:
        engine.stop()


def cancel(home: House, executor: str, row: RunRow) -> bool:
    """Drive an interrupted run to the end that was asked for; where that can't be done, write its end.

    False: another process has taken it up meanwhile, and ends it.
    """
    try:
        return bool(adopt(home, executor, [row]))
    except Exception as error:
        state = home.store.state(row.run_id)
        end = decide(state, cancelled=True)
        if not isinstance(end, End):
            raise
        said = f"{end.reason}; it could not be driven any more: {error}"
        home.store.save_end(state.ended(replace(end, reason=said)))
        return True
