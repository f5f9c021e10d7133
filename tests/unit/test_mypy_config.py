"""What of a target's configuration of mypy is not followed is named."""

import pytest

from sparky.domain.issue import Kind
from sparky.tools.mypy import configure

INI = "[mypy]\nplugins = a\nfiles = src\n[mypy-a.*]\nignore_errors = true\n[other]\nexclude = 1\n"
TOML = '[tool.mypy]\nstrict = true\npython_executable = "x"\nexclude = "y"\nhtml_report = "z"\n'


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("setup.cfg", INI, ("not followed of setup.cfg, by mypy: files, plugins",)),
        (
            "pyproject.toml",
            TOML,
            ("not followed of pyproject.toml, by mypy: exclude, html_report, python_executable",),
        ),
        ("mypy.ini", "[mypy]\nstrict = true\n", ()),
        ("mypy.ini", "[mypy\n", ()),
        ("pyproject.toml", "tool = 1 # [tool.mypy]\n", ()),
        ("pyproject.toml", "[tool]\nmypy = 1 # [tool.mypy]\n", ()),
        ("pyproject.toml", "[tool.mypy", ()),
    ],
)
def test_each_option_that_mypy_is_not_given_is_named(path: str, text: str, said: tuple[str, ...]) -> None:
    tool = configure("python", {path: text.encode()}.get)
    assert (tool.notes([Kind.TYPE_ERROR]), tool.notes([Kind.FORMATTING])) == (said, ())
