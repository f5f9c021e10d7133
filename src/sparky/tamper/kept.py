"""Whether the tests of a diff still claim what they claimed."""

import ast
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from sparky.domain.change import Sort, Suspicion, is_test_module
from sparky.tamper.alike import alike
from sparky.tamper.claims import RUNS
from sparky.tamper.edit import DATA, Edit
from sparky.tamper.expressions import constants, module
from sparky.tamper.losses import called_in, losses, said_of
from sparky.tamper.pools import Pair, pair_up, renamed
from sparky.tamper.suite import Item, Key, helpers_of, items_of
from sparky.tamper.untouched import untouched


def judge_tests(edits: Sequence[Edit]) -> Iterator[Suspicion]:
    """What tests lose."""
    tests = [edit for edit in edits if edit.test]
    python = [edit for edit in tests if edit.python]
    base, head = functions(python)
    yield from judge_claims(base, head, untouched(base, head))
    for edit in python:
        yield from (*_rebound(edit), *_data(edit))
    for edit in tests:
        if not edit.python:
            yield from _data_file(edit)


def functions(python: Sequence[Edit]) -> tuple[list[Item], list[Item]]:
    """The functions of all edited test modules, at base and at head."""
    base = list(_items([(edit, edit.before, edit.old_path or edit.path) for edit in python]))
    head = list(_items([(edit, edit.after, edit.path) for edit in python]))
    return base, head


def judge_claims(base: Sequence[Item], head: Sequence[Item], still: AbstractSet[Key]) -> Iterator[Suspicion]:
    """What functions claim no more; those that are known to be `still` what they were need not be read."""
    names = {item.name for item in base}
    pairs = pair_up(*([item for item in side if item.key not in still] for side in (base, head)))
    for pair in pairs:
        yield from _judged(renamed(pair, names, head), head)


def _items(sides: Sequence[tuple[Edit, str | None, str]]) -> Iterator[Item]:
    """The functions of one side of all test modules, which may call each other's helpers."""
    shared = helpers_of([source for _, source, _ in sides if source is not None])
    for edit, source, path in sides:
        was = edit.old_path or edit.path
        collected = is_test_module(path) or (edit.before is not None and not is_test_module(was))
        if source is not None:
            yield from items_of(edit.path, source, collected=collected, shared=shared)


def _judged(pair: Pair, head: Sequence[Item]) -> Iterator[Suspicion]:
    base, now = pair.base, pair.head
    if base.is_test and not base.counts:
        return
    if not base.is_test:
        if now is not None and not now.is_test:
            yield from losses(pair, now)
    elif now is None or not now.counts:
        if pair.lost or (not base.claims and now is not None):
            yield _gone(base, now, head)
    else:
        yield from losses(pair, now)
        yield from _replaced(base, now)


def _gone(base: Item, now: Item | None, head: Sequence[Item]) -> Suspicion:
    if now is None:
        keys = {claim.key for claim in base.claims}
        kept = next(
            (h for h in head if h.path == base.path and not h.is_test and keys & {c.key for c in h.claims}),
            None,
        )
        why = (
            f"its body is now {kept.name}, which is not collected"
            if kept
            else "what it claimed is claimed nowhere else"
        )
        return said_of(Sort.REMOVED, base, base.line, why)
    if fresh := [skip for skip in now.skips if skip not in base.skips]:
        return said_of(Sort.SKIPPED, now, now.line, f"it is skipped, or may fail: {fresh[0]}")
    return said_of(Sort.REMOVED, now, now.line, now.out or "it is no longer collected")


def _replaced(base: Item, now: Item) -> Iterator[Suspicion]:
    """A test that now replaces what it tests."""
    judged = {
        name for claim in base.claims for name in (*called_in(claim.subject), *called_in(claim.expected))
    }
    for name in sorted({mock.removeprefix(".") for mock in now.mocks - base.mocks} & judged):
        yield said_of(Sort.REPLACED, now, now.line, f"it now replaces {name}, which it tests")


def _rebound(edit: Edit) -> Iterator[Suspicion]:
    """What a test module imported and now makes itself."""
    before, after = (module(side or "") for side in (edit.before, edit.after))
    if before is None or after is None or edit.before is None:
        return
    was = _made(before)
    made = {name: line for name, line in sorted(_made(after).items()) if name not in was}
    assigned = [node for node in edit.edited[1].body if isinstance(node, ast.Assign)]
    imported = _imported(before) if made or assigned else frozenset()
    honest = _honest(edit) if imported & made.keys() else frozenset()
    for name, line in made.items():
        if name in imported and name not in honest:
            why = "the tests imported it, and now make it themselves"
            yield _exchanged(edit, name, line, why)
    for node in assigned:
        match node:
            case ast.Assign([ast.Attribute(ast.Name(owner), name)], _) if owner in imported and not any(
                alike(node, old) for old in before.body
            ):
                why = "the module replaces a part of what it tests"
                yield _exchanged(edit, f"{owner}.{name}", node.lineno, why)


def _exchanged(edit: Edit, name: str, line: int, why: str) -> Suspicion:
    sort = Sort.REPLACED
    return Suspicion(sort=sort, path=edit.path, line=line, what=f"{name} ({sort.value})", why=why)


def _imported(tree: ast.Module) -> frozenset[str]:
    return frozenset(
        alias.asname or alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    )


def _honest(edit: Edit) -> frozenset[str]:
    """The functions at head that judge something."""
    items = items_of(edit.path, edit.after or "", collected=True)
    return frozenset(i.name for i in items if any(not c.dead and c.rank > RUNS for c in i.claims))


def _made(tree: ast.Module) -> dict[str, int]:
    made = {}
    for node in tree.body:
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                made[name] = node.lineno
            case ast.Assign([ast.Name(name)]):
                made[name] = node.lineno
    return made


def _data(edit: Edit) -> Iterator[Suspicion]:
    """Literals of a test module from which something is taken out, or in which something is exchanged."""
    if edit.before is None or edit.after is None:
        return
    before, after = (_literals(side) for side in (edit.before, edit.after))
    changed = (name for name in before.keys() & after.keys() if not alike(before[name], after[name]))
    for name in sorted(changed):
        was, now = constants(before[name]), constants(after[name])
        lost, gained = was - now, now - was
        if lost:
            sort = Sort.CHANGED if gained else Sort.LOOSENED
            why = f"it no longer holds {', '.join(sorted(lost)[:3])}"[:120]
            yield Suspicion(
                sort=sort, path=edit.path, line=after[name].lineno, what=f"{name} ({sort.value})", why=why
            )


def _literals(source: str) -> dict[str, ast.expr]:
    tree = module(source)
    pairs = (
        ((n.targets[0], n.value) for n in tree.body if isinstance(n, ast.Assign)) if tree is not None else ()
    )
    return {
        target.id: value
        for target, value in pairs
        if isinstance(target, ast.Name) and isinstance(value, ast.List | ast.Tuple | ast.Dict | ast.Set)
    }


def _data_file(edit: Edit) -> Iterator[Suspicion]:
    if not edit.path.endswith(DATA) or edit.before is None or edit.before == edit.after:
        return
    if edit.after is None:
        yield Suspicion(
            sort=Sort.REMOVED,
            path=edit.path,
            line=0,
            what="a file that tests read (removed)",
            why="the tests may look for it, or count what is there",
        )
    elif edit.before.split() != edit.after.split():
        yield Suspicion(
            sort=Sort.CHANGED,
            path=edit.path,
            line=1,
            what="a file that tests read (changed)",
            why="no source changed with it",
        )
