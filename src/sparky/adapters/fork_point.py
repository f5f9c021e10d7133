"""Where a checkout's history left another's: the commit that "what is changed here" is measured from."""

from collections.abc import Iterator
from dataclasses import dataclass

from sparky.adapters.git import Found, checkout_at, resolve
from sparky.domain.errors import UsageError
from sparky.ports import Shell

_REMOTE_HEAD = "refs/remotes/origin/HEAD"
_DEFAULTS = ("refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master")


@dataclass(frozen=True, kw_only=True)
class ForkPoint:
    """What HEAD is compared with: `ref` as a person names it, and the commit.

    `common` says that the commit is the merge base; else there is none (unrelated or shallow histories), and
    it is the ref's own.
    """

    ref: str
    sha: str
    common: bool


def fork_point(shell: Shell, found: Found, ref: str | None) -> ForkPoint:
    """The merge base of HEAD and `ref`; without a ref, that with the upstream or the default branch.

    The upstream counts unless it is the branch's own copy on a remote, where everything is pushed sooner or
    later. Raises UsageError for a ref that names no commit, and where there is nothing to compare with.
    """
    git = checkout_at(shell, found.top)
    named = [ref] if ref is not None else _candidates(shell, found)
    for name in named:
        if (other := resolve(git, name)) is not None:
            done = git.run("merge-base", "HEAD", other, codes=(0, 1))
            bases = done.stdout.decode().split()
            return ForkPoint(ref=_short(name), sha=bases[0] if bases else other, common=bool(bases))
    if ref is not None:
        raise UsageError(f"{ref!r} names no commit here; if it is on a remote: git fetch")
    raise UsageError("no upstream and no default branch to compare with: name a commit with --since REF")


def _candidates(shell: Shell, found: Found) -> Iterator[str]:
    git = checkout_at(shell, found.top)
    own = f"refs/heads/{found.branch}"
    if found.branch is not None:
        said = git.ask("for-each-ref", "--format=%(upstream)%00%(upstream:remoteref)", own)
        upstream, _, there = said.partition("\0")
        if upstream and there != own:
            yield upstream
    yield from (name for name in (_REMOTE_HEAD, *_DEFAULTS) if name != own)


def _short(name: str) -> str:
    return name.removeprefix("refs/heads/").removeprefix("refs/remotes/")
