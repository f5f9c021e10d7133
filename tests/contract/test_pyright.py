"""pyright among the detectors, played by a program of Python: what it once printed, and what goes wrong."""

import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sparky.adapters.memory import answer
from sparky.adapters.shell import SystemShell
from sparky.domain.command import Command, Completed
from sparky.domain.finding import Finding
from sparky.domain.issue import Kind
from sparky.evidence.detect import detect
from sparky.evidence.running import reader, run_tool
from sparky.testing.house import memory_house
from sparky.tools.programs.pyright_config import MUTE
from sparky.tools.pyright import configure
from sparky.tools.tool import ToolError

RECORDED = Path(__file__).parents[1] / "golden" / "findings" / "pyright" / "printed.json"
TYPES = [Kind.TYPE_ERROR]
SHOP = {
    "pyrightconfig.json": '{"typeCheckingMode": "strict", "reportAssignmentType": "warning"}\n',
    "broken.py": "def f(:\n",
    "shop.py": (
        "import nowhere\n\n\n"
        "def price(x: int) -> str:\n    return x\n\n\n"
        "def half(items):\n    return items[0].half\n\n\n"
        "class Shop:\n    name: str = None\n\n\n"
        "def ask(shop: Shop | None) -> str:\n    return nowhere.x + shop.name\n"
    ),
}
"""What was looked at when the answer was recorded."""
SHELL = SystemShell({})
LIMIT = "300"
PLAYED = """
import os
from pathlib import Path

print(Path({!r}).read_text().replace("/repo", os.getcwd()))
raise SystemExit(1)
"""
TELLING = """
import json, os, sys
from pathlib import Path

said = {"told": json.loads(Path(sys.argv[3]).read_text()), "words": sys.argv[1:], "path": os.environ["PATH"]}
said["files"] = sorted(str(path) for path in Path().rglob("*.*"))
said["here"] = Path(os.environ["PATH"]).parent == Path.cwd() and not Path(os.environ["PATH"]).exists()
one = {"file": os.path.abspath("shop.py"), "severity": "error", "message": json.dumps(said), "rule": "told"}
print(json.dumps({"generalDiagnostics": [one], "summary": {"filesAnalyzed": 1}}))
"""


class Target:
    """A directory of files, and a program of Python in place of Node and pyright's package."""

    def __init__(self, root: Path, files: dict[str, str], program: str) -> None:
        self.root, self.package = root.resolve() / "target", root.resolve() / "package"
        for path, text in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)
        self.package.mkdir()
        (self.package / "__main__.py").write_text(program)
        self.ports = replace(memory_house(root / "house", lambda _: ()).ports, shell=SHELL)

    def find(self, *paths: str, limit_s: str = LIMIT) -> tuple[Finding, ...]:
        tool = configure(shlex.join((sys.executable, str(self.package))), reader(self.root))
        (argv,) = tool.detect(TYPES, paths or (".",))
        done = run_tool(self.ports, self.root, tuple(limit_s if word == LIMIT else word for word in argv))
        assert done.level is SHELL.level()
        return tool.findings([done], str(self.root), reader(self.root))


def lines(findings: tuple[Finding, ...]) -> list[str]:
    said = []
    for one in findings:
        at = one.location
        said.append(f"{at.path}:{at.line}:{at.column} {at.symbol} {one.rule} {one.fix.value}: {one.message}")
    return said


def test_its_errors_are_findings_but_for_syntax_and_what_depends_on_what_is_installed(tmp_path: Path) -> None:
    recorded = tmp_path / "package" / "printed.json"
    target = Target(tmp_path, {**SHOP, "other.py": ""}, PLAYED.format(str(recorded)))
    recorded.write_bytes(RECORDED.read_bytes())
    assert lines(target.find()) == [
        'shop.py:5:12 price reportReturnType none: Type "int" is not assignable to return type "str"',
        'shop.py:8:10 half reportMissingParameterType none: Type annotation is missing for parameter "items"',
        'shop.py:17:29 ask reportOptionalMemberAccess none: "name" is not a known attribute of "None"',
    ]
    assert target.find("other.py") == ()


def test_it_is_shown_a_copy_of_the_sources_and_a_configuration_that_names_nothing_else(
    tmp_path: Path,
) -> None:
    config = '{"include": ["/etc", "shop.py"], "venvPath": "/", "pythonVersion": "3.9"}'
    files = {"shop.py": "", "shop.pyi": "", "pyrightconfig.json": config, "data.json": "", "sub/evil.sh": ""}
    target = Target(tmp_path, {**files, "venv/lib/x.py": ""}, TELLING)
    (target.root / "link.py").symlink_to("/etc/passwd")
    (found,) = target.find()
    said = json.loads(found.message)
    assert said.pop("path")
    assert said == {
        "told": {"include": ["shop.py"], "pythonVersion": "3.9"},
        "words": ["--outputjson", "-p", "pyrightconfig.json"],
        "files": ["pyrightconfig.json", "shop.py", "shop.pyi"],
        "here": True,
    }


NOTHING = '{"generalDiagnostics": [], "summary": {"filesAnalyzed": 0}}'


@pytest.mark.parametrize(
    ("program", "limit_s", "why"),
    [
        (
            "print('hello')",
            LIMIT,
            "what it said can't be read: JSON is malformed: invalid character (byte 0)",
        ),
        ("print('[]')", LIMIT, "what it said can't be read: Expected `object`, got `array`"),
        (f"print('{NOTHING}')", LIMIT, "it looked at no file"),
        ("import sys\nprint('no\\nheap', file=sys.stderr)\nsys.exit(2)", LIMIT, "exit code 2, no"),
        ("import os\nos.kill(os.getpid(), 9)", LIMIT, "exit code -9"),
        ("import sys\nwhile True: sys.stdout.write('x' * 1_000_000)", LIMIT, "it said more than 50 MB"),
        ("import time\ntime.sleep(600)", "0.5", "it took longer than 0.5 s"),
    ],
)
def test_where_it_gives_no_answer_one_finding_says_why(
    program: str, limit_s: str, why: str, tmp_path: Path
) -> None:
    target = Target(tmp_path, SHOP, program)
    said = f"pyrightconfig.json:None:None  no-answer none: pyright gave no answer: {why}"
    assert lines(target.find(limit_s=limit_s)) == [said]


def test_nothing_is_asked_where_there_is_no_source(tmp_path: Path) -> None:
    assert Target(tmp_path, {"pyproject.toml": "[tool.pyright]\n"}, "raise SystemExit(9)").find() == ()


SAID = {
    "mute": (
        b'[{"code":"no-answer","filename":"pyproject.toml","message":"pyright gave no answer: exit code 2"}]'
    ),
    "error": b'[{"code":"reportReturnType","filename":"a.py","message":"","location":{"row":1,"column":1}}]',
}


def test_who_gave_no_answer_at_first_is_not_asked_again_and_who_gives_none_later_stops_it(
    tmp_path: Path,
) -> None:
    answers = ["mute", "mute", "error", "mute"]

    def play(command: Command) -> Completed:
        said = answers.pop(0)
        return answer(command, SAID[said], code=MUTE if said == "mute" else 0)

    house = memory_house(tmp_path / "house", lambda _: (), programs={Path(sys.executable).name: play})
    root = tmp_path / "target"
    root.mkdir()
    (root / "pyproject.toml").write_text("[tool.pyright]\n")
    (root / "a.py").write_text("x = 1\n")

    def look(before: tuple[Finding, ...] | None, path: str = ".") -> list[str]:
        return [one.rule for one in seen(before, path)]

    def seen(before: tuple[Finding, ...] | None, path: str = ".") -> tuple[Finding, ...]:
        return detect(house.ports, root, "1" * 40, TYPES, [path], before=before).findings

    mute = seen(None)
    assert look(mute) == ["no-answer"]
    with pytest.raises(ToolError, match="exit code 2, and there was one before"):
        look((), "a.py")
    assert (look(None, "a.py"), look(())) == (["reportReturnType"], ["reportReturnType"])
    (root / "a.py").write_text("x = 2\n")
    with pytest.raises(ToolError, match="exit code 2, and there was one before"):
        look((), "a.py")
    assert answers == []


def test_where_it_can_t_be_had_that_is_told_and_nothing_else_changes(tmp_path: Path) -> None:
    ports = memory_house(tmp_path / "house", lambda _: ()).ports
    ports = replace(ports, binaries={**ports.binaries, "pyright": ""})
    (tmp_path / "pyrightconfig.json").write_text("{}")
    seen = detect(ports, tmp_path, "1" * 40, TYPES)
    said = "pyrightconfig.json configures pyright, which is not installed: its errors are not told"
    assert (seen.findings, seen.notes) == ((), (f"{said}; pip install 'sparky-agents[pyright]'",))
    assert detect(ports, tmp_path, "1" * 40, [Kind.DRY_VIOLATION]).notes == ()
