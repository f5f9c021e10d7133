"""Source that answers the tests' very inputs with the very values that they want."""

import ast
from collections.abc import Iterator

from sparky.domain.change import Sort, Suspicion
from sparky.tamper.edit import Edit, Texts
from sparky.tamper.expressions import constants, is_literal, parsed, text
from sparky.tamper.suite import items_of

_PLAIN = {"0", "1", "-1", "2", "''", "None", "True", "False", "[]", "{}", "()", "b''", "0.0", "1.0", "set()"}
_LONG = 3


def answers(edit: Edit) -> list[tuple[ast.expr, ast.expr, int]]:
    """The literals that a source edit newly compares with, each with what it then returns, and the line."""
    if edit.test or not edit.python:
        return []
    found = list(_answers(edit.edited[1]))
    old = {(text(a), text(b)) for a, b, _ in _answers(edit.trees[0])} if found else set()
    return [(a, b, line) for a, b, line in found if (text(a), text(b)) not in old]


def judge_special(edit: Edit, tests: Texts) -> Iterator[Suspicion]:
    """Answers whose question and value stand in one claim of a test."""
    told = answers(edit)
    if not told:
        return
    claims = [
        (constants_of(claim.subject), {claim.expected, *constants_of(claim.expected)})
        for path, source in tests.items()
        if any(_mentions(source, q) and _mentions(source, a) for q, a, _ in told)
        for item in items_of(path, source, collected=True)
        for claim in item.claims
    ]
    hits = [
        (q, a, line)
        for q, a, line in told
        if any(_asked(q, given) and text(a) in wanted for given, wanted in claims)
    ]
    tellers = [hit for hit in hits if not _is_plain(hit[0]) and not _is_plain(hit[1])]
    if tellers or len(hits) > _LONG - 1:
        question, answer, line = (tellers or hits)[0]
        why = f"a test asks for {text(question)[:40]} and wants {text(answer)[:40]}"
        yield Suspicion(
            sort=Sort.TRICK,
            path=edit.path,
            line=line,
            what="it answers a test's own input by a constant",
            why=why,
        )


def _mentions(source: str, node: ast.expr) -> bool:
    return all(
        str(n.value)[:20] in source
        for n in ast.walk(node)
        if isinstance(n, ast.Constant) and isinstance(n.value, int | str)
    )


def constants_of(source: str) -> frozenset[str]:
    """The constants and literal containers of an expression, as text."""
    tree = parsed(source)
    if tree is None:
        return frozenset()
    whole = (
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp) and is_literal(n)
    )
    return frozenset({*constants(tree), *map(text, whole)})


def _asked(question: ast.expr, given: frozenset[str]) -> bool:
    if text(question) in given:
        return True
    return (
        isinstance(question, ast.Tuple)
        and bool(question.elts)
        and all(text(part) in given for part in question.elts)
    )


def _is_plain(node: ast.expr) -> bool:
    return text(node) in _PLAIN


def _answers(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr, int]]:
    for node in ast.walk(tree):
        match node:
            case ast.If(test, [*_, ast.Return(ast.expr() as answer)]) if is_literal(answer):
                yield from ((question, answer, node.lineno) for question in _questions(test))
            case ast.If(test, [ast.Assign(_, answer)]) if is_literal(answer):
                yield from ((question, answer, node.lineno) for question in _questions(test))
            case ast.IfExp(test, answer, _) if is_literal(answer):
                yield from ((question, answer, node.lineno) for question in _questions(test))
            case ast.match_case(ast.MatchValue(question), _, [ast.Return(ast.expr() as answer)]) if (
                is_literal(answer)
            ):
                yield question, answer, question.lineno
            case ast.Dict(keys, values):
                yield from (
                    (k, v, node.lineno)
                    for k, v in zip(keys, values, strict=True)
                    if k is not None and is_literal(k) and is_literal(v)
                )


def _questions(test: ast.expr) -> Iterator[ast.expr]:
    """The literals that a condition compares something for equality with."""
    parts: list[ast.expr] = []
    for node in ast.walk(test):
        match node:
            case ast.Compare(left, [ast.Eq() | ast.Is()], [right]):
                parts += [side for side in (left, right) if is_literal(side)]
            case ast.Compare(_, [ast.In()], [ast.Tuple(elts) | ast.List(elts) | ast.Set(elts)]):
                parts += [side for side in elts if is_literal(side)]
    yield from parts
    if len(parts) > 1:
        yield ast.Tuple(parts, ast.Load())
