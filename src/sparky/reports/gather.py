"""What is found in a report while it is read: items and failures, with the lines they stand on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from sparky.domain.attempt import Responsibility
from sparky.domain.report import ActionItem, Answer, Failure, item_id
from sparky.reports.heads import Field
from sparky.reports.places import find_place, find_symbol, is_document, is_test
from sparky.reports.reading import Unread
from sparky.reports.tables import Column, Row
from sparky.reports.vocabulary import FAULT, NO_TESTS
from sparky.reports.words import Section, is_done, is_nothing, owner_named, plain, severity_named

_DETAILS = re.compile(r"\((?=[^()]{0,120}?\b(?:file|fix|item|datei|zeile|id)\s*:)", re.IGNORECASE)
_NUMBER = re.compile(r"\b(?:item|id):\s*(#?[\w-]{1,20})", re.IGNORECASE)
_DONE_WHEN = re.compile(r"\b(?:done when|fertig wenn):\s*(\S.{0,300})", re.IGNORECASE)
_TEST = re.compile(r"\b(test_\w{1,80}|[A-Za-z]\w{0,60}Tests?(?=\b))")
_EXPECTED = re.compile(
    r"\b(?:expected|expects|erwartet)\b:?\s*(\S.{0,120}?)(?:,|;|\s+but|\s+aber)\s+"
    r"(?:was|got|actual(?:ly)?|tatsächlich|received|bekam)\b:?\s*([^\s,;][^,;:]{0,120})",
    re.IGNORECASE,
)
_FAILS = re.compile(
    r"\b(?:(?:compilation|test_\w{1,80}|[A-Za-z]\w{0,60}Tests?)\s+(?:fail(?:s|ed)\b|schlägt fehl|schlug fehl)"
    r"|does not compile|kompiliert nicht)",
    re.IGNORECASE,
)
_REVIEW = re.compile(r"\b(?:second|another|final) (?:reading|review|look)\b", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\[[^\[\]]{3,200}\]|<[^<>]{3,200}>|\.{3}|\u2026")
_PERSON = re.compile(r"@[\w-]{1,40}|(?:[A-Z]\.\s?){1,3}[A-Z][\w'-]{1,40}")
"""A name where an owner's work should stand: "Tester: R. Okafor"."""

_REJECTED = re.compile(r"\b(?:withdrawn|won t fix|wont fix|rejected|invalid|obsolete|abgelehnt)\b")


@dataclass(kw_only=True)
class Gathered:
    """All that was found so far. `said` holds the words of the sections that are weighed as a whole."""

    items: list[ActionItem] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    assumed: set[str] = field(default_factory=set)
    failures: list[Failure] = field(default_factory=list)
    jobs: list[str] = field(default_factory=list)
    said: dict[Section, list[str]] = field(default_factory=dict)
    unread: list[Unread] = field(default_factory=list)

    def add_item(
        self, line: int, owner: Responsibility | None, text: str, *, name: str = "", where: str = ""
    ) -> bool:
        """Note an item, unless the text says that there is none; without an owner it is assumed.

        `where` is what else may name the place. False where there is none to note, or it is noted already.
        """
        said, details = _apart(text)
        if is_nothing(said) or _PERSON.fullmatch(said):
            return False
        if _PLACEHOLDER.fullmatch(said):
            self.unread.append(Unread(line=line, text=text[:200]))
            return False
        place = find_place(where) or find_place(details) or find_place(said)
        if place and not place.symbol:
            place = replace(place, symbol=find_symbol(said, place.path))
        who = owner or _owner_of(place.path if place else "", said)
        number, done_when = _NUMBER.search(details), _DONE_WHEN.search(text)
        made = item_id(who, said, place.path if place else "")
        name = name or (number[1] if number else "")
        item = ActionItem(
            id=name if name and name not in self.lines else made,
            owner=who,
            text=said,
            location=place,
            done_when=done_when[1] if done_when else "",
        )
        if item.id in self.lines:
            return False
        self.items.append(item)
        self.lines[item.id] = line
        self.assumed |= {item.id} if owner is None else set()
        return True

    def distinct(self) -> Iterator[ActionItem]:
        """The items, but for findings on a file for which its owner is asked by name as well."""
        named = {
            (item.owner, item.location.path)
            for item in self.items
            if item.location and item.id not in self.assumed
        }
        for item in self.items:
            open_finding = item.id in self.assumed and item.answer is None
            path = item.location.path if item.location else ""
            if not open_finding or (item.owner, path) not in named:
                yield item

    def answer_last(self, answer: Answer) -> None:
        """Note that the newest item is answered."""
        self.items[-1] = replace(self.items[-1], answer=answer)

    def detail_item(self, text: str) -> None:
        """More words about the newest item: its place where it has none, and what it is done by."""
        item = self.items[-1]
        done_when = _DONE_WHEN.search(text)
        if done_when and not item.done_when:
            item = replace(item, done_when=done_when[1])
        place = find_place(text) if item.location is None else None
        if place:
            owner = _owner_of(place.path, item.text) if item.id in self.assumed else item.owner
            item = replace(item, location=place, owner=owner)
        self.items[-1] = item

    def add_failure(self, line: int, text: str) -> None:
        """Note a failure, with what its title says of expectation and place."""
        compared = _EXPECTED.search(text)
        test = _TEST.search(text)
        title = test[1] if test and compared else text
        self.failures.append(
            Failure(
                title=title[:200],
                expected=compared[1] if compared else "",
                actual=compared[2].rstrip(".") if compared else "",
                location=find_place(text),
                line=line,
            )
        )

    def fill_failure(self, line: int, name: Field, text: str) -> None:
        """A field of the newest failure; of a new one if there is none yet, or it has that field already."""
        newest = self.failures[-1] if self.failures else Failure(title="", line=line)
        match name:
            case Field.EXPECTED:
                told, filled = newest.expected, replace(newest, expected=text)
            case Field.ACTUAL:
                told, filled = newest.actual, replace(newest, actual=text)
            case Field.CAUSE:
                place = newest.location or find_place(text)
                told, filled = newest.root_cause, replace(newest, root_cause=text, location=place)
            case Field.WHERE | Field.DONE:
                told, filled = "", replace(newest, location=find_place(text) or newest.location)
        if told or not self.failures:
            self.failures.append(newest if not told else Failure(title="", line=line))
        if told:
            self.fill_failure(line, name, text)
        else:
            self.failures[-1] = filled

    def add_failing_row(self, row: Row) -> None:
        """A row of a table of failures."""
        cause = row.get(Column.CAUSE)
        self.failures.append(
            Failure(
                title=row.get(Column.TITLE) or row.get(Column.TEXT),
                expected=row.get(Column.EXPECTED),
                actual=row.get(Column.ACTUAL),
                root_cause=cause,
                location=find_place(row.get(Column.WHERE)) or find_place(cause),
                severity=severity_named(row.get(Column.SEVERITY)),
                line=row.line,
            )
        )

    def add_row(self, row: Row) -> None:
        """A row of a table of items, with its answer where its status says that nothing is left to do."""
        text, status = row.get(Column.TEXT) or row.get(Column.TITLE), row.get(Column.STATUS)
        owner = owner_named(row.cells.get(Column.OWNER, ""))
        where = " ".join((row.get(Column.WHERE), text, status))
        if not self.add_item(row.line, owner, text, name=row.get(Column.ID), where=where):
            return
        done_when = row.get(Column.DONE)
        if done_when:
            self.items[-1] = replace(self.items[-1], done_when=done_when)
        if is_done(status):
            self.answer_last(Answer.REJECTED if _REJECTED.search(plain(status)) else Answer.FIXED)


def says_failure(text: str) -> bool:
    """Whether prose tells a failure that can be noted: a comparison, or what it is that fails."""
    return bool(_EXPECTED.search(text) or _FAILS.search(text))


def _apart(text: str) -> tuple[str, str]:
    """The item and the details in parentheses at its end."""
    found = _DETAILS.search(text)
    return (text[: found.start()].strip(), text[found.end() :].rstrip(") .")) if found else (text.strip(), "")


def _owner_of(path: str, text: str) -> Responsibility:
    """Whose file it is that somebody has to change."""
    if _REVIEW.search(text):
        return Responsibility.REVIEWER
    if NO_TESTS.search(text.lower()) and not FAULT.search(text.lower()):
        return Responsibility.TESTER
    if path:
        if is_test(path):
            return Responsibility.TESTER
        return Responsibility.DOCUMENTER if is_document(path) else Responsibility.CODER
    test = _TEST.search(text)
    return Responsibility.TESTER if test and find_symbol(text) in {"", test[1]} else Responsibility.CODER
