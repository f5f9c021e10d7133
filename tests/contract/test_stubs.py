"""What mypy makes of the standard library is kept: for all targets, and no finding depends on it."""

import hashlib
import io
import os
import re
import shutil
import sys
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir
from dataclasses import replace
from pathlib import Path

import pytest

from sparky.adapters.shell import SystemShell
from sparky.domain.command import Command, Completed, Level, Policy
from sparky.domain.issue import Kind
from sparky.evidence.detect import bind
from sparky.evidence.running import reader, run_tool
from sparky.ports import Ports
from sparky.testing.house import memory_house
from sparky.tools.programs.checking import check
from sparky.tools.programs.stubs import unpack

pytestmark = pytest.mark.xdist_group("stubs")

SHOP = "import os\n\nwidth: int = os.sep\n\n\ndef show(cart):\n    return width\n"
OTHER = SHOP.replace("int = os.sep", "str = os.sep")
FOUND = [("assignment", 3), ("no-untyped-def", 6)]


class Watched(SystemShell):
    """A shell that remembers what its commands may touch."""

    def __init__(self) -> None:
        super().__init__({})
        self.policies: list[tuple[str, Policy | None]] = []

    def run(self, command: Command) -> Completed:
        self.policies.append((command.argv[3], command.policy))
        return super().run(command)


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory) -> Ports:
    ports = memory_house(tmp_path_factory.mktemp("house"), lambda _: ()).ports
    return replace(ports, shell=Watched(), binaries={**ports.binaries, "mypy": sys.executable})


def found(ports: Ports, root: Path, source: str = SHOP) -> list[tuple[str, int | None]]:
    root = root.resolve()
    root.mkdir(exist_ok=True)
    (root / "shop.py").write_text(source)
    tool = bind(ports, "mypy", root)
    answers = [run_tool(ports, root, argv) for argv in tool.detect([Kind.TYPE_ERROR])]
    return [(one.rule, one.location.line) for one in tool.findings(answers, str(root), reader(root))]


def test_two_at_once_get_whole_answers_and_leave_one_file_that_no_target_is_in_or_can_write(
    ports: Ports, tmp_path: Path
) -> None:
    with ThreadPoolExecutor() as pool:
        asked = {"a": SHOP, "b": OTHER}
        both = [pool.submit(found, ports, tmp_path / name, source) for name, source in asked.items()]
        assert [one.result() for one in both] == [FOUND, FOUND[1:]]
    (file,) = (ports.kept.resolve() / "stubs").iterdir()
    data = file.read_bytes()
    assert b"shop" not in data
    assert not re.search(rb"\w\.py\b", data)  # it knows stubs, and no other file
    shell = ports.shell
    assert isinstance(shell, Watched)
    for program, policy in shell.policies if shell.level() is not Level.OFF else ():
        assert policy is not None
        assert policy.writable == ()
        assert (file in policy.readable) == program.endswith("typed")
        assert any(tmp_path in path.parents for path in policy.readable) == program.endswith("typed")


def test_no_finding_depends_on_it(ports: Ports, tmp_path: Path) -> None:
    assert found(ports, tmp_path / "a") == FOUND
    (file,) = (ports.kept / "stubs").iterdir()
    file.write_bytes(knowing(OTHER, tmp_path / "b"))
    assert found(ports, tmp_path / "a") == FOUND
    file.write_bytes(b"")
    assert found(ports, tmp_path / "a") == FOUND


@pytest.mark.parametrize("harm", [lambda data: data[:-9], lambda data: data[:99] + b"?" + data[100:]])
def test_what_is_not_whole_is_not_unpacked(harm: Callable[[bytes], bytes], tmp_path: Path) -> None:
    file, cache = tmp_path / "stubs.zip", tmp_path / "cache"
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "a.db").write_bytes(bytes(99))
    whole = packed(tmp_path / "made")
    file.write_bytes(whole)
    unpack(file, cache)
    assert [path.name for path in cache.iterdir()] == ["a.db"]
    shutil.rmtree(cache)
    file.write_bytes(harm(whole))
    unpack(file, cache)
    assert not cache.exists()


def knowing(source: str, root: Path) -> bytes:
    """A file as it would be if mypy had read another module of the same name, at another time."""
    root.mkdir()
    with chdir(root):
        Path("shop.py").write_text(source)
        os.utime("shop.py", (0, 0))  # mypy takes a file of the same name, size and second for the same
        check(["shop.py"], (), Path("cache"))
    return packed(root / "cache")


def packed(folder: Path) -> bytes:
    """A folder's files as `unpack` reads them."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for path in folder.rglob("*.db"):
            archive.write(path, path.relative_to(folder))
    return hashlib.sha256(data.getvalue()).digest() + data.getvalue()
