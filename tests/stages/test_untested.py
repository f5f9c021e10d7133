"""No test that passes: what only tests could judge is taken back, the rest stays."""

from pathlib import Path

import pytest

from sparky.domain.attempt import Stage, Trait, Verdict
from sparky.domain.state import Outcome
from sparky.tools.neutral import UNSHOWN
from tests.stages.stand import Stand, real_ruff
from tests.stages.whole import end, fixed, left, refused, text

SHOP = b"import os\nimport shop\n\n\ndef f(x):\n    first = x[0]\n    return 1\n"
NONE = "there are none in memory"
RED = "not one of them passes, at base or at head"
SKIPPED = (Verdict.SKIP, (Trait.NO_TESTS,), f"unverified by tests: {NONE}")


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    return Stand(root=tmp_path, tool=real_ruff, ids=())


@pytest.mark.parametrize(("ids", "said"), [((), NONE), (("test_a", "test_b"), RED)])
def test_bug_all_was_mended_where_no_test_is_found_or_none_passes(
    stand: Stand, ids: tuple[str, ...], said: str
) -> None:
    stand.ids, stand.red = ids, lambda _: dict.fromkeys(ids, "AssertionError")
    state = fixed(stand, {"a.py": SHOP})
    assert (end(state).outcome, text(stand, state)) == (Outcome.READY, SHOP.removeprefix(b"import os\n"))
    tests = [(attempt.verdict, attempt.traits, attempt.reason) for attempt in state.of(Stage.TEST)]
    assert tests == [
        (Verdict.REVISE, (Trait.NO_TESTS,), f"{said}: nothing shows that the program stays as it is"),
        (Verdict.SKIP, (Trait.NO_TESTS,), f"unverified by tests: {said}"),
    ]
    assert left(state) == (
        f"a.py:1 F401 `shop` imported but unused: {UNSHOWN}",
        f"a.py:5 F841 Local variable `first` is assigned to but never used: {UNSHOWN}",
    )
    assert refused(stand) == []


def test_what_leaves_the_program_as_it_is_stays_at_once(stand: Stand) -> None:
    state = fixed(stand, {"a.py": b"import os\n\nX = 1\n"})
    assert (end(state).outcome, text(stand, state)) == (Outcome.READY, b"X = 1\n")
    tests = [(attempt.verdict, attempt.traits, attempt.reason) for attempt in state.of(Stage.TEST)]
    assert tests == [SKIPPED]


def test_where_nothing_else_was_mended_there_is_nothing_to_do(stand: Stand) -> None:
    state = fixed(stand, {"a.py": b"import shop\n\nX = 1\n"})
    assert (end(state).outcome, state.head) == (Outcome.NOTHING_TO_DO, state.base)
    said = "0 edit(s) kept, 0 withdrawn after 0 trial(s), 1 finding(s) left that only tests could judge"
    assert end(state).reason.endswith(said)


def test_bug_imports_were_sorted_so_that_a_package_was_imported_no_more(stand: Stand) -> None:
    package = b'from .core import Base\nfrom .addons import Plug\n\n__all__ = ["Base", "Plug"]\n'
    state = fixed(stand, {"pkg/__init__.py": package, "a.py": b"import re\nimport os\n\nX = os, re\n"})
    assert end(state).outcome is Outcome.READY
    assert text(stand, state, "pkg/__init__.py") == package
    assert text(stand, state) == b"import os\nimport re\n\nX = os, re\n"
