"""Watching what functions are called with: our tracer, put beside the tests in every Python they start."""

import importlib.resources
import json
from collections.abc import Iterable
from pathlib import Path

_TRACER = "trace_calls.py"
_START = "import sparky_trace_calls\n\nsparky_trace_calls.start({roots!r}, {out!r})\n"


def start(place: Path, roots: Iterable[Path]) -> None:
    """Have the functions below `roots` watched in a run in a scratch `place`."""
    plugin = place / "plugin"
    source = importlib.resources.files("sparky") / "tools" / _TRACER
    (plugin / f"sparky_{_TRACER}").write_bytes(source.read_bytes())
    told = _START.format(roots=[str(root) for root in roots], out=str(place / "out"))
    (plugin / "sitecustomize.py").write_text(told, encoding="utf-8")


def gathered(out: Path) -> bytes:
    """What all processes saw, as one; a file that a process did not finish counts for nothing."""
    functions: list[object] = []
    classes: dict[str, object] = {}
    for file in sorted(out.glob("calls-*.json")):
        try:
            told = json.loads(file.read_bytes())
        except ValueError:
            continue
        functions += told["functions"]
        classes |= told["classes"]
    return json.dumps({"functions": functions, "classes": classes}).encode()
