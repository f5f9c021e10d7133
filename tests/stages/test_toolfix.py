"""EXECUTE by a tool: what its fixes bring is mended with them, and what a person refused is not."""

from sparky.domain.agent import Route
from sparky.domain.attempt import Attempt, Stage, Trait, Verdict
from sparky.domain.finding import fingerprint
from sparky.domain.issue import Issue, Kind, Source
from sparky.evidence.detect import detect
from sparky.formats.values_json import encode
from tests.builders import CONTEXT
from tests.stages.stand import Stand, real_ruff

FILLS = b"def f(i):\n    return dict((p, i) for p in range(5))\n\n\n"
KEPT = b"def g(i):\n    return {p: i for p in range(5)}\n"


def test_bug_what_was_refused_was_mended_with_what_a_fix_of_the_same_file_brought(stand: Stand) -> None:
    stand.tool, kind = real_ruff, Kind.PERFORMANCE
    ports = stand.house.ports
    base = stand.commit({"a.py": FILLS + KEPT})
    root = ports.repository.open("look", "look", base)
    found = detect(ports, root, base, (kind,)).findings
    assert [(one.rule, one.location.symbol) for one in found] == [("C402", "f"), ("C420", "g")]
    ports.refusals.refuse(CONTEXT.git_dir, {fingerprint(found[1]): "a person wants it so"})
    known = stand.house.blobs.put(encode(found))
    stand.issue = Issue(id="fix", key="k", title="Fix", source=Source.FINDINGS, kinds=(kind,), findings=known)
    route = Route(kind=kind, agent="performance", fallbacks=(), bids=())
    routed = Attempt(stage=Stage.ROUTE, number=1, verdict=Verdict.PASS, reason="routed", route=(route,))
    attempt = stand.perform(Stage.EXECUTE, stand.state(base, routed), agent="performance")
    assert (attempt.verdict, attempt.traits) == (Verdict.PASS, (Trait.CHANGED, Trait.UNSHOWN)), attempt.reason
    expected = b"def f(i):\n    return dict.fromkeys(range(5), i)\n\n\n" + KEPT
    assert ports.repository.read(attempt.sha or "", "a.py") == expected
