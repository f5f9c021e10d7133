"""`sparky demo`."""

import shutil
import sys
import tempfile
from contextlib import nullcontext, redirect_stdout
from importlib.resources import as_file, files
from pathlib import Path

import click

from sparky.adapters.shell import SystemShell
from sparky.app.read import House
from sparky.cli.home import house
from sparky.cli.output import as_json, put_json
from sparky.cli.table import load
from sparky.domain.command import Command
from sparky.domain.errors import UsageError, UserError
from sparky.domain.result import WorkCompleted
from sparky.domain.run import RunRow
from sparky.environment import read_environment

_AUTHOR = ("-c", "user.name=Demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgSign=false")


@click.command("demo")
@click.argument("directory", required=False, type=click.Path(path_type=Path))
@as_json
def command(directory: Path | None, *, as_json: bool) -> int:
    """Run the main job on a small repository made for it. Needs no key.

    DIRECTORY is where to make it (it must not exist); default: a temporary directory.
    """
    if directory is not None and directory.exists():
        raise UsageError(f"{directory} exists already: name a directory that does not")
    top = (directory or Path(tempfile.mkdtemp(prefix="sparky-demo-")) / "orders").resolve()
    with as_file(files("sparky.demo")) as source:
        shutil.copytree(source / "repository", top, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(source / "script.toml", top.parent / "script.toml")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), (*_AUTHOR, "commit", "-qm", "A small shop")):
        _git(top, *words)
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        code = _perform(top)
    if as_json:
        home = house()
        put_json([home.result(home.store.state(row.run_id)) for row in _runs(home, top)])
        return code
    click.secho("\n$ git log --oneline", bold=True)
    click.echo(_git(top, "log", "--oneline"))
    _put_short(top)
    click.echo(f"\nThe repository stays in {top}; `sparky show RUN` tells each story.")
    return code


def _perform(top: Path) -> int:
    """The verbs, as a user would call them; the highest of their exit codes."""
    click.secho(f"A small repository with faults of several kinds is in {top}\n", bold=True)
    script = str(top.parent / "script.toml")
    return max(
        _verb("scan", "-C", str(top)),
        _verb("fix", "-C", str(top), "--auto"),
        _verb("run", "001", "-C", str(top), "--auto", "--script", script),
        _verb("status", "-C", str(top)),
    )


def _verb(name: str, *arguments: str) -> int:
    click.secho(f"\n$ sparky {name} {' '.join(arguments)}", bold=True)
    done = load(name).command.main([*arguments], prog_name=f"sparky {name}", standalone_mode=False)
    return done if isinstance(done, int) else 0


def _put_short(top: Path) -> None:
    """What was fixed, refused, merged and left, from the stored runs."""
    home = house()
    click.secho("\nIn short", bold=True)
    for row in _runs(home, top):
        result = home.result(home.store.state(row.run_id))
        click.echo(f"  {row.outcome.value if row.outcome else 'open'}: {row.title}")
        work = result.work_completed
        click.echo(
            f"    verified {result.commit[:10]}: {work.findings_fixed} finding(s) gone, {_tests(work)}"
        )
        for error in result.all_errors:
            click.echo(f"    refused  {error}")
        for rest in result.issues_remaining:
            click.echo(f"    left     {rest}")


def _runs(home: House, top: Path) -> list[RunRow]:
    return [row for row in reversed(home.store.rows()) if row.repo_path == str(top)]


def _tests(work: WorkCompleted) -> str:
    return "tests no worse than at base" if work.tests_passed else "no test has verified it"


def _git(top: Path, *words: str) -> str:
    done = SystemShell(read_environment().base).run(Command(argv=("git", *words), cwd=top))
    if not done.ok:
        raise UserError(f"git {words[0]} failed: {done.text().strip()}")
    return done.stdout.decode()
