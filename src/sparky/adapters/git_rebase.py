"""Putting commits onto another base, or taking them back: trees are merged in the object store."""

import os

from sparky.adapters.git import Git, split
from sparky.adapters.git_settings import IDENTITY


def replay(git: Git, onto: str, head: str) -> tuple[str | None, tuple[str, ...]]:
    """The head of the commits `onto..head` made anew on `onto`, or None and the files in conflict.

    Author, date and message stay; a commit that changes nothing there is left out.
    """
    commits = git.ask("rev-list", "--reverse", "--topo-order", "--no-merges", f"{onto}..{head}").split()
    new = onto
    for sha in commits:
        parent, tip = git.ask("rev-parse", f"{sha}^"), git.ask("rev-parse", f"{new}^{{tree}}")
        if parent == new:
            new = sha
            continue
        tree, conflicts = _merge_trees(git, f"{parent}^{{tree}}", tip, f"{sha}^{{tree}}")
        if conflicts:
            return None, conflicts
        if tree != tip:
            new = _again(git, sha, tree, new)
    return new, ()


def take_back(git: Git, base: str, head: str, onto: str, message: str) -> tuple[str | None, tuple[str, ...]]:
    """A commit on `onto` that takes back what `head` has over `base`, or None and the files in conflict."""
    tip = git.ask("rev-parse", f"{onto}^{{tree}}")
    tree, conflicts = _merge_trees(git, f"{head}^{{tree}}", tip, f"{base}^{{tree}}")
    if conflicts:
        return None, conflicts
    return git.ask("commit-tree", tree, "-p", onto, stdin=message.encode(), env=IDENTITY), ()


def _merge_trees(git: Git, base: str, ours: str, theirs: str) -> tuple[str, tuple[str, ...]]:
    """The merged tree and the files in conflict. Commits of no history make the base of the merge known."""
    root = git.ask("commit-tree", base, "-m", "base", env=IDENTITY)
    sides = [git.ask("commit-tree", tree, "-p", root, "-m", "side", env=IDENTITY) for tree in (ours, theirs)]
    done = git.run("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", *sides, codes=(0, 1))
    tree, *files = split(done.stdout)
    return tree, tuple(sorted(set(files)))


def _again(git: Git, sha: str, tree: str, parent: str) -> str:
    form = "--format=%an%x00%ae%x00%ad%x00%B"
    said = git.run("rev-list", "--no-commit-header", "--max-count=1", "--date=raw", form, sha).stdout
    name, mail, date, message = (os.fsdecode(part) for part in said.split(b"\0", 3))
    author = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": mail, "GIT_AUTHOR_DATE": f"@{date}"}
    text = os.fsencode(message.rstrip("\n") + "\n")
    return git.ask("commit-tree", tree, "-p", parent, stdin=text, env={**IDENTITY, **author})
