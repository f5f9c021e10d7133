"""A stack of deterministic fixes: each kind is a commit, a set of units that can be applied again."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sparky.domain.agent import ToolFix
from sparky.domain.attempt import Trait
from sparky.domain.command import Completed
from sparky.domain.finding import Finding
from sparky.domain.issue import Kind
from sparky.domain.state import PipelineState
from sparky.evidence.answers import answered
from sparky.evidence.change import UNITS, Applied, syntax_error
from sparky.evidence.detect import bind
from sparky.evidence.failing import Hear
from sparky.evidence.running import reader, run_tool
from sparky.evidence.tests import find_command, is_untested
from sparky.formats.values_json import decode
from sparky.ports import Ports
from sparky.tools.failing.snapshots import STALE
from sparky.tools.table import TOOLS
from sparky.tools.tool import Argv, Tool, ToolError, Unit

_UNVERIFIED = "Unverified by tests: there is none that passes."
_ASKED = "Stale snapshots are rewritten, as asked (--update-snapshots): look at them.\n"


@dataclass(frozen=True, kw_only=True)
class Layer:
    """One commit of the stack."""

    part: int
    kind: Kind
    agent: str
    works: ToolFix
    units: tuple[Unit, ...]

    @property
    def snapshots(self) -> frozenset[str]:
        """The snapshots that it rewrites, which happens only where that was asked for."""
        return frozenset(unit.path for unit in self.units if unit.rule == STALE)


def layers(state: PipelineState, ports: Ports) -> tuple[Layer, ...] | None:
    """The stack of a run so far; None if an agent worked on it whose work can't be applied again."""
    works = {agent.name: agent.works for agent in ports.agents}
    stack: dict[int, Layer] = {}
    for attempt in state.attempts:
        if Trait.CHANGED not in attempt.traits:
            continue
        if UNITS not in attempt.blobs:
            return None
        for part, units in decode(ports.blobs.get(attempt.blobs[UNITS]), Applied):
            agent = stack[part].agent if part in stack else attempt.agent
            how = works[agent]
            if not isinstance(how, ToolFix):
                return None
            kind = state.routes[part].kind
            stack[part] = Layer(part=part, kind=kind, agent=agent, works=how, units=units)
    return tuple(stack[part] for part in sorted(stack) if stack[part].units)


def apply(
    ports: Ports,
    root: Path,
    works: ToolFix,
    units: Sequence[Unit],
    before: Sequence[Finding],
    *,
    shown: Callable[[], Path | None],
    hear: Hear,
) -> None:
    """Apply units in a worktree, and keep clean what was clean `before`; raises ToolError.

    `shown` gives the file with what the target's tests showed, for a tool that learns from it; None: nothing.
    `hear` says what they say where the files are such.
    """
    touched = sorted({unit.path for unit in units if unit.rule != STALE})
    for name in works.tools:
        tool = bind(ports, name, root)
        mine = [unit for unit in units if unit.tool == name]
        _run(ports, root, tool.replay(mine, works.unsafe))
        traces = str(shown() or "") if mine and tool.learns else ""
        offers = _Offers(traces=traces, said={}, hear=hear)
        for group in _groups([unit for unit in mine if tool.patches(unit)], whole=tool.learns):
            _patch(ports, root, tool, group, offers)
    for name in TOOLS:
        tool = bind(ports, name, root)
        _run(ports, root, tool.replay(tool.tidy(before, touched)))


def _run(ports: Ports, root: Path, commands: Sequence[Argv]) -> None:
    for argv in commands:
        done = run_tool(ports, root, argv)
        if not done.ok:
            raise ToolError(f"{argv[0]} {done.ending.value} with code {done.code}: {done.text()[-500:]}")


@dataclass(frozen=True, kw_only=True)
class _Offers:
    """What was offered for the whole target: edits of other files leave it as it is."""

    traces: str
    said: dict[Argv, Completed]
    hear: Hear


def _groups(units: Sequence[Unit], *, whole: bool) -> list[tuple[Unit, ...]]:
    """The units by file if what was offered holds for a `whole` file as it was, else each by itself."""
    keys = dict.fromkeys(unit.path if whole else unit for unit in units)
    return [tuple(unit for unit in units if key in {unit, unit.path}) for key in keys]


def _patch(ports: Ports, root: Path, tool: Tool, units: tuple[Unit, ...], offers: _Offers) -> None:
    """Edit for some findings of a file: all at once if it parses then, else one after the other.

    Each edit is sound alone, two together may leave a block empty. The last in the file goes first, since
    that leaves the names of those before it as they are.
    """
    unit = units[0]

    def edited(some: tuple[Unit, ...]) -> bytes:
        if tool.hears:
            there = reader(root)
            heard = offers.hear({unit.path: there(unit.path) or b""})
            return tool.patch(heard, some, there)
        argv = tool.offer(unit, offers.traces)
        if not tool.learns or argv not in offers.said:
            with ports.waiting(lambda: (tool.name,)):
                offers.said[argv] = (answered if tool.learns else run_tool)(ports, root, argv)
        return tool.patch(offers.said[argv], some, reader(root))

    file = root / unit.path
    together = edited(units)
    if not unit.path.endswith(".py") or syntax_error(together) is None:
        file.write_bytes(together)
        return
    for one in units:
        for mark in reversed(one.only):
            file.write_bytes(edited((replace(one, only=(mark,)),)))


def message(layer: Layer, state: PipelineState, ports: Ports, count: int) -> str:
    """The commit message of a layer that mends so many findings: what was done, and what vouches for it."""
    files = len({unit.path for unit in layer.units})
    rules = ", ".join(sorted({unit.rule for unit in layer.units}))
    tools = ", ".join(sorted({unit.tool for unit in layer.units}))
    tests = None if is_untested(state) else find_command(state, ports)
    judged = f"Merged only where no test is worse than before: {shlex.join(tests)}" if tests else _UNVERIFIED
    return (
        f"{layer.kind.value}: mend {count} finding(s) in {files} file(s)\n\n"
        f"By {tools}: {rules}\n"
        "Each finding was looked for again afterwards; nothing new appeared in these files.\n"
        f"{_ASKED if layer.snapshots else ''}"
        f"{judged}\n\n"
        f"Sparky-Run: {state.run_id}\n"
    )
