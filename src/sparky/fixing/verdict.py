"""What is to be said of a part of a fix: at a glance, by what was wrong before; or by all a run asks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sparky.domain.attempt import Attempt, Stage, Verdict
from sparky.domain.finding import Finding, left
from sparky.domain.gates import Facts, review
from sparky.domain.issue import Kind
from sparky.domain.state import PipelineState
from sparky.domain.testing import Comparison, TestRun, Trouble
from sparky.evidence.change import base_findings, looked_for, read_change, whole_issue
from sparky.evidence.detect import QUICKEST
from sparky.evidence.failing import red_all_the_same
from sparky.evidence.imports import broken_imports
from sparky.evidence.tests import COMPARED, StoppedError, find_command, judge, judge_again
from sparky.fixing.composer import Composer, Texts
from sparky.formats.values_json import decode
from sparky.ports import Ports
from sparky.tools.faults import appeared, fixed, is_second

_BROKEN = {
    Trouble.NO_TESTS: "leaves no test to run",
    Trouble.TIMED_OUT: "makes the tests run out of time",
    Trouble.CRASHED: "makes the tests break off",
}
"""Trouble that a change may be blamed for."""


@dataclass(frozen=True, kw_only=True)
class Blame:
    """What a fix does, as the end of a sentence; `lasting`: it would do so the next time, too.

    `paths`: where to look for the culprit first; none if nothing tells.
    """

    why: str
    lasting: bool
    paths: tuple[str, ...] = ()


@dataclass(kw_only=True)
class Judge:
    """Judges files by what refused the whole; `refused` is that attempt.

    What it sees go wrong it looks at from then on: `wrong` are tests, each with the message that it failed
    with, `unimported` modules; `thorough`: all tests are run each time; `gated`, `every_tool`: so are the
    gates, and all tools; `unmended`: what was rewritten for a test that stays red is looked for, too.
    `snapshots`: those that the whole rewrites.
    """

    state: PipelineState
    ports: Ports
    composer: Composer
    refused: Attempt
    snapshots: frozenset[str] = frozenset()
    wrong: dict[str, str] = field(default_factory=dict)
    unimported: set[str] = field(default_factory=set)
    thorough: bool = False
    gated: bool = False
    every_tool: bool = False
    unmended: bool = False
    _seen: dict[tuple[str, bytes], tuple[Finding, ...]] = field(default_factory=dict)

    def first(self) -> tuple[str, ...]:
        """Where to look first, by what refused the whole; raises StoppedError."""
        self.gated = self.refused.stage is Stage.REVIEW
        digest = self.refused.blobs.get(COMPARED)
        if self.refused.stage is Stage.TEST and digest is not None:
            seen = decode(self.ports.blobs.get(digest), Comparison)
            if seen.imports and (why := self._unimported(self.state.head)):
                return why.paths
        if self.refused.stage is not Stage.TEST or self._base is None:
            return ()
        head = self._run(self.state.head)
        if head.trouble is not None or digest is None:
            self.thorough = head.trouble is not None
            return ()
        blame = self._broken(head, decode(self.ports.blobs.get(digest), Comparison))
        return blame.paths if blame else ()

    def glance(self, texts: Texts) -> Blame | None:
        """Why these files are refused, by what was wrong before; None: nothing of that is to be seen."""
        if self.gated and (why := self._gate(texts)):
            return why
        if self.refused.stage is Stage.REVIEW:
            return None
        fresh = self._fresh(texts) if self.every_tool else self._fresh_at_once(texts)
        return fresh or self._still_wrong(texts) or (self._unmended(texts) if self.unmended else None)

    def judge(self, texts: Texts) -> Blame | None:
        """Why these files are refused, looked at as the run itself will; None if they are not."""
        if why := self._gate(texts):
            self.gated = True
            return why
        if self.refused.stage is Stage.REVIEW:
            return None
        if why := self._fresh(texts):
            self.every_tool = self._fresh_at_once(texts) is None
            return why
        sha = self._commit(texts)
        worse = self._unimported(sha) or (self._worse(self._run(sha)) if self._base else None)
        return worse or self._unmended(texts)

    def _gate(self, texts: Texts) -> Blame | None:
        change = read_change(self.ports.repository, self.state.base, self._commit(texts))
        issue = whole_issue(self.state, self.ports)
        facts = Facts(issue=issue, change=change, rewritten=self.snapshots)
        bad = next((gate for gate in review(facts) if gate.verdict is not Verdict.PASS), None)
        return Blame(why=f"is refused by the gate '{bad.gate}': {bad.reason}", lasting=True) if bad else None

    def _unmended(self, texts: Texts) -> Blame | None:
        """Snapshots that are rewritten for a test that is red all the same: others of its own are not."""
        known = [one for one in self._known or () if one.location.path in self.snapshots & texts.keys()]
        if not known:
            return None
        after = self.composer.findings(texts, (".",), (Kind.TEST_FAILURE,))
        red = red_all_the_same(fixed(known, after), after)
        if not red:
            return None
        self.unmended = True
        paths = tuple(dict.fromkeys(one.location.path for one in red))
        return Blame(why=f"leaves its test as red as it was: {red[0].message}", lasting=True, paths=paths)

    def _fresh(self, texts: Texts) -> Blame | None:
        """What any tool finds in these files that was not there before."""
        if not texts or self._known is None:
            return None
        return _brought(self._known, self.composer.findings(texts, sorted(texts), looked_for(self.state)))

    def _fresh_at_once(self, texts: Texts) -> Blame | None:
        """The same by the quickest tool, which looks at each file once for each text of it."""
        if not texts or self._known is None:
            return None
        todo = [path for path in sorted(texts) if (path, texts[path]) not in self._seen]
        if todo:
            found = self.composer.findings(texts, todo, (), looked_for(self.state))
            for path in todo:
                mine = tuple(one for one in found if one.location.path == path and _is_quick(one))
                self._seen[path, texts[path]] = mine
        now = [one for path in sorted(texts) for one in self._seen[path, texts[path]]]
        return _brought(filter(_is_quick, self._known), now)

    @cached_property
    def _known(self) -> tuple[Finding, ...] | None:
        """The findings at the base; None if new ones are not asked for."""
        known = base_findings(self.state, self.ports)
        return known if self.state.base == self.state.context.base else None

    def _unimported(self, sha: str, only: Iterable[str] = ()) -> Blame | None:
        """What can't be imported at a commit as it could at the base; these modules are tried from now on."""
        broken = broken_imports(self.state, self.ports, sha, sorted(only))
        if not broken.modules:
            return None
        self.unimported |= {one.module for one in broken.modules}
        more = f" and {len(broken.ids) - 1} more" if len(broken.ids) > 1 else ""
        return Blame(why=f"breaks the {broken.ids[0]}{more}", lasting=True, paths=broken.places)

    def _still_wrong(self, texts: Texts) -> Blame | None:
        """What the imports and tests say that were wrong before, or all tests where they broke off."""
        if self.unimported and (why := self._unimported(self._commit(texts), self.unimported)):
            return why
        base = self._base if self.wrong or self.thorough else None
        if base is None:
            return None
        if self.thorough:
            return self._worse(self._run(self._commit(texts)))
        head = self._run(self._commit(texts), only=tuple(self.wrong))
        if head.trouble is not None and head.trouble is not Trouble.NO_TESTS:
            return self._troubled(head)
        return self._broken(head, judge_again(self.state, self.ports, base, head, self.wrong))

    def _worse(self, head: TestRun) -> Blame | None:
        """What a run of all tests says, which is remembered."""
        if self._base is None:
            return None
        if head.trouble is not None:
            self.thorough = True
            return self._troubled(head)
        seen = judge(self.state, self.ports, self._base, head)
        return self._broken(head, seen)

    def _broken(self, head: TestRun, seen: Comparison) -> Blame | None:
        """What is worse than at base, which is looked at from now on."""
        worse = seen.worse
        self._learn({test: seen.messages.get(test, "") for test in worse if test not in self.wrong})
        if not worse:
            return None
        some = f"{len(worse)} tests, such as {worse[0]}" if len(worse) > 1 else worse[0]
        traced = {case.id: case.where for case in head.cases}
        places = (place for test in worse for place in (traced.get(test, ""), test.partition("::")[0]))
        return Blame(why=f"breaks {some}", lasting=True, paths=tuple(dict.fromkeys(filter(None, places))))

    def _learn(self, fresh: Mapping[str, str]) -> None:
        """Look at these tests, too; beside all others, if at the base they do not pass alone."""
        if self._base is None or not fresh or self.thorough:
            return
        self.wrong |= fresh
        alone = self._run(self.state.base, only=tuple(fresh))
        if alone.trouble is not None and alone.trouble is not Trouble.NO_TESTS:
            raise StoppedError(alone)
        seen = judge_again(self.state, self.ports, self._base, alone, fresh)
        self.thorough = bool({*seen.worse, *seen.flaky} & {*fresh})

    def _troubled(self, head: TestRun) -> Blame:
        """What is to be said of trouble: the change is blamed only for what the whole of it came to, too."""
        known = head.trouble is Trouble.NO_TESTS or (
            head.trouble is not None and head.trouble.value in self.refused.validation_errors
        )
        if head.trouble not in _BROKEN or not known:
            raise StoppedError(head)
        return Blame(why=f"{_BROKEN[head.trouble]} ({head.detail})", lasting=False)

    @cached_property
    def _base(self) -> TestRun | None:
        """The tests at the base, None if there are none; raises StoppedError where nothing can be said."""
        if self._command is None:
            return None
        base = self._run(self.state.base)
        if base.trouble is Trouble.NO_TESTS:
            return None
        if base.trouble is not None:
            raise StoppedError(base)
        return base

    @cached_property
    def _command(self) -> tuple[str, ...] | None:
        return find_command(self.state, self.ports)

    def _run(self, sha: str, only: tuple[str, ...] = ()) -> TestRun:
        limit = self.state.preferences.test_timeout_s
        return self.ports.tests.run(self.state.context, sha, self._command or (), only=only, timeout_s=limit)

    def _commit(self, texts: Texts) -> str:
        return self.composer.commit(texts)


def _brought(known: Iterable[Finding], now: Sequence[Finding]) -> Blame | None:
    """The blame for what is found now and was not known."""
    paths = {one.location.path for one in now}
    return blamed(appeared([one for one in known if one.location.path in paths], now))


def blamed(fresh: Sequence[Finding]) -> Blame | None:
    """The blame for findings that are new; None if there are none."""
    if not fresh:
        return None
    places = tuple(dict.fromkeys(one.location.path for one in fresh))
    return Blame(why=f"brings a new finding: {left(fresh[0], '').what}", lasting=True, paths=places)


def _is_quick(finding: Finding) -> bool:
    """Whether the quickest tool alone would tell the finding just so."""
    return finding.tool == QUICKEST and not is_second(finding)
