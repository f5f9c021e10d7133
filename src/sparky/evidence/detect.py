"""Looking for findings: the tools' commands run, their answers read."""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sparky.domain.attempt import Evidence
from sparky.domain.change import below
from sparky.domain.command import Completed
from sparky.domain.finding import Finding
from sparky.domain.issue import Kind
from sparky.evidence.answers import answered
from sparky.evidence.failing import Hear
from sparky.evidence.running import reader, run_detectors, run_tool
from sparky.ports import Ports
from sparky.tools.failing.snapshots import is_snapshot
from sparky.tools.listing import is_detector
from sparky.tools.table import TOOLS
from sparky.tools.tool import SILENT, Argv, Read, Tool, ToolError

_PATHS = 10
_AT_ONCE = 4
"""How many tools run beside each other."""
QUICKEST = "ruff"
HEARING = "failures"


@dataclass(frozen=True, kw_only=True)
class Detected:
    """What the tools found at a commit, sorted by tool and place; `notes` are for a person.

    A fault that several tools tell is there by each of them: `tools.faults` knows which are one.
    """

    findings: tuple[Finding, ...]
    evidence: tuple[Evidence, ...]
    notes: tuple[str, ...] = ()


@contextmanager
def exported(ports: Ports, sha: str) -> Iterator[Path]:
    """A commit's files in a directory of their own, gone afterwards."""
    ports.scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ports.scratch, prefix="tree-") as name:
        root = Path(os.path.realpath(name))
        ports.repository.export(sha, root)
        yield root


def bind(ports: Ports, name: str, root: Path) -> Tool:
    """A tool for the target in a directory."""
    return TOOLS[name](ports.binaries[name], reader(root))


def detect(
    ports: Ports,
    root: Path,
    sha: str,
    kinds: Iterable[Kind],
    paths: Sequence[str] = (".",),
    *,
    also: Iterable[Kind] = (),
    before: Sequence[Finding] | None = None,
    configured: Read | None = None,
    hear: Hear | None = None,
) -> Detected:
    """All findings of these kinds below a directory that holds the commit `sha`; raises ToolError.

    `also`: kinds that the quickest tool alone looks for. `before`: what was found at first, None: this is the
    first look; who gave no answer then is not asked, who gives none now leaves nothing to compare.
    `configured` reads the files that configure the tools; None: those of the directory. `hear` says what the
    target's tests say; None: they are not asked.
    """
    wanted = tuple(kinds)
    all_kinds = tuple(dict.fromkeys((*wanted, *also)))
    read = reader(root)
    findings: list[Finding] = []
    evidence: list[Evidence] = []
    notes: list[str] = []
    silent = [one for one in before or () if one.rule == SILENT and one.kind in wanted]
    tools = _tools(ports, configured or read, silent)
    readable = [path for path in paths if not _is_data(root, path)]
    asking = [
        (tool, _asked(tool, all_kinds if tool.name == QUICKEST else wanted, readable)) for tool in tools
    ]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        running = _running(pool, ports, root, asking)
        with ports.waiting(partial(_pending, asking, running)):
            wait(running.values())
        for tool, commands in asking:
            results = tuple(done for argv in commands for done in running[argv].result() if done.argv == argv)
            found = _among(tool.findings(results, str(root), read), readable if tool.whole else (".",))
            findings += found
            evidence += [_evidence(ports, result, sha, len(found)) for result in results]
            notes += tool.notes(wanted)
    findings = [*_comparable(before, findings), *silent]
    if hear is not None and Kind.TEST_FAILURE in wanted:
        with ports.waiting(lambda: ("the tests",)):
            answer = hear({})
        heard = bind(ports, HEARING, root).findings((answer,), str(root), read)
        findings += _among(heard, paths)
        evidence += [_evidence(ports, answer, sha, len(heard))] if answer.argv else []
        notes += () if answer.argv else ("no test command was found, so no failing test is told",)
    return Detected(findings=tuple(findings), evidence=tuple(evidence), notes=tuple(notes))


def _tools(ports: Ports, read: Read, silent: Iterable[Finding]) -> list[Tool]:
    """All tools but those that gave no answer before."""
    names = {*TOOLS} - {one.tool for one in silent}
    return [TOOLS[name](ports.binaries[name], read) for name in TOOLS if name in names]


def _comparable(before: Sequence[Finding] | None, now: list[Finding]) -> list[Finding]:
    """The findings; raises ToolError if they lack an answer, and there is something to compare them with."""
    mute = [one.message for one in now if one.rule == SILENT]
    if before is not None and mute:
        raise ToolError(f"{mute[0]}, and there was one before")
    return now


def _among(findings: Sequence[Finding], paths: Sequence[str]) -> tuple[Finding, ...]:
    """The findings in files that are one of the paths or lie in one, and answers that were not given."""
    mine = frozenset(below((one.location.path for one in findings), paths))
    return tuple(one for one in findings if one.location.path in mine or one.rule == SILENT)


def _asked(tool: Tool, kinds: Iterable[Kind], paths: Sequence[str]) -> tuple[Argv, ...]:
    """The commands of a tool; what reads all of a target anyway is asked for all of it."""
    some = tool.detect(kinds, paths)
    return tool.detect(kinds) if some and tool.whole else some


def _running(
    pool: Executor, ports: Ports, root: Path, asking: Iterable[tuple[Tool, Iterable[Argv]]]
) -> dict[Argv, Future[tuple[Completed, ...]]]:
    """What answers to each command; sparky's own detectors, which take longest, are one process."""
    tools = {argv: tool for tool, commands in asking for argv in commands}
    own = [argv for argv in tools if is_detector(argv)]
    together = pool.submit(run_detectors, ports, root, own)
    others = {argv: pool.submit(_alone, ports, root, tools[argv], argv) for argv in tools if argv not in own}
    return dict.fromkeys(own, together) | others


def _pending(
    asking: Iterable[tuple[Tool, Iterable[Argv]]], running: Mapping[Argv, Future[tuple[Completed, ...]]]
) -> tuple[str, ...]:
    """The tools that have not answered yet."""
    return tuple(t.name for t, commands in asking if any(not running[argv].done() for argv in commands))


def _alone(ports: Ports, root: Path, tool: Tool, argv: Argv) -> tuple[Completed, ...]:
    return ((answered if tool.whole else run_tool)(ports, root, argv),)


def _is_data(root: Path, path: str) -> bool:
    """Whether it is a file that only tests read: a tool that it is named to would read it as Python."""
    return is_snapshot(path) and not path.endswith(".py") and (root / path).is_file()


def _evidence(ports: Ports, result: Completed, sha: str, count: int) -> Evidence:
    return Evidence(
        command=_reproducible(result.argv),
        code=result.code,
        output=ports.blobs.put(result.stdout[:1_000_000]),
        sha=sha,
        seconds=round(result.seconds, 3),
        note=f"{count} finding(s)",
        sandbox=result.level.value,
    )


def _reproducible(argv: Sequence[str]) -> tuple[str, ...]:
    """The command as a person can run it in the target's directory; of many paths the first are named."""
    words = (Path(argv[0]).name, *argv[1:])
    end = words.index("--") + 1 + _PATHS if "--" in words else len(words)
    return words if len(words) <= end else (*words[:end], f"… and {len(words) - end} more")
