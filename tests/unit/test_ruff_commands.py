"""The commands that are given to ruff, without running it."""

from sparky.agents.table import AGENTS
from sparky.domain.agent import ToolFix
from sparky.domain.issue import Kind
from sparky.tools.ruff import Ruff
from sparky.tools.ruff_config import RuffConfig
from sparky.tools.ruff_rules import BY_CODE, FORMAT
from sparky.tools.tool import Unit

RUFF = Ruff(binary="ruff", config=RuffConfig(modern=True, selected=frozenset(BY_CODE)))

OTHERS = {
    *("typo", "unused-private", "repeated-function", "DEP001", "DEP002"),
    *("no-untyped-def", "var-annotated", "assignment", "attr-defined"),
    *("moved-import", "renamed-name", "moved-file", "stale-snapshot"),
}
"""What tools beside ruff find."""


def test_every_agent_mends_rules_of_the_profile_that_are_of_its_kinds() -> None:
    for agent in AGENTS:
        if isinstance(agent.works, ToolFix):
            checks = [command for command in RUFF.detect(agent.kinds) if "--select" in command]
            selected = {
                code for command in checks for code in command[command.index("--select") + 1].split(",")
            }
            assert set(agent.works.rules) - {*selected, FORMAT} <= OTHERS


def test_kinds_that_it_knows_nothing_of_need_no_command() -> None:
    assert RUFF.detect((Kind.DEPENDENCY, Kind.GENERAL)) == ()


def test_a_kind_whose_rules_the_target_ignores_needs_no_command() -> None:
    ignoring = Ruff(binary="ruff", config=RuffConfig(ignored=frozenset({"F841"})))
    (check,) = ignoring.detect((Kind.DEAD_CODE,))
    assert "F841" not in check[check.index("--select") + 1].split(",")
    every = Ruff(binary="ruff", config=RuffConfig(ignored=frozenset(BY_CODE)))
    assert every.detect((Kind.DEAD_CODE, Kind.IMPORT_ERROR)) == ()


def test_files_that_share_their_rules_are_mended_by_one_process_per_phase() -> None:
    rules = ("F841", "PIE790", FORMAT)
    todo = [Unit(path=path, rule=rule) for path in ("a.py", "b.py", "c.py") for rule in rules]
    commands = RUFF.replay([*todo, Unit(path="d.py", rule="F541")], unsafe=["F841"])
    assert [(argv[1], "--unsafe-fixes" in argv, argv[argv.index("--") + 1 :]) for argv in commands] == [
        ("check", False, ("d.py",)),
        ("check", False, ("a.py", "b.py", "c.py")),
        ("check", True, ("a.py", "b.py", "c.py")),
        ("format", False, ("a.py", "b.py", "c.py")),
    ]
