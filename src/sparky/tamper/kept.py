"""Whether the tests of a diff still claim what they claimed."""

import ast
from collections.abc import Iterator, Sequence

from sparky.domain.change import Sort, Suspicion, is_test_module
from sparky.tamper.claims import RUNS
from sparky.tamper.edit import DATA, Edit
from sparky.tamper.expressions import constants, parsed
from sparky.tamper.losses import called_in, losses, said_of
from sparky.tamper.pools import Pair, pair_up, renamed
from sparky.tamper.suite import Item, helpers_of, items_of


def judge_tests(edits: Sequence[Edit], *, source_changed: bool) -> Iterator[Suspicion]:
    """What tests lose. Where the source changed, too, a changed expectation is left to the runs to judge."""
    tests = [edit for edit in edits if edit.test]
    python = [edit for edit in tests if edit.python]
    base = list(_items([(edit, edit.before, edit.old_path or edit.path) for edit in python]))
    head = list(_items([(edit, edit.after, edit.path) for edit in python]))
    pairs = pair_up(base, head)
    found = [s for pair in pairs for s in _judged(renamed(pair, pairs, head), head)]
    found += [s for edit in python for s in (*_rebound(edit), *_data(edit))]
    found += [s for edit in tests if not edit.python for s in _data_file(edit)]
    yield from (s for s in found if not (s.sort is Sort.CHANGED and source_changed))


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
    before, after = (parsed(side or "") for side in (edit.before, edit.after))
    if before is None or after is None or edit.before is None:
        return
    imported = {
        alias.asname or alias.name.split(".")[0]
        for node in ast.walk(before)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    made = _made(before)
    honest = {
        i.name
        for i in items_of(edit.path, edit.after or "", collected=True)
        if any(not c.dead and c.rank > RUNS for c in i.claims)
    }
    for name, line in sorted(_made(after).items()):
        if name in imported and name not in made and name not in honest:
            what = f"{name} ({Sort.REPLACED.value})"
            yield Suspicion(
                sort=Sort.REPLACED,
                path=edit.path,
                line=line,
                what=what,
                why="the tests imported it, and now make it themselves",
            )
    for node in after.body:
        match node:
            case ast.Assign([ast.Attribute(ast.Name(owner), name)], _) if owner in imported and not any(
                ast.dump(node) == ast.dump(old) for old in before.body
            ):
                what = f"{owner}.{name} ({Sort.REPLACED.value})"
                yield Suspicion(
                    sort=Sort.REPLACED,
                    path=edit.path,
                    line=node.lineno,
                    what=what,
                    why="the module replaces a part of what it tests",
                )


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
    for name in sorted(before.keys() & after.keys()):
        was, now = constants(before[name]), constants(after[name])
        lost, gained = was - now, now - was
        if lost:
            sort = Sort.CHANGED if gained else Sort.LOOSENED
            why = f"it no longer holds {', '.join(sorted(lost)[:3])}"[:120]
            yield Suspicion(
                sort=sort, path=edit.path, line=after[name].lineno, what=f"{name} ({sort.value})", why=why
            )


def _literals(source: str) -> dict[str, ast.expr]:
    tree = parsed(source)
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
