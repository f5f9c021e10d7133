"""An attempt that is too long to be recorded is cut short, and each cut says so."""

from dataclasses import replace

from sparky.domain.attempt import Attempt, Evidence, GateResult, Stage, Verdict, short
from sparky.formats.values_json import encode
from sparky.stages.table import RECORDED_BYTES

PATHS = tuple(f"src/{'package/' * 10}module_{number}.py" for number in range(5000))
LONG = Attempt(
    stage=Stage.REVIEW,
    number=1,
    verdict=Verdict.REVISE,
    reason="refused: " + ", ".join(PATHS),
    gates=(GateResult(gate="scope", verdict=Verdict.REVISE, reason=", ".join(PATHS)),) * 7,
    evidence=(Evidence(command=("ruff", *PATHS), code=1, output="a" * 64, sha="b" * 40, seconds=1.0),) * 2,
    files_modified=PATHS,
    files_created=PATHS,
    files_deleted=PATHS,
    items=tuple(path * 30 for path in PATHS),
    validation_errors=PATHS,
    avoided_patterns=PATHS,
)


def test_what_is_longer_than_any_record_fits_when_it_is_cut() -> None:
    assert len(encode(LONG)) > 1_000_000
    assert len(encode(short(LONG))) < RECORDED_BYTES


def test_the_first_entries_stay_and_the_rest_is_counted() -> None:
    cut = short(LONG)
    assert (cut.files_modified[:20], len(cut.files_modified)) == (PATHS[:20], 21)
    assert cut.files_modified[20].startswith("… and 4980 more (")
    assert cut.gates[0].reason.startswith(f"{PATHS[0]}, {PATHS[1]}, ")


def test_what_was_cut_differently_stays_different() -> None:
    other = replace(LONG, reason=f"{LONG.reason}!", validation_errors=(*PATHS[:-1], "other.py"))
    cut, also = short(LONG), short(other)
    assert cut.validation_errors[:20] == also.validation_errors[:20]
    assert cut.validation_errors[20] != also.validation_errors[20]
    assert cut.reason != also.reason


def test_what_is_short_is_left_as_it_is() -> None:
    attempt = Attempt(stage=Stage.TEST, number=1, verdict=Verdict.PASS, reason="2 passed", items=("a", "b"))
    assert short(attempt) == attempt
