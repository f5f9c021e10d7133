"""What came of an issue, as the Markdown file that is left beside it."""

from collections.abc import Iterable

from sparky.domain.result import Result
from sparky.domain.state import Context

RESULT_SUFFIX = ".result.md"
"""How the names of such files end. None of them is an issue."""

_TESTS = {None: "not run", True: "no worse than at base", False: "worse than at base"}


def render(result: Result, context: Context) -> str:
    """The file's text: how the run stands, where its work is, what is left, and what a person does next."""
    outcome = result.outcome.value if result.outcome else "running"
    facts = (
        ("Outcome", outcome),
        ("Why", result.reason),
        ("Run", f"`{result.run_id}`"),
        ("Repository", context.repo_path),
        ("Target", context.target or "a detached HEAD"),
        ("Branch", f"`{result.branch}`"),
        ("Commit", f"`{result.commit}`"),
        ("Base", f"`{result.base}`"),
        ("Tests", _TESTS[result.work_completed.tests_passed]),
        ("Cost", f"{result.cost_estimate:.2f} USD, {result.tokens} tokens"),
    )
    done = result.work_completed
    changed = (*done.files_modified, *done.files_created, *done.files_deleted)
    return "".join(
        (
            f"# Result: {_line(result.issue)}\n\n",
            *(f"- **{name}:** {_line(value)}\n" for name, value in facts),
            *_listed("Changed", changed),
            *_listed("Left", result.issues_remaining),
            *_listed("Next", result.manual_steps_needed),
            "\nWritten by sparky; the next segment of the run replaces it.\n",
        )
    )


def _listed(title: str, lines: Iterable[str]) -> Iterable[str]:
    items = [f"- {_line(line)}\n" for line in lines]
    return (f"\n## {title}\n\n", *items) if items else ()


def _line(text: str) -> str:
    return " ".join(text.split())
