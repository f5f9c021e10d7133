"""The configuration by which a candidate is judged: the base's, whatever it wrote there itself."""

import tomllib
from pathlib import Path

import tomlkit
from bench.fixing.package import commit, git

_PROJECT = "pyproject.toml"
_ASKED = "requires-python"
_FILES = (
    *("ruff.toml", ".ruff.toml", "mypy.ini", ".mypy.ini", "setup.cfg", "tox.ini", "pyrefly.toml"),
    *("typos.toml", "_typos.toml", ".typos.toml", "sparky.toml", ".flake8", ".pylintrc", "pylintrc"),
)


def put_back(repo: Path, base: str) -> None:
    """Put back what the base says to the tools, and commit; the dependencies stay as they are at HEAD."""
    kept = set(git(repo, "ls-tree", "--name-only", base).splitlines())
    for path in (*_FILES, _PROJECT):
        if path == _PROJECT and path in kept and (repo / path).is_file():
            mine = (repo / path).read_text(encoding="utf-8")
            (repo / path).write_text(with_tools(mine, git(repo, "show", f"{base}:{path}")), encoding="utf-8")
        elif path in kept:
            git(repo, "checkout", "-q", base, "--", path)
        else:
            (repo / path).unlink(missing_ok=True)
    commit(repo)


def with_tools(mine: str, old: str) -> str:
    """A pyproject with the tools and the demanded Python of an old one; the old one if either is no TOML.

    It comes back as it is if it says the same of these: nothing else in it may seem mended by this.
    """
    try:
        made, was = tomllib.loads(mine), tomllib.loads(old)
    except tomllib.TOMLDecodeError:
        return old
    project, told = made.get("project", {}), was.get("project", {})
    if (made.get("tool"), project.get(_ASKED)) == (was.get("tool"), told.get(_ASKED)):
        return mine
    kept = {name: value for name, value in project.items() if name != _ASKED}
    kept |= {_ASKED: told[_ASKED]} if _ASKED in told else {}
    tools = {"tool": was["tool"]} if "tool" in was else {}
    rest = {name: value for name, value in made.items() if name not in {"tool", "project"}}
    return tomlkit.dumps({**rest, **({"project": kept} if kept else {}), **tools})
