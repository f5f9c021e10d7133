"""The tolerant reader: any report, by whomever, to what can be understood of it."""

import re
from dataclasses import dataclass, field
from itertools import groupby

from sparky.domain.attempt import Responsibility
from sparky.domain.report import Answer
from sparky.reports.decision import decide, find_decision, find_jobs, find_status
from sparky.reports.gather import Gathered, says_failure
from sparky.reports.heads import Field, field_head, owner_head, owners_in_prose, section_head, severity_head
from sparky.reports.lines import Line, Sort, take_apart
from sparky.reports.places import find_place, is_document
from sparky.reports.reading import MergeDecision, Reading, Unread
from sparky.reports.tables import is_of_failures, is_of_items, rows_of
from sparky.reports.words import Section, is_done, is_nothing, tells_work

_NUMBERED = re.compile(
    r"(?:(?:failure|fehler|finding|test|bug)\s*#?)?[0-9]{1,3}\s?[:.)]\s*(\S.*)", re.IGNORECASE
)
_STRONG = re.compile(
    r"\W*(?:\w+[ _-]agent\b|[^:(]{1,40}\(\w+[ _-]agent\)|agent\b|escalat|@"
    r"|(?:coder|tester|human|person|mensch)\s*:)",
    re.IGNORECASE,
)
_OPTIONAL = re.compile(
    r"\b(?:nits?|optional|not blocking|non[- ]blocking|up to you|nice to have)\b", re.IGNORECASE
)
_JOB_NAME = 60
_WEIGHED = frozenset({Section.STATUS, Section.DECISION})


def read(text: str) -> Reading:
    """What a report says; never raises. What it should say and does not is unknown, unclear or unread."""
    lines, code, left_out = take_apart(text)
    walk = _Walk()
    for is_table, group in groupby(lines, lambda line: line.sort is Sort.ROW):
        if is_table:
            walk.table(list(group))
        else:
            for line in group:
                walk.line(line)
    found = walk.found
    words = "".join(_after(line) + line.text for line in lines if line.sort is not Sort.ROW).strip()
    status, decision = found.said.get(Section.STATUS, []), found.said.get(Section.DECISION, [])
    unread = (*found.unread, *(Unread(line=number, text=reason) for number, reason in left_out))
    return Reading(
        pipeline_status=find_status(status, words),
        failed_jobs=tuple(dict.fromkeys((*found.jobs, *find_jobs(status)))),
        failures=tuple(found.failures),
        items=tuple(found.distinct()),
        assumed=frozenset(found.assumed),
        lines=tuple(found.lines.items()),
        merge_decision=find_decision((*decision, *status), lines),
        unread=tuple(sorted(unread, key=lambda one: one.line)),
        words=words,
        code=code,
    )


def _after(line: Line) -> str:
    """What parts a line from the one before: a paragraph goes on, all else begins anew."""
    return " " if line.sort is Sort.TEXT and not line.fresh else "\n"


@dataclass(kw_only=True)
class _Walk:
    """Where the reader is: in which section, under which owner, at which finding."""

    found: Gathered = field(default_factory=Gathered)
    section: Section | None = None
    level: int = 0
    owner: Responsibility | None = None
    at_item: bool = False

    def table(self, table: list[Line]) -> None:
        rows = list(rows_of(table))
        if is_of_failures(rows):
            for row in rows:
                self.found.add_failing_row(row)
        elif is_of_items(rows) or (rows and self.section in {Section.RESOLUTION, Section.SEVERITY}):
            for row in rows:
                self.found.add_row(row)
        elif self.section is Section.RESOLUTION:
            said = (Unread(line=line.number, text=" | ".join(line.cells)) for line in table if line.cells)
            self.found.unread.extend(said)
        self.at_item = False

    def line(self, line: Line) -> None:
        nested = line.sort is Sort.ITEM and line.indent > 1
        if severity := severity_head(line):
            self.at_item = self.found.add_item(line.number, None, severity[1])
            self.section, self.owner = Section.SEVERITY, None
        elif owner := self._owned(line):
            self._under(line, *owner)
        elif not nested and (head := section_head(line)) and self._opens(line, *head):
            self._open(line, *head)
        elif said := field_head(line.text):
            self._fill(line, *said)
        else:
            self._content(line)

    def _owned(self, line: Line) -> tuple[Responsibility, str] | None:
        """The owner whom a line names. Alone, "Author:" and "Environment:" stand in many a head."""
        asked = self.section is Section.RESOLUTION or line.ticked is not None
        owner = owner_head(line)
        if owner and (asked or _STRONG.match(line.text)):
            return owner
        place = find_place(owner[1]) if owner and owner[0] is Responsibility.DOCUMENTER else None
        return owner if place and is_document(place.path) else None

    def _under(self, line: Line, owner: Responsibility, text: str) -> None:
        if not text:
            self.owner, self.section, self.at_item = owner, Section.RESOLUTION, False
            return
        self._item(line, owner, text)
        self.section = self.section or Section.RESOLUTION

    def _opens(self, line: Line, section: Section | None, rest: str) -> bool:
        """Whether the words open a section: "Problem: …" within a finding tells more about it."""
        if section in {Section.FAILURES, Section.OTHER}:
            return line.sort is Sort.HEADING or not rest or (line.bold and not self.at_item)
        return True

    def _open(self, line: Line, section: Section | None, rest: str) -> None:
        below = line.sort is Sort.HEADING and line.level > self.level
        if section is None and below and self.section in {Section.FAILURES, Section.SEVERITY}:
            self._titled(line)
            return
        if line.sort is Sort.HEADING:
            self.level = line.level
        self.section, self.owner, self.at_item = section, None, False
        if section is None and _OPTIONAL.search(line.text):
            self.section = Section.OTHER
        if section is None or is_nothing(rest):
            return
        if section is Section.JOBS:
            self._jobs(rest)
        elif section in _WEIGHED:
            self._say(section, line.text if section is Section.DECISION else rest)
            self._prose(line, rest)
        elif section is not Section.OTHER and not rest.isdigit():
            self._content(line._replace(text=rest, sort=Sort.ITEM))

    def _titled(self, line: Line) -> None:
        """A heading below that of a section is the title of one failure or finding."""
        numbered = _NUMBERED.fullmatch(line.text)
        title = numbered[1] if numbered else line.text
        if self.section is Section.FAILURES:
            self.found.add_failure(line.number, title)
        else:
            self.at_item = self.found.add_item(line.number, None, title)

    def _fill(self, line: Line, name: Field, text: str) -> None:
        if self.at_item:
            said = f"done when: {text}" if name is Field.DONE else text
            self.found.detail_item(said)
        elif self.section not in {Section.OTHER, Section.RESOLUTION} and name is not Field.DONE:
            self.found.fill_failure(line.number, name, text)
        else:
            self._content(line)

    def _content(self, line: Line) -> None:
        optional = line.sort is Sort.TEXT and line.text.endswith(":") and _OPTIONAL.search(line.text)
        if optional:
            self.section, self.at_item = Section.OTHER, False
            return
        match self.section:
            case Section.STATUS | Section.DECISION:
                self._say(self.section, line.text)
                self._listed(line)
            case Section.JOBS:
                self._jobs(line.text)
            case Section.FAILURES:
                self._failing(line)
            case Section.RESOLUTION | Section.SEVERITY:
                self._asked(line)
            case Section.OTHER:
                self._prose(line, line.text)
            case None:
                self._listed(line)

    def _say(self, section: Section, text: str) -> None:
        self.found.said.setdefault(section, []).append(text)

    def _jobs(self, text: str) -> None:
        names = (name.strip("` .") for name in text.split(","))
        self.found.jobs.extend(
            name for name in names if name and not is_nothing(name) and len(name) <= _JOB_NAME
        )

    def _failing(self, line: Line) -> None:
        numbered = _NUMBERED.fullmatch(line.text)
        if is_nothing(line.text) or self._prose(line, line.text, failures=False):
            return
        if numbered or line.bold or line.sort is Sort.ITEM or says_failure(line.text):
            self.found.add_failure(line.number, numbered[1] if numbered else line.text)

    def _asked(self, line: Line) -> None:
        """What stands where items are listed: an item, more about the last, or what is not understood."""
        placeless = self.at_item and self.section is Section.SEVERITY and not self.found.items[-1].location
        more = line.sort is Sort.TEXT and self.at_item and (not line.fresh or line.indent > 0 or placeless)
        nested = line.sort is Sort.ITEM and self.at_item and line.indent > 1
        if more or nested:
            self.found.detail_item(line.text)
        elif line.sort is Sort.ITEM:
            self._item(line, self.owner, line.text)
        elif is_nothing(line.text) or self._prose(line, line.text):
            return
        elif self.section is Section.SEVERITY and line.fresh and find_place(line.text):
            self.at_item = self.found.add_item(line.number, self.owner, line.text)
        elif self.section is Section.RESOLUTION and decide(line.text) is MergeDecision.UNCLEAR:
            self.found.unread.append(Unread(line=line.number, text=line.text))

    def _listed(self, line: Line) -> None:
        """Outside of any list of items a list's line is one if it has a box, or names a file."""
        told = find_place(line.text) and not tells_work(line.text)
        if line.sort is Sort.ITEM and (line.ticked is not None or told):
            self._item(line, None, line.text)
        else:
            self._prose(line, line.text)

    def _item(self, line: Line, owner: Responsibility | None, text: str) -> None:
        self.at_item = self.found.add_item(line.number, owner, text)
        done = line.sort is Sort.ITEM and is_done(text.rpartition(": ")[2]) and text.rpartition(": ")[0]
        if self.at_item and (line.ticked or done):
            self.found.answer_last(Answer.FIXED)

    def _prose(self, line: Line, text: str, *, failures: bool = True) -> bool:
        """What a sentence asks of an agent, and what it says to have failed."""
        asked = owners_in_prose(text)
        for owner, said in asked:
            self.found.add_item(line.number, owner, said, where=text)
        if failures and says_failure(text):
            self.found.add_failure(line.number, text)
        return bool(asked)
