"""A run as a trace: one for the run, a span for each stage and each session."""

from dataclasses import replace

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from sparky.adapters.traces import write
from sparky.domain.attempt import Stage, Verdict
from sparky.domain.state import End, Outcome, PipelineState
from tests.builders import RUN, changed, sha, state_of, visited

AT = "2026-11-21T10:00:00+00:00"


def spans(state: PipelineState) -> dict[str, ReadableSpan]:
    kept = InMemorySpanExporter()
    write(state, kept)
    return {span.name: span for span in kept.get_finished_spans()}


def test_a_segment_is_a_span_with_its_stages_and_their_sessions() -> None:
    work = replace(changed("coder", sha("a")), started=AT, seconds=2.5, tokens=70, cost_usd=0.2)
    work = replace(work, blobs={"session": "d"})
    review = replace(visited(Stage.REVIEW, Verdict.REVISE), started="2026-11-21T10:00:03+00:00", seconds=1.0)
    review = replace(review, blobs={"session of critic": "d"})
    state = state_of(work, review).ended(End(outcome=Outcome.FAILED, reason="no"))
    found = spans(state)
    whole, stage, session = found[f"run {RUN}"], found["execute 1"], found["invoke_agent coder"]
    assert set(found) == {f"run {RUN}", "execute 1", "review 1", "invoke_agent coder", "invoke_agent critic"}
    assert whole.attributes == {
        "sparky.run": RUN,
        "sparky.issue": "7",
        "sparky.segment": 1,
        "sparky.outcome": "failed",
    }
    assert session.attributes == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "coder",
        "gen_ai.conversation.id": RUN,
        "gen_ai.usage.total_tokens": 70,
        "sparky.cost_usd": 0.2,
    }
    assert (stage.parent, session.parent) == (whole.context, stage.context)
    assert ((whole.end_time or 0) - (whole.start_time or 0)) == 4_000_000_000
    assert [name for name, span in found.items() if not span.status.is_ok and span.status.description] == [
        "review 1"
    ]


def test_what_is_written_twice_has_the_same_ids_and_all_segments_are_one_trace() -> None:
    work = replace(changed("coder", sha("a")), started=AT)
    state = state_of(work).ended(End(outcome=Outcome.READY, reason="so"))
    later = state.next_segment(state.preferences).record(work).ended(state.ends[0])
    found = [spans(run)["execute 1"].context for run in (state, state, later)]
    traces, ids = [one and one.trace_id for one in found], [one and one.span_id for one in found]
    assert len(set(traces)) == 1
    assert ids[0] == ids[1] != ids[2]


def test_a_segment_in_which_nothing_was_done_is_no_span() -> None:
    assert spans(state_of().ended(End(outcome=Outcome.READY, reason="so"))) == {}
