"""Run the tests, and hold the branch coverage of what is pure and closed against the house's rules.

Tracing costs as much again as the tests. So only those in this process are traced, and only in the rooms
that they have to cover wholly; those that call the command follow untraced. `--all` traces all of them
everywhere, with the processes that they start, and holds the whole to its share.
"""

import json
import subprocess
import sys
from pathlib import Path

WHOLE = (
    "src/sparky/domain/",
    "src/sparky/formats/",
    "src/sparky/issues/",
    "src/sparky/pipeline.py",
    "src/sparky/fixing/bisect.py",
    "src/sparky/reports/report_md.py",
    "src/sparky/reports/inline_md.py",
    "src/sparky/reports/responsibility.py",
)
OVERALL = 90.0
WITHIN = ("tests/unit", "tests/stages")
# What takes longest comes first: no worker is left alone with it at the end.
REST = ("tests/acceptance", "tests/durable", "tests/contract", "tests/transcripts")
PYTHON = (sys.executable, "-m")
# One by one, since what is slow lies together; but tests that share a world are one worker's.
PYTEST = (
    "pytest",
    "-q",
    "-n",
    "3",
    "--dist",
    "loadgroup",
    "-m",
    "not soak and not agents",
    "--durations=30",
)


def main(*, everything: bool) -> int:
    """The exit code of the tests, or 1 where coverage is missing."""
    traced, plain = ((*WITHIN, *REST), ()) if everything else (WITHIN, REST)
    left_out = () if everything else (f"--omit={','.join(_others())}",)
    subprocess.run([*PYTHON, "coverage", "erase"], check=True)
    done = subprocess.run([*PYTHON, "coverage", "run", *left_out, "-m", *PYTEST, *traced], check=False)
    if done.returncode:
        return done.returncode
    if plain and (code := subprocess.run([*PYTHON, *PYTEST, *plain], check=False).returncode):
        return code
    return _held(OVERALL if everything else 0.0)


def _others() -> list[str]:
    """The rooms in which nothing has to be covered wholly, as patterns of their files."""
    rooms = sorted(path.as_posix() for path in Path("src/sparky").iterdir() if path.is_dir())
    return [f"{room}/*" for room in rooms if not any(path.startswith(f"{room}/") for path in WHOLE)]


def _held(overall: float) -> int:
    """1 where the figures fall short, each named; else 0."""
    subprocess.run([*PYTHON, "coverage", "combine", "-q"], check=True)
    subprocess.run([*PYTHON, "coverage", "json", "-q", "-o", "coverage.json"], check=True)
    report = json.loads(Path("coverage.json").read_text(encoding="utf-8"))
    total = report["totals"]["percent_covered"]
    print(f"coverage: {total:.1f} % of what was traced")
    short = [
        f"{path}: lines {entry['missing_lines']}, branches {entry['missing_branches']}"
        for path, entry in sorted(report["files"].items())
        if path.startswith(WHOLE) and entry["summary"]["percent_covered"] < 100  # noqa: PLR2004 - all of it
    ]
    for line in short:
        print(f"not covered: {line}")
    return 1 if short or total < overall else 0


if __name__ == "__main__":
    sys.exit(main(everything=sys.argv[1:] == ["--all"]))
