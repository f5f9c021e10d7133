"""What an agent is told by the reports on its run before it works, and the report on what came of it."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sparky.domain.agent import Role
from sparky.domain.attempt import Attempt, Stage, Verdict
from sparky.domain.change import Lines, read_patch
from sparky.domain.errors import UserError
from sparky.domain.report import Reply, Report, ReportId, issue_name
from sparky.domain.state import PipelineState
from sparky.formats.values_json import decode
from sparky.ports import GitError, Ports, Repository
from sparky.reports.branch import Left, brief
from sparky.reports.compose import REPLIES, author, report_of
from sparky.reports.own import read_any
from sparky.reports.report_md import render
from sparky.reports.told import BRIEFING, Briefing

REPORTED = frozenset({Stage.EXECUTE, Stage.REVIEW, Stage.TEST, Stage.VERIFY})
"""The stages that leave a report."""

REVIEW = "review"
"""The name of the blob of an attempt that holds what a reviewer wrote."""


def role_of(ports: Ports, agent: str) -> Role:
    """The role of an agent; who is no agent of the table changes code."""
    return next((known.role for known in ports.agents if known.name == agent), Role.CODER)


def briefing(role: Role, state: PipelineState, ports: Ports) -> Briefing:
    """What the reports on the run tell a role.

    A performance that came to nothing answers nothing: what it was to do is still to be done.
    """
    futile = {
        _id(state, place, ports).name
        for place, attempt in enumerate(state.attempts)
        if attempt.stage is Stage.EXECUTE and attempt.verdict is not Verdict.PASS
    }
    left = (
        Left(filed=filed, reading=read_any(text))
        for filed, text in ports.reports.of(state.run_id)
        if filed.id.name not in futile
    )
    return brief(role, left, diff=lambda old, new: _diff(ports.repository, old, new))


@contextmanager
def laid_out(ports: Ports, run: str, worktree: Path) -> Iterator[Path]:
    """The reports on a run as files to be read, in a folder beside its worktree that is gone afterwards."""
    folder = worktree.with_name(f"{worktree.name}.reports")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        for filed, text in ports.reports.of(run):
            file = folder / filed.id.name
            file.write_text(text, encoding="utf-8")
            file.chmod(0o444)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def leave(state: PipelineState, ports: Ports) -> None:
    """Leave the report on the newest attempt, once, however often this is called.

    It is made of the recorded state alone, after the attempt was recorded; so a stage that is performed twice
    leaves one report. What hinders it is said, and does not hinder the run.
    """
    if not state.attempts or state.newest.stage not in REPORTED:
        return
    report = _report(state, ports)
    try:
        ports.reports.leave(state.run_id, report.id.name, render(report), report.sha)
    except UserError as error:
        ports.progress.say(state.run_id, f"{report.id.name} was not left: {error}")


def _report(state: PipelineState, ports: Ports) -> Report:
    blobs = state.newest.blobs
    told, replies, review = (
        ports.blobs.get(blobs[name]) if name in blobs else None for name in (BRIEFING, REPLIES, REVIEW)
    )
    return report_of(
        state.newest,
        _id(state, len(state.attempts) - 1, ports),
        state.head,
        told=decode(told, Briefing) if told is not None else None,
        replies=decode(replies, tuple[Reply, ...]) if replies is not None else (),
        review=read_any(review.decode()) if review is not None else None,
    )


def _id(state: PipelineState, place: int, ports: Ports) -> ReportId:
    """The report on an attempt: versions count the attempts that report under the same name."""
    names = [_author(attempt, ports) for attempt in state.attempts[: place + 1] if attempt.stage in REPORTED]
    return ReportId(agent=names[-1], issue=issue_name(state.issue.id), version=names.count(names[-1]))


def _author(attempt: Attempt, ports: Ports) -> str:
    return author(attempt, role_of(ports, attempt.agent))


def _diff(repository: Repository, old: str, new: str) -> Mapping[str, Lines] | None:
    """The lines that changed between two commits; None if one of them is not there any more."""
    try:
        return read_patch(repository.patch(old, new).decode("utf-8", "replace"))
    except GitError:
        return None
