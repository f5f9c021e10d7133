"""Real packages that nobody prepared for sparky: `fix` loses no test of theirs, and no line ending.

They come from the package index as their authors released them. What each is here for:

mistune: setup.cfg and pyproject. sqlparse: tox.ini. tabulate: setup.py alone, CRLF throughout. WTForms: `src`
layout, translations that the build compiles. glom: old pins, red at base, one CRLF file. deepdiff:
development requirements that many of its tests need, pins too old for this Python, red at base with messages
that never repeat. click: dependency groups, uv.lock, its own configuration of ruff. PasteDeploy: an old
namespace package, whose tests import by star, so that a fix breaks them.
"""

import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest

from sparky.app.intake import SAFE_ORDER
from sparky.domain.testing import TestOutcome, TestRun
from sparky.formats.values_json import decode, encode
from tests.acceptance.world import Nursery, World, make_world

RUNS = 10
LIMIT_S = 1800
KINDS = ("--kind", "FORMATTING", "--kind", "IMPORT_ERROR", "--kind", "DEAD_CODE")
EVERY_KIND = tuple(word for kind in SAFE_ORDER for word in ("--kind", kind.value))

Record = Callable[[str, object], None]


@dataclass(frozen=True, kw_only=True)
class Package:
    """A release, how many steady tests pass at its base at least, and how the ids of the flaky begin."""

    requirement: str
    passed: int
    flaky: tuple[str, ...] = ()

    def steady(self, run: TestRun, outcome: TestOutcome | None = None) -> set[str]:
        """The identities of a run's steady tests; those of one outcome, if it is given."""
        cases = (case for case in run.cases if outcome in {None, case.outcome})
        return {case.id for case in cases if not case.id.startswith(self.flaky)}


TABULATE = Package(requirement="tabulate==0.8.9", passed=156)
PACKAGES = (
    Package(requirement="mistune==2.0.5", passed=560),
    Package(requirement="sqlparse==0.4.2", passed=416),
    TABULATE,
    Package(requirement="WTForms==3.0.1", passed=338),
    Package(requirement="glom==22.1.0", passed=190),
    Package(requirement="deepdiff==5.0.0", passed=545),
    # The pager that these start may be gone before it is written to.
    Package(requirement="click==8.2.1", passed=679, flaky=("tests/test_utils.py::test_echo_via_pager[",)),
    Package(requirement="PasteDeploy==2.1.1", passed=26),
)
BENCHED = PACKAGES[:4]
"""Those that `bench/fix.py` measures: they are mended of every kind, too."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a package's sdist lies unpacked, and the cache that its runs share."""

    package: Package
    pristine: Path
    cache: Path
    nursery: Nursery

    def world(self, root: Path) -> World:
        """The package as a repository of one commit. No result of a test is known of it."""
        shutil.rmtree(self.cache / "tests", ignore_errors=True)
        world = make_world(root, self.cache, self.nursery, {})
        shutil.copytree(self.pristine, world.repo, dirs_exist_ok=True)
        world.commit({})
        return world


@dataclass(frozen=True, kw_only=True)
class Mended:
    """The findings before and after one `fix`, each as JSON, sorted, and the figures of the run."""

    found: list[str]
    left: list[str]
    figures: dict[str, object]


MakePlace = Callable[[Package], Place]


@pytest.fixture
def place_of(tmp_path: Path, nursery: Nursery) -> MakePlace:
    """Fetch a package."""

    def fetch(package: Package) -> Place:
        argv = ("pip", "download", "-q", "--no-binary", ":all:", "--no-deps", package.requirement)
        subprocess.run([sys.executable, "-m", *argv], cwd=tmp_path, check=True, timeout=LIMIT_S)
        (sdist,) = tmp_path.glob("*.tar.gz")
        with tarfile.open(sdist) as archive:
            archive.extractall(tmp_path / "sdist", filter="data")
        (pristine,) = (tmp_path / "sdist").iterdir()
        return Place(package=package, pristine=pristine, cache=tmp_path / "cache", nursery=nursery)

    return fetch


def sparky(world: World, *words: str) -> Any:
    """What a call says as JSON. It is a process of its own, since it may take minutes."""
    argv = [sys.executable, "-m", "sparky", *words, "--json"]
    done = subprocess.run(
        argv, cwd=world.repo, env=world.env, capture_output=True, timeout=LIMIT_S, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return decode(done.stdout, dict[str, Any])


def runs_of(world: World, commit: str) -> list[TestRun]:
    """The full runs of the tests at a commit's tree, in the order that they were made."""
    tree = world.git("rev-parse", f"{commit}^{{tree}}")
    records = sorted((world.cache / "tests").glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    runs = (decode(path.read_bytes(), TestRun) for path in records)
    return [run for run in runs if world.git("rev-parse", f"{run.sha}^{{tree}}") == tree]


def blob(world: World, commit: str, path: str) -> bytes:
    """A file of a commit, as it is."""
    argv = ["git", "cat-file", "blob", f"{commit}:{path}"]
    return subprocess.run(argv, cwd=world.repo, check=True, capture_output=True).stdout


def mangled(before: bytes, after: bytes) -> Iterator[bytes]:
    """The lines that are what they were but for their ending, and new ones that end as no line did."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    matcher = SequenceMatcher(
        a=[_bare(line) for line in old], b=[_bare(line) for line in new], autojunk=False
    )
    for match in matcher.get_matching_blocks():
        pairs = zip(old[match.a : match.a + match.size], new[match.b : match.b + match.size], strict=True)
        # The last line of a file is given the ending that it had not.
        yield from (other for one, other in pairs if one != other and one != _bare(one))
    ends = {line[len(_bare(line)) :] for line in old}
    yield from (line for line in new if line[len(_bare(line)) :] not in ends)


def _bare(line: bytes) -> bytes:
    return line.rstrip(b"\r\n")


def findings_of(world: World, kinds: tuple[str, ...]) -> list[str]:
    """All findings of kinds at HEAD, each as JSON, sorted."""
    return sorted(encode(one["finding"]).decode() for one in sparky(world, "scan", *kinds)["findings"])


def mend(place: Place, root: Path, kinds: tuple[str, ...] = KINDS) -> Mended:
    """One `fix` of the package, with all that is promised of it."""
    world = place.world(root)
    base, before = world.git("rev-parse", "HEAD"), world.snapshot()
    found = findings_of(world, kinds)
    started = time.monotonic()
    said = sparky(world, "fix", *kinds)
    wall_s = time.monotonic() - started
    assert (said["outcome"], world.snapshot()) == ("ready", before), said["reason"]

    first, *more = runs_of(world, base)
    (head, *_) = runs_of(world, said["commit"])
    steady, runs = place.package.steady, (first, *more)
    passing = set.intersection(*(steady(run, TestOutcome.PASSED) for run in runs))
    assert len(steady(first, TestOutcome.PASSED)) >= place.package.passed, first.detail
    assert len(more) == int(any(case.red for case in first.cases))
    assert set.intersection(*map(steady, runs)) <= steady(head) <= set.union(*map(steady, runs))
    assert passing <= steady(head, TestOutcome.PASSED)

    paths = world.git("diff", "--name-only", "-z", base, said["commit"]).split("\0")[:-1]
    assert paths
    for path in paths:
        assert list(mangled(blob(world, base, path), blob(world, said["commit"], path))) == [], path

    assert sparky(world, "merge", said["run_id"])["outcome"] == "merged"
    assert (world.git("rev-parse", "HEAD"), world.git("status", "--porcelain")) == (said["commit"], "")
    left = findings_of(world, kinds)
    figures = {
        "wall_s": round(wall_s, 1),
        "findings": len(found),
        "left": len(left),
        "passed": first.passed,
        "red": sum(case.red for case in first.cases),
        "flaky": sum(note.startswith("flaky") for note in said["notes"]),
    }
    return Mended(found=found, left=left, figures=figures)


@pytest.mark.network
@pytest.mark.soak
def test_a_package_of_crlf_files_loses_no_test_and_no_line_ending(
    place_of: MakePlace, tmp_path: Path
) -> None:
    mended = mend(place_of(TABULATE), tmp_path / "run")
    assert mended.left != mended.found


@pytest.mark.soak
@pytest.mark.network
@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.requirement)
def test_ten_fixes_of_a_package_lose_no_test(
    package: Package, place_of: MakePlace, tmp_path: Path, record_property: Record
) -> None:
    place = place_of(package)
    for number in range(RUNS):
        record_property(f"run {number + 1}", mend(place, tmp_path / str(number)).figures)


@pytest.mark.soak
@pytest.mark.network
@pytest.mark.parametrize("package", BENCHED, ids=lambda package: package.requirement)
def test_ten_fixes_of_every_kind_lose_no_test_and_leave_the_same_findings(
    package: Package, place_of: MakePlace, tmp_path: Path, record_property: Record
) -> None:
    place = place_of(package)
    left = []
    for number in range(RUNS):
        mended = mend(place, tmp_path / str(number), EVERY_KIND)
        record_property(f"run {number + 1}", mended.figures)
        left.append(mended.left)
    assert left == [left[0]] * RUNS
