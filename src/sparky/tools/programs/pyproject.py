"""The list `project.dependencies` of a pyproject.toml, edited with tomlkit (MIT), which keeps all else."""

import re
from collections.abc import Callable

import tomlkit
from tomlkit.items import Array

from sparky.foreign import toml_foreign
from sparky.tools.ruff_json import Edit, Place


def requirements(data: bytes) -> list[str]:
    """What is declared, in the order of the file; nothing where the file is no TOML or has no such list."""
    try:
        found = toml_foreign(data).get("project", {}).get("dependencies", [])
    except (ValueError, AttributeError):
        return []
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []


def name_of(requirement: str) -> str:
    """The normal name of what a requirement asks for."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s\[<>=!~;@(]", requirement.strip(), maxsplit=1)[0]).lower()


def without(data: bytes, package: str) -> Edit | None:
    """The edit that takes a package out, with comments above that name it; None if it is not there once."""
    known = requirements(data)
    mine = [one for one in known if name_of(one) == package]
    if len(mine) != 1:
        return None
    edit = _edited(data, [one for one in known if one not in mine], lambda listed: listed.remove(mine[0]))
    lines = data.decode().split("\n")
    while edit and not edit.content and (row := edit.location.row) > 1:
        above = lines[row - 2].strip().lower()
        if not above.startswith("#") or package not in re.sub(r"[-_.]+", "-", above):
            break
        edit = Edit(content="", location=Place(row=row - 1, column=1), end_location=edit.end_location)
    return edit


def with_one(data: bytes, requirement: str) -> Edit | None:
    """The edit that puts a requirement in: by name where the others stand so, else last."""
    known = requirements(data)
    names = [name_of(one) for one in known]
    place = sum(name < name_of(requirement) for name in names) if names == sorted(names) else len(known)
    wanted = [*known[:place], requirement, *known[place:]]
    return _edited(data, wanted, lambda listed: listed.insert(place, requirement))


def _edited(data: bytes, wanted: list[str], change: Callable[[Array], object]) -> Edit | None:
    document = tomlkit.parse(data)
    listed = document.get("project", {}).get("dependencies")
    if not isinstance(listed, Array):
        return None
    change(listed)
    made = tomlkit.dumps(document)
    return _difference(data.decode(), made) if requirements(made.encode()) == wanted else None


def _difference(old: str, new: str) -> Edit:
    """The edit that makes one text of another: of whole lines."""
    before, after = old.split("\n"), new.split("\n")
    pairs = list(zip(before, after, strict=False))
    head = next((i for i, (one, other) in enumerate(pairs) if one != other), len(pairs))
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    content = "".join(f"{line}\n" for line in after[head : len(after) - tail])
    start, end = Place(row=head + 1, column=1), Place(row=len(before) - tail + 1, column=1)
    if not tail:  # nothing ends the last line
        content, end = content[:-1], Place(row=len(before), column=len(before[-1]) + 1)
    return Edit(content=content, location=start, end_location=end)
