"""What one assertion claims, in one form for `assert`, unittest, pytest and helpers alike."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sparky.tamper.expressions import call_name, is_literal, text, truth

EXACT, CLOSE, PARTLY, ANYTHING, RUNS = 5, 4, 3, 2, 1
"""How much a claim pins down: the very value; about the value; a part; hardly anything; that it runs."""


_SHOWN = 80


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One thing that a test claims. `guards`: under which conditions; `dead`: why it never counts, or ""."""

    op: str
    subject: str
    expected: str = ""
    detail: str = ""
    rank: int
    line: int
    guards: tuple[str, ...] = ()
    dead: str = ""

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for claims that claim the same."""
        return (self.op, self.subject, self.expected, self.detail, self.guards)

    @property
    def said(self) -> str:
        """The claim, for a person."""
        whole = f"{self.subject} {self.op} {self.expected} {self.detail}".strip()
        return whole if len(whole) <= _SHOWN else f"{whole[:_SHOWN]}..."


_EQUAL = re.compile(
    r"(self\.|cls\.)?_?assert_?(\w*_)?(List|Dict|Tuple|Set|Sequence|MultiLine)?_?(equals?|eq)(_to)?",
    re.IGNORECASE,
)
_CHECKS = re.compile(
    r"_?(assert|check|expect|verify|ensure|should|must|compare|validate|fail)", re.IGNORECASE
)
_OPS: dict[type[ast.cmpop], tuple[str, int]] = {
    ast.Eq: ("==", EXACT),
    ast.NotEq: ("!=", ANYTHING),
    ast.Is: ("is", EXACT),
    ast.IsNot: ("is not", ANYTHING),
    ast.In: ("in", PARTLY),
    ast.NotIn: ("not in", PARTLY),
    ast.Lt: ("<", PARTLY),
    ast.LtE: ("<=", PARTLY),
    ast.Gt: (">", PARTLY),
    ast.GtE: (">=", PARTLY),
}
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.Is: ast.IsNot,
    ast.In: ast.NotIn,
    ast.Lt: ast.GtE,
    ast.Gt: ast.LtE,
}
_OPPOSITE |= {after: before for before, after in _OPPOSITE.items()}
_UNITTEST: dict[str, type[ast.cmpop]] = {
    "assertNotEqual": ast.NotEq,
    "assertIs": ast.Is,
    "assertIsNot": ast.IsNot,
    "assertIn": ast.In,
    "assertNotIn": ast.NotIn,
    "assertLess": ast.Lt,
    "assertLessEqual": ast.LtE,
    "assertGreater": ast.Gt,
    "assertGreaterEqual": ast.GtE,
}
_APPROX = {
    "approx",
    "isclose",
    "allclose",
    "assert_allclose",
    "assert_almost_equal",
    "assertAlmostEqual",
    "assertAlmostEquals",
}
_RAISES = {"raises", "assertRaises", "assertRaisesRegex", "warns", "assertWarns", "assertWarnsRegex"}
_ANY = {"ANY", "mock.ANY", "unittest.mock.ANY"}


def claims_of_call(call: ast.Call, line: int) -> list[Claim]:  # noqa: C901 - one case for each sort of check
    """What a call that stands by itself claims: that it runs, if it looks like no check."""
    name = call_name(call)
    last = name.rpartition(".")[2]
    args = [arg for arg in call.args if not isinstance(arg, ast.Starred)]
    match args:
        case [left, right, *_] if _EQUAL.fullmatch(name) or last in {"eq_", "assertCountEqual"}:
            if last == "assertCountEqual":
                return [
                    Claim(
                        op="has the items of", subject=text(left), expected=text(right), rank=CLOSE, line=line
                    )
                ]
            return list(claims_of(ast.Compare(left, [ast.Eq()], [right]), line))
        case [left, right, *_] if last in _UNITTEST:
            return list(claims_of(ast.Compare(left, [_UNITTEST[last]()], [right]), line))
        case [left, right, *rest] if last in _APPROX:
            places = "places=" if "assert" in last.lower() and "close" not in last else ""
            detail = ", ".join([*(f"{places}{text(arg)}" for arg in rest[:1]), *_keywords(call)])
            return [
                Claim(
                    op="about", subject=text(left), expected=text(right), detail=detail, rank=CLOSE, line=line
                )
            ]
        case [kind, *rest] if last in _RAISES:
            return [raises(kind, _match(call), ", ".join(map(text, rest)), line)]
        case [one, *_] if last in {"assertTrue", "assert_", "failUnless", "ok_"}:
            return list(claims_of(one, line))
        case [one, *_] if last == "assertFalse":
            return list(claims_of(one, line, holds=False))
        case [one, *_] if last in {"assertIsNone", "assertIsNotNone"}:
            op = ast.Is() if last == "assertIsNone" else ast.IsNot()
            return list(claims_of(ast.Compare(one, [op], [ast.Constant(None)]), line))
        case [one, kind, *_] if last in {"assertIsInstance", "assertNotIsInstance"}:
            return [Claim(op=last[6:], subject=text(one), expected=text(kind), rank=ANYTHING, line=line)]
    if last == "fail":
        return [Claim(op="fails", subject="", rank=EXACT, line=line)]
    if _CHECKS.match(last):
        return [Claim(op=f"{last}()", subject=text(call), rank=PARTLY, line=line)]
    return [Claim(op="runs", subject=text(call), rank=RUNS, line=line)]


def raises(kind: ast.expr, match: str, body: str, line: int) -> Claim:
    """The claim that a body raises an exception of a kind, with a message where `match` is not empty."""
    rank = EXACT if match else CLOSE
    return Claim(op="raises", subject=body, expected=text(kind), detail=match, rank=rank, line=line)


def raised(item: ast.expr, body: str, line: int) -> Claim | None:
    """The claim of `with pytest.raises(...)` and the like; None for another context."""
    name = call_name(item).rpartition(".")[2]
    if isinstance(item, ast.Call) and name in _RAISES and item.args:
        return raises(item.args[0], _match(item), body, line)
    return None


def _match(call: ast.Call) -> str:
    regex = call.args[1:2] if "Regex" in call_name(call) else []
    return ", ".join([*map(text, regex), *_keywords(call)])


def _keywords(call: ast.Call) -> list[str]:
    return [text(keyword) for keyword in call.keywords if keyword.arg not in {"msg", "err_msg", "message"}]


def claims_of(node: ast.expr, line: int, *, holds: bool = True) -> Iterator[Claim]:
    """What `assert node` claims; of `holds` False, what `assert not node` does."""
    match node:
        case ast.UnaryOp(ast.Not(), inner):
            yield from claims_of(inner, line, holds=not holds)
        case ast.BoolOp(op, values) if isinstance(op, ast.And) is holds:
            for value in values:
                yield from claims_of(value, line, holds=holds)
        case ast.BoolOp(_, values):
            one = Claim(op="or", subject=" | ".join(sorted(map(text, values))), rank=RUNS, line=line)
            always = any(truth(value) is holds for value in values) or any(
                c.dead for v in values for c in claims_of(v, line)
            )
            yield replace(one, dead="it is always true") if always else one
        case ast.Compare(left, ops, rights):
            for side, sign, other in zip([left, *rights], ops, rights, strict=False):
                yield _comparison(side, sign if holds else _OPPOSITE[type(sign)](), other, line)
        case ast.Call(ast.Name("isinstance"), [one, kind]):
            yield Claim(
                op="isinstance" if holds else "no instance",
                subject=text(one),
                expected=text(kind),
                rank=ANYTHING,
                line=line,
            )
        case ast.Call(_, [one, other, *_]) if call_name(node).rpartition(".")[2] in _APPROX and holds:
            detail = ", ".join(_keywords(node))
            yield Claim(
                op="about", subject=text(one), expected=text(other), detail=detail, rank=CLOSE, line=line
            )
        case ast.Call(ast.Attribute(one, "startswith" | "endswith" as how), [part]):
            yield Claim(op=how, subject=text(one), expected=text(part), rank=PARTLY, line=line)
        case _:
            yield _plain(node, line, holds=holds)


def _plain(node: ast.expr, line: int, *, holds: bool) -> Claim:
    always = truth(node)
    if always is not None and always is not holds:
        return Claim(op="fails", subject="", rank=EXACT, line=line)
    said = Claim(
        op="is true" if holds else "is false",
        subject=text(node),
        rank=ANYTHING if holds else PARTLY,
        line=line,
    )
    return replace(said, dead="it is always true") if always is holds else said


def _comparison(left: ast.expr, op: ast.cmpop, right: ast.expr, line: int) -> Claim:
    name, rank = _OPS[type(op)]
    if isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot) and _first(right, left):
        left, right = right, left
    claim = Claim(op=name, subject=text(left), expected=text(right), rank=rank, line=line)
    if isinstance(op, ast.Is) and not isinstance(right, ast.Constant):
        claim = replace(claim, rank=CLOSE)
    if claim.subject == claim.expected and isinstance(op, ast.Eq | ast.Is | ast.LtE | ast.GtE):
        return replace(claim, dead="both sides are the same")
    if is_literal(left) and is_literal(right):
        return replace(claim, dead="it compares constants")
    if claim.expected in _ANY or claim.subject in _ANY:
        return replace(claim, rank=RUNS)
    match left, op, right:
        case ast.Call(ast.Name("len"), _), ast.GtE(), ast.Constant(0):
            return replace(claim, dead="it is always true")
        case _, ast.Eq(), ast.Call(_, [wanted, *rest]) if call_name(right).endswith("approx"):
            detail = ", ".join([*map(text, rest), *_keywords(right)])
            return replace(claim, op="about", expected=text(wanted), detail=detail, rank=CLOSE)
        case ast.Call(ast.Name("abs"), [ast.BinOp(one, ast.Sub(), other)]), ast.Lt() | ast.LtE(), _:
            return replace(
                claim, op="about", subject=text(one), expected=text(other), detail=text(right), rank=CLOSE
            )
    return claim


def _first(one: ast.expr, other: ast.expr) -> bool:
    """Whether of two sides `one` is what is judged, and `other` what is wanted."""
    wanted = is_literal(other) or call_name(other).endswith("approx")
    if (is_literal(one) or call_name(one).endswith("approx")) != wanted:
        return wanted
    return text(one) < text(other)
