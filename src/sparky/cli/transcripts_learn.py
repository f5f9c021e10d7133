"""`sparky transcripts learn`."""

from pathlib import Path

import click

from sparky.cli.output import as_json, put_json, say
from sparky.cli.terminal import out, text
from sparky.cli.transcripts_options import library, raw, wanted, which
from sparky.domain.errors import UsageError
from sparky.transcripts.learn import learn, lines
from sparky.transcripts.redact import redact

_HEADING = "\n## Said again and again\n\n"


@click.command("learn")
@which
@click.option(
    "--write", type=click.Path(path_type=Path), metavar="FILE", help="Append the lines to this file."
)
@raw
@as_json
def verb_learn(
    project: Path | None, session: str, since: float, write: Path | None, *, raw: bool, as_json: bool
) -> None:
    """Propose lines for AGENTS.md from what was said in several sessions, each with its sources.

    Nothing is written without --write.
    """
    said = library().feedback(wanted(project, session, since), words=str if raw else redact)
    lessons = learn(said)
    if write and lessons:
        _append(write, lines(lessons))
        say(f"{len(lessons)} line(s) were appended to {write}")
    if as_json:
        put_json(lessons)
        return
    for lesson in lessons:
        out().print(f"- {text(lesson.line)}")
        for one in lesson.sources:
            out().print(f"    [dim]{one.at}  {one.session[:8]}  {one.kind.value}  {text(one.text)[:100]}[/]")
    if not lessons:
        say("nothing was said in several sessions")


def _append(path: Path, found: str) -> None:
    try:
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        known = {line.partition(" <!--")[0] for line in before.splitlines()}
        fresh = "".join(
            line for line in found.splitlines(keepends=True) if line.partition(" <!--")[0] not in known
        )
        if fresh:
            heading = "" if _HEADING.strip() in before else _HEADING
            path.write_text(f"{before}{heading}{fresh}", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
