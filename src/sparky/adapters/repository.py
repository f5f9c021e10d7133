"""git, for one repository: the port `Repository`. Every method bears being run again after a kill."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sparky.adapters import git_diff
from sparky.adapters.git import Git, resolve, split
from sparky.adapters.git_merge import clear, fast_forward, find_checkouts
from sparky.adapters.git_objects import batched, is_sha
from sparky.adapters.git_overlay import overlay
from sparky.adapters.git_rebase import replay, take_back
from sparky.adapters.git_refs import delete
from sparky.adapters.git_settings import IDENTITY
from sparky.adapters.git_worktree import Worktree
from sparky.domain.change import FileChange
from sparky.ports import GitError, Shell, TargetMovedError

_FILES = ("100644", "100755")
_BATCH = 1000
_TREES = 8
"""Of how many commits the list of files is remembered."""
_OWN = "sparky/"
_TRAILER = re.compile(r"[A-Za-z0-9-]+: \S.*")


class GitRepository:
    """The repository of a person. `top` is a checkout of theirs, `git_dir` the common git directory.

    Worktrees lie below `work_root`, outside the repository, each with a record of its branch beside it. The
    repository gets branches and refs, nothing else; only `merge` touches a checkout.
    """

    def __init__(self, shell: Shell, top: Path, git_dir: Path, work_root: Path) -> None:
        self._top = top
        self._git_dir = git_dir
        self._root = work_root.resolve()
        self._person = Git(shell=shell, cwd=git_dir, git_dir=git_dir)
        # An index that is not there: the attributes of the person's index have no say in what sparky reads.
        self._git = replace(self._person, own=True, index=git_dir / "sparky-no-index")
        self._listed = lru_cache(_TREES)(self._list)

    def resolve(self, ref: str) -> str | None:
        """The commit sha that a ref names, None if there is none; HEAD is that of the main checkout."""
        return resolve(self._git, ref)

    def identity(self) -> str | None:
        """The person as "Name <email>"; None unless git's configuration gives both."""
        done = self._person.run("config", "-z", "--get-regexp", r"^user\.(name|email)$", codes=(0, 1))
        said = dict(entry.partition("\n")[::2] for entry in split(done.stdout))
        name, mail = (
            re.sub(r"[\s<>]+", " ", said.get(key, "")).strip() for key in ("user.name", "user.email")
        )
        return f"{name} <{mail}>" if name and mail else None

    def open(self, run: str, branch: str, sha: str) -> Path:
        """The run's worktree, clean and at `sha`, on `branch`. Made if missing, put right if not so.

        Raises GitError if the branch is another's: it was there before the run, a person committed to it
        after the worktree was closed, or it is checked out elsewhere.
        """
        if self.resolve(sha) is None:
            raise GitError(f"{sha} is not a commit of {self._top}")
        tree = self._worktree(run)
        self._require_ours(tree, branch, sha)
        tree.make(sha)
        self._put(tree, branch, sha)
        return tree.path

    def commit(self, run: str, message: str) -> str | None:
        """Commit all that is changed in the run's worktree, as one commit on what sparky put it at.

        Returns the sha, None if nothing is changed. Ignored files and new caches of tools stay out; commits
        that an agent made are not kept as such, their changes are: those of a repository that it made inside,
        too, which the message names. Bytes, executable bits and links are kept as they are, but where the
        repository's own .gitattributes ask for another line ending (text, eol).
        """
        tree = self._worktree(run)
        at = tree.known()
        tree.make(at.head)
        files, nested = tree.stage(at.head, self._person.setting("core.excludesFile", "--type=path"))
        sha = at.head
        if files != self.tree(at.head):
            text = self._signed(_naming(nested, message)).encode("utf-8", "replace")
            sha = self._git.ask("commit-tree", files, "-p", at.head, stdin=text, env=IDENTITY)
        self._point(tree, at.branch, sha)
        return sha if sha != at.head else None

    def reset(self, run: str, sha: str) -> None:
        """Put the run's worktree and branch to `sha`; all that is not in it is gone."""
        tree = self._worktree(run)
        branch = tree.known().branch
        tree.make(sha)
        self._put(tree, branch, sha)

    def changes(self, base: str, head: str) -> tuple[FileChange, ...]:
        """The files that differ, sorted by path."""
        return git_diff.changes(self._git, base, head)

    def patch(self, base: str, head: str, paths: Sequence[str] = ()) -> bytes:
        """The diff as text with three lines of context, binary-safe."""
        return git_diff.patch(self._git, base, head, paths)

    def log(self, base: str, head: str) -> tuple[tuple[str, str], ...]:
        """Sha and subject of each commit of `head` that is not in `base`, oldest first."""
        form = ("--no-commit-header", "--format=%H%x00%s", "--reverse", "--topo-order")
        lines = self._git.ask("rev-list", *form, f"{base}..{head}").split("\n")
        pairs = (line.partition("\0") for line in lines if line)
        return tuple((sha, subject) for sha, _, subject in pairs)

    def read(self, sha: str, path: str) -> bytes | None:
        """A file's bytes at a commit; None if it is not there, or is no file."""
        blob = self._blobs(sha).get(path)
        return self._git.once("cat-file", "blob", of=(blob,)) if blob else None

    def contents(self, sha: str, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Path and bytes of those of the paths that are files at a commit, sorted; one process for many."""
        blobs = self._blobs(sha)
        found = [(path, blobs[path]) for path in sorted(set(paths)) if path in blobs]
        for start in range(0, len(found), _BATCH):
            part = found[start : start + _BATCH]
            said = self._git.run(
                "cat-file", "--batch", stdin="".join(f"{blob}\n" for _, blob in part).encode()
            )
            yield from zip((name for name, _ in part), batched(said.stdout), strict=True)

    def files(self, sha: str) -> tuple[str, ...]:
        """All paths of a commit's tree, sorted; links and submodules are left out."""
        return tuple(self._blobs(sha))

    def export(self, sha: str, into: Path) -> None:
        """Write a commit's files into an empty directory, which gets no link to the repository."""
        into.mkdir(parents=True, exist_ok=True)
        if any(into.iterdir()):
            raise GitError(f"{into} is not empty")
        with TemporaryDirectory(prefix="sparky-") as scratch:
            place = replace(self._git, cwd=into, work_tree=into, index=Path(scratch) / "index")
            place.tame().run("read-tree", "--reset", "-u", sha)

    def tree(self, sha: str) -> str:
        """The tree sha of a commit."""
        said = self._git.once("rev-parse", "--verify", "--end-of-options", of=(f"{sha}^{{tree}}",))
        return said.decode().strip()

    def keep(self, run: str, sha: str) -> None:
        """Hold a commit by `refs/sparky/runs/<run>` so that nothing verified is ever lost."""
        self._update(_kept(run), sha, "--create-reflog")

    def rebase(self, run: str, onto: str) -> tuple[str | None, tuple[str, ...]]:
        """Put the run's commits onto another base: (new head, ()), or (None, files in conflict).

        With a conflict the worktree is as it was; else it is clean and at the new head.
        """
        tree = self._worktree(run)
        at = tree.known()
        tree.make(at.head)
        head, conflicts = replay(tree.inside(), onto, at.head)
        if head is not None:
            self._put(tree, at.branch, head)
        return head, conflicts

    def revert(self, base: str, head: str, onto: str, message: str) -> tuple[str | None, tuple[str, ...]]:
        """Take the changes from `base` to `head` back on top of `onto`: (new head, ()), or (None, files)."""
        return take_back(self._git, base, head, onto, self._signed(message))

    def overlay(self, onto: str, files: Mapping[str, bytes | None]) -> str:
        """A commit on `onto` that no ref holds: these files have these bytes (None: are not there)."""
        return overlay(self._git, onto, files, "sparky: as it is tried")

    def merge(self, target: str, expected: str, head: str) -> None:
        """Fast-forward the branch from `expected` to `head`; done already is success.

        A checkout of the branch goes along. Raises `TargetMovedError` if the branch is elsewhere,
        `DirtyCheckoutError` if it is checked out with uncommitted changes, or in the middle of a merge or
        rebase, `GitError` if untracked files are in the way; then nothing is changed.
        """
        ref = f"refs/heads/{target}"
        now = self.resolve(ref)
        if now is not None and self._contains(now, head):
            for checkout in self._checkouts(ref):
                clear(checkout, self._git.git_path(f"{ref}.lock"))
            return
        if now != expected:
            raise TargetMovedError(f"{target} is at {now or 'no commit'}, not at {expected}")
        if not self._contains(head, expected):
            raise GitError(f"{head} does not come after {expected}: {target} can't be fast-forwarded to it")
        fast_forward(self._git, self._checkouts(ref), ref, expected, head)

    def close(self, run: str) -> None:
        """Remove the run's worktree; its branch and what `keep` holds stay."""
        self._worktree(run).remove()

    def require_droppable(self, run: str, branch: str) -> None:
        """Raise GitError if `drop` would refuse."""
        record, tips, ref = self._worktree(run).record(), self._tips(run, branch), _head(branch)
        if ref not in tips:  # a person removed it, who has let go of what only the kept ref still holds
            return
        if record is None or record.branch != branch:
            raise GitError(f"the branch {branch} is not this run's: sparky does not remove it")
        self._require_free(branch)
        for sha in tips.values():
            self._require_elsewhere(run, branch, sha)

    def drop(self, run: str, branch: str) -> None:
        """Remove the run's worktree, branch and kept ref; refuses if its commits are nowhere else."""
        self.require_droppable(run, branch)
        tree = self._worktree(run)
        tree.remove()
        again = tree.dropping()
        delete(self._git, self._tips(run, branch), (_head(branch), _kept(run)), again=again)
        tree.forget()

    def _tips(self, run: str, branch: str) -> dict[str, str]:
        return {name: sha for name in (_head(branch), _kept(run)) if (sha := self.resolve(name))}

    def _worktree(self, run: str) -> Worktree:
        return Worktree(self._git, self._git_dir, self._root, run)

    def _checkouts(self, ref: str) -> tuple[Git, ...]:
        return find_checkouts(self._git, self._top, self._root, ref)

    def _require_ours(self, tree: Worktree, branch: str, sha: str) -> None:
        self._require_free(branch)
        tip, record = self.resolve(_head(branch)), tree.record()
        ours = record is not None and record.branch == branch
        if tip is None or (tip == sha and (ours or branch.startswith(_OWN))):
            return
        if record is None or not ours:
            raise GitError(f"the branch {branch} is there already, at {tip}: rename or delete it")
        if tip != record.head and not tree.exists():
            raise GitError(f"the branch {branch} was moved to {tip} by another: rename or delete it")

    def _require_free(self, branch: str) -> None:
        for checkout in self._checkouts(_head(branch)):
            raise GitError(f"{branch} is checked out in {checkout.cwd}: switch to another branch there")

    def _require_elsewhere(self, run: str, branch: str, sha: str) -> None:
        own = (f"--exclude={_head(branch)}", f"--exclude={_kept(run)}")
        # The run's own worktree, which goes as well, is no place to keep them.
        refs = ("--single-worktree", "--not", *own, "--all")
        alone = self._git.ask("rev-list", "--max-count=1", sha, *refs)
        if alone:
            raise GitError(f"{sha} of {branch} is on no other branch: merge it, or delete it yourself")

    def _put(self, tree: Worktree, branch: str, sha: str) -> None:
        self._point(tree, branch, sha)
        tree.checkout(sha)

    def _point(self, tree: Worktree, branch: str, sha: str) -> None:
        """Branch, HEAD and record to `sha`; the record is last, so that what a kill cut off is done again."""
        self._update(_head(branch), sha)
        tree.switch(branch)
        tree.write(branch, sha)

    def _update(self, ref: str, sha: str, *options: str) -> None:
        """Move a ref of sparky's; a lock that a killed call left on it is removed."""
        self._git.git_path(f"{ref}.lock").unlink(missing_ok=True)
        self._git.run("update-ref", "-m", "sparky", *options, ref, sha, env=IDENTITY)

    def _contains(self, head: str, sha: str) -> bool:
        return self._git.run("merge-base", "--is-ancestor", sha, head, codes=(0, 1)).code == 0

    def _blobs(self, sha: str) -> Mapping[str, str]:
        """The files of a commit's tree, sorted, each with its object; links and submodules are left out."""
        return self._listed(sha) if is_sha(sha) else self._list(sha)

    def _list(self, sha: str) -> Mapping[str, str]:
        listed = (
            entry.partition("\t") for entry in self._git.names("ls-tree", "-r", "-z", "--full-tree", sha)
        )
        return dict(sorted((name, facts.split()[2]) for facts, _, name in listed if facts[:6] in _FILES))

    def _signed(self, message: str) -> str:
        """The message with the person as co-author."""
        text = message.replace("\0", "").strip()
        person = self.identity()
        if person is None or f"Co-authored-by: {person}" in text.split("\n"):
            return text + "\n"
        *before, last = text.split("\n\n")
        is_block = bool(before) and all(_TRAILER.fullmatch(line) for line in last.split("\n"))
        gap = "\n" if is_block else "\n\n"
        return f"{text}{gap}Co-authored-by: {person}\n"


def _head(branch: str) -> str:
    return f"refs/heads/{branch}"


def _naming(nested: tuple[str, ...], message: str) -> str:
    """The message; below its subject the repositories whose files, and nothing else, are in the commit."""
    subject, _, rest = message.partition("\n")
    said = f"The files of {', '.join(nested)}, a git repository of its own, are here; its history is not."
    return f"{subject}\n\n{said}\n{rest}" if nested else message


def _kept(run: str) -> str:
    return f"refs/sparky/runs/{run}"
