"""A pytest plugin that writes down, line by line as JSON, what each test does.

It is copied as it is into the process of foreign tests: one file, standard library only, Python >= 3.8,
pytest >= 6. `--sparky-plan FILE` names a JSON object: `report`, the file to write; `modules`, the names whose
origin to report; `only`, the node ids to run (null: all).
"""

from __future__ import annotations

import json
import os
import re
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from types import TracebackType

_MESSAGE_LIMIT = 4000
_ADDRESS = re.compile(r"(?<=\bat )0x[0-9a-fA-F]{6,}")
_LIBRARY = os.path.dirname(os.__file__)  # noqa: PTH120 - a prefix of names, not a path to walk


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("sparky").addoption("--sparky-plan", default=None)


def pytest_configure(config: pytest.Config) -> None:
    path = config.getoption("sparky_plan")
    if path is not None:
        plan = json.loads(Path(path).read_text(encoding="utf-8"))
        config.pluginmanager.register(
            Recorder(plan, is_worker=hasattr(config, "workerinput")), "sparky-recorder"
        )


class Recorder:
    """Writes each event as it happens: what is written survives a crash, and says what was running."""

    def __init__(self, plan: dict[str, Any], *, is_worker: bool) -> None:
        self.plan = plan
        self.is_worker = is_worker
        self.pid = os.getpid()
        self.names: dict[str, str] = {}
        self.alike: dict[str, int] = {}
        # A bare descriptor: an open file would be reported as leaked by suites that look for such.
        self.file = os.open(plan["report"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self.write("session", pytest=pytest.__version__)

    def write(self, event: str, **values: Any) -> None:
        # A child that a test forked inherits these hooks, and its results are not the suite's.
        if os.getpid() == self.pid:
            os.write(self.file, json.dumps(dict(values, event=event)).encode() + b"\n")

    def name(self, nodeid: str) -> str:
        """The id without addresses, which are others in each run; of several alike the later have numbers."""
        plain = _ADDRESS.sub("0x...", nodeid)
        if plain == nodeid:
            return nodeid
        if nodeid not in self.names:
            count = self.alike[plain] = self.alike.get(plain, 0) + 1
            self.names[nodeid] = plain if count == 1 else f"{plain} #{count}"
        return self.names[nodeid]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        named = [(self.name(item.nodeid), item) for item in items]
        only = self.plan["only"]
        if only is not None:
            wanted = set(only)
            dropped = [item for name, item in named if name not in wanted]
            items[:] = [item for name, item in named if name in wanted]
            config.hook.pytest_deselected(items=dropped)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
        outcome = yield
        if call.excinfo is not None:
            report = outcome.get_result()
            report.sparky_message = describe(call.excinfo.type, call.excinfo.value)
            report.sparky_where, report.sparky_line = where(call.excinfo.tb)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if not self.is_worker:
            self.write("start", id=self.name(nodeid))

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        if not self.is_worker:
            self.write("end", id=self.name(nodeid))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        outcome = outcome_of(report)
        if outcome is None or self.is_worker:
            return
        message = message_of(report) if outcome in ("failed", "error") else ""
        place = getattr(report, "sparky_where", "") if message else ""
        line = getattr(report, "sparky_line", 0) if message else 0
        self.write(
            "phase",
            id=self.name(report.nodeid),
            outcome=outcome,
            message=message,
            seconds=report.duration,
            where=place,
            line=line,
        )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.is_worker:
            self.write("collect", id=report.nodeid, outcome="error", message=message_of(report))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        self.write("modules", files=origins(self.plan["modules"]))
        if not self.is_worker:
            self.write("finish")


def outcome_of(report: pytest.TestReport) -> str | None:
    """The outcome of one phase of a test; None for a phase that says nothing of its own."""
    if report.outcome == "passed" and report.when == "call":
        return "xpassed" if hasattr(report, "wasxfail") else "passed"
    if report.outcome == "skipped":
        return "xfailed" if hasattr(report, "wasxfail") else "skipped"
    if report.outcome == "failed":
        return "failed" if report.when == "call" else "error"
    return None


def describe(kind: type[BaseException], value: BaseException) -> str:
    """The exception as the last part of a traceback has it: type and message."""
    return "".join(traceback.format_exception_only(kind, value)[-1:])[:_MESSAGE_LIMIT]


def where(trace: TracebackType | None) -> tuple[str, int]:
    """File and line of the deepest frame that is of no library or installed package; "" and 0 if none is."""
    found = "", 0
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        if not path.startswith((_LIBRARY, "<")) and f"{os.sep}site-packages{os.sep}" not in path:
            found = path, trace.tb_lineno
        trace = trace.tb_next
    return found


def message_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """The exception's text: our own, else what pytest shows of it."""
    message = str(getattr(report, "sparky_message", ""))
    if message:
        return message
    lines = [line for line in str(report.longrepr or "").splitlines() if line.strip()]
    errors = [line[1:].strip() for line in lines if line.startswith("E ")]
    return ((errors or lines)[-1:] or [""])[0][:_MESSAGE_LIMIT]


def origins(names: Iterable[str]) -> dict[str, list[str]]:
    """The files that those of the modules came from that were imported, links resolved."""
    found = {}
    for name in names:
        module = sys.modules.get(name)
        if module is not None:
            path = getattr(module, "__file__", None)
            paths = [path] if path else list(getattr(module, "__path__", []))
            found[name] = [os.path.realpath(each) for each in paths]
    return found
