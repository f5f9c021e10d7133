"""Environments for tests, made from what a commit declares, kept by the bytes that declare it."""

import os
import shutil
import tempfile
from pathlib import Path

from sparky.adapters.blobs import write_whole
from sparky.adapters.environment_filling import Filling
from sparky.adapters.locks import FileLocks
from sparky.adapters.scratch import scratch
from sparky.adapters.uv import BuildError, Uv
from sparky.domain.command import digest
from sparky.formats.values_json import UnreadableStateError, decode, encode
from sparky.ports import Repository
from sparky.targets.environment import Declared, TargetEnvironment, declares, meaning, unfit
from sparky.targets.requirements_read import parse

RECORDS = "envs"
"""Where environments lie in the cache, each with a record that is touched when it is used."""

_FORMAT = "2"
_KEY_LENGTH = 24


class Environments:
    """Environments below `cache`. One that is recorded is complete: the record is written last, whole."""

    def __init__(self, repository: Repository, uv: Uv, cache: Path) -> None:
        self._repository = repository
        self._uv = uv
        self._cache = cache
        self._locks = FileLocks(cache / "locks")
        self._read: dict[str, tuple[str, Declared]] = {}

    def declared(self, sha: str) -> Declared:
        """What the commit declares; raises BuildError if there is no Python."""
        return self._facts(sha)[1]

    def get(self, sha: str) -> TargetEnvironment:
        """The commit's environment, built if there is none yet.

        Raises BuildError; also where the project says that it does not run on this Python.
        """
        key, declared = self._facts(sha)
        if why := unfit(declared, self._uv.version):
            ours = f"{self._uv.version} ({self._uv.python})"
            raise BuildError(
                f"{why}, and sparky tests with its own, {ours}: install sparky into one that fits"
            )
        record = self._cache / RECORDS / f"{key}.json"
        if (known := _recorded(record)) is not None:
            return known
        with self._locks.hold(f"env-{key}"):
            return _recorded(record) or self._build(sha, key, declared, record)

    def _facts(self, sha: str) -> tuple[str, Declared]:
        tree = self._repository.tree(sha)
        if tree not in self._read:
            paths = [path for path in self._repository.files(sha) if declares(path)]
            files = dict(self._repository.contents(sha, paths))
            named = [f"{path}\0{digest(meaning(path, data))}" for path, data in files.items()]
            declared = parse(files, ".".join(self._uv.version.split(".")[:2]))
            # What was read of the files, too: a newer sparky may read them better.
            facts = [_FORMAT, self._uv.version, str(self._uv.python), digest(encode(declared)), *named]
            self._read[tree] = digest("\n".join(facts).encode())[:_KEY_LENGTH], declared
        return self._read[tree]

    def _build(self, sha: str, key: str, declared: Declared, record: Path) -> TargetEnvironment:
        record.parent.mkdir(parents=True, exist_ok=True)
        for left in record.parent.glob(f"{key}-*"):
            shutil.rmtree(left, ignore_errors=True)
        home = Path(tempfile.mkdtemp(prefix=f"{key}-", dir=record.parent))
        with scratch(self._cache / "scratch") as place:
            self._repository.export(sha, place / "tree")
            filled = Filling(uv=self._uv, home=home, place=place, declared=declared).fill()
        made = TargetEnvironment(
            key=key,
            path=str(home),
            python=self._uv.version,
            missing=filled.missing,
            replaced=filled.replaced,
        )
        write_whole(record, encode(made))
        return made


def _recorded(record: Path) -> TargetEnvironment | None:
    """The environment of a record; None if there is none, or someone removed it."""
    try:
        known = decode(record.read_bytes(), TargetEnvironment)
    except (FileNotFoundError, UnreadableStateError):
        return None
    if not Path(known.path).is_dir():
        return None
    os.utime(record)
    return known
