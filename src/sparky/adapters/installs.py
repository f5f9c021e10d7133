"""The project itself, installed for each tree apart from its environment."""

import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sparky.adapters.blobs import write_whole
from sparky.adapters.environment import Environments
from sparky.adapters.locks import FileLocks
from sparky.adapters.scratch import scratch
from sparky.adapters.uv import BuildError, UnbuildableError, Uv, reason
from sparky.domain.command import Completed, digest
from sparky.formats.values_json import decode, encode
from sparky.ports import Repository
from sparky.targets.environment import TargetEnvironment, is_own_fault, is_unresolved
from sparky.targets.overlay import plan_overlay, same_version

_ORIGINS = "origins.json"
_UNBUILDABLE = "unbuildable.txt"
_DONORS = 3
"""How many commits are remembered, beside the base, from whose installations another may be made."""

Origins = dict[str, tuple[str, ...]]


class Installs:
    """Installations below `cache`, by environment and tree. One that is there is complete: it is renamed."""

    def __init__(self, repository: Repository, environments: Environments, uv: Uv, cache: Path) -> None:
        self._repository = repository
        self._environments = environments
        self._uv = uv
        self._cache = cache
        self._locks = FileLocks(cache / "locks")
        self._had: list[str] = []

    def get(self, base: str, sha: str) -> Path | None:
        """The directory that holds the installed project of a commit; built if there is none yet.

        None: there is nothing to install, or it does not build at `base` either: the files themselves are
        then what is tested. Raises BuildError; UnbuildableError if it builds at `base` and not at `sha`.
        """
        environment = self._environments.get(sha)
        if self._environments.declared(sha).source is None:
            return None
        tree = self._repository.tree(sha)
        made_in = Path(environment.path).name
        place = self._cache / "installs" / made_in / tree
        with self._locks.hold(f"install-{made_in}-{tree}"):
            if not place.is_dir():
                made = _fresh(place)
                donors = (base, *reversed(self._had))
                if not any(self._overlay(donor, sha, place.parent, made) for donor in donors):
                    self._build(environment, base, sha, made)
                made.rename(place)
            self._had = [*(one for one in self._had if one != sha), sha][-_DONORS:]
        return place / "lib" if (place / "lib").is_dir() else None

    def _overlay(self, base: str, sha: str, place: Path, made: Path) -> bool:
        """Make the installation from that of `base` if only modules differ that the build copies."""
        donor = place / self._repository.tree(base)
        if not (donor / "lib").is_dir():
            return False
        origins = decode((donor / _ORIGINS).read_bytes(), Origins)
        plan = plan_overlay(self._repository.changes(base, sha), origins)
        if plan is None:
            return False
        sources = sorted(set(plan.values()))
        before, after = (dict(self._repository.contents(one, sources)) for one in (base, sha))
        there = all(path in before and path in after for path in sources)
        if not (there and all(same_version(before[path], after[path]) for path in sources)):
            return False
        shutil.copytree(donor, made, symlinks=True, copy_function=_link, dirs_exist_ok=True)
        for path, source in plan.items():
            write_whole(made / "lib" / path, after[source])
        return True

    def _build(self, environment: TargetEnvironment, base: str, sha: str, made: Path) -> None:
        name = self._environments.declared(sha).name
        with scratch(self._cache / "scratch") as place:
            self._repository.export(sha, place / "tree")
            sources = _sources(place / "tree")
            done = _Build(uv=self._uv, environment=environment, place=place, made=made, name=name).install()
        if done.ok:
            write_whole(made / _ORIGINS, encode(_origins(made / "lib", sources)))
            return
        text, log = reason(done), done.said()
        if not is_own_fault(done.text()):
            raise BuildError(f"the project cannot be installed: {text}", log)
        same = self._repository.tree(sha) == self._repository.tree(base)
        if not same and self.get(base, base) is not None:
            raise UnbuildableError(text, log)
        shutil.rmtree(made / "lib", ignore_errors=True)
        write_whole(made / _UNBUILDABLE, log)


@dataclass(frozen=True, kw_only=True)
class _Build:
    """One build of the commit's files in the tree of `place`, to be installed in the directory `made`."""

    uv: Uv
    environment: TargetEnvironment
    place: Path
    made: Path
    name: str

    def install(self) -> Completed:
        """Build a wheel and install it; the index is asked only for what uv does not have yet."""
        built = self._uv("build", "--wheel", "--offline", "--out-dir", str(self._wheels))
        if is_unresolved(built.text()):
            built = self._uv("build", "--wheel", "--out-dir", str(self._wheels))
        if not built.ok:
            return built
        wheels = map(str, self._wheels.glob("*.whl"))
        return self._uv(
            "pip", "install", "--offline", "--no-deps", "--target", str(self.made / "lib"), *wheels
        )

    @property
    def _wheels(self) -> Path:
        return self.place / "out"

    def _uv(self, *args: str) -> Completed:
        return self.uv.run(
            *args,
            *("--python", f"{self.environment.path}/bin/python"),
            place=self.place,
            writable=self.made,
            readable=(Path(self.environment.path),),
            project=self.name,
        )


def _fresh(place: Path) -> Path:
    """An empty directory beside `place`; what an earlier process left there for it is removed."""
    for left in place.parent.glob(f".{place.name}-*"):
        shutil.rmtree(left, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # file systems without hard links
        shutil.copy2(source, target)


def _sources(tree: Path) -> dict[tuple[str, str], list[str]]:
    """The paths of all modules, by name and digest, before a build touches them."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in sorted(tree.rglob("*.py")):
        if path.is_file():
            same = found.setdefault((path.name, digest(path.read_bytes())), [])
            same.append(path.relative_to(tree).as_posix())
    return found


def _origins(lib: Path, sources: Mapping[tuple[str, str], list[str]]) -> Origins:
    """Every installed file, with the modules of the same name and bytes."""
    return {
        file: tuple(sources.get((Path(file).name, digest((lib / file).read_bytes())), ()))
        for file in installed(lib)
    }


def installed(lib: Path) -> list[str]:
    """The files of an installation, without what installers add, sorted."""
    files = (path.relative_to(lib) for path in lib.rglob("*") if path.is_file())
    return sorted(file.as_posix() for file in files if not file.parts[0].endswith((".dist-info", ".lock")))
