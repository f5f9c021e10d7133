"""A repository in memory: commits are whole file trees. Only a run's worktree lies on disk.

Coarser than git in two things: a file is merged as a whole, so that changes of different lines of it are a
conflict, too; and a file that was moved is one that is gone and one that is new.
"""

import difflib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparky.domain.change import FileChange
from sparky.domain.command import digest
from sparky.ports import DirtyCheckoutError, GitError, TargetMovedError

Files = Mapping[str, bytes]
_SHA_LENGTH = 40


@dataclass(frozen=True, kw_only=True)
class _Commit:
    files: Files
    parent: str | None
    message: str


@dataclass(kw_only=True)
class _Opened:
    """A run's worktree: the branch, and the commit that it was put at."""

    branch: str
    head: str


class MemoryRepository:
    """Keeps the promises of `Repository`. `dirty`: what a person has edited in the checkout."""

    def __init__(self, work_root: Path, target: str = "main") -> None:
        self._root = work_root
        self._commits: dict[str, _Commit] = {}
        self._refs: dict[str, str] = {}
        self._opened: dict[str, _Opened] = {}
        self._head = f"refs/heads/{target}"
        self.dirty: tuple[str, ...] = ()

    def write(self, files: Mapping[str, bytes | None], branch: str = "main") -> str:
        """A person's commit on a branch: these files as well (None: without it); returns the sha."""
        ref = f"refs/heads/{branch}"
        parent = self._refs.get(ref)
        before = self._commits[parent].files if parent is not None else {}
        after = {path: data for path, data in {**before, **files}.items() if data is not None}
        self._refs[ref] = self._add(after, parent, "by a person")
        return self._refs[ref]

    def message(self, sha: str) -> str:
        """A commit's message."""
        return self._commits[sha].message

    def parent(self, sha: str) -> str | None:
        """The commit before, None for the first."""
        return self._commits[sha].parent

    def resolve(self, ref: str) -> str | None:
        """The commit sha that a ref names, None if there is none."""
        name = self._head if ref == "HEAD" else ref
        found = self._refs.get(name) or self._refs.get(f"refs/heads/{name}")
        return found or (ref if ref in self._commits else None)

    def open(self, run: str, branch: str, sha: str) -> Path:
        """The run's worktree, clean and at `sha`, on `branch`. Made if missing, put right if not so."""
        if sha not in self._commits:
            raise GitError(f"{sha} is not a commit")
        tip = self._refs.get(f"refs/heads/{branch}")
        if run not in self._opened and tip not in {None, sha}:
            raise GitError(f"the branch {branch} is there already, at {tip}: rename or delete it")
        self._put(run, branch, sha)
        return self._root / run

    def commit(self, run: str, message: str) -> str | None:
        """Commit all that is changed in the run's worktree; returns the sha, None if nothing is changed."""
        at = self._require(run)
        root = self._root / run
        files = {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}
        if files == self._commits[at.head].files:
            return None
        at.head = self._add(files, at.head, message)
        self._refs[f"refs/heads/{at.branch}"] = at.head
        return at.head

    def reset(self, run: str, sha: str) -> None:
        """Put the run's worktree and branch to `sha`; all that is not in it is gone."""
        self._put(run, self._require(run).branch, sha)

    def changes(self, base: str, head: str) -> tuple[FileChange, ...]:
        """The files that differ, sorted by path."""
        return tuple(_change(path, old, new) for path, old, new in self._differing(base, head))

    def patch(self, base: str, head: str, paths: Sequence[str] = ()) -> bytes:
        """The diff as text with three lines of context."""
        differing = self._differing(base, head)
        return b"".join(_patch(path, old, new) for path, old, new in differing if not paths or path in paths)

    def log(self, base: str, head: str) -> tuple[tuple[str, str], ...]:
        """Sha and subject of each commit of `head` that is not in `base`, oldest first."""
        known = {*self._line(base)}
        more = [sha for sha in self._line(head) if sha not in known]
        return tuple((sha, self._commits[sha].message.partition("\n")[0]) for sha in reversed(more))

    def read(self, sha: str, path: str) -> bytes | None:
        """A file's bytes at a commit; None if it is not there."""
        return self._commits[sha].files.get(path)

    def contents(self, sha: str, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Path and bytes of those of the paths that are files at a commit, sorted."""
        files = self._commits[sha].files
        return ((path, files[path]) for path in sorted({*paths} & {*files}))

    def files(self, sha: str) -> tuple[str, ...]:
        """All paths of a commit, sorted."""
        return tuple(sorted(self._commits[sha].files))

    def export(self, sha: str, into: Path) -> None:
        """Write a commit's files into an empty directory."""
        into.mkdir(parents=True, exist_ok=True)
        if any(into.iterdir()):
            raise GitError(f"{into} is not empty")
        for path, data in self._commits[sha].files.items():
            (into / path).parent.mkdir(parents=True, exist_ok=True)
            (into / path).write_bytes(data)

    def tree(self, sha: str) -> str:
        """The name of a commit's files, whatever their history."""
        facts = "".join(
            f"{path}\0{digest(data)}\n" for path, data in sorted(self._commits[sha].files.items())
        )
        return digest(facts.encode())[:_SHA_LENGTH]

    def keep(self, run: str, sha: str) -> None:
        """Hold a commit by `refs/sparky/runs/<run>`."""
        self._refs[f"refs/sparky/runs/{run}"] = sha

    def rebase(self, run: str, onto: str) -> tuple[str | None, tuple[str, ...]]:
        """Put the run's commits onto another base: (new head, ()), or (None, files in conflict)."""
        at = self._require(run)
        known = set(self._line(onto))
        own = [sha for sha in self._line(at.head) if sha not in known]
        head = onto
        for sha in reversed(own):
            one = self._commits[sha]
            before = self._commits[one.parent].files if one.parent is not None else {}
            files, conflicts = _merged(before, one.files, self._commits[head].files)
            if conflicts:
                return None, conflicts
            if files != self._commits[head].files:
                head = self._add(files, head, one.message)
        self._put(run, at.branch, head)
        return head, ()

    def revert(self, base: str, head: str, onto: str, message: str) -> tuple[str | None, tuple[str, ...]]:
        """Take the changes from `base` to `head` back on top of `onto`: (new head, ()), or (None, files)."""
        old, new, now = (self._commits[sha].files for sha in (base, head, onto))
        files, conflicts = _merged(new, old, now)
        return (None, conflicts) if conflicts else (self._add(files, onto, message), ())

    def overlay(self, onto: str, files: Mapping[str, bytes | None]) -> str:
        """A commit on `onto` that no ref holds: these files have these bytes (None: are not there)."""
        tree = {**self._commits[onto].files, **files}
        return self._add(
            {path: data for path, data in tree.items() if data is not None}, onto, "as it is tried"
        )

    def merge(self, target: str, expected: str, head: str) -> None:
        """Fast-forward the branch from `expected` to `head`; done already is success."""
        ref = f"refs/heads/{target}"
        now = self._refs.get(ref)
        if now is not None and head in self._line(now):
            return
        if now != expected:
            raise TargetMovedError(f"{target} is at {now or 'no commit'}, not at {expected}")
        if expected not in self._line(head):
            raise GitError(f"{head} does not come after {expected}: {target} can't be fast-forwarded to it")
        if self.dirty and ref == self._head:
            raise DirtyCheckoutError(f"uncommitted changes: {', '.join(self.dirty)}")
        self._refs[ref] = head

    def close(self, run: str) -> None:
        """Remove the run's worktree; its branch and what `keep` holds stay."""
        shutil.rmtree(self._root / run, ignore_errors=True)

    def require_droppable(self, run: str, branch: str) -> None:
        """Raise GitError if `drop` would refuse."""
        own = {f"refs/heads/{branch}", f"refs/sparky/runs/{run}"}
        elsewhere = {sha for ref, tip in self._refs.items() if ref not in own for sha in self._line(tip)}
        for ref in own & self._refs.keys():
            if self._refs[ref] not in elsewhere:
                raise GitError(f"{self._refs[ref]} of {branch} is on no other branch: merge it, or delete it")

    def drop(self, run: str, branch: str) -> None:
        """Remove the run's branch and kept ref, too; refuses if its commits are nowhere else."""
        self.require_droppable(run, branch)
        for ref in (f"refs/heads/{branch}", f"refs/sparky/runs/{run}"):
            self._refs.pop(ref, None)
        self._opened.pop(run, None)

    def _add(self, files: Files, parent: str | None, message: str) -> str:
        number = len(self._commits)
        sha = digest(f"{number}\0{message}".encode())[:_SHA_LENGTH]
        self._commits[sha] = _Commit(files=dict(files), parent=parent, message=message)
        return sha

    def _put(self, run: str, branch: str, sha: str) -> None:
        self._opened[run] = _Opened(branch=branch, head=sha)
        self._refs[f"refs/heads/{branch}"] = sha
        self.close(run)
        self.export(sha, self._root / run)

    def _require(self, run: str) -> _Opened:
        if run not in self._opened:
            raise GitError(f"{run} was never opened")
        return self._opened[run]

    def _line(self, sha: str | None) -> Iterator[str]:
        """A commit and all before it."""
        while sha is not None:
            yield sha
            sha = self._commits[sha].parent

    def _differing(self, base: str, head: str) -> list[tuple[str, bytes | None, bytes | None]]:
        old, new = self._commits[base].files, self._commits[head].files
        paths = sorted(old.keys() | new.keys())
        return [(path, old.get(path), new.get(path)) for path in paths if old.get(path) != new.get(path)]


def _merged(base: Files, ours: Files, theirs: Files) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """What `ours` changed since `base`, done to `theirs`, and the files that both changed, each otherwise."""
    files, conflicts = dict(theirs), []
    for path in sorted(base.keys() | ours.keys()):
        old, new, there = base.get(path), ours.get(path), theirs.get(path)
        if new in {old, there}:
            continue
        if there != old:
            conflicts.append(path)
        elif new is None:
            del files[path]
        else:
            files[path] = new
    return files, tuple(conflicts)


def _change(path: str, old: bytes | None, new: bytes | None) -> FileChange:
    status = "A" if old is None else "D" if new is None else "M"
    if _is_binary(old, new):
        return FileChange(path=path, status=status, added=0, deleted=0, binary=True)
    steps = difflib.SequenceMatcher(None, _lines(old), _lines(new), autojunk=False).get_opcodes()
    edits = [step[1:] for step in steps if step[0] != "equal"]
    added, deleted = sum(j2 - j1 for _, _, j1, j2 in edits), sum(i2 - i1 for i1, i2, _, _ in edits)
    return FileChange(path=path, status=status, added=added, deleted=deleted)


def _patch(path: str, old: bytes | None, new: bytes | None) -> bytes:
    names = (f"a/{path}" if old is not None else "/dev/null", f"b/{path}" if new is not None else "/dev/null")
    head = f"diff --git a/{path} b/{path}\n"
    if _is_binary(old, new):
        return f"{head}Binary files {names[0]} and {names[1]} differ\n".encode()
    lines = difflib.unified_diff(_lines(old), _lines(new), *names)
    said = (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return (head + "".join(said)).encode("utf-8", "surrogateescape")


def _lines(data: bytes | None) -> list[str]:
    """The lines as git counts them: nothing but a line feed ends one."""
    *whole, last = (data or b"").decode("utf-8", "surrogateescape").split("\n")
    return [*(f"{line}\n" for line in whole), *([last] if last else [])]


def _is_binary(*sides: bytes | None) -> bool:
    return any(b"\0" in side for side in sides if side is not None)
