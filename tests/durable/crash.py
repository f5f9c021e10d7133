"""Breaks a run off before each change that it makes outside itself, goes on with it, and counts its effects.

    python -m tests.durable.crash            # at every boundary; writes docs/reliability.md (make crash)
    python -m tests.durable.crash SAMPLE     # kills it at so many of them

The boundaries are those that a first run passed: none is chosen by hand. What comes after a change comes
before the next one, so each is looked at before only. There a run is stopped, what lies on the disk is put
aside, which is what `kill -9` of it and of all that it started leaves, and later gone on with; where that is
what lay there before, too, once for both. At every twentieth boundary the run is killed itself as well, and
what it started is not.

What was broken off goes on where it stood, unless code changed.
"""

import hashlib
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from sparky.adapters.locks import FileLocks
from tests.durable.journal import NEVER, Cuts, Journal, Tried
from tests.durable.place import Place
from tests.durable.reliability import PAGE, Figures, render
from tests.durable.test_power_failure import cut, finished, gone_on
from tests.durable.tracer import Boundary, Tracer

_KILLED, _BATCH, _PARTS = 20, 40, 4
_TIMES = 3
_AT_ONCE = 2
_HERE = Path(__file__).parents[2]


def killed_at(place: Place, boundary: Boundary) -> str:
    """What is wrong after the run was killed there and gone on with; "" if nothing is."""
    for _ in range(_TIMES):  # threads may take another order
        place.renew()
        try:
            code = Tracer(place.root, lambda reached: reached == boundary).follow(place.drive)
        except TimeoutError as error:
            return str(error)
        if code == -signal.SIGKILL:
            return place.finish()
    return NEVER


_PLACES = dict[int, Place]()


def own_place(root: Path) -> Place:
    """This process's own world."""
    number = os.getpid()
    if number not in _PLACES:
        _PLACES[number] = Place(root=root / str(number))
        _PLACES[number].prepare()
    return _PLACES[number]


def trial(root: Path, boundary: Boundary) -> list[Tried]:
    """A kill at a boundary."""
    return [Tried(boundary=boundary, why=killed_at(own_place(root), boundary), killed=True)]


def batch(root: Path, boundaries: list[Boundary]) -> list[Tried]:
    """A run that is stopped at each of these boundaries, and gone on with from what lay there then."""
    place, left, tried = own_place(root), set(boundaries), list[Tried]()
    for _ in range(_TIMES):  # threads may take another order
        place.renew()
        shutil.rmtree(place.root / "aside", ignore_errors=True)
        states = dict[Boundary, str]()

        def reached(boundary: Boundary, *, states: dict[Boundary, str] = states) -> bool:
            if boundary in left:
                left.remove(boundary)
                states[boundary] = place.put_aside()
                return not left  # nothing more is to be seen
            return False

        Tracer(place.root, reached).follow(place.drive)
        why = dict[str, str]()
        for boundary, state in states.items():
            if state not in why:
                place.put_back(state)
                why[state] = place.finish()
            tried.append(Tried(boundary=boundary, why=why[state], state=state))
        if not left:
            break
    return [*tried, *(Tried(boundary=one, why=NEVER) for one in left)]


def cuts(root: Path, part: int) -> Cuts:
    """The database's log, cut in every frame of a part of them."""
    place = own_place(root)
    place.renew()
    for name in ("state-then", "repo-then"):
        shutil.rmtree(place.world.root / name, ignore_errors=True)
    frames = finished(place.world)
    places = range(part, frames + 1, _PARTS)
    wrong = list[str]()
    for kept in places:
        cut(place.world, kept)
        gone_on(place.world)
        wrong += [f"{kept} frames: {why}" for why in place.unmerged()]
    return Cuts(part=part, cut=len(places), frames=frames + 1, why="; ".join(wrong))


def survey(root: Path) -> list[Boundary]:
    """All boundaries of a run, in order."""
    place = own_place(root)
    place.renew()
    tracer = Tracer(place.root, lambda _: False)
    assert tracer.follow(place.drive) == 0
    assert not list(place.troubles())
    return tracer.passed


def kill(root: Path, journal: Journal) -> None:
    """Go on from each boundary that was not tried so far, several at a time, and cut the log."""
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload([__name__])
    left = [one for one in journal.passed if one not in journal.tried]
    kills = [one for one in journal.passed[::_KILLED] if one not in journal.killed]
    started, done = time.monotonic(), 0
    with ProcessPoolExecutor(_AT_ONCE, mp_context=forks) as pool:
        cutting = [pool.submit(cuts, root, part) for part in range(_PARTS) if part not in journal.cuts]
        batches = [left[at : at + _BATCH] for at in range(0, len(left), _BATCH)]
        work = [pool.submit(batch, root, some) for some in batches]
        work += [pool.submit(trial, root, one) for one in kills]
        for ready in as_completed(work):
            for tried in ready.result():
                journal.add(tried)
                if tried.why:
                    say(f"{tried.boundary.kind} {tried.boundary.what} {tried.boundary.number}: {tried.why}")
            done += len(ready.result())
            minutes = (time.monotonic() - started) / 60
            say(f"{done} of {len(left) + len(kills)} boundaries, {minutes:.1f} minutes")
        for part in as_completed(cutting):
            journal.add(part.result())
            if part.result().why:
                say(f"cut: {part.result().why}")


def say(text: str) -> None:
    """Tell whoever waits."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def sample(size: int) -> int:
    """Kill at some, in this process; 1 if anything is wrong."""
    with tempfile.TemporaryDirectory(prefix="crash-") as folder:
        passed = survey(Path(folder))
        step = len(passed) // size
        tried = (one for point in passed[step // 2 :: step][:size] for one in trial(Path(folder), point))
        wrong = [one for one in tried if one.why]
    for one in wrong:
        say(f"{one.boundary}: {one.why}")
    say(f"killed at {size} of {len(passed)} boundaries; {len(wrong)} went wrong")
    return int(bool(wrong))


def whole() -> int:
    """Kill at all of them, and write the page; 1 if anything is wrong."""
    code = hashlib.sha256()
    for path in sorted([*(_HERE / "src").rglob("*.py"), *(_HERE / "tests" / "durable").glob("*.py")]):
        code.update(path.read_bytes())
    root = Path(tempfile.gettempdir()) / f"sparky-crash-{code.hexdigest()[:16]}"
    with FileLocks(root).attempt("crash") as alone:
        if not alone:
            say(f"another process is at it, in {root}")
            return 1
        journal = Journal.read(root / "journal.jsonl")
        if not journal.passed:
            journal.start(survey(root))
        kill(root, journal)
        states, wrong = len(journal.states), journal.wrong
        said = f"{len(journal.tried)} of {len(journal.passed)} boundaries ({states} states)"
        say(f"gone on from {said}, killed at {len(journal.killed)}; {wrong} went wrong")
        if not wrong:
            figures = Figures(
                passed=Counter(one.kind for one in journal.tried),
                killed=Counter(one.kind for one in journal.killed),
                states=states,
                unreached=len(journal.unreached),
                cuts=sum(one.cut for one in journal.cuts.values()),
                frames=max(one.frames for one in journal.cuts.values()),
            )
            PAGE.write_text(render(figures), encoding="utf-8")
            shutil.rmtree(root)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(sample(int(sys.argv[1])) if sys.argv[1:] else whole())
