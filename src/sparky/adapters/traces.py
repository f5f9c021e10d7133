"""Traces of runs, as OpenTelemetry has them (the optional extra `otel`), from what is recorded of a segment.

Ids follow from the run: what is written twice, after a kill, is the same span twice.
"""

import hashlib
from collections.abc import Iterator
from datetime import datetime
from itertools import count

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.trace import Span, Status, StatusCode, Tracer, set_span_in_context

from sparky.domain.attempt import Attempt, Verdict
from sparky.domain.state import PipelineState

_SESSION = "session"


def send(state: PipelineState, endpoint: str) -> None:
    """Send the newest segment to a collector, by OTLP over HTTP; one that does not answer is given up."""
    write(state, OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces", timeout=2))


def write(state: PipelineState, exporter: SpanExporter) -> None:
    """One trace for the run; a span for the newest segment, for each stage in it, and for each session."""
    attempts = [attempt for attempt in state.attempts[state.segment_start :] if attempt.started]
    if not attempts:
        return
    provider = TracerProvider(
        resource=Resource.create({"service.name": "sparky"}), id_generator=_Ids(state), shutdown_on_exit=False
    )
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("sparky")
    whole = tracer.start_span(f"run {state.run_id}", start_time=_start(attempts[0]))
    whole.set_attribute("sparky.run", state.run_id)
    whole.set_attribute("sparky.issue", state.issue.id)
    whole.set_attribute("sparky.segment", state.segment)
    whole.set_attribute("sparky.outcome", state.ends[-1].outcome.value)
    for attempt in attempts:
        _stage(tracer, whole, attempt, state)
    whole.end(_end(attempts[-1]))
    provider.shutdown()


def _stage(tracer: Tracer, whole: Span, attempt: Attempt, state: PipelineState) -> None:
    name = f"{attempt.stage.value} {attempt.number}"
    span = tracer.start_span(name, set_span_in_context(whole), start_time=_start(attempt))
    span.set_attribute("sparky.stage", attempt.stage.value)
    span.set_attribute("sparky.verdict", attempt.verdict.value)
    span.set_attribute("sparky.reason", attempt.reason)
    if attempt.verdict is not Verdict.PASS:
        span.set_status(Status(StatusCode.ERROR, attempt.reason))
    for agent in _sessions(attempt):
        inner = tracer.start_span(
            f"invoke_agent {agent}", set_span_in_context(span), start_time=_start(attempt)
        )
        inner.set_attribute("gen_ai.operation.name", "invoke_agent")
        inner.set_attribute("gen_ai.agent.name", agent)
        inner.set_attribute("gen_ai.conversation.id", state.run_id)
        inner.set_attribute("gen_ai.usage.total_tokens", attempt.tokens)
        inner.set_attribute("sparky.cost_usd", attempt.cost_usd)
        inner.end(_end(attempt))
    span.end(_end(attempt))


def _sessions(attempt: Attempt) -> Iterator[str]:
    """The agents that had a session in an attempt."""
    for name in attempt.blobs:
        if name == _SESSION:
            yield attempt.agent
        elif name.startswith(f"{_SESSION} of "):
            yield name.removeprefix(f"{_SESSION} of ")


def _start(attempt: Attempt) -> int:
    """When an attempt began, in nanoseconds since 1970."""
    return int(datetime.fromisoformat(attempt.started).timestamp() * 1_000_000_000)


def _end(attempt: Attempt) -> int:
    return _start(attempt) + int(attempt.seconds * 1_000_000_000)


class _Ids(IdGenerator):
    """Ids made of the run's id, the segment's number, and how many spans came before."""

    def __init__(self, state: PipelineState) -> None:
        self._run = state.run_id
        self._segment = state.segment
        self._spans = count()

    def generate_trace_id(self) -> int:
        return self._made(self._run, 16)

    def generate_span_id(self) -> int:
        return self._made(f"{self._run}.{self._segment}.{next(self._spans)}", 8)

    def _made(self, text: str, size: int) -> int:
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:size], "big")
