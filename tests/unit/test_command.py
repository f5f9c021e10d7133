"""What a command said, as it is kept."""

import pytest

from sparky.domain.command import Completed, Ending


@pytest.mark.parametrize(("dropped", "gap"), [(0, b""), (9, b"\n(9 bytes left out of the middle)\n")])
def test_what_was_said_tells_how_much_of_it_is_not_there(dropped: int, gap: bytes) -> None:
    done = Completed(
        argv=(), ending=Ending.EXITED, code=0, stdout=b"a\n", stderr=b"b", seconds=0.1, dropped=dropped
    )
    assert done.said() == b"a\nb" + gap
