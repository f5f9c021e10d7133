"""Looking for findings: the tools' commands run, their answers read."""

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from errno import ELOOP
from functools import lru_cache
from io import FileIO
from pathlib import Path

from sparky.domain.attempt import Evidence
from sparky.domain.change import below
from sparky.domain.command import Command, Completed, Level, Policy
from sparky.domain.finding import Finding
from sparky.domain.issue import Kind
from sparky.evidence.failing import Hear
from sparky.evidence.stubs import SPARKY, knowing
from sparky.ports import Ports
from sparky.tools.complexipy import RULE as COGNITIVE
from sparky.tools.failing.snapshots import is_snapshot
from sparky.tools.listing import is_program
from sparky.tools.table import TOOLS
from sparky.tools.tool import Argv, Read, Tool

TIMEOUT_S = 600.0
OUTPUT_LIMIT = 256_000_000
_PATHS = 10
_AT_ONCE = 4
"""How many tools run beside each other."""
_DEEP = {"RUST_MIN_STACK": "268435456"}
"""With a stack of this many bytes tools in Rust read what nests deep; else they abort, and name no file."""
QUICKEST = "ruff"
HEARING = "failures"
SHARED = {"S324": "S324", "S506": "S506", "C901": COGNITIVE}
"""Rules by which ruff finds what another tool tells by that of its own."""


@dataclass(frozen=True, kw_only=True)
class Detected:
    """What the tools found at a commit, sorted by tool and place; `notes` are for a person."""

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
    configured: Read | None = None,
    hear: Hear | None = None,
) -> Detected:
    """All findings of these kinds below a directory that holds the commit `sha`; raises ToolError.

    `also`: kinds that the quickest tool alone looks for. `configured` reads the files that configure the
    tools; None: those of the directory. `hear` says what the target's tests say; None: they are not asked.
    """
    wanted = tuple(kinds)
    all_kinds = tuple(dict.fromkeys((*wanted, *also)))
    read = reader(root)
    findings: list[Finding] = []
    evidence: list[Evidence] = []
    notes: list[str] = []
    tools = [TOOLS[name](ports.binaries[name], configured or read) for name in TOOLS]
    readable = [path for path in paths if not _is_data(root, path)]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        running = [
            (tool, [pool.submit(run_tool, ports, root, argv) for argv in tool.detect(asked, readable)])
            for tool in tools
            for asked in (all_kinds if tool.name == QUICKEST else wanted,)
        ]
        for tool, answers in running:
            results = tuple(answer.result() for answer in answers)
            found = tool.findings(results, str(root), read)
            findings += found
            evidence += [_evidence(ports, result, sha, len(found)) for result in results]
            notes += tool.notes if results else ()
    if hear is not None and Kind.TEST_FAILURE in wanted:
        answer = hear({})
        heard = bind(ports, HEARING, root).findings((answer,), str(root), read)
        mine = frozenset(below((one.location.path for one in heard), paths))
        findings += [one for one in heard if one.location.path in mine]
        evidence += [_evidence(ports, answer, sha, len(heard))] if answer.argv else []
        notes += () if answer.argv else ("no test command was found, so no failing test is told",)
    return Detected(findings=unique(findings), evidence=tuple(evidence), notes=tuple(notes))


def _is_data(root: Path, path: str) -> bool:
    """Whether it is a file that only tests read: a tool that it is named to would read it as Python."""
    return is_snapshot(path) and not path.endswith(".py") and (root / path).is_file()


def unique(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings without what ruff says of a line of which another tool says as much."""
    told = {_spot(one, one.rule) for one in findings if one.tool != "ruff"}
    return tuple(
        one for one in findings if one.tool != "ruff" or _spot(one, SHARED.get(one.rule)) not in told
    )


def _spot(finding: Finding, rule: str | None) -> tuple[str, int | None, str | None]:
    return finding.location.path, finding.location.line, rule


def run_tool(ports: Ports, root: Path, argv: Argv) -> Completed:
    """One command of a tool in the target's directory.

    Where a sandbox can be had, sparky's own programs, which read foreign files in Python, write nothing and
    see nothing of a home but the target and what the command names.
    """
    told = knowing(ports, argv, reader(root)) if is_program(argv) else argv
    command = Command(argv=told, cwd=root, env=_DEEP, timeout_s=TIMEOUT_S, output_limit=OUTPUT_LIMIT)
    if is_program(argv) and ports.shell.level() is not Level.OFF:
        named = (Path(word) for word in told if os.path.isabs(word))  # noqa: PTH117 - most words are no paths
        command = replace(command, policy=Policy(readable=(root, SPARKY, *named)))
    return replace(ports.shell.run(command), argv=argv)


def reader(root: Path) -> Read:
    """Reads a directory's files: None for what is not there, or only by a link, which may lead elsewhere.

    Whether a folder is a link is looked up once for all of its files.
    """
    real = lru_cache(maxsize=None)(lambda folder: os.path.realpath(folder) == folder)

    def read(path: str) -> bytes | None:
        place = f"{root}/{path}"
        if not real(place.rpartition("/")[0]):
            return None
        try:
            with FileIO(place, opener=_no_link) as file:
                return file.readall()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno == ELOOP:
                return None
            raise

    return read


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW)


def _evidence(ports: Ports, result: Completed, sha: str, count: int) -> Evidence:
    return Evidence(
        command=_reproducible(result.argv),
        code=result.code,
        output=ports.blobs.put(result.stdout[:1_000_000]),
        sha=sha,
        seconds=round(result.seconds, 3),
        note=f"{count} finding(s)",
    )


def _reproducible(argv: Sequence[str]) -> tuple[str, ...]:
    """The command as a person can run it in the target's directory; of many paths the first are named."""
    words = (Path(argv[0]).name, *argv[1:])
    end = words.index("--") + 1 + _PATHS if "--" in words else len(words)
    return words if len(words) <= end else (*words[:end], f"… and {len(words) - end} more")
