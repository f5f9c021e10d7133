"""What stages look at and leave behind: a change as facts, the findings known at the base, what stays."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sparky.domain.attempt import Attempt, Evidence, Stage, Trait
from sparky.domain.change import Change, FileChange, is_test_path, read_patch
from sparky.domain.finding import Finding, Left
from sparky.domain.issue import Issue, Kind
from sparky.domain.result import REST
from sparky.domain.state import PipelineState
from sparky.foreign import parse_foreign
from sparky.formats.values_json import decode, encode
from sparky.ports import Blobs, Ports, Repository
from sparky.tamper.edit import Edit
from sparky.tamper.judge import judge
from sparky.tools.failing.snapshots import STALE
from sparky.tools.tool import Unit


def read_change(repository: Repository, base: str, head: str) -> Change:
    """The change between two commits: its lines, the Python files that don't parse at `head`, suspicions."""
    files = repository.changes(base, head)
    patch = repository.patch(base, head).decode("utf-8", "replace")
    edits = edits_of(repository, base, head, files)
    return Change(
        files=files,
        lines=read_patch(patch),
        broken=_broken(repository, head, files),
        suspicions=judge(edits, lambda: _tests(repository, head)),
    )


def edits_of(repository: Repository, base: str, head: str, files: Sequence[FileChange]) -> tuple[Edit, ...]:
    """The texts of all changed files that are text, at base and at head."""
    texts = [file for file in files if not file.binary]
    before = _texts(repository, base, [f.old_path or f.path for f in texts if f.status != "A"])
    after = _texts(repository, head, [f.path for f in texts if f.status != "D"])
    return tuple(
        Edit(
            path=file.path,
            before=before.get(file.old_path or file.path) if file.status != "A" else None,
            after=after.get(file.path),
            old_path=file.old_path,
        )
        for file in texts
    )


def _texts(repository: Repository, sha: str, paths: Sequence[str]) -> dict[str, str]:
    return {path: data.decode("utf-8", "replace") for path, data in repository.contents(sha, paths)}


def _tests(repository: Repository, sha: str) -> dict[str, str]:
    paths = [path for path in repository.files(sha) if is_test_path(path) and path.endswith(".py")]
    return _texts(repository, sha, paths)


def with_files(attempt: Attempt, change: Change) -> Attempt:
    """The attempt, naming the files of a change."""
    return replace(
        attempt,
        files_modified=change.paths("M"),
        files_created=change.paths("A"),
        files_deleted=change.paths("D"),
        lines_changed=change.size,
    )


def diff_evidence(repository: Repository, blobs: Blobs, base: str, head: str) -> Evidence:
    """The diff itself, with the command that shows it again."""
    return Evidence(
        command=("git", "diff", base, head),
        code=0,
        output=blobs.put(repository.patch(base, head)),
        sha=head,
        seconds=0.0,
        note="the diff",
    )


def _broken(repository: Repository, head: str, files: tuple[FileChange, ...]) -> dict[str, str]:
    changed = [f.path for f in files if f.path.endswith((".py", ".pyi")) and f.status != "D"]
    judged = ((path, syntax_error(source)) for path, source in repository.contents(head, changed))
    return {path: why for path, why in judged if why}


def syntax_error(source: bytes) -> str | None:
    """Why Python source does not parse, None if it does."""
    try:
        parse_foreign(source)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error)
    return None


UNITS = "units"
"""The blob of an EXECUTE attempt of a tool that holds what it `Applied`."""

Applied = tuple[tuple[int, tuple[Unit, ...]], ...]
"""Pairs of a part and its units."""


def applied(state: PipelineState, ports: Ports, stage: Stage) -> Iterator[tuple[str, int, tuple[Unit, ...]]]:
    """What tools applied in the attempts of a stage: the commit that each made, a part, and its units."""
    for attempt in state.of(stage):
        if UNITS in attempt.blobs and attempt.sha is not None:
            for part, units in decode(ports.blobs.get(attempt.blobs[UNITS]), Applied):
                yield attempt.sha, part, units


def rewritten(state: PipelineState, ports: Ports, sha: str) -> frozenset[str]:
    """The snapshots that are at a commit as the tool left them that was asked to rewrite them."""
    if not state.preferences.update_snapshots:
        return frozenset()
    made = (one for stage in (Stage.EXECUTE, Stage.CHILD) for one in applied(state, ports, stage))
    snapshots = ((at, unit.path) for at, _, units in made for unit in units if unit.rule == STALE)
    read = ports.repository.read
    return frozenset(path for at, path in snapshots if read(at, path) == read(sha, path))


def by_tools_alone(state: PipelineState) -> bool:
    """Whether nobody but deterministic fixers worked on it, or on the parts of its plan that are kept."""
    made = [attempt for attempt in state.of(Stage.EXECUTE) if Trait.CHANGED in attempt.traits]
    made += [attempt for attempt in state.of(Stage.CHILD) if attempt.sha is not None]
    return bool(made) and all(UNITS in attempt.blobs for attempt in made)


SEEN = "findings"
"""The blob of an EXECUTE attempt that holds all findings at the commit that it ended at."""


def base_findings(state: PipelineState, ports: Ports) -> tuple[Finding, ...] | None:
    """All findings at the base the run started from; None if the issue is not made of findings."""
    if state.issue.findings is None:
        return None
    return decode(ports.blobs.get(state.issue.findings), tuple[Finding, ...])


def whole_issue(state: PipelineState, ports: Ports) -> Issue:
    """The run's issue, with all its files."""
    issue = state.issue
    if issue.limits is None:
        return issue
    return replace(issue, files=decode(ports.blobs.get(issue.limits), tuple[str, ...]))


def findings_at(state: PipelineState, ports: Ports, sha: str) -> tuple[Finding, ...] | None:
    """All findings at a commit of the run, as the EXECUTE that ended there saw them; None: nobody looked."""
    if sha == state.context.base:
        return base_findings(state, ports)
    for attempt in reversed(state.of(Stage.EXECUTE)):
        if attempt.sha == sha and SEEN in attempt.blobs:
            return decode(ports.blobs.get(attempt.blobs[SEEN]), tuple[Finding, ...])
    return None


def kinds_of(state: PipelineState) -> tuple[Kind, ...]:
    """The kinds that a run works on: as it was routed, or, where its parts are, as its issue names them."""
    routed = tuple(route.kind for route in state.routes)
    return routed or (state.issue.kinds if state.issue.findings is not None else ())


def looked_for(state: PipelineState) -> tuple[Kind, ...]:
    """The kinds to look for in a run: its own, and layout, which every fix leaves as clean as it was.

    Not what the tests say: that is the stage TEST's.
    """
    kinds = (*kinds_of(state), Kind.FORMATTING)
    return tuple(dict.fromkeys(kind for kind in kinds if kind is not Kind.TEST_FAILURE))


_RECORDED = 20


def named(attempt: Attempt, ports: Ports, rest: Sequence[Left]) -> Attempt:
    """The attempt with what stays: the first lines in the state, all of it in a blob."""
    blobs = {**attempt.blobs, REST: ports.blobs.put(encode(tuple(rest)))}
    return replace(attempt, items=tuple(one.line for one in rest[:_RECORDED]), blobs=blobs)


def reasons(state: PipelineState, ports: Ports) -> dict[str, str]:
    """Fingerprint to the newest reason that an agent gave for leaving the finding."""
    said: dict[str, str] = {}
    for attempt in (*state.of(Stage.EXECUTE), *state.of(Stage.CHILD)):
        if REST in attempt.blobs:
            for one in decode(ports.blobs.get(attempt.blobs[REST]), tuple[Left, ...]):
                said[one.mark] = one.why
    return said
