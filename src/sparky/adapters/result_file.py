"""The file beside an issue that says what came of it."""

from pathlib import Path, PurePath

from sparky.adapters.blobs import write_whole
from sparky.domain.issue import Issue, Source, slug
from sparky.domain.result import Result
from sparky.domain.state import Context
from sparky.issues.result_md import RESULT_SUFFIX, render


def result_path(top: Path, issue: Issue) -> str:
    """Where the result of an issue of the repository at `top` goes; "" for one that lies in no file."""
    if issue.path is None:
        return ""
    file = top / issue.path
    stem = PurePath(issue.path).stem
    name = f"{stem}.{slug(issue.id)}" if issue.source is Source.JSON else stem
    return str(file.with_name(f"{name}{RESULT_SUFFIX}"))


def write_result(path: Path, result: Result, context: Context) -> None:
    """Write the file whole, for everybody to read; raises OSError where its directory is gone, or refuses."""
    if not path.parent.is_dir():
        raise FileNotFoundError(2, "its directory is gone", str(path))
    write_whole(path, render(result, context).encode())
    path.chmod(0o644)
