"""The real ruff: what sparky relies on it for."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from sparky.agents.dead_code import DEAD_CODE
from sparky.agents.documentation import DOCUMENTATION
from sparky.agents.formatting import FORMATTING
from sparky.agents.imports import IMPORTS
from sparky.domain.agent import Agent, ToolFix
from sparky.domain.command import Completed, Ending
from sparky.domain.finding import Finding, for_agent, kept
from sparky.domain.issue import Kind
from sparky.formats.values_json import decode, dump
from sparky.tools.faults import fixed
from sparky.tools.ruff_rules import BY_CODE, FORMAT
from sparky.tools.table import TOOLS
from sparky.tools.tool import READ as TEXT_IS_READ
from sparky.tools.tool import Argv, Tool, Unit, joined, parts, units

RUFF = str(Path(sys.executable).with_name("ruff"))
KINDS = (Kind.FORMATTING, Kind.IMPORT_ERROR, Kind.DEAD_CODE)
GOLDEN = Path(__file__).parent.parent / "golden" / "findings" / "ruff"
BANNED = "E711 E712 UP030 T201 TRY400 PT014 PLR2004 ANN401 ERA001 D203 D213 COM812 INP001 PLR6301 RUF100"
CLEAN = '"""A module that ruff has nothing to say about."""\n'


class Target:
    """A directory of files, and ruff bound to it."""

    def __init__(self, root: Path, **files: str) -> None:
        self.root = root.resolve()
        for name, content in files.items():
            self.write(name, content)

    def write(self, path: str, content: str | bytes) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def read(self, path: str) -> bytes | None:
        file = self.root / path
        return file.read_bytes() if file.is_file() and not file.is_symlink() else None

    @property
    def tool(self) -> Tool:
        return TOOLS["ruff"](RUFF, self.read)

    def run(self, commands: Iterable[Argv]) -> tuple[Completed, ...]:
        return tuple(self._run(argv) for argv in commands)

    def _run(self, argv: Argv) -> Completed:
        done = subprocess.run(argv, cwd=self.root, capture_output=True, check=False)
        return Completed(
            argv=argv,
            ending=Ending.EXITED,
            code=done.returncode,
            stdout=done.stdout,
            stderr=done.stderr,
            seconds=0.0,
        )

    def find(self, *kinds: Kind, paths: tuple[str, ...] = (".",)) -> tuple[Finding, ...]:
        answers = self.run(self.tool.detect(kinds or KINDS, paths))
        return self.tool.findings(answers, str(self.root), self.read)

    def mend(self, agent: Agent, *kinds: Kind) -> tuple[Finding, ...]:
        """All findings after the agent did all of its work."""
        works = tool_fix(agent)
        before = self.find(*kinds)
        todo = units(before, works)
        tidy = self.tool.tidy(before, {unit.path for unit in todo})
        done = [*self.run(self.tool.replay(todo, works.unsafe))]
        for unit in todo:
            self.patch(unit)
        done += self.run(self.tool.replay(tidy))
        assert [result for result in done if not result.ok] == []
        return self.find()

    def patch(self, unit: Unit) -> None:
        """Edit for a unit, if that is how it is applied."""
        if self.tool.patches(unit):
            (offered,) = self.run([self.tool.offer(unit)])
            self.write(unit.path, self.tool.patch(offered, [unit], self.read))


def tool_fix(agent: Agent) -> ToolFix:
    assert isinstance(agent.works, ToolFix)
    return agent.works


def places(findings: Iterable[Finding]) -> list[tuple[str, int | None, str]]:
    return [(f.location.path, f.location.line, f.rule) for f in findings]


def test_it_answers_today_as_it_was_recorded(tmp_path: Path) -> None:
    target = Target(tmp_path)
    for path, text in decode((GOLDEN / "sources.json").read_bytes(), dict[str, str]).items():
        target.write(path, text.encode("latin-1"))
    found = target.find(*Kind, paths=(".", "pkg/missing.py"))
    assert list(dump(found)) == json.loads((GOLDEN / "expected.json").read_bytes())


def test_it_says_its_version(tmp_path: Path) -> None:
    (done,) = Target(tmp_path).run([Target(tmp_path).tool.version()])
    assert (done.code, done.stdout.startswith(b"ruff 0.")) == (0, True)


def test_every_rule_of_the_profile_is_a_stable_rule_of_ruff_and_none_is_banned() -> None:
    listed = subprocess.run(
        [RUFF, "rule", "--all", "--output-format", "json"], capture_output=True, check=True
    )
    stable = {rule["code"] for rule in json.loads(listed.stdout) if "Stable" in rule["status"]}
    assert set(BY_CODE) - stable == set()
    assert set(BY_CODE) & set(BANNED.split()) == set()


def test_a_configuration_or_gitignore_in_a_parent_directory_changes_nothing(tmp_path: Path) -> None:
    source = "import os\nimport re\n\nlong = 'x'\n"
    alone = Target(tmp_path / "alone", **{"a.py": source})
    alone.root.mkdir(exist_ok=True)
    inside = Target(tmp_path / "outer" / "inside", **{"a.py": source})
    subprocess.run(["git", "init", "-q", str(tmp_path / "outer")], check=True)
    (tmp_path / "outer" / ".gitignore").write_text("*\n")
    (tmp_path / "outer" / "pyproject.toml").write_text(
        "[tool.ruff]\nline-length = 5\nformat.quote-style = 'single'\nlint.ignore = ['F401']\n"
    )
    assert inside.find() == alone.find()
    assert places(inside.find()) == [("a.py", None, FORMAT), ("a.py", 1, "F401"), ("a.py", 2, "F401")]


def test_the_targets_own_valid_configuration_is_followed(tmp_path: Path) -> None:
    target = Target(
        tmp_path,
        **{
            "ruff.toml": """
                line-length = 30
                exclude = ["vendor"]
                [format]
                quote-style = "single"
                [lint]
                ignore = ["F841", "NOT-A-RULE"]
                per-file-ignores = {"docs/*" = ["F401", "NOPE9"]}
                unfixable = ["PIE790"]
            """,
            "vendor/a.py": "import os\n",
            "docs/conf.py": "import os\n",
            "a.py": "x = 'single quotes'\n\n\ndef f():\n    '''Doc.'''\n    unused = 1\n    pass\n",
            "b.py": "# a comment of more than thirty\n",
        },
    )
    found = target.find(paths=(".", "vendor/a.py"))
    assert places(found) == [("a.py", None, FORMAT), ("a.py", 7, "PIE790"), ("b.py", 1, "E501")]
    why = target.tool.why_left(found[1], tool_fix(DEAD_CODE))
    assert (units(found, tool_fix(DEAD_CODE)), why) == ((), for_agent("ruff has no fix for it"))


def test_every_option_that_is_passed_on_is_known_to_ruff(tmp_path: Path) -> None:
    options = (GOLDEN / "all_options.toml").read_text()
    target = Target(tmp_path, **{"ruff.toml": options, "a.py": "\n"})
    commands = (*target.tool.detect(KINDS), *target.tool.fix(["I001", FORMAT], ["a.py"]))
    assert target.tool.notes(KINDS) == ()
    assert [argv.count("--config") for argv in commands] == [36] * 4
    assert [result.code for result in target.run(commands)] == [0] * 4


@pytest.mark.parametrize(
    "wrong",
    ["line-length = 900", "target-version = 'py2'", "format.quote-style = 'odd'", "extend = 'no.toml'", "]"],
)
def test_an_invalid_configuration_is_told_and_the_default_profile_is_used(tmp_path: Path, wrong: str) -> None:
    target = Target(tmp_path, **{"ruff.toml": wrong, "a.py": "import os\n"})
    assert len(target.tool.notes(KINDS)) == 1
    assert places(target.find()) == [("a.py", 1, "F401")]


def test_modern_spellings_are_asked_for_only_where_python_3_is_declared(tmp_path: Path) -> None:
    target = Target(tmp_path, **{"a.py": "class A(object):\n    pass\n"})
    assert target.find() == ()
    target.write("setup.cfg", "[options]\npython_requires = >=3.8\n")
    assert places(target.find()) == [("a.py", 1, "UP004")]


def test_formatting_mends_layout_keeps_crlf_and_says_why_the_rest_stays(tmp_path: Path) -> None:
    text = "import sys, os\r\nx = {  'a':os.sep,'b':sys.path }\r\ny = '''\r\n  \r\n'''  # %s\r\n"
    target = Target(tmp_path, **{"a.py": text.replace("%s", "x" * 90)})
    before = target.find()
    rest = target.mend(FORMATTING)
    assert target.read("a.py") == (
        b'import os\r\nimport sys\r\n\r\nx = {"a": os.sep, "b": sys.path}\r\ny = """\r\n  \r\n"""  # %s\r\n'
        % (b"x" * 90)
    )
    tool, works = target.tool, tool_fix(FORMATTING)
    assert [(f.rule, tool.why_left(f, works)) for f in rest] == [
        ("W293", kept("unsafe fix not allowed for W293: inside a string literal, whose text would change")),
        ("E501", for_agent("the formatter cannot split this line")),
    ]
    assert sorted(f.rule for f in fixed(before, rest)) == ["E401", "I001", FORMAT]
    assert sorted(path.name for path in target.root.iterdir()) == ["a.py"]


def test_an_unused_import_goes_but_never_from_an_init_file(tmp_path: Path) -> None:
    source = "import os\n\nimport pkg.names\n"
    target = Target(tmp_path, **{"pkg/__init__.py": source, "pkg/names.py": CLEAN, "a.py": source})
    rest = target.mend(IMPORTS)
    assert (target.read("pkg/__init__.py"), target.read("a.py")) == (source.encode(), b"\n")
    works = tool_fix(IMPORTS)
    why = kept("re-export in __init__.py: others may import it from here")
    assert [(f.location.path, target.tool.why_left(f, works)) for f in rest] == [("pkg/__init__.py", why)] * 2
    done = target.run(target.tool.fix(["F401"], ["pkg/__init__.py"], unsafe=["F401"]))
    assert ([result.ok for result in done], target.read("pkg/__init__.py")) == ([True] * 2, source.encode())


def test_an_unused_variable_goes_and_the_call_that_made_it_stays(tmp_path: Path) -> None:
    source = "def f(g):\n    made = g()\n    number = 1\n    return g\n"
    target = Target(tmp_path, **{"a.py": source})
    assert target.mend(DEAD_CODE) == ()
    assert target.read("a.py") == b"def f(g):\n    g()\n    return g\n"


def test_a_unit_can_be_applied_alone(tmp_path: Path) -> None:
    source = "import os\nx = f'1'\n"
    target = Target(tmp_path, **{"a.py": source, "sub/a.py": source})
    done = target.run(target.tool.replay([Unit(path="sub/a.py", rule="F541")]))
    assert [result.ok for result in done] == [True]
    assert (target.read("a.py"), target.read("sub/a.py")) == (source.encode(), b"import os\nx = '1'\n")


def test_what_was_clean_is_kept_clean_and_what_was_not_keeps_its_layout(tmp_path: Path) -> None:
    unused = "from os import (\n    path,\n    sep,\n)\n\nprint(sep{})\n"
    target = Target(tmp_path, **{"clean.py": unused.format(""), "untidy.py": unused.format(" ")})
    rest = target.mend(IMPORTS)
    assert target.read("clean.py") == b"from os import (\n    sep,\n)\n\nprint(sep)\n"
    assert target.read("untidy.py") == b"from os import (\n    sep,\n)\n\nprint(sep )\n"
    assert places(rest) == [("untidy.py", None, FORMAT)]


def test_odd_file_names_are_borne(tmp_path: Path) -> None:
    names = ("-x.py", "a b.py", "[a].py", "a'\"é.py", "--fix.py")
    target = Target(tmp_path, **dict.fromkeys(names, "import os\n"))
    assert places(target.find(paths=names)) == [(name, 1, "F401") for name in sorted(names)]
    assert target.mend(IMPORTS) == ()
    assert {target.read(name) for name in names} == {b""}


def test_a_file_that_cannot_be_read_has_one_kind_of_finding_and_is_never_mended(tmp_path: Path) -> None:
    broken = "import os\nx = (\n"
    target = Target(tmp_path, **{"broken.py": broken, "a.py": "import os\n"})
    target.write("latin.py", b"import os\n# \xff\n")
    before = target.find()
    assert places(before) == [
        ("a.py", 1, "F401"),
        ("broken.py", 3, "invalid-syntax"),
        ("latin.py", None, "unreadable"),
    ]
    why = [target.tool.why_left(finding, tool_fix(IMPORTS)) for finding in before[1:]]
    assert why == [kept("ruff cannot read this file, so nothing in it is mended")] * 2
    assert places(target.mend(IMPORTS)) == places(before[1:])
    assert target.read("broken.py") == broken.encode()


def test_a_link_is_not_mended_since_it_may_lead_out_of_the_target(tmp_path: Path) -> None:
    outside = Target(tmp_path / "outside", **{"x.py": "import os\n"})
    target = Target(tmp_path / "target", **{"a.py": "import os\n"})
    (target.root / "x.py").symlink_to(outside.root / "x.py")
    assert places(target.find()) == [("a.py", 1, "F401")]
    assert target.mend(IMPORTS) == ()
    assert outside.read("x.py") == b"import os\n"


def test_a_file_that_a_fix_broke_counts_as_not_fixed(tmp_path: Path) -> None:
    target = Target(tmp_path, **{"a.py": "import os\n", "b.py": "import os\n"})
    before = target.find()
    target.write("a.py", "import os\nx = (\n")
    target.write("b.py", CLEAN)
    assert places(fixed(before, target.find())) == [("b.py", 1, "F401")]


def test_a_missing_file_is_a_finding_although_ruff_alone_would_only_warn(tmp_path: Path) -> None:
    assert places(Target(tmp_path).find(Kind.DEAD_CODE, paths=("gone.py",))) == [
        ("gone.py", None, "unreadable")
    ]


def test_why_something_stays_is_said_for_each_reason(tmp_path: Path) -> None:
    shadowed = "import a\nimport b\n\n\ndef a(): ...\n"
    source = f"{shadowed}\n\nclass C:\n    x = 1\n    x = 2\n\n    def f(self):\n        y = f''\n"
    target = Target(tmp_path, **{"m.py": source})
    dead, imports = tool_fix(DEAD_CODE), tool_fix(IMPORTS)
    by_rule = {finding.rule: finding for finding in target.find()}
    assert {
        (rule, target.tool.why_left(by_rule[rule], works))
        for rule, works in (
            ("F401", imports),
            ("F811", imports),
            ("PIE794", dead),
            ("F841", dead),
            ("F541", dead),
        )
    } == {
        ("F401", None),
        ("F811", for_agent("which of two definitions was meant is for their author to say")),
        ("PIE794", for_agent("which of two assignments was meant is for their author to say")),
        ("F841", None),
        ("F541", for_agent("F541 is not among the rules that are mended")),
    }


def test_some_findings_of_a_file_are_mended_and_the_others_stay(tmp_path: Path) -> None:
    target = Target(tmp_path)
    source = (
        "\ufeffimport os\r\nimport sys\r\n\r\n\r\ndef f():\r\n    '😀ä'; import re\r\n    import json\r\n"
    )
    target.write("a.py", source.encode())
    first, _, third, _ = parts(Unit(path="a.py", rule="F401"), target.find(), tool_fix(IMPORTS))
    unit = joined((first, third))[0]
    (offered,) = target.run([target.tool.offer(unit)])
    assert target.tool.patch(offered, [unit], target.read).decode() == (
        "\ufeffimport sys\r\n\r\n\r\ndef f():\r\n    '😀ä'; \r\n    import json\r\n"
    )


def test_nothing_is_patched_for_a_finding_that_is_gone_or_in_a_file_that_cannot_be_read(
    tmp_path: Path,
) -> None:
    target = Target(tmp_path, good="", bad="")
    sources = {"good.py": b"import os\n", "bad.py": b"import os\ndef f(:\n"}
    for path, source in sources.items():
        target.write(path, source)
        unit = Unit(path=path, rule="F401", only=("0123456789abcdef.1",))
        (offered,) = target.run([target.tool.offer(unit)])
        assert target.tool.patch(offered, [unit], target.read) == source


READ = """\
def p_expr(p):
    \"\"\" expr : expr PLUS term\"\"\"


def t_number(t):
    r'''\\d+ '''


def f():
    \"\"\" Say it.\"\"\"
"""
HEAD = '"""{}"""\n\nprint(__doc__.startswith(""))\n\n\nclass A: pass\n'


def test_bug_docstrings_were_mended_that_a_program_reads(tmp_path: Path) -> None:
    target = Target(tmp_path, **{"grammar.py": READ, "a.py": HEAD.format(" a "), "b.py": HEAD.format("b")})
    target.write("c.py", '""" c """\n\n\nclass A: pass\n')
    found = target.find(Kind.DOCUMENTATION, Kind.FORMATTING)
    withheld = [f for f in found if target.tool.why_left(f, tool_fix(DOCUMENTATION)) == TEXT_IS_READ]
    assert places(withheld) == [
        ("a.py", None, FORMAT),
        ("a.py", 1, "D210"),
        ("grammar.py", None, FORMAT),
        ("grammar.py", 2, "D210"),
        ("grammar.py", 6, "D210"),
    ]
    target.mend(DOCUMENTATION, Kind.DOCUMENTATION, Kind.FORMATTING)
    target.mend(FORMATTING)
    assert (target.read("a.py"), target.read("b.py")) == (
        HEAD.format(" a ").encode(),
        HEAD.format("b").replace(": pass", ":\n    pass").encode(),
    )
    assert target.read("c.py") == b'"""c"""\n\n\nclass A:\n    pass\n'
    mended = READ.replace('""" Say it', '"""Say it').replace("'''", '"""')
    assert target.read("grammar.py") == mended.encode()


def test_words_of_docstrings_are_capitalised_only_where_the_target_selects_that(tmp_path: Path) -> None:
    target = Target(tmp_path, **{"a.py": 'def f():\n    """say it."""\n'})
    assert places(target.find(Kind.DOCUMENTATION)) == []
    target.write("ruff.toml", 'lint.select = ["D4"]\n')
    assert places(target.find(Kind.DOCUMENTATION)) == [("a.py", 2, "D403")]


def test_bug_code_became_newer_than_the_pythons_that_it_runs_on(tmp_path: Path) -> None:
    source = 'with open("{0}") as a, open("{0}") as b:\n    pass\n'.format("x" * 45)
    for declared in ('setup(name="x", python_requires=">=3.6")\n', ""):
        target = Target(tmp_path, **{"a.py": source, "setup.py": declared})
        target.mend(FORMATTING)
        assert b"with (" not in (target.read("a.py") or b"")


def test_what_is_newer_than_a_python_that_nothing_declares_is_no_error(tmp_path: Path) -> None:
    target = Target(tmp_path, **{"a.py": "import shop\nimport tomllib\n\nif (a := 1):\n    X = a, tomllib\n"})
    assert places(target.mend(IMPORTS)) == [("a.py", None, FORMAT)]
    target.mend(FORMATTING)
    assert target.read("a.py") == b"import tomllib\n\nif a := 1:\n    X = a, tomllib\n"
