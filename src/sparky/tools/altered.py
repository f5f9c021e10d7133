"""What of a source says something else than before: lines that a test has to run, and what none can."""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from sparky.foreign import parse_foreign
from sparky.tools.neutral import STANDARD

_BLOCKS = ("body", "orelse", "finalbody")
_PARTS = ("handlers", "cases")
_SCOPES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, kw_only=True)
class Altered:
    """`lines`: of the new text. `beyond`: what no test can run, since it is gone or a docstring; sorted.

    What is gone in a function stands for the line that is now in its place.
    """

    lines: tuple[int, ...] = ()
    beyond: tuple[str, ...] = ()


def altered(before: bytes, after: bytes) -> Altered:
    """What differs between two Python sources beyond their layout; of what can't be parsed every line."""
    seen = _Seen()
    try:
        old, new = parse_foreign(before), parse_foreign(after)
        seen.pair(old, new, "the module", inside=False)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Altered(lines=tuple(range(1, len(after.splitlines()) + 1)))
    return Altered(lines=tuple(sorted(seen.lines)), beyond=tuple(dict.fromkeys(seen.beyond)))


@dataclass
class _Seen:
    """What was seen so far."""

    lines: set[int] = field(default_factory=set)
    beyond: list[str] = field(default_factory=list)

    def pair(self, old: ast.AST, new: ast.AST, name: str, *, inside: bool) -> None:
        """Two nodes that are the same thing before and after; `inside` a function."""
        if isinstance(new, _SCOPES) and isinstance(old, _SCOPES):
            was, is_now = ast.get_docstring(old), ast.get_docstring(new)
            if was is not None and was.split() != (is_now or "").split():
                self.beyond.append(f"the docstring of {name}")
            inside = isinstance(new, (ast.FunctionDef, ast.AsyncFunctionDef))
        if _head(old) != _head(new):
            self.lines.update(range(_first(new), max(_first(new), _body_line(new) - 1) + 1))
        for block in _BLOCKS:
            self.block(_statements(old, block), _statements(new, block), new, inside=inside)
        for part in _PARTS:
            ours, theirs = getattr(old, part, []), getattr(new, part, [])
            if len(ours) == len(theirs):
                for one, other in zip(ours, theirs, strict=True):
                    self.pair(one, other, name, inside=inside)
            else:
                self.lines.update({_first(new)}, *map(_lines, theirs))

    def block(self, old: list[ast.stmt], new: list[ast.stmt], owner: ast.AST, *, inside: bool) -> None:
        """The statements of one block, before and after."""
        before, after = ([ast.dump(one) for one in block] for block in (old, new))
        bound = {name for one in new for name in _bound(one)}
        bound |= {f"{_origin(one)}.*" for one in new if isinstance(one, ast.ImportFrom)}
        loaded = {name for one in new for name in _modules(one)}
        was, is_now = Counter(before), Counter(after)
        steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        for _, i, i_end, j, j_end in (step for step in steps if step[0] != "equal"):
            left = old[i:i_end]
            for one in new[j:j_end]:
                twin = next((other for other in left if _is_twin(other, one)), None)
                if twin is None:
                    self.lines.update(_lines(one))
                else:
                    left.remove(twin)
                    self.pair(twin, one, getattr(one, "name", "a block"), inside=inside)
            place = (*new[j_end:], *new[-1:], owner)[0] if j == j_end else None
            for one in left:
                if is_now[ast.dump(one)] < was[ast.dump(one)]:
                    # What is imported no more did its work even where another import binds the same name.
                    same = bound if place is None or loaded.issuperset(_modules(one)) else frozenset()
                    self.gone(one, same, place, inside=inside)

    def gone(self, one: ast.stmt, bound: AbstractSet[str], place: ast.AST | None, *, inside: bool) -> None:
        """A statement that is not there any more; `place`: what stands there now, None: what replaced it."""
        names = [name for name in _bound(one) if name not in bound]
        if isinstance(one, (ast.Import, ast.ImportFrom)):
            theirs = [name for name in names if _top(one, name) not in STANDARD]
            self.beyond += [f"the import of {name}" for name in theirs]
        elif _does_nothing(one):
            return
        elif inside:
            self.lines.update({_first(place)} if place is not None else ())
        elif names:
            self.beyond += [f"{name}, which is gone" for name in names]
        elif place is not None:
            self.beyond.append(f"`{ast.unparse(one).splitlines()[0][:60]}`, which is gone")


def _head(node: ast.AST) -> list[str]:
    """A node without the blocks in it."""
    parts = ((name, value) for name, value in ast.iter_fields(node) if name not in {*_BLOCKS, *_PARTS})
    return [f"{type(node).__name__} {name} {_dump(value)}" for name, value in parts]


def _dump(value: object) -> str:
    if isinstance(value, list):
        return repr([_dump(one) for one in value])
    return ast.dump(value) if isinstance(value, ast.AST) else repr(value)


def _statements(node: ast.AST, block: str) -> list[ast.stmt]:
    """The statements of a block, without a docstring."""
    found: list[ast.stmt] = getattr(node, block, [])
    documented = (
        block == "body" and isinstance(node, _SCOPES) and ast.get_docstring(node, clean=False) is not None
    )
    return found[1:] if documented else found


def _is_twin(old: ast.stmt, new: ast.stmt) -> bool:
    """Whether a statement with blocks is the same as before, with other contents."""
    if type(old) is not type(new) or not any(hasattr(new, block) for block in (*_BLOCKS, *_PARTS)):
        return False
    return getattr(old, "name", None) == getattr(new, "name", None)


def _bound(one: ast.stmt) -> Iterator[str]:
    """What a statement gives a name to; of an import of modules, their whole names; of all names, whose."""
    match one:
        case ast.ImportFrom(names=[ast.alias(name="*")]):
            yield f"{_origin(one)}.*"
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (alias.asname or alias.name for alias in names)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case _:
            return


def _modules(one: ast.stmt) -> Iterator[str]:
    """The modules that a statement imports."""
    if isinstance(one, ast.Import):
        yield from (alias.name for alias in one.names)
    elif isinstance(one, ast.ImportFrom):
        yield _origin(one)


def _origin(one: ast.ImportFrom) -> str:
    """What names are imported from, as it is written."""
    return "." * one.level + (one.module or "")


def _top(one: ast.Import | ast.ImportFrom, name: str) -> str:
    """The top-level package that a name is imported from; "" if it is a relative one."""
    if isinstance(one, ast.ImportFrom):
        return "" if one.level else (one.module or "").partition(".")[0]
    real = next(alias.name for alias in one.names if name in {alias.name, alias.asname})
    return real.partition(".")[0]


def _does_nothing(one: ast.stmt) -> bool:
    return isinstance(one, ast.Pass) or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))


def _lines(node: ast.AST) -> range:
    return range(_first(node), (getattr(node, "end_lineno", None) or _first(node)) + 1)


def _first(node: ast.AST) -> int:
    """The first line of a node, with its decorators; of a module, the first of all."""
    if isinstance(node, ast.match_case):
        return node.pattern.lineno
    decorators: Sequence[ast.expr] = getattr(node, "decorator_list", ())
    return min((getattr(node, "lineno", 1), *(one.lineno for one in decorators)))


def _body_line(node: ast.AST) -> int:
    """Where the body of a node begins."""
    body: Sequence[ast.stmt] = getattr(node, "body", ())
    return body[0].lineno if body else _first(node)
