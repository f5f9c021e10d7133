"""Can each of the thirteen old cases fail? cosmic-ray changes the modules below, one place at a time.

scripts/mutate_step4.py [MODULE...]: paths below src/sparky. For each case it prints the first change that
fails it; the exit code is 1 if one stood all of them. Minutes: every change runs the cases once.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).parents[1]
UV = str(Path(sys.executable).with_name("uv"))
CASES = "tests/transcripts/test_step4.py"
MODULES = ("api/transcripts.py",)
COPIED = ("src", "tests", "pyproject.toml")
CONFIG = """
[cosmic-ray]
module-path = [{modules}]
timeout = 60.0
excluded-modules = []
test-command = "{python} -m pytest -q -p no:cacheprovider -k step4 {cases}"
[cosmic-ray.distributor]
name = "local"
[cosmic-ray.filters.operators-filter]
exclude-operators = ["core/ReplaceBinaryOperator_.*"]
"""
"""Binary operators are left out: here they join types and paths, and what replaces them fails all cases."""


def run(where: Path, env: dict[str, str], *words: str) -> str:
    """What a command prints, in the copy."""
    done = subprocess.run(words, cwd=where, env=env, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode()


def killed_by(where: Path, modules: list[str]) -> tuple[dict[str, str], int]:
    """For each case that failed the first change that did it; and how many changes there were."""
    tool = where / "cosmic-ray"
    subprocess.run([UV, "pip", "install", "-q", "--target", tool, "cosmic-ray"], check=True)
    env = {**os.environ, "PYTHONPATH": f"{where / 'src'}{os.pathsep}{tool}", "PYTHONDONTWRITEBYTECODE": "1"}
    paths = ", ".join(f'"src/sparky/{module}"' for module in modules)
    (where / "c.toml").write_text(CONFIG.format(modules=paths, python=sys.executable, cases=CASES))
    ray = (sys.executable, "-m", "cosmic_ray.cli")
    run(where, env, *ray, "init", "c.toml", "c.sqlite")
    run(where, env, sys.executable, "-m", "cosmic_ray.tools.filters.operators_filter", "c.sqlite", "c.toml")
    run(where, env, *ray, "exec", "c.toml", "c.sqlite")
    found: dict[str, str] = {}
    changes = 0
    for line in run(where, env, *ray, "dump", "c.sqlite").splitlines():
        item, result = json.loads(line)
        changes += result["worker_outcome"].lower() == "normal"
        (change,) = item["mutations"]
        row, _ = change["start_pos"]
        said = f"{change['module_path']}:{row} {change['operator_name']}"
        for case in re.findall(r"^FAILED \S+::(\w+)", result["output"] or "", re.MULTILINE):
            found.setdefault(case, said)
    return found, changes


def main() -> None:
    """Change, run, print."""
    cases = re.findall(r"^def (test_\w+)", (TOP / CASES).read_text(encoding="utf-8"), re.MULTILINE)
    with tempfile.TemporaryDirectory() as scratch:
        where = Path(scratch)
        for name in COPIED:
            whole = TOP / name
            shutil.copytree(whole, where / name) if whole.is_dir() else shutil.copy(whole, where / name)
        found, changes = killed_by(where, sys.argv[1:] or list(MODULES))
    for case in cases:
        print(f"{case}: {found.get(case, 'nothing failed it')}")
    stood = [case for case in cases if case not in found]
    print(f"{changes} changes; {len(cases) - len(stood)} of {len(cases)} cases failed at least once")
    sys.exit(bool(stood))


if __name__ == "__main__":
    main()
