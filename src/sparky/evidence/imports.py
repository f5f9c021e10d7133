"""What could be imported at the base and can't at the head: as much evidence as a test that got red."""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sparky.domain.change import is_test_path
from sparky.domain.state import PipelineState
from sparky.domain.testing import Comparison, Unimported
from sparky.foreign import parse_foreign
from sparky.ports import Ports, Repository
from sparky.targets.environment import declares

_NOBODYS = frozenset(
    {"setup", "conf", "conftest", "noxfile", "__main__", "tests", "test", "docs", "doc", "examples"}
    | {"benchmark", "benchmarks"}
)
"""Parts of names of modules that nobody imports as the project's."""

_ROOT = re.compile(r"(?:^|/)src/")

_OTHERS = 200
"""How many modules are imported beside those that are changed, at most."""


@dataclass(frozen=True, kw_only=True)
class Broken:
    """The modules whose import is broken, of so many that were `tried`; `paths`: of all modules by name."""

    modules: tuple[Unimported, ...] = ()
    tried: int = 0
    paths: Mapping[str, str]

    @property
    def ids(self) -> tuple[str, ...]:
        """What they are called among tests that got worse, sorted."""
        return tuple(sorted(map(identity, self.modules)))

    @property
    def places(self) -> tuple[str, ...]:
        """The files that the imports failed in."""
        names = (name for one in self.modules for name in (*one.through, one.module))
        return tuple(dict.fromkeys(self.paths[name] for name in names if name in self.paths))


def identity(broken: Unimported) -> str:
    """What a broken import is called among tests that got worse."""
    return f"import of {broken.module}"


def broken_imports(state: PipelineState, ports: Ports, sha: str, only: Sequence[str] = ()) -> Broken:
    """What worked at the run's base, and does not at a commit; `only`: of these modules, empty: of all.

    The changed modules and the packages above them are tried alone, all others together; these also where
    what is installed may be another. What fails has to fail twice.
    """
    paths = modules_of(ports.repository.files(sha))
    changed = tuple(only) or _changed(ports.repository, state.base, sha, paths)
    if changed is None:
        return Broken(paths=paths)
    ports.progress.say(state.run_id, f"importing {'once more' if only else 'what is changed'} ({sha[:10]})")
    beside = () if only else _beside(changed, paths)
    head = ports.imports(state.context, sha, changed, beside)
    lost, tried = head.bad, len(head.good) + len(head.bad)
    for at in (state.base, sha):
        if lost:
            found = ports.imports(state.context, at, [one.module for one in lost], ())
            still = found.good if at == state.base else {one.module for one in found.bad}
            lost = tuple(one for one in lost if one.module in still)
    return Broken(modules=lost, tried=tried, paths=paths)


def _beside(changed: Sequence[str], paths: Iterable[str]) -> tuple[str, ...]:
    """Other modules, which may use what is changed: those of the same packages first."""
    near = {name.rpartition(".")[0] for name in changed}
    others = sorted({*paths} - {*changed}, key=lambda name: (name.rpartition(".")[0] not in near, name))
    return tuple(others[:_OTHERS])


def with_imports(seen: Comparison, broken: Broken) -> Comparison:
    """A comparison with the imports that are broken."""
    said = {identity(one): one.why for one in broken.modules}
    return replace(seen, imports=broken.ids, messages={**seen.messages, **said}) if said else seen


def modules_of(paths: Sequence[str]) -> dict[str, str]:
    """The files of the modules that others may import, by name."""
    found = {}
    for path in paths:
        parts = _ROOT.split(path.removesuffix(".py").removesuffix("/__init__"))[-1].split("/")
        ours = path.endswith(".py") and not is_test_path(path) and not _NOBODYS & {*parts}
        if ours and all(map(str.isidentifier, parts)):
            found[".".join(parts)] = path
    return found


def _changed(
    repository: Repository, base: str, sha: str, modules: Mapping[str, str]
) -> tuple[str, ...] | None:
    """The changed modules and the packages above them; None if nothing says something else than before."""
    changes = repository.changes(base, sha)
    reinstalled = any(declares(file.path) for file in changes)
    files = [file for file in changes if file.path.endswith(".py")]
    ours = {name: path for name, path in modules.items() if path in {file.path for file in files}}
    gone = [file for file in files if file.status != "M"]
    if not ours and not gone:
        return () if reinstalled else None
    before, after = (dict(repository.contents(at, sorted(ours.values()))) for at in (base, sha))
    same = all(path in before and says_the_same(before[path], text) for path, text in after.items())
    if same and not gone and not reinstalled:
        return None
    above = {name.rsplit(".", depth)[0] for name in ours for depth in range(1, name.count(".") + 1)}
    return tuple(sorted({*ours, *(above & modules.keys())}))


def says_the_same(before: bytes, after: bytes) -> bool:
    """Whether two sources differ in their layout and comments only."""
    try:
        return ast.dump(parse_foreign(before)) == ast.dump(parse_foreign(after))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
