"""Which places the sandbox closes, whatever its way, and that nothing is run where there is no way."""

import sys
from pathlib import Path

from sparky.adapters.sandbox import hidden_places, interpreter_paths, open_places
from sparky.adapters.shell import SystemShell
from sparky.domain.command import Command, Ending, Level, Policy


def test_where_nothing_can_be_had_a_policy_is_refused(tmp_path: Path) -> None:
    shell = SystemShell({"PATH": "/usr/bin:/bin"}, ways=())

    completed = shell.run(Command(argv=("touch", "ran"), cwd=tmp_path, policy=Policy()))

    assert (shell.level(), shell.way()) == (Level.OFF, None)
    assert (completed.ending, completed.level) == (Ending.REFUSED, Level.OFF)
    assert completed.stderr.startswith(b"no sandbox can be had on this machine")
    assert list(tmp_path.iterdir()) == []


def test_a_hidden_place_is_left_out_and_its_neighbours_are_open(tmp_path: Path) -> None:
    for name in "data/users/me", "data/users/you", "data/shared", "usr":
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to("data/users/me")

    found = open_places([tmp_path / "data/users/me"], tmp_path)

    assert [str(path.relative_to(tmp_path)) for path in found] == ["data/shared", "data/users/you", "usr"]


def test_homes_and_shared_places_are_hidden(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()

    hidden = hidden_places("/usr/share", [tmp_path / "state", Path("/no-such-place"), Path("/")])

    names = ("/tmp", "/root", "/home", "/run", "/usr/share")
    expected = {Path(name).resolve() for name in names if Path(name).is_dir()}
    assert expected <= set(hidden)
    assert not {tmp_path / "state", Path("/no-such-place"), Path("/")} & set(hidden)


def test_the_interpreter_is_named_by_parts_that_exist() -> None:
    paths = interpreter_paths()

    assert Path(sys.prefix, "bin") in paths
    assert all(path.exists() for path in paths)
