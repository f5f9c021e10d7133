"""What mypy is given of a target's configuration: its rules, and nothing that runs or writes."""

import pytest

from sparky.tools.programs.mypy_config import harmless


@pytest.mark.parametrize(
    ("path", "told", "given"),
    [
        (
            "mypy.ini",
            "[DEFAULT]\nplugins = plug.py\n[mypy]\nlinecount_report = seen\nstrict = true\n[other]\nx = 1\n",
            "[mypy]\nstrict = true\n\n",
        ),
        (
            "setup.cfg",
            "[mypy]\nplugins = anywhere\ninstall_types = true\nstrict = true\n[mypy-a.*]\nfiles = a\n",
            "[mypy]\nstrict = true\n\n[mypy-a.*]\nfiles = a\n\n",
        ),
        (
            "pyproject.toml",
            '[tool.mypy]\nplugins = ["plug.py"]\njunit_xml = "seen"\nstrict = true\n[tool.other]\nx = 1\n',
            "[tool.mypy]\nstrict = true\n",
        ),
        ("mypy.ini", "[mypy\n", ""),
        ("pyproject.toml", "[tool\n", ""),
    ],
)
def test_of_a_configuration_mypy_is_given_its_rules_and_nothing_that_runs_or_writes(
    path: str, told: str, given: str
) -> None:
    assert harmless(path, told.encode()).decode() == given
