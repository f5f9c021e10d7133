"""What can't be imported any more is worse than before, as a test that got red: the edit that did it goes."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sparky.domain.attempt import Attempt, GateResult, Responsibility, Stage, Verdict
from sparky.domain.state import Context, Handoff, Outcome
from sparky.domain.testing import Imported, Unimported
from sparky.evidence.imports import modules_of
from sparky.ports import Ports
from sparky.stages.table import STAGES
from tests.stages.stand import Stand, real_ruff
from tests.stages.whole import end, fixed, left, refused, text

BEFORE = Attempt(stage=Stage.EXECUTE, number=1, verdict=Verdict.PASS, reason="done")
HANDOFF = Handoff(stage=Stage.TEST, reason="asked for", agent="tester", number=1, rollback_sha="")


@pytest.fixture(params=[("pytest",), None], ids=["tested", "untested"])
def stand(tmp_path: Path, request: pytest.FixtureRequest) -> Stand:
    return Stand(root=tmp_path, tool=real_ruff, command=request.param)


def ports(stand: Stand, asked: list[Sequence[str]]) -> Ports:
    """Ports where `pkg` can be imported only while `pkg.a` orders its imports so."""

    def imports(_context: Context, sha: str, modules: Sequence[str], beside: Sequence[str]) -> Imported:
        asked.append((*modules, "beside", *beside))
        source = stand.house.repository.read(sha, "pkg/a.py") or b""
        broken = source.find(b"import ast") < source.find(b"import zlib")
        bad = Unimported(module="pkg", why="ImportError: no ast", through=("pkg.a", "pkg"))
        mine = {*modules, *beside}
        return Imported(
            good=tuple(sorted({*modules} - ({"pkg"} if broken else set()))),
            bad=(bad,) if broken and "pkg" in mine else (),
        )

    return replace(stand.house.ports, imports=imports)


UNSORTED = b"import zlib\nimport ast\n\nprint(ast, zlib)\n"
SOURCES = {"pkg/__init__.py": b"", "pkg/a.py": UNSORTED, "c.py": b"import os\n"}


def test_only_the_edit_that_breaks_an_import_is_withdrawn_and_it_is_remembered(stand: Stand) -> None:
    asked: list[Sequence[str]] = []
    state = fixed(stand, SOURCES, ports(stand, asked))
    why = "withdrawn: its fix breaks the import of pkg"
    assert end(state).outcome is Outcome.READY
    assert (text(stand, state, "pkg/a.py"), text(stand, state, "c.py")) == (SOURCES["pkg/a.py"], b"")
    assert left(state) == (f"pkg/a.py:1 I001 Import block is un-sorted or un-formatted: {why}",)
    assert refused(stand) == [why]
    red = state.of(Stage.TEST)[0]
    said = "1 import(s) worked at base and do not at head: import of pkg: ImportError: no ast"
    assert (red.verdict, red.reason, red.responsibility) == (Verdict.REVISE, said, Responsibility.CODER)
    assert (red.items, red.validation_errors) == (("import of pkg: ImportError: no ast",), ("import of pkg",))
    assert asked[:3] == [("c", "pkg", "pkg.a", "beside"), ("pkg", "beside"), ("pkg", "beside")]
    gate = GateResult(gate="no import broken", verdict=Verdict.PASS, reason="1 module(s) import as at base")
    assert state.of(Stage.TEST)[1].gates[-1] == gate


def test_what_only_looks_otherwise_is_not_imported(stand: Stand) -> None:
    asked: list[Sequence[str]] = []
    state = fixed(stand, {"pkg/a.py": b"x  =  1\n"}, ports(stand, asked))
    assert (text(stand, state, "pkg/a.py"), asked) == (b"x = 1\n", [])


def test_what_a_change_breaks_in_another_module_is_found_and_what_was_broken_before_is_not_held_against_it(
    stand: Stand,
) -> None:
    base = stand.commit({"a.py": b"X = 1\n", "b.py": b"from a import X\n", "tests/test_a.py": b"import a\n"})
    head = stand.change({"a.py": b"Y = 1\n"})

    def imports(_context: Context, sha: str, modules: Sequence[str], beside: Sequence[str]) -> Imported:
        bad = {"old", "b"} if sha == head else {"old"}
        tried = {*modules, *(bad & {*beside, "old"})}
        return Imported(
            good=tuple(sorted(tried - bad)),
            bad=tuple(Unimported(module=one, why="no") for one in sorted(tried & bad)),
        )

    state = stand.state(base, replace(BEFORE, sha=head))
    attempt = STAGES[Stage.TEST](HANDOFF, state, replace(stand.house.ports, imports=imports))
    assert (attempt.verdict, attempt.validation_errors) == (Verdict.REVISE, ("import of b",))


def test_bug_what_a_dependency_that_is_gone_breaks_was_left_to_the_tests(stand: Stand) -> None:
    base = stand.commit({"pyproject.toml": b"[project]\n", "a.py": b"__import__('yaml')\n", "docs/b.py": b""})
    head = stand.change({"pyproject.toml": b"[project]\nname = 'x'\n"})

    def imports(_context: Context, sha: str, modules: Sequence[str], beside: Sequence[str]) -> Imported:
        assert {*modules, *beside} == {"a"}
        return Imported(bad=(Unimported(module="a", why="no"),)) if sha == head else Imported(good=("a",))

    state = stand.state(base, replace(BEFORE, sha=head))
    attempt = STAGES[Stage.TEST](HANDOFF, state, replace(stand.house.ports, imports=imports))
    assert (attempt.verdict, attempt.validation_errors) == (Verdict.REVISE, ("import of a",))


def test_bug_a_folder_whose_name_ends_as_src_does_was_no_part_of_its_modules_names() -> None:
    paths = {"mysrc.a": "mysrc/a.py", "pkg": "src/pkg/__init__.py", "pkg.b": "lib/src/pkg/b.py"}
    assert modules_of([*paths.values(), "src/pkg/c.txt", "src/conftest.py", "tests/d.py"]) == paths


def test_of_many_modules_those_beside_the_changed_one_are_imported_with_it(stand: Stand) -> None:
    many = {f"far/m{number}.py": b"" for number in range(300)}
    base = stand.commit({**many, "pkg/a.py": b"X = 1\n", "pkg/b.py": b""})
    head = stand.change({"pkg/a.py": b"X = 2\n"})
    asked: list[Sequence[str]] = []
    state = stand.state(base, replace(BEFORE, sha=head))
    STAGES[Stage.TEST](HANDOFF, state, ports(stand, asked))
    ((changed, mark, first, *_),) = asked
    assert (changed, mark, first, len(asked[0])) == ("pkg.a", "beside", "pkg.b", 202)
