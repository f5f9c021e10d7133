"""Sister repositories on disk: by path as they are, by URL as clones that follow."""

import subprocess
from pathlib import Path

import pytest

from sparky.adapters.locks import FileLocks
from sparky.adapters.shell import SystemShell
from sparky.adapters.sisters import Checkout, SisterError, Sisters
from sparky.environment import read_environment

IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")


def git(cwd: Path, *words: str) -> str:
    done = subprocess.run(["git", *IDENTITY, *words], cwd=cwd, check=True, capture_output=True)
    return done.stdout.decode().strip()


def commit(top: Path, text: str) -> str:
    (top / "a.txt").write_text(text)
    git(top, "add", "-A")
    git(top, "commit", "-qm", text)
    return git(top, "rev-parse", "HEAD")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository beside the one that names it."""
    top = tmp_path / "shop"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    commit(top, "one")
    return top


@pytest.fixture
def sisters(tmp_path: Path) -> Sisters:
    return Sisters(
        shell=SystemShell(read_environment().base),
        top=tmp_path / "desk",
        clones=tmp_path / "clones",
        locks=FileLocks(tmp_path / "locks"),
        env={},
    )


def test_a_path_is_the_checkout_itself_named_from_the_repository(sisters: Sisters, shop: Path) -> None:
    assert sisters.checkout("shop", "../shop") == Checkout(path=shop.resolve())
    assert sisters.checkout("shop", str(shop)) == Checkout(path=shop.resolve())


def test_a_path_where_nothing_is_is_named(sisters: Sisters, tmp_path: Path) -> None:
    with pytest.raises(SisterError) as error:
        sisters.checkout("shop", "../gone")
    assert str(error.value) == (
        f"sister shop is not at {tmp_path / 'gone'}: clone it there, or mend [sisters] in sparky.toml"
    )


def test_a_url_is_cloned_once_and_follows_its_origin(sisters: Sisters, shop: Path) -> None:
    first = sisters.checkout("shop", shop.as_uri())
    assert (first.path / "a.txt").read_text() == "one"
    newer = commit(shop, "two")
    assert sisters.checkout("shop", shop.as_uri()) == first
    assert git(first.path, "rev-parse", "HEAD") == newer
    assert [path.name for path in sisters.clones.iterdir()] == [first.path.name]


def test_a_clone_that_can_not_follow_is_taken_as_it_is_with_a_warning(sisters: Sisters, shop: Path) -> None:
    first = sisters.checkout("shop", shop.as_uri())
    shop.rename(shop.with_name("away"))
    again = sisters.checkout("shop", shop.as_uri())
    assert again.path == first.path
    assert again.warning.startswith("sister shop is not brought up to date: git pull in ")


def test_a_url_that_can_not_be_cloned_is_named_and_leaves_nothing(sisters: Sisters, tmp_path: Path) -> None:
    with pytest.raises(SisterError, match="sister shop can't be cloned: git clone in "):
        sisters.checkout("shop", (tmp_path / "gone").as_uri())
    assert list(sisters.clones.iterdir()) == []
