"""What verbs that drive a run need, and only they: the durable engine. Loaded through the verb table."""

from sparky.app.engine import Engine
from sparky.app.read import House
from sparky.domain.run import RunRow
from sparky.domain.state import PipelineState


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
