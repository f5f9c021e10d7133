"""Run the tests, and hold the branch coverage of what is pure and closed against the house's rules.

Tracing costs as much again as the tests. So only those in this process are traced, which cover what has
to be covered wholly; those that call the command follow untraced. `--all` traces all of them, with the
processes that they start, and holds the whole to its share.
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
REST = ("tests/transcripts", "tests/contract", "tests/durable", "tests/acceptance")
PYTHON = (sys.executable, "-m")
# One by one: what is slow lies together, and would be one worker's alone.
PYTEST = (
    "pytest",
    "-q",
    "-n",
    "3",
    "--maxschedchunk",
    "1",
    "-m",
    "not soak and not agents",
    "--durations=30",
)


def main(*, everything: bool) -> int:
    """The exit code of the tests, or 1 where coverage is missing."""
    traced, plain = ((*WITHIN, *REST), ()) if everything else (WITHIN, REST)
    subprocess.run([*PYTHON, "coverage", "erase"], check=True)
    done = subprocess.run([*PYTHON, "coverage", "run", "-m", *PYTEST, *traced], check=False)
    if done.returncode:
        return done.returncode
    if plain and (code := subprocess.run([*PYTHON, *PYTEST, *plain], check=False).returncode):
        return code
    return _held(OVERALL if everything else 0.0)


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
