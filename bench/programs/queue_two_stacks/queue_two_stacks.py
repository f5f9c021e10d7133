"""A queue made of two stacks."""


class Queue:
    """First in, first out."""

    def __init__(self) -> None:
        self._back: list[int] = []
        self._front: list[int] = []

    def put(self, value: int) -> None:
        """Add a value at the end."""
        self._back.append(value)

    def get(self) -> int:
        """Take the first value; raises IndexError if there is none."""
        if not self._front:
            while self._back:
                self._front.append(self._back.pop())
        return self._front.pop()

    def __len__(self) -> int:
        return len(self._back) + len(self._front)
