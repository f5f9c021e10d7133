import pytest
from queue_two_stacks import Queue


def filled(*values: int) -> Queue:
    queue = Queue()
    for value in values:
        queue.put(value)
    return queue


def check(queue: Queue, *, first: int, left: int) -> None:
    assert queue.get() == first
    assert len(queue) == left


def test_first_in_first_out() -> None:
    queue = filled(10, 20, 30)
    check(queue, first=10, left=2)
    check(queue, first=20, left=1)


def test_mixed() -> None:
    queue = filled(5)
    queue.put(6)
    assert queue.get() == 5
    queue.put(7)
    assert [queue.get(), queue.get()] == [6, 7]


def test_empty() -> None:
    with pytest.raises(IndexError):
        filled().get()
