"""Whose turn it is after a red test, by what sparky itself saw. Unknown rather than a guess."""

import re
from dataclasses import dataclass
from enum import Enum

from sparky.domain.attempt import Responsibility
from sparky.domain.change import is_test_path

_FRAME = re.compile(r'^\s*File "([^"\n]+)", line (\d+)|^(\S[^:\n]*\.\w{1,5}):(\d+): ', re.MULTILINE)
_LOCAL = re.compile(r"\blocalhost\b|127\.0\.0\.1|\[::1\]|0\.0\.0\.0")
_MISSING = re.compile(
    r"No module named '([\w.]+)'|Cannot find module '([^'./][^']*)'|module provides package (\S+)"
)
_CODE = re.compile(r".*\.(?:pyi?|java|kt|[cm]?jsx?|tsx?|go|rs|rb|php|[ch](?:pp|c)?|cs|swift)")


class FailureClass(Enum):
    """How a test, or a run of tests, failed."""

    ASSERTION = "assertion"
    EXCEPTION = "exception"
    BROKEN_SOURCE = "broken source"
    MISSING_PACKAGE = "missing package"
    COMMAND_NOT_FOUND = "command not found"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    DISK = "disk"
    NETWORK = "network"
    UNKNOWN = "unknown"


_SIGNS = {
    FailureClass.DISK: (
        r"No space left on device|Errno 28\b|Disk quota exceeded|Errno 122\b|Read-only file system"
    ),
    FailureClass.OUT_OF_MEMORY: (
        r"\bMemoryError\b|Cannot allocate memory|[Oo]ut of memory|\bOOM\b|\bSIGKILL\b|\bsignal 9\b|^Killed\b"
    ),
    FailureClass.NETWORK: (
        r"Could not resolve host|Name or service not known|failure in name resolution|getaddrinfo failed"
        r"|Network is unreachable|No route to host|Connection (?:refused|reset|timed out)|ProxyError"
    ),
    FailureClass.COMMAND_NOT_FOUND: (
        r"command not found|exit code 127\b|^(?:/bin/)?(?:sh|bash|env): .{1,80}: (?:not found|No such file)"
    ),
    FailureClass.MISSING_PACKAGE: _MISSING.pattern,
    FailureClass.BROKEN_SOURCE: (
        r"\b(?:SyntaxError|IndentationError|TabError)\b|COMPILATION ERROR|cannot import name"
        r"|fixture '.{1,80}' not found"
    ),
    FailureClass.TIMED_OUT: r"\bTimeout(?:Error|Expired)?\b|\b[Tt]imed out\b|did not finish",
    FailureClass.ASSERTION: r"\bAssertionError\b|\bassert\b|DID NOT RAISE|AssertionFailedError",
    FailureClass.EXCEPTION: r"\b[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning)\b|panicked at",
}
_PATTERNS = {failure: re.compile(sign, re.MULTILINE) for failure, sign in _SIGNS.items()}


@dataclass(frozen=True, kw_only=True)
class RedFacts:
    """What is known of one red test at head. None: it was not looked at.

    `test_path` is the test's file, "" if the whole run failed. `deepest` is the file of the deepest frame of
    the trace that lies in the repository, or of the file that does not parse. `changed`: the paths of the
    diff. `red_at_base`: the test as it is at base is red there, `same_at_base`: in the same way.
    `new_test_red_at_base`: the test as it is at head is red on the code of base. `again`: it is red once more
    when it is run alone. `package` is the one that is missing; `package_added`: the diff brought its import;
    `package_declared`: the project declares it.
    """

    failure: FailureClass
    test_path: str = ""
    deepest: str | None = None
    changed: tuple[str, ...] = ()
    red_at_base: bool | None = None
    same_at_base: bool | None = None
    new_test_red_at_base: bool | None = None
    again: bool | None = None
    package: str = ""
    package_added: bool | None = None
    package_declared: bool | None = None

    @property
    def touches_source(self) -> bool:
        """Whether the diff changes code that is no test."""
        return any(_CODE.fullmatch(path) and not is_test_path(path) for path in self.changed)

    @property
    def touches_tests(self) -> bool:
        """Whether the diff changes tests, or what they share."""
        return any(is_test_path(path) for path in self.changed)


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """Whose turn it is, how sure that is (0..1; 0 for unknown), and the facts it rests on, for a person."""

    responsibility: Responsibility
    confidence: float
    facts: tuple[str, ...]


def classify(text: str) -> FailureClass:
    """How a message or a log says that it failed: what the machine lacks comes before what the code did.

    A connection that this very machine refuses is no trouble of the network.
    """
    for failure, sign in _PATTERNS.items():
        if sign.search(text):
            own = failure is FailureClass.NETWORK and _LOCAL.search(text)
            return FailureClass.EXCEPTION if own else failure
    return FailureClass.UNKNOWN


def missing_package(text: str) -> str:
    """The package that is missing, by the first part of its name; "" if none is."""
    found = _MISSING.search(text)
    name = next(filter(None, found.groups())) if found else ""
    return name if "/" in name else name.partition(".")[0]


def frames(trace: str) -> tuple[tuple[str, int], ...]:
    """File and line of every frame of a trace as Python or pytest prints it, the deepest last."""
    return tuple((found[1] or found[3], int(found[2] or found[4])) for found in _FRAME.finditer(trace))


def judge(facts: RedFacts) -> Judgement:
    """Whose turn it is by these facts."""
    if facts.red_at_base and facts.same_at_base:
        return _say(Responsibility.PRE_EXISTING, 0.95, "it fails at base too, in the same way")
    match facts.failure:
        case FailureClass.DISK:
            return _say(Responsibility.ENVIRONMENT, 0.95, "the disk is full, or can't be written")
        case FailureClass.COMMAND_NOT_FOUND:
            return _say(Responsibility.ENVIRONMENT, 0.9, "a command that is called is not installed")
        case FailureClass.NETWORK:
            return _network(facts)
        case FailureClass.MISSING_PACKAGE:
            return _package(facts)
        case FailureClass.TIMED_OUT | FailureClass.OUT_OF_MEMORY:
            return _exhausted(facts)
        case FailureClass.BROKEN_SOURCE:
            return _broken(facts)
        case FailureClass.ASSERTION | FailureClass.EXCEPTION:
            return _failed(facts)
        case FailureClass.UNKNOWN:
            return _unknown("the failure is of no known sort")


def _network(facts: RedFacts) -> Judgement:
    if facts.red_at_base is False and facts.again:
        return _unknown("the network fails the test at head, and not at base")
    return _say(Responsibility.ENVIRONMENT, 0.9, "the network can't be reached")


def _package(facts: RedFacts) -> Judgement:
    name = facts.package or "a package"
    if facts.package_added and facts.package_declared is False:
        who = _side(facts.deepest or facts.test_path)
        return _say(who, 0.9, f"the change imports {name}", f"the project does not declare {name}")
    if facts.package_added is None and facts.red_at_base is False:
        return _unknown(f"{name} is missing at head only", "nobody looked at who brought the import")
    said = f"{name} is declared" if facts.package_declared else "the change did not bring the import"
    return _say(Responsibility.ENVIRONMENT, 0.9, f"{name} is not installed", said)


def _exhausted(facts: RedFacts) -> Judgement:
    what = f"it was ended: {facts.failure.value}"
    if facts.red_at_base:
        return _say(Responsibility.ENVIRONMENT, 0.85, what, "at base as well")
    if facts.red_at_base is None or not facts.again:
        return _unknown(what, "it was not seen that it does so at head each time, and never at base")
    if facts.touches_source == facts.touches_tests:
        return _unknown(
            what, "the change touches both code and tests" if facts.changed else "nothing changed"
        )
    who = Responsibility.CODER if facts.touches_source else Responsibility.TESTER
    return _say(who, 0.8, what, "at base it runs through", f"the change is the {who.value}'s alone")


def _broken(facts: RedFacts) -> Judgement:
    if facts.deepest in facts.changed:
        return _say(
            _side(facts.deepest or ""), 0.9, f"{facts.deepest} can't be loaded", "the change wrote it"
        )
    if facts.red_at_base is False and facts.touches_source:
        said = f"{facts.deepest or 'a file'} can't be loaded, and could be at base"
        return _say(Responsibility.CODER, 0.8, said, "the change touches the code that it needs")
    return _unknown("what can't be loaded is not part of the change")


def _failed(facts: RedFacts) -> Judgement:
    if facts.again is False:
        return _unknown("it passed when it was run once more")
    own = facts.test_path in facts.changed
    source = facts.deepest is not None and not is_test_path(facts.deepest)
    if facts.new_test_red_at_base is False:
        return _say(Responsibility.CODER, 0.85, "the test passes on the code of base, and fails at head")
    if source and facts.deepest in facts.changed:
        return _say(Responsibility.CODER, 0.85, f"it breaks in {facts.deepest}, which the change wrote")
    if facts.red_at_base is False and not own and facts.touches_source and not facts.touches_tests:
        said = "the test is as it was, and passes at base"
        return _say(Responsibility.CODER, 0.9, said, "the change touches the code")
    if facts.red_at_base is False and facts.touches_tests and not facts.touches_source:
        return _say(Responsibility.TESTER, 0.85, "it passes at base", "the change touches tests alone")
    if facts.red_at_base is False and not own and facts.touches_source:
        return _say(Responsibility.CODER, 0.75, "the test is as it was, and passes at base")
    if own:
        return _unknown("the test is new or changed", "nothing but the test says what is right")
    return _unknown("it is not known how the test does at base, or it fails there in another way")


def _side(path: str) -> Responsibility:
    return Responsibility.TESTER if is_test_path(path) else Responsibility.CODER


def _say(who: Responsibility, confidence: float, *facts: str) -> Judgement:
    return Judgement(responsibility=who, confidence=confidence, facts=facts)


def _unknown(*facts: str) -> Judgement:
    return _say(Responsibility.UNKNOWN, 0.0, *facts)
