"""What tox would install to run the tests."""

from sparky.targets.requirements_read import parse


def wanted(**files: str) -> tuple[str, ...]:
    """What is installed for tests; `tox_ini="…"` stands for tox.ini."""
    return parse({".".join(name.rsplit("_", 1)): text.encode() for name, text in files.items()}).testing


def test_tox_ini() -> None:
    text = """
[base]
deps =
    a
    {[base]deps}
[testenv]
deps =
    {[base]deps}
    -r{toxinidir}/requirements/other.txt
    py311: b
    py{38,39}: c
    !py27: d
    py311-django: e
    f{env:VERSION:}
    .[extra]
extras = test, fast
dependency_groups =
    checks
    more
[testenv:docs]
deps = sphinx
[testenv:py3]
deps = g
"""
    pyproject = """
        [project]
        name = "p"
        optional-dependencies = { extra = ["h"], fast = ["i"] }
        [dependency-groups]
        more = ["j"]
    """
    files = {"tox.ini": text, "requirements/other.txt": "k\n", "pyproject.toml": pyproject}
    declared = parse({path: text.encode() for path, text in files.items()}, "3.11")
    assert declared.testing == ("j", "h", "i", "a", "k", "b", "d", "g", "pytest")


def test_tox_in_toml() -> None:
    new = '[tool.tox.env_run_base]\ndeps = ["a", { replace = "x" }]\n'
    old = '[tool.tox]\nlegacy_tox_ini = """\n[testenv]\ndeps = b\n"""\n'
    assert wanted(pyproject_toml=new) == ("a", "pytest")
    assert wanted(pyproject_toml=old) == ("b", "pytest")
    assert wanted(tox_toml='[env_run_base]\ndeps = ["c"]\n') == ("c", "pytest")
    assert wanted(setup_cfg="[tox:tox]\n[testenv]\ndeps = d\n") == ("d", "pytest")
