"""What `cargo test` prints for people: tests on standard output, the binaries they are in on the other."""

import re
from collections.abc import Iterator

from sparky.domain.testing import TestCase, TestOutcome
from sparky.targets.suites.cases import merged, one_line

_BINARY = re.compile(
    r"^ +(?:Running (?:unittests )?(?P<path>\S+) \((?P<binary>\S+)\)|Doc-tests (?P<doc>\S+))$", re.MULTILINE
)
_BLOCK = re.compile(r"^running \d+ tests?$(?P<text>.*?)(?=^test result: |\Z)", re.MULTILINE | re.DOTALL)
_TEST = re.compile(
    r"^test (?P<name>\S.*?)(?: - (?:should panic|compile|compile fail))? \.\.\. "
    r"(?P<said>ok|FAILED|ignored|bench:)(?:[ ,].*)?$",
    re.MULTILINE,
)
_SECTION = re.compile(r"^---- (?P<name>.+?)(?: - should panic)? stdout ----$", re.MULTILINE)
_LINE = re.compile(r" \(line \d+\)$")
_PANIC = re.compile(r"panicked at (?:'(?P<old>.*?)', \S+|\S+:\d+:\d+:\n(?P<new>.*))", re.DOTALL)
_REST = re.compile(r"^(?:stack backtrace:|note: (?:run with|Some details)|failures:)", re.MULTILINE)
_PLACE = re.compile(r" at \S+:\d+:\d+")
_OUTCOMES = {
    "ok": TestOutcome.PASSED,
    "bench:": TestOutcome.PASSED,
    "FAILED": TestOutcome.FAILED,
    "ignored": TestOutcome.SKIPPED,
}


def parse_output(out: str, err: str) -> tuple[TestCase, ...] | None:
    """The cases of what was printed; None if no binary of tests ran."""
    blocks = [block["text"] for block in _BLOCK.finditer(out)]
    if not blocks:
        return None
    names = binaries(err, len(blocks))
    return merged(case for name, text in zip(names, blocks, strict=True) for case in _block(name, text))


def binaries(err: str, count: int) -> list[str]:
    """What tells the binaries' tests apart: "crate path::"; "" for each if there are not so many named."""
    found = []
    for one in _BINARY.finditer(err):
        stem = (one["binary"] or "").rpartition("/")[2].rpartition("-")[0]
        found.append(f"doc {one['doc']}::" if one["doc"] else f"{stem} {one['path']}::")
    return found if len(found) == count else [""] * count


def identity(binary: str, name: str) -> str:
    """A test's identity. The line of a test in documentation is none of it: it moves with every edit."""
    return binary + _LINE.sub("", name)


def failure(text: str) -> str:
    """The message of what a failed test printed: that of its panic, else its beginning; without places."""
    panic = _PANIC.search(text)
    said = (panic["old"] or panic["new"] or "") if panic else text.strip()
    return one_line(_PLACE.sub("", _REST.split(said)[0])).removeprefix("note: ")


def _block(binary: str, text: str) -> Iterator[TestCase]:
    listed, _, told = text.partition("\nfailures:\n")
    parts = _SECTION.split(told)
    messages = dict(zip(parts[1::2], parts[2::2], strict=True))
    for test in _TEST.finditer(listed):
        outcome = _OUTCOMES[test["said"]]
        message = failure(messages.get(test["name"], "")) if outcome is TestOutcome.FAILED else ""
        yield TestCase(id=identity(binary, test["name"]), outcome=outcome, message=message)
