"""One repository for the session, a copy of it for each test."""

import os
import shutil
from pathlib import Path

import pytest

from sparky.adapters.shell import SystemShell
from tests.contract.repository.house import PERSON, House


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> House:
    root = tmp_path_factory.mktemp("template")
    env = {"PATH": os.environ["PATH"], "HOME": str(root / "home")}
    (root / "home").mkdir()
    (root / "home" / ".gitconfig").write_text(PERSON)
    house = House(root, env, SystemShell(env))
    house.top.mkdir()
    house.git("init", "-q", "--template=")
    house.git("commit", "-q", "--allow-empty", "-m", "start")
    (house.top / "sub dir").mkdir()
    (house.top / "sub dir" / "ü.py").write_text("x = 1\n")
    (house.top / "crlf.txt").write_bytes(b"one\r\ntwo\n")
    (house.top / "run.sh").write_text("#!/bin/sh\n")
    (house.top / "run.sh").chmod(0o755)
    (house.top / "link").symlink_to("a.py")
    (house.top / ".gitignore").write_text("ignored\n")
    (house.top / ".gitattributes").write_text("secret.py export-ignore\n")
    house.commit(a="a = 1\n", b="b = 1\n", secret="s = 1\n")
    return house


@pytest.fixture
def house(template: House, tmp_path: Path) -> House:
    shutil.copytree(template.root, tmp_path, symlinks=True, dirs_exist_ok=True)
    return House(tmp_path, {**template.env, "HOME": str(tmp_path / "home")}, template.shell)
