"""Install what npm has of the programs that tests drive, pinned, into a cache; say so where that can't be.

Exits with 0 in any case: tests of a program that is not there are skipped, by name.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from sparky.testing.agents import PINNED, agents_home, programs

PINS = Path(__file__).parent.parent / "tests" / "agents"
PATIENCE_S = 90


def main() -> int:
    """Install what is missing, and say what is there."""
    for folder, names in PINNED.items():
        home = agents_home(PINS / folder)
        if len(programs(home)) < len(names):
            print(install(PINS / folder, home))
        found = programs(home)
        missing = [name for name in names if name not in found]
        print(f"in {home}: {', '.join(found) or 'none'}; missing: {', '.join(missing) or 'none'}")
    return 0


def install(pins: Path, home: Path) -> str:
    """Install all that is pinned in a directory; returns what a person should know of it."""
    npm = shutil.which("npm")
    if npm is None:
        return f"npm is not installed (Debian: apt install npm): tests of {pins.name} are skipped"
    fresh = home.with_name(f"{home.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(pins / name, fresh / name)
    # Not `npm ci`: it wants binaries of other platforms in the lock, too.
    words = [npm, "install", "--no-save", "--no-audit", "--no-fund", "--omit-lockfile-registry-resolved"]
    try:
        done = subprocess.run(
            words, cwd=fresh, timeout=PATIENCE_S, check=False, text=True, capture_output=True
        )
    except subprocess.TimeoutExpired:
        return f"npm took longer than {PATIENCE_S} s: tests of {pins.name} are skipped"
    if done.returncode:
        return f"npm could not install them: {done.stderr.strip()[-2000:]}"
    shutil.rmtree(home, ignore_errors=True)
    fresh.rename(home)
    return f"installed what is pinned in {pins}"


if __name__ == "__main__":
    sys.exit(main())
