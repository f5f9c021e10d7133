"""What `sparky fix` mends of real packages, beside `ruff check --fix && ruff format`.

Usage: fix.py [REQUIREMENT|SDIST...]; default: WTForms 3.0.1, tabulate 0.8.9, mistune 2.0.5, sqlparse 0.4.2,
downloaded once. For each package: findings of each kind before, after ruff alone, and after sparky; errors of
`mypy --strict`; wall time. sparky's result is that of its own runs, tests included; ruff's is not tested.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from pathlib import Path

PACKAGES = ("WTForms==3.0.1", "tabulate==0.8.9", "mistune==2.0.5", "sqlparse==0.4.2")
DOWNLOADS = Path(tempfile.gettempdir()) / "sparky-bench"
BESIDE = Path(sys.executable).parent
TYPES = ("-k", "TYPE_ERROR")
TIMEOUT_S = 1200


def fetch(package: str) -> Path:
    """The sdist of a requirement, or the file itself."""
    if Path(package).is_file():
        return Path(package)
    DOWNLOADS.mkdir(exist_ok=True)
    name, _, version = package.partition("==")
    if not (found := list(DOWNLOADS.glob(f"{name}-{version}.tar.gz"))):
        words = ("download", "-q", "--no-deps", "--no-binary", ":all:", "-d", str(DOWNLOADS), package)
        subprocess.run([sys.executable, "-m", "pip", *words], check=True)
        found = list(DOWNLOADS.glob(f"{name}-{version}.tar.gz"))
    return found[0]


def unpack(sdist: Path, into: Path) -> Path:
    """A repository of the sdist's files."""
    with tarfile.open(sdist) as archive:
        archive.extractall(into, filter="data")
    (top,) = into.iterdir()
    commit(top)
    return top


def commit(repo: Path) -> None:
    """Commit all that lies there."""
    author = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), (*author, "commit", "-qm", "as it is")):
        subprocess.run(["git", *words], cwd=repo, check=True)


def sparky(repo: Path, state: Path, *words: str) -> dict[str, object]:
    """What a verb prints as JSON."""
    env = {**os.environ, "SPARKY_STATE_DIR": str(state), "SPARKY_CACHE_DIR": str(DOWNLOADS / "cache")}
    argv = [str(BESIDE / "sparky"), *words, "--json"]
    done = subprocess.run(argv, cwd=repo, env=env, capture_output=True, check=False, timeout=TIMEOUT_S)
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def findings(repo: Path, state: Path) -> Counter[str]:
    """The findings of each kind at HEAD."""
    listed = sparky(repo, state, "scan")["findings"]
    assert isinstance(listed, list)
    return Counter(one["finding"]["kind"] for one in listed)


def strict(repo: Path) -> int:
    """The errors of `mypy --strict`."""
    argv = [
        str(BESIDE / "mypy"),
        "--strict",
        "--config-file=",
        "--ignore-missing-imports",
        "--exclude",
        "tests?/",
    ]
    done = subprocess.run([*argv, "."], cwd=repo, capture_output=True, text=True, check=False)
    return done.stdout.count(": error: ")


def main() -> int:
    """Print a table for each package."""
    for package in sys.argv[1:] or PACKAGES:
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            base = unpack(fetch(package), root / "base")
            alone, ours = root / "ruff", root / "sparky"
            shutil.copytree(base, alone)
            shutil.copytree(base, ours)
            started = time.monotonic()
            for words in (("check", "--fix", "-q", "."), ("format", "-q", ".")):
                subprocess.run([str(BESIDE / "ruff"), *words], cwd=alone, capture_output=True, check=False)
            plain_s = time.monotonic() - started
            shutil.rmtree(alone / ".git")
            commit(alone)
            started = time.monotonic()
            ends = [sparky(ours, root / "state", "fix", "--auto", *words) for words in ((), TYPES)]
            ours_s = time.monotonic() - started
            told = [findings(repo, root / "state") for repo in (base, alone, ours)]
            print(f"\n{package}: {', '.join(str(end['outcome']) for end in ends)}")
            print(f"{'kind':20} {'base':>6} {'ruff':>6} {'sparky':>6}")
            for kind in sorted(set().union(*told)):
                print(f"{kind:20} {told[0][kind]:6} {told[1][kind]:6} {told[2][kind]:6}")
            print(f"{'mypy --strict':20} {strict(base):6} {strict(alone):6} {strict(ours):6}")
            print(f"wall: ruff {plain_s:.1f} s, untested; sparky {ours_s:.0f} s with all its tests")
            for end in ends:
                print(f"  {end['outcome']}: {end['reason']}"[:150])
    return 0


if __name__ == "__main__":
    sys.exit(main())
