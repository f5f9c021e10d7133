"""Commits put onto another base, and taken back."""

from tests.contract.repository.house import BRANCH, House, files


def test_a_rebase_puts_the_commits_onto_the_new_base(house: House) -> None:
    base = house.sha("main")
    house.change(a="a = 2\n")
    worktree = house.work / "run-1"
    (worktree / "new.py").write_text("new\n")
    house.repository.commit("run-1", "second\n\nwith a body")
    onto = house.commit(b="b = 2\n")
    head, conflicts = house.repository.rebase("run-1", onto)
    assert (head, conflicts) == (house.sha(BRANCH), ())
    assert [subject for _, subject in house.repository.log(base, BRANCH)] == ["by hand", "a change", "second"]
    assert [(worktree / name).read_text() for name in ("a.py", "b.py", "new.py")] == [
        "a = 2\n",
        "b = 2\n",
        "new\n",
    ]
    assert house.git("status", "--porcelain", cwd=worktree) == ""
    assert house.git("show", "-s", "--format=%b", BRANCH).startswith("with a body\n\nCo-authored-by: Ada")
    assert house.repository.rebase("run-1", onto) == (head, ())


def test_a_rebase_follows_a_rename(house: House) -> None:
    house.commit(long="".join(f"line {n}\n" for n in range(20)))
    house.change(long="".join(f"line {n}\n" for n in range(21)))
    house.git("mv", "long.py", "moved.py")
    assert house.repository.rebase("run-1", house.commit()) == (house.sha(BRANCH), ())
    assert (house.work / "run-1" / "moved.py").read_text().endswith("line 20\n")


def test_a_rebase_with_a_conflict_leaves_all_as_it_was(house: House) -> None:
    sha = house.change(a="a = 2\n", b="b = 2\n")
    before = files(house.work / "run-1")
    onto = house.commit(a="a = 3\n", b="b = 3\n")
    assert house.repository.rebase("run-1", onto) == (None, ("a.py", "b.py"))
    assert (house.sha(BRANCH), files(house.work / "run-1")) == (sha, before)
    assert house.repository.rebase("run-1", onto) == (None, ("a.py", "b.py"))


def test_a_rebase_onto_a_base_that_has_the_change_ends_at_that_base(house: House) -> None:
    house.change(a="a = 2\n")
    onto = house.commit(a="a = 2\n")
    assert house.repository.rebase("run-1", onto) == (onto, ())
    assert house.sha(BRANCH) == onto


def test_a_revert_takes_a_change_back_on_top_of_later_ones(house: House) -> None:
    base = house.sha("main")
    sha = house.change(a="a = 2\n", new="new\n")
    house.repository.merge("main", base, sha)
    onto = house.commit(b="b = 2\n")
    head, conflicts = house.repository.revert(base, sha, onto, "Revert")
    assert head is not None
    assert conflicts == ()
    assert [change.path for change in house.repository.changes(base, head)] == ["b.py"]
    assert house.repository.log(onto, head) == ((head, "Revert"),)
    assert (house.sha("main"), house.status()) == (onto, "")
    later = house.commit(a="a = 3\n")
    assert house.repository.revert(base, sha, later, "Revert") == (None, ("a.py",))
