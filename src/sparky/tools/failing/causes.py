"""Why a test fails, as far as its message and the repository's history tell, and how that is mended."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sparky.domain.testing import TestCase, normal_failure
from sparky.tools.failing import imports, names, paths
from sparky.tools.failing.snapshots import STALE, Rewritten, why_left
from sparky.tools.failing.tree import Tree
from sparky.tools.ruff_json import Diagnostic, Edit, Place, Remedy

MOVED_IMPORT, RENAMED, MOVED_FILE = "moved-import", "renamed-name", "moved-file"
FAILING = "failing-test"

_NAME = re.compile(r"ImportError: cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'")
_MODULE = re.compile(r"ModuleNotFoundError: No module named '(?P<module>[\w.]+)'")
_OF_MODULE = re.compile(r"AttributeError: module '(?P<module>[\w.]+)' has no attribute '(?P<name>\w+)'")
_OF_OBJECT = re.compile(
    r"AttributeError: (?:type object )?'(?P<owner>\w+)'(?: object)? has no attribute '(?P<name>\w+)'"
)
_UNKNOWN = re.compile(r"NameError: name '(?P<name>\w+)' is not defined")
_FILE = re.compile(r"FileNotFoundError: \[Errno 2\] No such file or directory: '(?P<file>[^']+)'")
_SNAPSHOT = re.compile(r"\bsnapshots?\b", re.IGNORECASE)
_NO_PLUGIN = "FixtureLookupError"
_SHOWN = 300

Mend = tuple[str, str, tuple[Edit, ...]]
"""A rule, a file, and the edits of it; none where it takes more than a rule."""


Rewrites = Mapping[str, Sequence[Rewritten]]
"""By test, the snapshots that it rewrites where it was asked to."""


def diagnose(cases: Iterable[TestCase], tree: Tree, asked: Rewrites) -> Iterator[Diagnostic]:
    """A finding for each red test, in the file that is to be mended; of some tests, in several files."""
    for case in cases:
        for rule, path, edits in _mends(case, tree) or _snapshots(case, tree, asked):
            yield Diagnostic(
                code=rule,
                filename=path,
                message=f"{case.id}: {said(case)}",
                location=edits[0].location if edits else Place(row=1, column=1),
                fix=Remedy(applicability="safe", edits=edits) if edits else None,
            )


def said(case: TestCase) -> str:
    """How a test failed, for a person, and the same each time as far as that can be told."""
    return normal_failure(case.message.strip() or "it fails").splitlines()[0][:_SHOWN]


def _mends(case: TestCase, tree: Tree) -> list[Mend]:
    text = case.message
    if found := _NAME.search(text) or _MODULE.search(text):
        return _imports(case, tree, ".".join(filter(None, (found["module"], found.groupdict().get("name")))))
    path = _file(case, tree)
    if path not in tree.sources:
        return []
    line = case.line if path == case.where else 0
    if found := _OF_MODULE.search(text):
        return [(RENAMED, path, names.of_module(tree, path, found["module"], found["name"]))]
    if found := _OF_OBJECT.search(text):
        return [(RENAMED, path, names.of_object(tree, path, found["owner"], found["name"], line))]
    if found := _UNKNOWN.search(text):
        return [(RENAMED, path, names.of_file(tree, path, found["name"]))]
    if found := _FILE.search(text):
        able = (one for one in (path, _own(case, tree)) if one in tree.sources)
        tried = ((MOVED_FILE, one, paths.mended(tree, one, found["file"])) for one in able)
        return [next((mend for mend in tried if mend[2]), (MOVED_FILE, path, ()))]
    return []


def _imports(case: TestCase, tree: Tree, wanted: str) -> list[Mend]:
    """The test's own file if that imports what is not there, else each file that does."""
    own = [path for path in (_own(case, tree),) if path in tree.sources]
    lead = [*imports.importers(tree, wanted, own)] or [*imports.importers(tree, wanted, sorted(tree.sources))]
    return [(MOVED_IMPORT, path, imports.mended(tree, path)) for path in lead]


def is_of_snapshot(case: TestCase) -> bool:
    """Whether a test fails over a snapshot, as far as its message tells."""
    return _NO_PLUGIN not in case.message and _SNAPSHOT.search(case.message) is not None


def _snapshots(case: TestCase, tree: Tree, asked: Rewrites) -> list[Mend]:
    """All snapshots that a test rewrites, since with some of them it would stay red; else why none is."""
    made = asked.get(case.id)
    if made is None:
        return [(STALE if is_of_snapshot(case) else FAILING, _file(case, tree), ())]
    if left := why_left(made):
        return [(left, _file(case, tree), ())]
    return [(STALE, one.path, one.edits) for one in made]


def _own(case: TestCase, tree: Tree) -> str:
    """The test's file, which its id begins with: by its path, or by a module's name."""
    own = case.id.partition("::")[0]
    parts = own.split(".") if own not in tree.paths else []
    modules = (tree.find(".".join(parts[:end])) for end in range(len(parts), 0, -1))
    return next((path for path in modules if path), own)


def _file(case: TestCase, tree: Tree) -> str:
    """The deepest file of the project that the failure came from, else the test's; else any: the whole."""
    known = (path for path in (case.where, _own(case, tree)) if path in tree.paths)
    return next(known, min(tree.paths, default=""))
