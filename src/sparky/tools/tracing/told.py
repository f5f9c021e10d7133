"""Watching by what Python tells of calls: from 3.12 on of those that are asked for, before of all."""

from __future__ import annotations

import opcode
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import types
    from collections.abc import Callable

    from .seen import Tracer

_TOOL = 4
"""The number by which `sys.monitoring` knows us: neither a debugger's nor coverage's."""
_GENERATORS = 0x20 | 0x80 | 0x200
"""Flags of code objects, as in `inspect`, which takes long to import."""


def monitor(tracer: Tracer, watch: Any) -> None:
    """Watch by `sys.monitoring`, which costs nothing where it is told not to look again."""

    def started(code: types.CodeType, _offset: int) -> object:
        one = tracer.of(code)
        if one is None or not one.wants():
            return watch.DISABLE
        tracer.entered(one, sys._getframe(1))  # noqa: SLF001 - the one way to the arguments
        return None

    def gave(slot: str) -> Callable[[types.CodeType, int, object], object]:
        def given(code: types.CodeType, _offset: int, value: object) -> object:
            one = tracer.of(code)
            if one is None or not one.wants(slot):
                return watch.DISABLE
            tracer.gave(one, slot, value)
            return None

        return given

    events = watch.events
    watch.use_tool_id(_TOOL, "sparky")
    watch.register_callback(_TOOL, events.PY_START, started)
    watch.register_callback(_TOOL, events.PY_RETURN, gave("return"))
    watch.register_callback(_TOOL, events.PY_YIELD, gave("yield"))
    watch.set_events(_TOOL, events.PY_START | events.PY_RETURN | events.PY_YIELD)


def profile(tracer: Tracer) -> None:
    """Watch the script by `sys.setprofile`: what raises gives None there, by no instruction that returns."""
    slots = {opcode.opmap["RETURN_VALUE"]: "return", opcode.opmap["YIELD_VALUE"]: "yield"}

    def seen(frame: types.FrameType, event: str, value: object) -> None:
        code = frame.f_code
        one = tracer.of(code) if event in ("call", "return") else None
        if one is None or one.path != tracer.script:
            return
        if event == "call":
            # A generator is entered often.
            if one.wants() and not (one.calls and code.co_flags & _GENERATORS):
                tracer.entered(one, frame)
        elif slot := slots.get(code.co_code[frame.f_lasti]):
            tracer.gave(one, slot, value)

    threading.setprofile(seen)
    sys.setprofile(seen)
