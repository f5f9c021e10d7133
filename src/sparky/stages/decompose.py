"""DECOMPOSE: an issue is taken apart into its deliverables, each after what it needs."""

from dataclasses import replace

from sparky.domain.attempt import Attempt, Trait, Verdict
from sparky.domain.issue import Issue, issue_key
from sparky.domain.plan import CircularPlanError, child_of, ordered
from sparky.domain.state import Handoff, PipelineState
from sparky.formats.values_json import decode, encode
from sparky.ports import Ports


def perform(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    """The plan: of the issues that this one consists of, or of what an agent said it consists of."""
    digests = state.issue.children or tuple(ports.blobs.put(encode(issue)) for issue in _said(state))
    issues = [decode(ports.blobs.get(digest), Issue) for digest in digests]
    children = [child_of(issue, digest) for issue, digest in zip(issues, digests, strict=True)]
    try:
        plan = ordered(children)
    except CircularPlanError as error:
        step = f"say in issue {state.issue.id} what comes first, then run it again"
        return replace(handoff.begin(Verdict.ESCALATE, str(error)), items=(step,))
    names = ", then ".join(child.title for child in plan)
    return replace(handoff.begin(Verdict.PASS, f"{len(plan)} deliverables: {names}"), plan=plan)


def _said(state: PipelineState) -> list[Issue]:
    """The deliverables that an agent named, as issues."""
    whole = state.issue
    named = next((a.items for a in reversed(state.attempts) if Trait.COMPLEX in a.traits), ())
    return [
        replace(
            whole,
            id=f"{whole.id}.{number}",
            key=issue_key(state.context.git_dir, whole.source, f"{whole.key} {text}"),
            title=text,
            body=f"One part of issue {whole.id}, {whole.title}:\n\n{whole.body}",
            constraints=("do this part only, and leave the others to their own turn", *whole.constraints),
            criteria=(),
            parent_issue=whole.id,
            order=number,
        )
        for number, text in enumerate(named, 1)
    ]
