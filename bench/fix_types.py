"""What `sparky fix --kind TYPE_ERROR` makes of real packages, by the checkers themselves.

Usage: bench/fix_types.py [REQUIREMENT|SDIST...]; default: those of fix.py. Before and after: errors of
`mypy --strict`, those of them that are no missing annotation and new, errors of `mypy --check-untyped-defs`,
of pyright in its basic mode (installed beside the downloads), and what was added that hushes a checker. The
wall time, with the environment of the tests ready and nothing else, is held against one ruff, one mypy and
one run of the tests: sparky's own at the base. sparky
merges nothing after which a test is worse than before.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.fixing.hushing import hushed
from bench.fixing.package import BESIDE, DOWNLOADS, PACKAGES, fetch, forget, sparky, unpack

TYPES = ("-k", "TYPE_ERROR")
MISSING = frozenset({"no-untyped-def", "no-untyped-call", "untyped-decorator"})
GOAL, ASPIRED, TIMES = 0.45, 0.60, 8.0
LINE = re.compile(r"(?P<file>[^:]+):\d+: error: (?P<text>.*?)  \[(?P<code>[\w-]+)\]")
Errors = Counter[tuple[str, str, str]]


def errors(repo: Path, option: str) -> Errors:
    """The errors of mypy by file, code and text; tests are left out."""
    argv = [
        str(BESIDE / "mypy"),
        option,
        "--config-file=",
        "--ignore-missing-imports",
        "--exclude",
        "tests?/",
    ]
    done = subprocess.run([*argv, "."], cwd=repo, capture_output=True, text=True, check=False)
    found = (LINE.match(line) for line in done.stdout.splitlines())
    return Counter((m["file"], m["code"], re.sub(r"line \d+", "line", m["text"])) for m in found if m)


def install_pyright() -> Path | None:
    """pyright in an environment of its own, made once; None, with the reason said, where it can't be had."""
    home = DOWNLOADS / "pyright"
    python = home / "bin" / "python"
    uv = str(BESIDE / "uv")
    install = [uv, "pip", "install", "-q", "--python", str(python), "pyright[nodejs]==1.1.414"]
    for argv in ([uv, "venv", "-q", "--allow-existing", str(home)], install):
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"pyright can't be installed, so its errors are not counted: {done.stderr[-300:]}")
            return None
    return home / "bin" / "pyright"


def pyright(repo: Path, binary: Path | None) -> int | None:
    """The errors of pyright in its basic mode; None where it is not installed, or looked at nothing."""
    if binary is None:
        return None
    settings = {"include": ["."], "exclude": ["**/tests", "**/test", "**/docs"], "typeCheckingMode": "basic"}
    file = repo / "pyrightconfig.json"
    file.write_text(json.dumps(settings), encoding="utf-8")
    try:
        argv = [str(binary), "--outputjson", "-p", "."]
        done = subprocess.run(argv, cwd=repo, capture_output=True, check=False)
    finally:
        file.unlink()
    answer = json.loads(done.stdout)["summary"]
    return int(answer["errorCount"]) if answer["filesAnalyzed"] else None


def seconds(argv: Iterable[str], repo: Path) -> float:
    """How long a command takes."""
    started = time.monotonic()
    subprocess.run([*argv], cwd=repo, capture_output=True, check=False)
    return time.monotonic() - started


def tests_s(end: dict[str, Any]) -> float:
    """How long the first run of the tests took, in seconds; 0 where there was none."""
    return next((float(one["seconds"]) for one in end["evidence"] if " passed, " in one["note"]), 0.0)


def measure(package: str, root: Path, binary: Path | None) -> tuple[int, int]:
    """Print the figures of a package; returns its errors of `mypy --strict` before and after."""
    base = unpack(fetch(package), root / "base")
    ours = root / "sparky"
    shutil.copytree(base, ours)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ours, capture_output=True, text=True, check=True)
    sparky(base, root / "first", "fix", "-k", "FORMATTING")  # which leaves the environment ready
    forget()
    started = time.monotonic()
    end = sparky(ours, root / "state", "fix", "--auto", *TYPES)
    wall = time.monotonic() - started
    if end["outcome"] == "ready":
        sparky(ours, root / "state", "merge", end["run_id"])
    before, after = errors(base, "--strict"), errors(ours, "--strict")
    new = sum(count for (_, code, _), count in (after - before).items() if code not in MISSING)
    first, last = before.total(), after.total()
    share = 1 - last / first
    print(f"\n{package}: {end['outcome']}: {end['reason']}"[:150])
    print(f"mypy --strict: {first} -> {last}, {share:.1%} gone ({judged(share)}); new real errors: {new}")
    untyped = [errors(repo, "--check-untyped-defs").total() for repo in (base, ours)]
    print(f"mypy --check-untyped-defs: {untyped[0]} -> {untyped[1]}")
    print(f"pyright basic: {pyright(base, binary)} -> {pyright(ours, binary)}")
    print(f"what hushes a checker, added: {hushed(ours, head.stdout.strip(), 'HEAD')}")
    tools = seconds((str(BESIDE / "ruff"), "check", "."), base)
    tools += seconds((str(BESIDE / "mypy"), "--strict", "--cache-dir", str(root / "cache"), "."), base)
    once = tools + tests_s(end)
    print(
        f"wall: {wall:.0f} s, {wall / once:.1f} times {once:.1f} s of ruff, mypy and tests; goal {TIMES:.0f}"
    )
    return first, last


def judged(share: float) -> str:
    """The share against the goals."""
    if share >= ASPIRED:
        return "goal of 60 % met"
    return "goal of 45 % met" if share >= GOAL else "goal of 45 % missed"


def main() -> int:
    """Print the figures of each package, and of all."""
    pairs, binary = [], install_pyright()
    for package in sys.argv[1:] or PACKAGES:
        with tempfile.TemporaryDirectory() as name:
            pairs.append(measure(package, Path(name), binary))
    first, last = (sum(column) for column in zip(*pairs, strict=True))
    share = 1 - last / first
    print(f"\nall: mypy --strict {first} -> {last}, {share:.1%} gone: {judged(share)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
