"""EXECUTE by a tool: what its fixes bring is mended with them, and what a person refused is not."""

import sys
from pathlib import Path

import msgspec
import pytest

from sparky.adapters.memory import Program, answer
from sparky.domain.agent import Route
from sparky.domain.attempt import Attempt, Stage, Trait, Verdict
from sparky.domain.command import Command, Completed
from sparky.domain.finding import fingerprint
from sparky.domain.issue import Issue, Kind, Source
from sparky.evidence.detect import detect
from sparky.formats.values_json import encode
from sparky.tools.programs.sources import diagnostic
from sparky.tools.ruff_json import Diagnostic, Edit, Place
from tests.builders import CONTEXT
from tests.stages.stand import Stand, real_ruff

FILLS = b"def f(i):\n    return dict((p, i) for p in range(5))\n\n\n"
KEPT = b"def g(i):\n    return {p: i for p in range(5)}\n"


def executed(stand: Stand, base: str, known: str, kind: Kind, agent: str) -> Attempt:
    """EXECUTE by an agent that was chosen for what is known of a kind at the base."""
    stand.issue = Issue(id="fix", key="k", title="Fix", source=Source.FINDINGS, kinds=(kind,), findings=known)
    route = Route(kind=kind, agent=agent, fallbacks=(), bids=())
    routed = Attempt(stage=Stage.ROUTE, number=1, verdict=Verdict.PASS, reason="routed", route=(route,))
    return stand.perform(Stage.EXECUTE, stand.state(base, routed), agent=agent)


def test_bug_what_was_refused_was_mended_with_what_a_fix_of_the_same_file_brought(stand: Stand) -> None:
    stand.tool, kind = real_ruff, Kind.PERFORMANCE
    ports = stand.house.ports
    base = stand.commit({"a.py": FILLS + KEPT})
    root = ports.repository.open("look", "look", base)
    found = detect(ports, root, base, (kind,)).findings
    assert [(one.rule, one.location.symbol) for one in found] == [("C402", "f"), ("C420", "g")]
    ports.refusals.refuse(CONTEXT.git_dir, {fingerprint(found[1]): "a person wants it so"})
    known = stand.house.blobs.put(encode(found))
    attempt = executed(stand, base, known, kind, "performance")
    assert (attempt.verdict, attempt.traits) == (Verdict.PASS, (Trait.CHANGED, Trait.UNSHOWN)), attempt.reason
    expected = b"def f(i):\n    return dict.fromkeys(range(5), i)\n\n\n" + KEPT
    assert ports.repository.read(attempt.sha or "", "a.py") == expected


UNTYPED = b"def f(x):\n    return int(x)\n"
TYPED = b"def f(x: int):\n    return int(x)\n"
AT = Place(row=1, column=8)


def told(command: Command, *found: Diagnostic) -> Completed:
    return answer(command, msgspec.json.encode(found))


def typed(command: Command) -> Completed:
    """A mypy that wants the parameter annotated, and offers that."""
    if not (command.cwd / "a.py").is_file():
        return answer(command, code=1)  # it is asked for what it knows of the standard library
    if b"x:" in (command.cwd / "a.py").read_bytes():
        return told(command)
    edit = Edit(content=": int", location=AT, end_location=AT)
    return told(command, diagnostic("no-untyped-def", "a.py", "no type", AT, edit))


def wordless(command: Command) -> Completed:
    """A mypy that finds nothing."""
    return told(command)


def displeased(command: Command) -> Completed:
    """A pyright that finds something wrong with the annotation."""
    found = diagnostic("reportUnnecessaryCast", "a.py", "it is an int", AT)
    return told(command, *([found] if b"x:" in (command.cwd / "a.py").read_bytes() else []))


def mute(command: Command) -> Completed:
    """A pyright that gives no answer."""
    said = Diagnostic(code="no-answer", filename="pyproject.toml", message="no")
    return answer(command, msgspec.json.encode([said]), code=3)


def first_mute(command: Command) -> Completed:
    """A pyright that gives no answer as long as nothing is annotated."""
    return mute(command) if b"x:" not in (command.cwd / "a.py").read_bytes() else displeased(command)


def then_mute(command: Command) -> Completed:
    """A pyright that gives no answer once something is annotated."""
    return mute(command) if b"x:" in (command.cwd / "a.py").read_bytes() else told(command)


@pytest.mark.parametrize(
    ("mypy", "pyright", "said", "after"),
    [
        (typed, displeased, "PASS: none of 1 TYPE_ERROR finding(s) can be mended", UNTYPED),
        (typed, mute, "PASS: 1 of 2 TYPE_ERROR finding(s) mended, 1 left", TYPED),
        (typed, first_mute, "PASS: 1 of 2 TYPE_ERROR finding(s) mended, 1 left", TYPED),
        (typed, then_mute, "REVISE: no, and there was one before", UNTYPED),
        (wordless, mute, "PASS: none of 1 TYPE_ERROR finding(s) can be mended", UNTYPED),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_pyright_says_anew_refuses_an_annotation_and_its_silence_refuses_only_what_it_spoke_of(
    stand: Stand, mypy: Program, pyright: Program, said: str, after: bytes
) -> None:
    stand.programs = {"mypy": mypy, Path(sys.executable).name: pyright}
    base = stand.commit({"a.py": UNTYPED, "pyproject.toml": b"[tool.pyright]\n"})
    ports = stand.house.ports
    root = ports.repository.open("look", "look", base)
    known = stand.house.blobs.put(encode(detect(ports, root, base, (Kind.TYPE_ERROR,)).findings))
    attempt = executed(stand, base, known, Kind.TYPE_ERROR, "types")
    assert f"{attempt.verdict.value}: {attempt.reason}" == said
    assert ports.repository.read(attempt.sha or "", "a.py") == after
