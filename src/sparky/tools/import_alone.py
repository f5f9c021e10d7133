"""Which modules can be imported, each in a process of its own: a program in the Python of the target's tests.

It is copied as it is: one file, standard library only, Python >= 3.8. It is told by a file of JSON:
`modules`, with the file of each or null, which are imported alone; `beside`, which are imported together, and
alone where they fail so; `report`, the file to write; `seconds` for each, and `whole` for all. A line of the
report: `module`, `why` it can't be imported, "" if it can, and the modules that it failed `through`, the
deepest first. What there was no time for has none.

What others than the target offer is loaded once: each import is a fork of that process.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

_LIMIT = 2000


def main(plan: Path) -> None:
    """Write the report."""
    told = json.loads(plan.read_text(encoding="utf-8"))
    files = {**told["modules"], **told["beside"]}
    until = time.monotonic() + told["whole"]
    compile_once([file for file in files.values() if file], until - told["whole"] / 2)
    failed, foreign = together(list(files), told, until)
    for name in foreign:
        imported(name)
    report = Path(told["report"])
    for name in dict.fromkeys([*told["modules"], *failed]):
        if time.monotonic() > until:
            break
        ended = forked(partial(alone, report, name), told["seconds"])
        if ended:
            write(report, {"module": name, "why": ended, "through": []})


def alone(report: Path, name: str) -> None:
    """Report on a module that is imported here."""
    write(report, imported(name))


def compile_once(files: list[str], until: float) -> None:
    """Compile sources here, while there is time: no fork has to do it again."""
    known: dict[str, Any] = {}
    compiled = SourceFileLoader.get_code

    def get_code(self: Any, fullname: str) -> Any:
        return known.get(self.path) or compiled(self, fullname)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
    for file in files:
        if time.monotonic() > until:
            break
        try:
            known[os.path.realpath(file)] = known[file] = compile(Path(file).read_bytes(), file, "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
            continue


def together(names: list[str], told: dict[str, Any], until: float) -> tuple[list[str], list[str]]:
    """Those that fail in one process for all, and the modules of others that were loaded there.

    After one that ends the process the next begins another.
    """
    place = Path(told["report"] + ".together")
    ours = {name.partition(".")[0] for name in names}

    def all_of(rest: list[str]) -> None:
        for name in rest:
            signal.setitimer(signal.ITIMER_REAL, told["seconds"])
            write(place, {"module": name, "why": imported(name)["why"]})
        write(place, {"foreign": [name for name in sys.modules if "." not in name and name not in ours]})

    said: list[dict[str, Any]] = []
    rest = names
    while rest and time.monotonic() < until:
        forked(partial(all_of, rest), told["seconds"])
        said = [json.loads(line) for line in place.read_text("utf-8").splitlines()] if place.exists() else []
        done = [line["module"] for line in said if "module" in line]
        rest = names[len(done) :]
        if rest:
            write(place, {"module": rest[0], "why": "it ends the process"})
            rest = rest[1:]
    foreign = [name for line in said for name in line.get("foreign", ()) if name not in sys.modules]
    return [line["module"] for line in said if line.get("why")], foreign


def imported(name: str) -> dict[str, Any]:
    """The line for a module that is imported here."""
    try:
        __import__(name)
    except BaseException as error:  # noqa: BLE001 - a module may raise anything, or exit
        text = "".join(traceback.format_exception_only(type(error), error)[-1:]).strip()
        trace = [*traceback.walk_tb(error.__traceback__)][1:]
        names = [str(frame.f_globals.get("__name__")) for frame, _ in reversed(trace)]
        ours = [one for one in names if not one.startswith("importlib")]
        return {"module": name, "why": text[:_LIMIT] or "it exits", "through": list(dict.fromkeys(ours))}
    return {"module": name, "why": "", "through": []}


def forked(work: Callable[[], None], seconds: float) -> str:
    """Do it in a fork of this process; how that ended, "" if of itself."""
    pid = os.fork()
    if not pid:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        try:
            work()
        finally:
            os._exit(0)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        late = os.WTERMSIG(status) == signal.SIGALRM
        return f"takes more than {seconds:g} s" if late else f"dies of signal {os.WTERMSIG(status)}"
    return f"ends its process with code {os.WEXITSTATUS(status)}" if status else ""


def write(place: Path, line: dict[str, Any]) -> None:
    """One line more of a file, whole or not at all."""
    with place.open("ab", buffering=0) as file:
        file.write(json.dumps(line).encode() + b"\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
