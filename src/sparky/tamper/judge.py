"""The judgement of a whole diff."""

import ast
from collections.abc import Callable, Sequence

from sparky.domain.change import Sort, Suspicion
from sparky.tamper.edit import Edit, Texts
from sparky.tamper.expressions import parsed
from sparky.tamper.kept import judge_tests
from sparky.tamper.rules import judge_rules
from sparky.tamper.special import answers, judge_special
from sparky.tamper.tricks import judge_tricks


def judge(edits: Sequence[Edit], tests: Callable[[], Texts]) -> tuple[Suspicion, ...]:
    """All suspicions, by path and line. `tests`: the repository's tests at head, read where needed."""
    try:
        return _judged(edits, tests)
    except RecursionError:
        path = next(edit.path for edit in edits if edit.python)
        what, why = "the change is nested too deeply", "what can't be read may take back any test"
        return (Suspicion(sort=Sort.TRICK, path=path, line=0, what=what, why=why),)


def _judged(edits: Sequence[Edit], tests: Callable[[], Texts]) -> tuple[Suspicion, ...]:
    found = list(judge_tests(edits))
    if any(one.sort is Sort.CHANGED for one in found) and source_changes(edits):
        # Where the source changed, too, a changed expectation is left to the runs to judge.
        found = [one for one in found if one.sort is not Sort.CHANGED]
    for edit in edits:
        found += [*judge_rules(edit), *judge_tricks(edit)]
    asking = [edit for edit in edits if answers(edit)]
    if asking:
        known = tests()
        found += [suspicion for edit in asking for suspicion in judge_special(edit, known)]
    return tuple(sorted(dict.fromkeys(found), key=lambda s: (s.path, s.line, s.what, s.why)))


def source_changes(edits: Sequence[Edit]) -> bool:
    """Whether any file that is no test's changes what it does, as far as its text tells."""
    return any(not edit.test and edit.python and means(edit.before) != means(edit.after) for edit in edits)


def means(source: str | None) -> str | None:
    """Source without comments, layout and docstrings; itself where that can not be told, None of None."""
    tree = parsed(source) if source is not None else None
    if tree is None:
        return source
    for node in ast.walk(tree):
        match node:
            case (
                ast.Module(body)
                | ast.ClassDef(_, _, _, body)
                | ast.FunctionDef(_, _, body)
                | ast.AsyncFunctionDef(_, _, body)
            ):
                node.body = [
                    s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
                ]
    try:
        return ast.dump(tree)
    except RecursionError:
        return source
