"""What else mends code without a person: ruff as it comes, ruff with all its might and tests, crackerjack."""

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from bench.fixing.judged import Tests
from bench.fixing.package import BESIDE, DOWNLOADS, commit, git
from uv import find_uv_bin

from sparky.domain.issue import Kind
from sparky.evidence.running import reader
from sparky.tools.ruff import configure
from sparky.tools.ruff_config import load
from sparky.tools.ruff_rules import codes

RUFF = str(BESIDE / "ruff")
CRACKERJACK_S = 300
ANNOTATIONS = ("ANN001", "ANN201", "ANN202", "ANN204", "ANN205", "ANN206")
"""ruff's rules that are nearest to what sparky's specialist for types does, which has none of ruff's."""
NEEDED = "3.14"
"""The Python that the releases of crackerjack since 2026 ask for."""


def plain(repo: Path) -> None:
    """`ruff check --fix && ruff format`, with the repository's own configuration; commits."""
    for words in (("check", "--fix", "-q", "."), ("format", "-q", ".")):
        subprocess.run([RUFF, *words], cwd=repo, capture_output=True, check=False)
    commit(repo)


def guarded(repo: Path, tests: Tests, base: str, more: tuple[str, ...] = ()) -> None:
    """All fixes of sparky's profile, unsafe ones too; if a test is worse, rule by rule without the culprits.

    `more` are other rules of ruff's. Commits.

    It is given sparky's own options, among them that no import leaves an `__init__.py`.
    """
    config = load(reader(repo))
    asked = (*codes(frozenset(Kind), modern=config.modern), *more)
    rules = [code for code in asked if code not in config.ignored]
    _apply(repo, rules)
    if not tests.worse(commit(repo)):
        return
    git(repo, "reset", "-q", "--hard", base)
    for rule in rules:
        before = git(repo, "rev-parse", "HEAD")
        _apply(repo, [rule])
        after = commit(repo)
        if after != before and tests.worse(after):
            git(repo, "reset", "-q", "--hard", before)


def _apply(repo: Path, rules: Iterable[str]) -> None:
    chosen = tuple(rules)
    for argv in configure(RUFF, reader(repo)).fix(chosen, (".",), unsafe=chosen):
        done = subprocess.run(argv, cwd=repo, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"  (d): ruff ended with {done.returncode}, and mended less: {done.stderr[-200:].strip()}")


def crackerjack(repo: Path) -> str:
    """Its `run`, without network or any key of a model; commits. Returns why it was not run, or ""."""
    home = DOWNLOADS / "crackerjack"
    program = home / "bin" / "python"
    if not (home / "installed").is_file() and (why := _install(home, program)):
        return why
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TERM") if name in os.environ}
    env = {**kept, "PATH": f"{home}/bin:{kept['PATH']}", "HOME": str(home), "UV_OFFLINE": "1"}
    alone = ("unshare", "--map-root-user", "--net")
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        return "the network can't be kept from it on this machine"
    argv = [*alone, "timeout", "-k", "5", str(CRACKERJACK_S), str(program), "-m", "crackerjack", "run"]
    subprocess.run(argv, cwd=repo, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    commit(repo)
    return ""


def _install(home: Path, program: Path) -> str:
    """Install it in an environment of its own; returns why that can't be done, or ""."""
    shutil.rmtree(home, ignore_errors=True)
    uv = find_uv_bin()
    for words in (
        ("venv", "-q", "--no-python-downloads", "--python", NEEDED, str(home)),
        ("pip", "install", "-q", "--python", str(program), "crackerjack"),
    ):
        done = subprocess.run([uv, *words], capture_output=True, text=True, check=False)
        if done.returncode:
            said = " ".join(done.stderr.partition("hint:")[0].split())
            return f"its newest release needs Python {NEEDED}; {said[:200]}"
    (home / "installed").touch()
    return ""
