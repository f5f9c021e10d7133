"""The search for the largest part of a refused stack of fixes that is safe.

First the files that the refusal names are set aside, till the rest is green; then each of them gets back what
is safe beside all else: by unit (one rule in one file), then by finding. Edits that are long in coming, and
others wherever another edit is, come last, beside all that is kept. What is left is judged as a whole.
"""

from collections.abc import Callable, Iterable, Sequence

from sparky.domain.errors import UserError
from sparky.fixing.bisect import largest_safe
from sparky.fixing.composer import Piece
from sparky.fixing.trial import Trial

ROUNDS = 8
"""How often something else may turn out to be wrong once all that was known is mended."""

Pieces = tuple[Piece, ...]


class RestlessError(UserError):
    """What is wrong is another thing at every look."""


def search(trial: Trial) -> tuple[Pieces, Pieces]:
    """(kept, culprits): what is kept passes all that the run will ask. Raises StoppedError, ToolError."""
    kept, culprits = _safe(trial, trial.pieces, trial.judge.first())
    for _ in range(ROUNDS):
        if (why := trial.stands(kept)) is None:
            return kept, culprits
        kept, guilty = _safe(trial, kept, why.paths)
        culprits += guilty
    raise RestlessError("what is wrong with the fix is another thing at every look")


def _safe(trial: Trial, pieces: Pieces, first: Iterable[str]) -> tuple[Pieces, Pieces]:
    last = trial.learnt(pieces)
    slow = {*last}
    rest = tuple(piece for piece in pieces if piece not in slow)
    aside = _aside(trial, rest, first)
    kept = tuple(piece for piece in rest if piece[1].path not in aside)
    groups = [group for group in (*(_of(rest, path) for path in aside), last) if group]
    culprits: Pieces = ()
    for group in groups:
        kept, bad = _narrowed(trial, kept, group, alone=len(groups) == 1 and not last)
        for piece in bad:
            apart = trial.composer.parts(kept, piece)
            kept, worst = _narrowed(trial, kept, apart, alone=True) if len(apart) > 1 else (kept, (piece,))
            culprits += worst
    return _second_look(trial, kept, culprits)


def _aside(trial: Trial, pieces: Pieces, first: Iterable[str]) -> tuple[str, ...]:
    """The files without whose edits the others are green: where the blame points, else as they are found."""
    files = dict.fromkeys(unit.path for _, unit in pieces)
    aside = tuple(path for path in dict.fromkeys(first) if path in files)
    while why := trial.refusal(tuple(piece for piece in pieces if piece[1].path not in aside)):
        named = tuple(path for path in why.paths if path in files and path not in aside)
        if not named:
            groups = [_of(pieces, path) for path in files if path not in aside]
            _, red = largest_safe(groups, lambda chosen: trial.is_green(_flat(chosen)))
            return (*aside, *dict.fromkeys(unit.path for _, unit in _flat(red)))
        aside += named
    return aside


def _narrowed(trial: Trial, kept: Pieces, group: Pieces, *, alone: bool) -> tuple[Pieces, Pieces]:
    """What is kept, with what of the group is safe beside it; and the rest. `alone`: all of it is red."""
    if not alone and trial.is_green((*kept, *group)):
        return (*kept, *group), ()
    good, bad = largest_safe(group, _beside(trial, kept))
    return (*kept, *good), bad


def _second_look(trial: Trial, kept: Pieces, culprits: Pieces) -> tuple[Pieces, Pieces]:
    """(kept, culprits), where each is tried alone beside what is kept: one that is green is no culprit."""
    guilty: Pieces = ()
    for piece in culprits:
        if trial.is_guilty(kept, piece):
            guilty += (piece,)
        else:
            kept += (piece,)
    return kept, guilty


def _beside(trial: Trial, kept: Pieces) -> Callable[[Pieces], bool]:
    return lambda pieces: trial.is_green((*kept, *pieces))


def _of(pieces: Pieces, path: str) -> Pieces:
    return tuple(piece for piece in pieces if piece[1].path == path)


def _flat(groups: Sequence[Pieces]) -> Pieces:
    return tuple(piece for group in groups for piece in group)
