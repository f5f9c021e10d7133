"""The real tools on a project with a fault of every kind: what they find, what sparky's edits make of it."""

import atexit
import json
import shutil
import sys
import tempfile
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sparky.adapters.shell import SystemShell
from sparky.domain.command import Completed
from sparky.domain.finding import Finding, Fix
from sparky.domain.issue import Kind
from sparky.evidence.detect import detect
from sparky.evidence.running import run_detectors, run_tool
from sparky.formats.values_json import dump
from sparky.testing.house import memory_house
from sparky.tools.complexipy import RULE
from sparky.tools.faults import told_once
from sparky.tools.programs.sources import diagnostic
from sparky.tools.ruff_json import Diagnostic, Edit, Place
from sparky.tools.table import BINARIES, TOOLS
from sparky.tools.tool import Argv, Tool, ToolError, Unit
from tests.contract.faults import FAULTS, REVIEWED

BESIDE = Path(sys.executable).parent
GOLDEN = Path(__file__).parents[1] / "golden" / "findings"
SCRATCH = Path(tempfile.mkdtemp(prefix="sparky-detectors-"))
"""What is kept from one test to the next."""
atexit.register(shutil.rmtree, SCRATCH)
PORTS = replace(memory_house(SCRATCH, lambda _: ()).ports, shell=SystemShell({}))


@pytest.fixture(scope="session", autouse=True)
def _spared(known: Path) -> None:
    """mypy is spared the standard library where a target does not configure it."""
    place = PORTS.kept / "stubs"
    place.mkdir(parents=True)
    shutil.copy(known, place)


PRIVATE = "def _f() -> None: ...\n\n\nX = 1\n"


GERMAN = "Die Adresse der Funktion, der Autor.\n"
WORDS = "default.extend-words"


HASH = "import hashlib\n\n\ndef key(x: bytes) -> str:\n    return hashlib.md5(x).hexdigest()\n"
_BODY = "(x: int) -> int:\n    {0}\n    y = x + 1\n    return y\n\n\n"
SAME = f"import warnings\n\n\ndef one{_BODY}def two{_BODY}"


DEEP = "if a:\n    pass\n" + "elif a:\n    pass\n" * 600


class Target:
    """A directory of files, and a tool bound to it."""

    def __init__(self, root: Path, name: str, files: dict[str, str]) -> None:
        self.root, self.name = root.resolve(), name
        for path, text in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_bytes(text.encode())

    def read(self, path: str) -> bytes | None:
        file = self.root / path
        return file.read_bytes() if file.is_file() and not file.is_symlink() else None

    @property
    def tool(self) -> Tool:
        return TOOLS[self.name](str(BESIDE / BINARIES[self.name]), self.read)

    def run(self, argv: Argv) -> Completed:
        return run_tool(PORTS, self.root, argv)

    def find(self, *paths: str) -> tuple[Finding, ...]:
        answers = [self.run(argv) for argv in self.tool.detect(Kind, paths or (".",))]
        return self.tool.findings(answers, str(self.root), self.read)

    def mend(self, path: str, *rules: str) -> str:
        units = [Unit(path=path, rule=rule, tool=self.name) for rule in rules]
        (self.root / path).write_bytes(self.tool.patch(self.run(self.tool.offer(units[0])), units, self.read))
        return (self.root / path).read_text()


def lines(findings: tuple[Finding, ...]) -> list[str]:
    places = [(f, f"{f.location.path}:{f.location.line} {f.location.symbol}") for f in findings]
    return [f"{f.kind.value} {where} {f.rule} {f.fix.value}: {f.message}" for f, where in places]


def golden(name: str) -> Any:
    """What a tool is to find among the faults, as JSON; its recorded answer is beside it."""
    return json.loads((GOLDEN / name / "faults_expected.json").read_bytes())


@pytest.mark.parametrize(
    "name",
    ["deptry", "repeated", "rewrite", "typos", "vulture", pytest.param("mypy", marks=pytest.mark.soak)],
)
def test_each_detector_finds_its_faults_and_finds_them_no_more_once_they_are_mended(
    name: str, tmp_path: Path
) -> None:
    target = Target(tmp_path, name, FAULTS)
    found = target.find()
    assert list(dump(found)) == golden(name)
    for finding in found:
        target.mend(finding.location.path, finding.rule)
    assert target.find() == ()


def test_ruff_whose_findings_others_mend_finds_its_faults(tmp_path: Path) -> None:
    assert list(dump(Target(tmp_path, "ruff", FAULTS).find())) == golden("ruff")


@pytest.mark.soak
def test_pyrefly_finds_its_faults(tmp_path: Path) -> None:
    assert list(dump(Target(tmp_path, "pyrefly", REVIEWED).find())) == golden("pyrefly")


OWN = ("rewrite", "vulture", "repeated", "complexipy")
"""The detectors that are one process."""


def asked(root: Path, files: dict[str, str], *paths: str) -> list[tuple[Target, Completed]]:
    """What sparky's own detectors answer when they are asked together."""
    targets = [Target(root, name, files) for name in OWN]
    commands = [argv for target in targets for argv in target.tool.detect(Kind, paths)]
    return list(zip(targets, run_detectors(PORTS, root, commands), strict=True))


def test_detectors_that_are_one_process_find_what_each_is_to_find(tmp_path: Path) -> None:
    answers = asked(tmp_path, FAULTS, ".")
    assert len({done.seconds for _, done in answers}) == 1  # a share of the same process
    for target, done in answers:
        assert list(dump(target.tool.findings((done,), str(tmp_path), target.read))) == golden(target.name)


def test_the_fault_of_a_detector_is_told_of_that_one_and_of_no_other(tmp_path: Path) -> None:
    answers = asked(tmp_path, {"a.py": PRIVATE}, "a.py", "gone.py")
    assert [(target.name, done.code) for target, done in answers] == [
        ("rewrite", 1),
        ("vulture", 0),
        ("repeated", 1),
        ("complexipy", 1),
    ]
    whole, broken = answers[1], answers[2]
    assert [one.rule for one in whole[0].tool.findings((whole[1],), str(tmp_path), whole[0].read)] == [
        "unused-private"
    ]
    with pytest.raises(ToolError, match=r"^repeated gave no answer: (?s:.*)'gone.py'"):
        broken[0].tool.findings((broken[1],), str(tmp_path), broken[0].read)


@pytest.mark.parametrize(
    ("beside", "expected"), [("from a import _f\n\n_f()\n", []), ("def _g() -> None: ...\n", ["a.py"])]
)
def test_what_is_unused_in_a_file_follows_from_all_files(
    beside: str, expected: list[str], tmp_path: Path
) -> None:
    target = Target(tmp_path, "vulture", {"a.py": PRIVATE, "b.py": beside})
    assert [one.location.path for one in target.find("a.py")] == expected


def test_what_the_edits_leave(tmp_path: Path) -> None:
    target = Target(tmp_path, "repeated", FAULTS)
    body = '    """The same, once more."""\n    return total(prices)\n'
    assert body in target.mend("shop.py", "repeated-function")
    assert '"click>=8",\n]' in Target(tmp_path, "deptry", {}).mend("pyproject.toml", "DEP002")
    hashed = Target(tmp_path, "rewrite", {}).mend("shop.py", "S324")
    assert "hashlib.md5(name.encode(), usedforsecurity=False)" in hashed


@pytest.mark.parametrize(
    ("name", "files", "expected"),
    [
        ("typos", {"tests/data/a.md": "recieve\n", "a.csv": "recieve\n", "a.py": 'recieve = "teh"\n'}, []),
        ("typos", {"a.py": '"""Teh text that runs."""\nprint(__doc__)\n'}, []),
        ("typos", {"a.py": 'def f() -> None:\n    """Say.\n\n    >>> "teh"\n    """\n'}, []),
        ("typos", {"docs/de/a.md": "recieve\n", "README.zh-CN.md": "recieve\n", "docs/b.md": GERMAN}, []),
        ("typos", {"README.md": "Call `recieve(1)`:\n\n```\nrecieve\n```\nor::\n\n  recieve()\n"}, []),
        ("typos", {"README.md": "```\nx\n```\nYou recieve it from [this](recieve.md).\n"}, [Fix.SAFE]),
        ("typos", {"a.py": "# recieve and adress\ndef recieve() -> None: ...\n"}, [Fix.SAFE]),
        (
            "typos",
            {"pyproject.toml": f"[tool.typos.{WORDS}]\nteh = 'teh'\n", "a.md": "teh adress\n"},
            [Fix.SAFE],
        ),
        ("typos", {"pyproject.toml": f"[tool.typos.{WORDS}\n", "a.md": "teh\n"}, [Fix.SAFE]),
        ("deptry", {"pyproject.toml": "[project\n", "a.py": "import yaml\n"}, []),
        ("rewrite", {"a.py": 'import hashlib\nX = hashlib.md5(b"", usedforsecurity=True)\n'}, []),
        ("rewrite", {"a.py": "def f(:\n"}, []),
        ("rewrite", {"a.py": HASH.replace("key", "hash_password")}, []),
        ("rewrite", {"a.py": HASH.replace("(x", "(token")}, []),
        ("rewrite", {"auth.py": HASH}, []),
        ("rewrite", {"a.py": HASH}, [Fix.SAFE]),
        ("repeated", {"a.py": SAME.format("warnings.warn(str(x), stacklevel=2)")}, [Fix.NONE]),
        ("repeated", {"a.py": SAME.format("print(x)") + "from b import one\n"}, [Fix.NONE]),
        ("repeated", {"a.py": SAME.format("print(x)")}, [Fix.SAFE]),
        ("mypy", {"bad.py": "def f(:\n", "a.py": "X: str = 1\n"}, [Fix.NONE]),
        pytest.param(
            *("mypy", {"mypy.ini": "[mypy]\n", "a.py": "def f(x): return x\n"}, []), marks=pytest.mark.soak
        ),
        ("vulture", {"a.py": "def _f() -> None: ...\n\n\nX = 1\n", "b.cfg": "call = _f\n"}, [Fix.NONE]),
        *(
            ("vulture", files, [Fix.NONE])
            for files in (
                {"a.py": PRIVATE, "ext.c": 'call("_f");'},
                {
                    "a.py": PRIVATE.replace("_f", "_on_f"),
                    "b.py": 'import a\n\nprint(getattr(a, f"_on_{a.X}"))\n',
                },
                {"a.py": PRIVATE + 'print(globals()["_" + "f"])\n'},
                {"a.py": f"# Kept for others.\n{PRIVATE}"},
                {"a.py": PRIVATE.replace("def _f() -> None: ...", "class _F(Exception): ...")},
            )
        ),
        ("vulture", {"a.py": PRIVATE}, [Fix.SAFE]),
        ("vulture", {"a.py": PRIVATE, "deep.py": DEEP}, [Fix.SAFE]),
        ("vulture", {"a.py": "def f() -> int:\n    return 1\n    print()\n\n\nf()\n"}, [Fix.NONE]),
    ],
)
def test_traps_are_left_alone(name: str, files: dict[str, str], expected: list[Fix], tmp_path: Path) -> None:
    files = {"pyproject.toml": '[project]\nname = "m"\nversion = "1"\nrequires-python = ">=3.9"\n', **files}
    assert [finding.fix for finding in Target(tmp_path, name, files).find()] == expected


def test_no_dependency_is_taken_out_where_a_module_has_no_package_or_a_lock_file_has_it(
    tmp_path: Path,
) -> None:
    unknown = Target(tmp_path / "1", "deptry", {**FAULTS, "odd.py": "import oddity\n"})
    assert {(f.rule, f.fix) for f in unknown.find()} == {("DEP001", Fix.NONE), ("DEP002", Fix.NONE)}
    locked = Target(tmp_path / "2", "deptry", {**FAULTS, "uv.lock": ""})
    assert [f.fix for f in locked.find()] == [Fix.NONE]
    optional = "try:\n    import oddity\nexcept ImportError:\n    oddity = None\n"
    tried = Target(tmp_path / "3", "deptry", {**FAULTS, "odd.py": optional})
    assert [f.fix for f in tried.find()] == [Fix.SAFE]


@pytest.mark.parametrize(
    "file",
    [
        {"Procfile": "web: Requests app\n"},
        {"settings.py": 'APPS = ["requests_auth"]\n'},
        {"a.yml": "- requests\n"},
    ],
)
def test_no_dependency_is_taken_out_that_another_file_names(file: dict[str, str], tmp_path: Path) -> None:
    assert [f.fix for f in Target(tmp_path, "deptry", {**FAULTS, **file}).find()] == [Fix.NONE]


def test_a_missing_dependency_is_put_in_where_the_requirements_have_it(tmp_path: Path) -> None:
    project = '[project]\nname = "m"\nversion = "1"\ndependencies = ["click", "zope"]\n'
    files = {
        "pyproject.toml": project,
        "m.py": "import click\nimport yaml\nimport zope\n",
        "n.py": "import yaml\n",
    }
    listed = {
        "requirements.txt": "# all\nclick\nPyYAML>=6  # for m\n",
        "requirements/main.txt": "pyyaml==6.0.1 \\\n    --hash=sha256:00\n",
    }
    target = Target(tmp_path, "deptry", {**files, **listed})
    assert lines(target.find()) == [
        "DEPENDENCY pyproject.toml:4  DEP001 safe: `PyYAML>=6` is in the requirements, and m.py imports it"
    ]
    assert 'dependencies = ["click", "PyYAML>=6", "zope"]' in target.mend("pyproject.toml", "DEP001")
    assert target.find() == ()


@pytest.mark.soak
def test_line_ends_stay_as_they_are(tmp_path: Path) -> None:
    windows = {"a.py": "import hashlib\r\n\r\n\r\ndef f(x=1):\r\n    print(hashlib, x)\r\n"}
    mended = Target(tmp_path, "mypy", windows)
    mended.mend("a.py", "no-untyped-def")
    data = mended.read("a.py") or b""
    assert b"def f(x: int = 1) -> None:\r\n" in data
    assert data.count(b"\n") == data.count(b"\r\n")


def test_bug_of_two_rules_in_a_file_the_second_was_mended_where_it_no_longer_stood(
    tmp_path: Path,
) -> None:
    target = Target(tmp_path, "mypy", {"a.py": "x = []\ndef f(): pass\n"})

    def found(code: str, row: int, column: int, text: str) -> Diagnostic:
        top, at = Place(row=1, column=1), Place(row=row, column=column)
        edits = [
            Edit(content=it, location=to, end_location=to) for it, to in (("import a\n", top), (text, at))
        ]
        return diagnostic(code, "a.py", "", at, *edits)

    told = [found("var-annotated", 1, 2, ": list[A]"), found("no-untyped-def", 2, 8, " -> None")]
    done = replace(target.run(("true",)), stdout=msgspec.json.encode(told))
    units = [Unit(path="a.py", rule=rule, tool="mypy") for rule in ("no-untyped-def", "var-annotated")]
    assert (
        target.tool.patch(done, units, target.read) == b"import a\nx: list[A] = []\ndef f() -> None: pass\n"
    )


def test_an_answer_that_is_none_is_an_error(tmp_path: Path) -> None:
    target = Target(tmp_path, "typos", {"a.py": "# teh\n"})
    (argv,) = target.tool.detect([Kind.DOCUMENTATION])
    done = target.run((argv[0], "--nonsense"))
    with pytest.raises(ToolError, match="typos gave no answer: exited, exit code 64"):
        target.tool.findings([done], str(target.root), target.read)


def nested(head: str) -> str:
    """A function of six branches in each other: seven paths, cognitive complexity 1 + 2 + … + 6."""
    return head + "\n" + "".join(f"{'    ' * n}if n:\n" for n in range(1, 7)) + f"{'    ' * 7}return n\n"


def in_a_row(head: str, branches: int) -> str:
    """A function of branches after each other: one path more, cognitive complexity as many."""
    return head + "\n" + "    if n:\n        n -= 1\n" * branches


TANGLED = {
    "shop.py": "import functools\n@functools.cache\n"
    + nested("async def hard(n):")
    + in_a_row("def many_paths(n):", 15)
    + "class Cart:\n    @functools.cache\n"
    + textwrap.indent(in_a_row("def both(self, n):", 16), "    ")
    + nested("def judged(n):  # noqa: E501, C901")
    + nested("def judged_too(n):  # complexipy: ignore")
    + nested("def other(n):  # noqa: E501"),
    "all_judged.py": "# ruff: noqa\n" + nested("def judged(n):"),
    "newest.py": nested("def new[T](n: T):"),
    "latin.py": "# coding: latin-1\n" + nested("def hard(n='é'):"),
    "rot.py": "# coding: rot13\n" + nested("def hard(n):"),
    "broken.py": nested("def hard(n):") + "def (:\n",
    "tests/test_shop.py": nested("def test_it(n):"),
    "vendor/theirs.py": nested("def hard(n):"),
}


def test_a_function_that_is_hard_to_follow_and_has_many_paths_is_one_finding(tmp_path: Path) -> None:
    target = Target(tmp_path, "complexipy", TANGLED)
    beside = {name: str(BESIDE / binary) for name, binary in BINARIES.items()}
    ports = replace(PORTS, binaries={**beside, "pyright": ""})
    found = told_once(detect(ports, target.root, "0" * 40, (Kind.COMPLEXITY,)).findings)
    told = ((one.location, one.rule, one.message) for one in found if one.rule in {"C901", RULE})
    assert [(f"{at.path}:{at.line}:{at.column}", at.symbol, rule, said) for at, rule, said in told] == [
        ("shop.py:11:5", "many_paths", "C901", "`many_paths` is too complex (16 > 15)"),
        ("latin.py:2:1", "hard", RULE, "`hard` is hard to follow (cognitive complexity 21 > 15)"),
        ("newest.py:1:1", "new", RULE, "`new` is hard to follow (cognitive complexity 21 > 15)"),
        ("shop.py:3:1", "hard", RULE, "`hard` is hard to follow (cognitive complexity 21 > 15)"),
        ("shop.py:44:5", "Cart.both", RULE, "`Cart.both` is hard to follow (cognitive complexity 16 > 15)"),
        ("shop.py:93:1", "other", RULE, "`other` is hard to follow (cognitive complexity 21 > 15)"),
    ]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"complexipy.toml": "max-complexity-allowed = 21\n"}, []),
        ({".complexipy.toml": "max-complexity-allowed = 20\npaths = ['tests']\n"}, ["tests/test_a.py"]),
        ({"pyproject.toml": "[tool.complexipy]\nexclude = ['**/src/**']\n"}, ["a.py", "tests/test_a.py"]),
        ({"pyproject.toml": "[tool.complexipy]\nexclude = ['src', './a.py']\n"}, ["tests/test_a.py"]),
        ({"complexipy.toml": "max-complexity-allowed = 'few'\n"}, ["a.py", "src/a.py", "tests/test_a.py"]),
        ({"pyproject.toml": "tool = 1\n"}, ["a.py", "src/a.py"]),
        ({"complexipy.toml": "paths = [\n"}, ["a.py", "src/a.py"]),
        ({"ruff.toml": "lint.ignore = ['C90']\n"}, []),
    ],
)
def test_complexipy_looks_where_a_target_configures_it(
    files: dict[str, str], expected: list[str], tmp_path: Path
) -> None:
    code = nested("def hard(n):")
    target = Target(
        tmp_path, "complexipy", {**files, "a.py": code, "src/a.py": code, "tests/test_a.py": code}
    )
    assert [finding.location.path for finding in target.find()] == expected


PLUGIN = "from pathlib import Path\n\nPath({!r}).touch()\n\n\ndef plugin(version):\n    raise SystemExit\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "mypy.ini",
            "[DEFAULT]\nplugins = plug.py\n[mypy]\nlinecount_report = seen\nmypy_path = {beside}\n{more}",
        ),
        pytest.param(
            "setup.cfg",
            "[mypy]\nplugins = not_installed.anywhere\ninstall_types = true\n{more}",
            marks=pytest.mark.soak,
        ),
        pytest.param(
            "pyproject.toml",
            '[tool.mypy]\nplugins = ["plug.py"]\njunit_xml = "seen"\n{more}',
            marks=pytest.mark.soak,
        ),
    ],
)
def test_mypy_follows_a_target_but_runs_nothing_of_it_writes_nowhere_and_sees_it_alone(
    tmp_path: Path, path: str, text: str
) -> None:
    (tmp_path / "beside.py").write_text("price: int = 1\n")
    seen, root = tmp_path / "seen", tmp_path / "target"
    told = text.replace("seen", str(seen)).format(beside=tmp_path, more="disallow_untyped_defs = true\n")
    code = "import beside\n\nname: str = beside.price\n\n\ndef f(a):\n    return a\n"
    target = Target(root, "mypy", {path: told, "plug.py": PLUGIN.format(str(seen)), "shop.py": code})
    (argv,) = target.tool.detect([Kind.TYPE_ERROR], ["shop.py"])
    done = target.run(argv)
    assert done.level == PORTS.shell.level()
    assert [one.rule for one in target.tool.findings([done], str(root), target.read)] == ["no-untyped-def"]
    assert not seen.exists()


BUILDS = "[build-system]\ntype = 'custom'\ncommand = ['./evil']\n"
EVIL = "#!/bin/sh\ntouch {}\n"


@pytest.mark.parametrize(
    ("path", "table"),
    [
        ("pyproject.toml", "tool.pyrefly"),
        pytest.param("pyrefly.toml", "", marks=pytest.mark.soak),
    ],
)
def test_pyrefly_looks_where_a_target_configures_it_and_runs_none_of_its_programs(
    tmp_path: Path, path: str, table: str
) -> None:
    seen, root = tmp_path / "seen", tmp_path / "target"
    code = "import nowhere\n\n\ndef price(x: int) -> str:\n    return x\n"
    told = 'project-includes = ["shop"]\npython-interpreter-path = "./evil"\n' + BUILDS
    if table:
        told = f"[{table}]\n{told.replace('[build', f'[{table}.build')}"
    files = {path: told, "evil": EVIL.format(seen), "shop/a.py": code, "b.py": code}
    files["shop/pyrefly.toml"] = BUILDS
    target = Target(root, "pyrefly", files)
    (root / "evil").chmod(0o755)
    said = 'Returned type "int" is not assignable to declared return type "str"'
    found = lines(target.find())
    assert found == [f"TYPE_ERROR shop/a.py:5 price bad-return none: {said}"]
    assert [lines(target.find(path)) for path in ("shop/a.py", "b.py")] == [found, []]
    assert not seen.exists()


@pytest.mark.parametrize("project", ["", "[tool.mypy]\n", "[tool\n", "tool = 1\n"])
def test_pyrefly_says_nothing_of_a_target_that_does_not_use_it(tmp_path: Path, project: str) -> None:
    target = Target(tmp_path, "pyrefly", {"pyproject.toml": project, "a.py": "X: str = 1\n"})
    assert target.tool.detect(Kind, ["."]) == ()


@pytest.mark.parametrize(
    "text", ["project-includes = 3\n", "project-includes = [\n", "[errors]\nno-such = true\n"]
)
def test_a_configuration_that_pyrefly_refuses_counts_for_nothing(tmp_path: Path, text: str) -> None:
    target = Target(tmp_path, "pyrefly", {"pyrefly.toml": text, "a.py": "X: str = 1\n"})
    assert [finding.rule for finding in target.find()] == ["bad-assignment"]


def test_what_mypy_says_of_a_part_is_known_when_the_whole_is_looked_at(tmp_path: Path) -> None:
    code = "def f(x): return x\n"
    root = Target(tmp_path, "mypy", {"a.py": code, "b.py": code}).root
    ports = replace(PORTS, binaries={**PORTS.binaries, "mypy": sys.executable})
    part, whole = (detect(ports, root, "", [Kind.TYPE_ERROR], (path,)) for path in ("b.py", "."))
    assert [one.location.path for one in part.findings] == ["b.py"]
    assert [one.location.path for one in whole.findings] == ["a.py", "b.py"]
    (asked,), (kept,) = part.evidence, whole.evidence
    assert (asked.output, asked.seconds > 0) == (kept.output, kept.seconds == 0)
    assert (asked.sandbox, kept.sandbox) == (PORTS.shell.level().value,) * 2


def test_no_module_of_a_target_is_imported_when_types_are_inferred(tmp_path: Path) -> None:
    seen, root = tmp_path / "seen", tmp_path / "target"
    code = f"from pathlib import Path\n\nPath({str(seen)!r}).touch()\n"
    files = {f"{name}.py": code for name in ("json", "site", "sitecustomize", "os")}
    target = Target(root, "mypy", {**files, "shop.py": "def f():\n    return 1\n"})
    assert target.mend("shop.py", "no-untyped-def") == "def f() -> int:\n    return 1\n"
    assert not seen.exists()
