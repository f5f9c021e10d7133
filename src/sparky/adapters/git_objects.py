"""git's objects, which never change: answers about them remembered, many read at once."""

import re
from collections.abc import Iterator
from threading import Lock

_REMEMBERED = 2**25
"""How many bytes of answers are remembered, in all."""
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Memory:
    """Answers that stay true, for several threads; what was put in first is forgotten first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._answers: dict[tuple[str, ...], bytes] = {}
        self._size = 0

    def find(self, question: tuple[str, ...]) -> bytes | None:
        """The answer; None if it is not known."""
        return self._answers.get(question)

    def put(self, question: tuple[str, ...], answer: bytes) -> None:
        """Remember an answer."""
        with self._lock:
            self._size += len(answer) - len(self._answers.pop(question, b""))
            self._answers[question] = answer
            while self._size > _REMEMBERED:
                self._size -= len(self._answers.pop(next(iter(self._answers))))


def is_sha(name: str) -> bool:
    """Whether an object is named in full, so that the name never means another."""
    return _SHA.fullmatch(name) is not None


def batched(output: bytes) -> Iterator[bytes]:
    """The objects that `cat-file --batch` printed: a line that ends with the size, the bytes, a newline."""
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        size = int(output[at:end].split()[2])
        yield output[end + 1 : end + 1 + size]
        at = end + size + 2
