"""Tables of reports: which column holds what, and which rows are action items or failures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from sparky.reports.lines import Line
from sparky.reports.words import is_nothing, plain


class Column(Enum):
    """What a column holds, and the names it goes by; the first that fits is taken."""

    ID = ("id", "#", "nr", "no", "item id")
    OWNER = (
        "owner",
        "agent",
        "who",
        "assignee",
        "assigned to",
        "responsible",
        "zuständig",
        "verantwortlich",
        "role",
    )
    TEXT = (
        "action", "action item", "task", "item", "what", "finding", "description", "to do", "todo", "issue",
        "required action", "problem", "fix", "aufgabe", "maßnahme", "befund",
    )  # fmt: skip
    TITLE = ("test", "failure", "title", "name", "test case", "fehler")
    WHERE = ("file", "location", "where", "path", "datei", "ort", "stelle")
    STATUS = ("disposition", "status", "state", "resolution", "result", "stand", "ergebnis")
    SEVERITY = ("severity", "priority", "schwere", "level")
    DONE = ("done when", "acceptance", "fertig wenn")
    EXPECTED = ("expected", "erwartet", "soll")
    ACTUAL = ("actual", "got", "tatsächlich", "ist")
    CAUSE = ("root cause", "cause", "reason", "error", "message", "ursache")


_NAMES = {name: column for column in Column for name in column.value}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row below a table's head: its line, and what each known column says."""

    line: int
    cells: dict[Column, str]

    def get(self, column: Column) -> str:
        """What the column says; "" where there is none, or it says that there is nothing."""
        said = self.cells.get(column, "")
        return "" if is_nothing(said) else said


def rows_of(table: Sequence[Line]) -> Iterator[Row]:
    """The rows of a table by the meaning of its columns; none if the head is not understood."""
    head = next((line.cells for line in table if line.cells), ())
    columns = [_NAMES.get("#" if name.strip() == "#" else plain(name)) for name in head]
    if not {Column.TEXT, Column.TITLE} & set(columns):
        return
    for line in table[1:]:
        if line.cells:
            pairs = zip(columns, line.cells, strict=False)
            yield Row(line=line.number, cells={column: cell for column, cell in pairs if column})


def is_of_failures(rows: Sequence[Row]) -> bool:
    """Whether the rows tell failures: what was expected and what came, or a test and its error."""
    told = [set(row.cells) for row in rows]
    return any({Column.EXPECTED, Column.ACTUAL} <= of or of == {Column.TITLE, Column.CAUSE} for of in told)


def is_of_items(rows: Sequence[Row]) -> bool:
    """Whether the rows say what has to be done: by whom, how it stands, or where and how grave it is."""
    told = [set(row.cells) for row in rows]
    return any({Column.OWNER, Column.STATUS} & of or {Column.WHERE, Column.SEVERITY} <= of for of in told)
