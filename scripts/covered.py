"""Run the tests with branch coverage and hold the figures against the house's rules.

100 % of what is pure and closed; 90 % overall. Processes that the tests start are counted.
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


def main() -> int:
    """The exit code of the tests, or 1 where coverage is missing."""
    python = [sys.executable, "-m"]
    # One by one: what is slow lies together, and would be one worker's alone.
    spread = ["-n", "3", "--maxschedchunk", "1"]
    tests = [*python, "pytest", "-q", *spread, "-m", "not soak", "--durations=30"]
    subprocess.run([*python, "coverage", "erase"], check=True)
    done = subprocess.run([*python, "coverage", "run", *tests[1:]], check=False)
    if done.returncode:
        return done.returncode
    subprocess.run([*python, "coverage", "combine", "-q"], check=True)
    subprocess.run([*python, "coverage", "json", "-q", "-o", "coverage.json"], check=True)
    report = json.loads(Path("coverage.json").read_text(encoding="utf-8"))
    total = report["totals"]["percent_covered"]
    print(f"coverage: {total:.1f} % overall")
    short = [
        f"{path}: lines {entry['missing_lines']}, branches {entry['missing_branches']}"
        for path, entry in sorted(report["files"].items())
        if path.startswith(WHOLE) and entry["summary"]["percent_covered"] < 100  # noqa: PLR2004 - all of it
    ]
    for line in short:
        print(f"not covered: {line}")
    return 1 if short or total < OVERALL else 0


if __name__ == "__main__":
    sys.exit(main())
