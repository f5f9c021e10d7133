"""How the test command of a repository is found."""

from typing import Protocol

import pytest

from sparky import ports
from sparky.domain.state import Context

PYTEST = ("pytest",)


class Target(Protocol):
    """What the fixture of this name gives."""

    def commit(self, files: dict[str, str | None]) -> str: ...
    def context(self, base: str) -> Context: ...
    @property
    def tests(self) -> ports.Tests: ...


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"README.md": "", "pyproject.toml": "[project]\nname = 'x'\n"}, None),
        ({"contest_x.py": "", "attest.py": ""}, None),
        ({"tests/data.json": "{}"}, None),
        ({"pkg/sub/test_x.py": ""}, PYTEST),
        ({"x_test.py": ""}, PYTEST),
        ({"test/api.py": ""}, PYTEST),
        ({"tox.ini": "[pytest]\npython_files = check_*.py\n"}, PYTEST),
    ],
)
def test_the_test_command_is_found_by_configuration_or_by_files(
    target: Target, files: dict[str, str | None], command: tuple[str, ...] | None
) -> None:
    sha = target.commit(files)
    assert target.tests.discover(target.context(sha), sha) == command
