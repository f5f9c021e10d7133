"""The target's own configuration of ruff, as far as it is valid, to be passed on explicitly.

Read at the target's root only: .ruff.toml, ruff.toml, then pyproject.toml (with [tool.black] where ruff is
not configured); the oldest Python as `floor` says, else the oldest that ruff knows. Not followed: `extend`,
files in subdirectories, and the selection of rules, which is the profile's but for what is a taste; `ignore`,
`per-file-ignores` and `unfixable` are. Each option that is not followed is named in a note.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from sparky.foreign import toml_foreign
from sparky.tools.floor import floor
from sparky.tools.ruff_rules import BY_CODE
from sparky.tools.tool import Read

_KNOWN = range(7, 16)
_VERSIONS = tuple(f"py3{minor}" for minor in _KNOWN)
_WIDTH = re.compile(r"line-length = (\d+)")
_LINE = 88
_NEWER = ["annotationlib", "compression", "graphlib", "tomllib", "zoneinfo"]
"""What is in the standard library of later Pythons than the oldest that ruff knows."""
_SELECTOR = re.compile(r"([A-Z]+)(\d*)")

_Table = Mapping[str, object]
_Check = Callable[[object], bool]


def _one_of(*allowed: str) -> _Check:
    return lambda value: isinstance(value, str) and value in allowed


def _within(low: int, high: int) -> _Check:
    return lambda value: type(value) is int and low <= value <= high


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


# What is passed on, and what makes it valid: at a value that ruff does not know it ends with an error.
_OPTIONS: dict[str, _Check] = {
    "line-length": _within(1, 320),
    "indent-width": _within(1, 16),
    "target-version": _one_of(*_VERSIONS),
    "src": _texts,
    "exclude": _texts,
    "extend-exclude": _texts,
    "builtins": _texts,
    "format.exclude": _texts,
    "format.quote-style": _one_of("single", "double", "preserve"),
    "format.indent-style": _one_of("space", "tab"),
    "format.line-ending": _one_of("auto", "lf", "cr-lf", "native"),
    "format.skip-magic-trailing-comma": _flag,
    "format.docstring-code-format": _flag,
    "format.preview": _flag,
    "lint.exclude": _texts,
    "lint.pycodestyle.max-line-length": _within(1, 320),
    "lint.pycodestyle.ignore-overlong-task-comments": _flag,
    "lint.mccabe.max-complexity": _within(1, 500),
    "lint.pydocstyle.convention": _one_of("google", "numpy", "pep257"),
    "lint.flake8-pytest-style.fixture-parentheses": _flag,
    "lint.flake8-pytest-style.mark-parentheses": _flag,
    "lint.flake8-pytest-style.parametrize-names-type": _one_of("csv", "tuple", "list"),
    "lint.flake8-pytest-style.parametrize-values-type": _one_of("tuple", "list"),
    "lint.flake8-pytest-style.parametrize-values-row-type": _one_of("tuple", "list"),
    "lint.isort.case-sensitive": _flag,
    "lint.isort.combine-as-imports": _flag,
    "lint.isort.force-single-line": _flag,
    "lint.isort.force-sort-within-sections": _flag,
    "lint.isort.force-wrap-aliases": _flag,
    "lint.isort.from-first": _flag,
    "lint.isort.known-first-party": _texts,
    "lint.isort.known-local-folder": _texts,
    "lint.isort.known-third-party": _texts,
    "lint.isort.length-sort": _flag,
    "lint.isort.lines-after-imports": _within(-1, 16),
    "lint.isort.lines-between-types": _within(0, 16),
    "lint.isort.no-sections": _flag,
    "lint.isort.order-by-type": _flag,
    "lint.isort.relative-imports-order": _one_of("closest-to-furthest", "furthest-to-closest"),
    "lint.isort.split-on-trailing-comma": _flag,
}


_PER_FILE = ("lint.per-file-ignores", "lint.extend-per-file-ignores")
_RULES = ("lint.ignore", "lint.extend-ignore", "lint.unfixable", *_PER_FILE)
_FOLLOWED = frozenset({*_OPTIONS, *_RULES})
_NO_MATTER = frozenset(
    {
        *("cache-dir", "extend", "fix", "fix-only", "force-exclude", "output-format", "required-version"),
        *("respect-gitignore", "show-fixes", "show-source", "unsafe-fixes"),
    }
)
"""Options that are about how a person calls ruff, and the one that has a note of its own."""
_OF_ONE = frozenset({"extension", "extend-per-file-ignores", "per-file-ignores", "per-file-target-version"})
"""Options whose value is a table; other tables have options in them."""


@dataclass(frozen=True, kw_only=True)
class RuffConfig:
    """What is passed to every ruff command. `options` are "key = value" in TOML, sorted.

    `ignored` are codes of the profile that the target turns off everywhere, `selected` those that it turns
    on; `modern` says that it declares Python 3, and which; `notes` say what was not followed, for a person.
    """

    options: tuple[str, ...] = ()
    ignored: frozenset[str] = frozenset()
    selected: frozenset[str] = frozenset()
    modern: bool = False
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """How long a line may be, in characters."""
        found = (match for option in self.options if (match := _WIDTH.fullmatch(option)))
        return next((int(match[1]) for match in found), _LINE)


def load(read: Read) -> RuffConfig:
    """The configuration of the target whose files `read` gives; ruff's defaults where it says nothing."""
    notes: list[str] = []
    project = _toml(read, "pyproject.toml", notes)
    table = _own(read, project, notes)
    options = dict(_valid(table, notes))
    lowest = floor(read, project)
    modern = "target-version" in options or lowest is not None
    # ruff takes a new Python where it is told none, and writes what an old one can't read.
    options.setdefault("target-version", f"py3{min(max(lowest or 0, _KNOWN[0]), _KNOWN[-1])}")
    if not modern:
        options["lint.isort.extra-standard-library"] = _NEWER
    if table.get("preview") is True:
        options.setdefault("format.preview", True)
    if per_file := _per_file(table):
        options["lint.per-file-ignores"] = per_file
    if unfixable := sorted(_codes(_at(table, "lint.unfixable"))):
        options["lint.unfixable"] = unfixable
    if "extend" in table:
        notes.append(f"ruff's extend = {table['extend']!r} is not followed")
    if unfollowed := sorted(name for name in _named(table) if not _is_followed(name)):
        said = ", ".join(f"{name} (of rules)" if name == "preview" else name for name in unfollowed)
        notes.append(f"not followed of ruff's configuration: {said}")
    return RuffConfig(
        options=tuple(f"{key} = {_literal(value)}" for key, value in sorted(options.items())),
        ignored=_codes(_at(table, "lint.ignore")) | _codes(_at(table, "lint.extend-ignore")),
        selected=_codes(_at(table, "lint.select")) | _codes(_at(table, "lint.extend-select")),
        modern=modern,
        notes=tuple(notes),
    )


def _own(read: Read, project: _Table, notes: list[str]) -> _Table:
    for path in (".ruff.toml", "ruff.toml"):
        if read(path) is not None:
            return _toml(read, path, notes)
    table = _at(project, "tool.ruff")
    return table if isinstance(table, dict) else _black(_at(project, "tool.black"))


def _black(table: object) -> _Table:
    if not isinstance(table, dict):
        return {}
    quotes = {"quote-style": "preserve"} if table.get("skip-string-normalization") is True else {}
    width = {"line-length": table["line-length"]} if "line-length" in table else {}
    return {**width, "format": quotes}


def _valid(table: _Table, notes: list[str]) -> Iterator[tuple[str, object]]:
    for key, check in _OPTIONS.items():
        value = _at(table, key)
        if value is not None and check(value):
            yield key, value
        elif value is not None:
            notes.append(f"ruff's {key} = {value!r} is not valid; the default is used")


def _named(table: _Table) -> Iterator[str]:
    """The options that a table sets, by their dotted keys."""
    for key, value in table.items():
        if not isinstance(value, dict) or key in _OF_ONE:
            yield key
        else:
            yield from (f"{key}.{name}" for name in (_named(value) if key == "lint" else value))


def _is_followed(name: str) -> bool:
    return not _FOLLOWED.isdisjoint({name, f"lint.{name}"}) or name in _NO_MATTER


def _per_file(table: _Table) -> dict[str, list[str]]:
    tables = [found for key in _PER_FILE if isinstance(found := _at(table, key), dict)]
    patterns = dict.fromkeys(pattern for found in tables for pattern in found)
    ignores = {p: sorted({code for found in tables for code in _codes(found.get(p))}) for p in patterns}
    return {pattern: codes for pattern, codes in ignores.items() if codes}


def _codes(selectors: object) -> frozenset[str]:
    # Exact codes are passed on, since ruff ends with an error at one selector that it does not know.
    chosen = [s for s in selectors if isinstance(s, str)] if isinstance(selectors, Iterable) else []
    return frozenset(code for code in BY_CODE for selector in chosen if _selects(selector, code))


def _selects(selector: str, code: str) -> bool:
    if selector == "ALL":
        return True
    wanted, own = _SELECTOR.fullmatch(selector), _SELECTOR.fullmatch(code)
    if wanted is None or own is None:
        return False
    same = wanted[1] == own[1] or (wanted[1] == "PL" and own[1].startswith("PL"))
    return same and own[2].startswith(wanted[2])


def oldest(read: Read) -> int | None:
    """The minor version of the oldest Python 3 that the target declares; None: none, or Python 2 as well."""
    return floor(read, _toml(read, "pyproject.toml", []))


def _toml(read: Read, path: str, notes: list[str]) -> dict[str, object]:
    try:
        return toml_foreign(read(path) or b"")
    except ValueError as error:
        notes.append(f"{path} is not valid TOML ({error}); ruff's defaults are used")
        return {}


def _at(table: object, key: str) -> object:
    """The value at a dotted key; for "lint.…" also where ruff had it before it had a `lint` table."""
    found = table
    for part in key.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    if found is None and key.startswith("lint.") and key != "lint.exclude":
        return _at(table, key.removeprefix("lint."))
    return found


def _literal(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_literal(v)}" for k, v in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
