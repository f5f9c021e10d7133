"""The scripted runner: sessions that are written down, for the demo, for tests and for dry runs. No key.

A script is a TOML file of `[[session]]` tables. The first whose `issue` is the run's, whose `number` is the
attempt's and whose `agent` is the one asked, as far as it names them, is played, by a real process inside the
sandbox.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

import msgspec

from sparky.config import parse_toml, unknown_key
from sparky.domain.command import Command, Completed, Ending, Policy
from sparky.domain.errors import UsageError
from sparky.events import SessionEnding, SessionRequest, SessionResult
from sparky.formats.values_json import encode
from sparky.ports import Shell

_AGENT = Path(__file__).with_name("scripted_agent.py")


class ScriptError(UsageError):
    """A script can't be played; the text says which file, and why."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One thing that the scripted agent does."""

    do: Literal["write", "replace", "delete", "run", "print"]
    path: str = ""
    text: str = ""
    old: str = ""
    argv: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ScriptedSession:
    """One session: its steps, how it ends, what it claims, with which exit code.

    `issue`, `number` and `agent` None: it fits any of them. `handover`: why it says that it is not its turn;
    `plan`: the several issues that it says this one is. `report`: what it writes of a change; a session that
    has one is meant for a reviewer, as is one that names it. `tokens`, `cost_usd`: reported however it ends.
    """

    issue: str | None = None
    number: int | None = None
    agent: str | None = None
    steps: tuple[Step, ...] = ()
    ending: Literal["finish", "crash", "hang"] = "finish"
    success: bool = True
    summary: str = "done"
    handover: str = ""
    plan: tuple[str, ...] = ()
    report: str = ""
    code: int = 0
    tokens: int = 0
    turns: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Script:
    """All sessions of a file."""

    session: tuple[ScriptedSession, ...]


def read_script(path: Path) -> Script:
    """The script in a TOML file; raises ScriptError, also for a key that no session or step has."""
    try:
        plain = parse_toml(path.read_bytes())
        _require_known(plain, Script, f"{path}:")
        script = msgspec.convert(plain, Script)
    except (OSError, msgspec.ValidationError) as error:
        raise ScriptError(f"{path}: {error.strerror if isinstance(error, OSError) else error}") from error
    except ValueError as error:
        raise ScriptError(f"{path} {error}") from error
    for where, table, kind in _tables(plain):
        _require_known(table, kind, f"{path}, {where}:")
    return script


def _require_known(table: Iterable[str], kind: type, where: str) -> None:
    if said := unknown_key(table, (f.name for f in fields(kind))):
        raise ScriptError(f"{where} {said}")


def _tables(plain: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], type]]:
    """Every session and step of a script that has the right shape, with where it stands."""
    for number, session in enumerate(plain["session"], 1):
        yield f"session {number}", session, ScriptedSession
        for count, step in enumerate(session.get("steps", ()), 1):
            yield f"session {number}, step {count}", step, Step


class ScriptedRunner:
    """Plays sessions of a script."""

    def __init__(self, shell: Shell, readable: tuple[Path, ...], *, sandbox: bool) -> None:
        self._shell = shell
        self._readable = readable
        self._sandbox = sandbox

    def run(self, request: SessionRequest) -> SessionResult:
        """The session that fits the request; none fitting is a session that does nothing and says so."""
        if request.script is None:
            return _nothing("no script was given")
        try:
            script = read_script(Path(request.script))
        except ScriptError as error:
            return _nothing(str(error))
        chosen = next((s for s in script.session if fits(s, request)), None)
        if chosen is None:
            return _nothing(f"the script has no session for issue {request.issue}, attempt {request.number}")
        reports = (request.reports,) if request.reports else ()
        policy = Policy(writable=(request.worktree,), readable=(*self._readable, *reports))
        done = self._shell.run(
            Command(
                argv=(sys.executable, "-I", "-S", str(_AGENT)),
                cwd=request.worktree,
                stdin=encode(chosen),
                timeout_s=request.timeout_s,
                policy=policy if self._sandbox else None,
                supervised=True,
            )
        )
        return counted(chosen, _result(done))


def counted(session: ScriptedSession, result: SessionResult) -> SessionResult:
    """The result with what the session is said to have cost."""
    return replace(result, tokens=session.tokens, turns=session.turns, cost_usd=session.cost_usd)


def fits(session: ScriptedSession, request: SessionRequest) -> bool:
    """Whether a session is meant for what is asked."""
    asked = (
        (session.issue, request.issue),
        (session.number, request.number),
        (session.agent, request.agent),
    )
    meant = bool(session.report or session.agent) if request.review else not session.report
    return meant and all(said in {None, wanted} for said, wanted in asked)


def _nothing(why: str) -> SessionResult:
    return SessionResult(claimed_success=False, summary=why, ending=SessionEnding.FINISHED)


def _result(done: Completed) -> SessionResult:
    claim = _claim(done.stdout)
    exited = done.ending is Ending.EXITED
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    detail = f"{done.ending.value} (code {done.code}) {' '.join(said[-1:])}".strip()
    return SessionResult(
        claimed_success=bool(claim.get("success")),
        summary=str(claim.get("summary", "")),
        handover=str(claim.get("handover", "")),
        plan=_texts(claim.get("plan")),
        report=str(claim.get("report", "")),
        ending=_ending(done.ending, claim),
        detail="" if exited and claim else detail,
        output=done.said(),
        level=done.level,
    )


def _ending(ending: Ending, claim: Mapping[str, object]) -> SessionEnding:
    match ending:
        case Ending.EXITED:
            return SessionEnding.FINISHED if claim else SessionEnding.BROKEN_OFF
        case Ending.TIMED_OUT:
            return SessionEnding.TIMED_OUT
        case Ending.KILLED | Ending.NOT_FOUND | Ending.REFUSED:
            return SessionEnding.BROKEN_OFF


def _texts(said: object) -> tuple[str, ...]:
    return tuple(str(one) for one in said) if isinstance(said, list) else ()


def _claim(output: bytes) -> dict[str, object]:
    """The claim in the last line; empty if the agent never came so far."""
    lines = output.decode("utf-8", "replace").strip().splitlines()
    try:
        claim = json.loads(lines[-1])["claim"] if lines else {}
    except (ValueError, KeyError, TypeError):
        return {}
    return claim if isinstance(claim, dict) else {}
