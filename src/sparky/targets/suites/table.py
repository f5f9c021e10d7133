"""The sorts of test commands, in the order in which they are asked."""

from sparky.targets.suite import Suite
from sparky.targets.suites import by_command, by_pytest, by_unittest

SUITES: tuple[Suite, ...] = (by_pytest, by_unittest, by_command)


def suite_of(command: tuple[str, ...]) -> Suite:
    """The sort of a command, which is not empty."""
    return next(suite for suite in SUITES if suite.matches(command))
