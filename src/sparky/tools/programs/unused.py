"""Private functions and classes that nothing names, and code that nothing reaches: what vulture is sure of.

What is public may be used by others: most of what vulture finds there is no fault. In a target of more than
1,000 files nothing is looked for, since vulture reads all of them at every look.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from vulture.core import Vulture  # type: ignore[import-untyped]  # it ships no types

from sparky.tools.programs.sources import arguments, diagnostic, put, sources, tree_of
from sparky.tools.ruff_json import Diagnostic, Edit, Place

FILES = 1_000
_TEXTS = (".py", ".pyi", ".toml", ".cfg", ".ini", ".md", ".rst", ".txt")


def unused(files: list[str]) -> Iterator[Diagnostic]:
    """The findings in these files and those beside them, which form one program."""
    looked = Vulture(ignore_names=["__*"])
    looked.scavenge([Path(file) for file in files])
    for item in looked.get_unused_code(min_confidence=60):
        path = item.filename.relative_to(Path.cwd()).as_posix()
        where = Place(row=item.first_lineno, column=1)
        if item.typ == "unreachable_code":
            yield diagnostic("unreachable-code", path, item.message, where)
        elif item.typ in {"function", "class"} and item.name.startswith("_"):
            edits = _removal(path, item.name) if _is_alone(item.name) else ()
            yield diagnostic("unused-private", path, f"unused {item.typ} `{item.name}`", where, *edits)


def _is_alone(name: str) -> bool:
    """Whether no text of the target has the name but the definition: it may be looked up by its name."""
    word = re.compile(rb"\b%s\b" % name.encode())
    places = (file for file in Path().rglob("*") if file.suffix in _TEXTS and file.is_file())
    return sum(len(word.findall(file.read_bytes())) for file in places) == 1


def _removal(path: str, name: str) -> tuple[Edit, ...]:
    """The edit that takes an undecorated top-level definition away; none for any other."""
    tree = tree_of(Path(path).read_bytes())
    body = tree.body if tree else []
    for node in body:
        if (
            getattr(node, "name", "") == name
            and not getattr(node, "decorator_list", [name])
            and len(body) > 1
        ):
            end = Place(row=node.end_lineno or 0, column=(node.end_col_offset or 0) + 1)
            return (Edit(content="", location=Place(row=node.lineno, column=1), end_location=end),)
    return ()


def main() -> None:
    """Print what is unused in the paths of the command line; the whole current directory is read."""
    files = list(islice(sources(["."]), FILES + 1))
    asked = set(sources(arguments()))
    put(one for one in unused(files) if one.filename in asked) if len(files) <= FILES else put(())


if __name__ == "__main__":
    main()
