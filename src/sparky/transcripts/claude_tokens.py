"""The tokens of Claude Code's answers, read without what the answers say.

Of a line in the usual shape all that stands between the names of the message and its tokens is left out, as
if there was no content; many such lines are decoded by one call.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

import msgspec
from stringzilla import find, rfind  # type: ignore[import-not-found]  # it is C alone

from sparky.transcripts.claude_entry import SYNTHETIC
from sparky.transcripts.jsonl import NEWLINE
from sparky.transcripts.model import Usage

TYPE = b'"type":"'
_TYPE_LENGTH = len(TYPE)
_MESSAGE = b'"message":{'
_USAGE, _NULL = b'null,"usage":', len(b"null,")
"""What stands before a message's own tokens is `stop_sequence` or `stop_details`, and null."""


class _Spent(msgspec.Struct, gc=False):
    ephemeral_1h_input_tokens: int | None = None


class _Tokens(msgspec.Struct, gc=False):
    """In the order in which they are written: so they are found soonest."""

    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation: _Spent | None = None
    output_tokens: int = 0


_Name = Annotated[str, msgspec.Meta(min_length=1)]


class _Message(msgspec.Struct, gc=False):
    """The parts of a message that cost: the rest is checked, but never built."""

    model: _Name
    id: _Name
    usage: _Tokens


class _Answer(msgspec.Struct, gc=False):
    message: _Message
    type: Literal["assistant"]


_decoder = msgspec.json.Decoder(_Answer)


class Answers:
    """The largest snapshot of the tokens of each message."""

    def __init__(self) -> None:
        self._largest: dict[str, _Message] = {}
        self._noted: dict[int, bytes] = {}

    def note(self, run: bytes, begin: int, at: int, stop: int) -> None:
        """Remember a line of a run until it is settled. The first type of the line begins at `at`."""
        tokens = find(run, _USAGE, at, stop)
        # The last message before the tokens: a line that was torn, and went on as another one, may have two.
        first = rfind(run, _MESSAGE, begin, tokens) if tokens > 0 else -1
        if 0 <= first < at:
            # Were they another's tokens, braces would be left over.
            self._noted[begin] = run[begin : at - _TYPE_LENGTH] + run[tokens + _NULL : stop]
        else:
            self._noted[begin] = run[begin:stop]

    def settle(self, run: bytes) -> list[tuple[int, int]]:
        """Count what was noted of a run; where the lines begin and end that are no answers that cost."""
        noted, self._noted = self._noted, {}
        try:
            found = _decoder.decode_lines(NEWLINE.join(noted.values()))
        except (ValueError, RecursionError):
            found = []
        if len(found) == len(noted):
            self._count(found)
            return []
        lines = ((begin, find(run, NEWLINE, begin)) for begin in noted)  # one of them spoiled all
        return [(begin, stop) for begin, stop in lines if not self._alone(run[begin:stop])]

    def usage(self) -> Iterator[Usage]:
        """The tokens of every message, in the order in which they were first told."""
        for message in self._largest.values():
            spent = message.usage
            kept = spent.cache_creation
            told = (
                message.id,
                message.model,
                spent.input_tokens or 0,
                spent.output_tokens,
                spent.cache_creation_input_tokens or 0,
                (kept.ephemeral_1h_input_tokens or 0) if kept else 0,
                spent.cache_read_input_tokens or 0,
            )
            yield tuple.__new__(Usage, told)  # Usage(...) calls the same, in three times the time

    def _alone(self, line: bytes) -> bool:
        try:
            self._count([_decoder.decode(line)])
        except (ValueError, RecursionError):
            return False
        return True

    def _count(self, answers: Iterable[_Answer]) -> None:
        largest = self._largest
        for answer in answers:
            message = answer.message
            if message.model != SYNTHETIC:
                known = largest.get(message.id)
                if known is None or message.usage.output_tokens >= known.usage.output_tokens:
                    largest[message.id] = message
