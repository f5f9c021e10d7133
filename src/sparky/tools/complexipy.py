"""COMPLEXITY by complexipy (MIT): functions that are hard to follow, as the target configures it.

Followed of a configuration is which files it looks at, and from where on. Without one, tests are left out,
and a target that has turned ruff's C901 off is not told of the same under another name.
"""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from sparky.domain.change import below, is_test_path
from sparky.domain.command import Completed
from sparky.domain.finding import for_agent
from sparky.domain.issue import Kind
from sparky.foreign import toml_foreign
from sparky.tools.listing import Listing, detector, plain
from sparky.tools.ruff_config import load
from sparky.tools.ruff_json import Diagnostic
from sparky.tools.tool import Read

RULE = "cognitive-complexity"
_DEFAULT = 15
"""The cognitive complexity over which a function is told of, unless the target says another."""
_WHY = for_agent("how to take a function apart is no rule's to say")
_OWN, _SHARED = ("complexipy.toml", ".complexipy.toml"), "pyproject.toml"
_LIMIT, _ONLY, _NEVER = "max-complexity-allowed", "paths", "exclude"


def configure(binary: str, read: Read) -> Listing:
    """The detector for the target whose files `read` gives."""
    own = _configured(read)
    limit = own.get(_LIMIT, _DEFAULT)
    valid = type(limit) is int and limit >= 0
    wanted = own or "C901" not in load(read).ignored

    def parse(result: Completed, source: Read) -> Iterator[Diagnostic]:
        return (one for one in plain(result, source) if _is_asked(own, one.filename))

    return Listing(
        name="complexipy",
        binary=binary,
        kinds={RULE: Kind.COMPLEXITY} if wanted else {},
        argv=detector("cognitive", "--limit", str(limit if valid else _DEFAULT)),
        parse=parse,
        why={RULE: _WHY},
        unfollowed=() if valid else (f"complexipy's {_LIMIT} = {limit!r} is not valid; {_DEFAULT} is used",),
    )


def _configured(read: Read) -> dict[str, object]:
    """What the first of its files says; nothing if that is not valid, as of a target that has none."""
    path = next((path for path in _OWN if read(path) is not None), _SHARED)
    try:
        table = toml_foreign(read(path) or b"")
        table = table if path in _OWN else table["tool"]["complexipy"]
    except (ValueError, KeyError, TypeError):
        return {}
    return table if isinstance(table, dict) else {}


def _is_asked(own: dict[str, object], path: str) -> bool:
    if not own:
        return not is_test_path(path)
    only, never = _list(own.get(_ONLY)), _list(own.get(_NEVER))
    return (not only or _lies_in(path, only)) and not _lies_in(path, never)


def _list(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _lies_in(path: str, entries: Sequence[str]) -> bool:
    """Whether a path is one of the entries, lies in one, or matches one."""
    names = (path, f"/{path}")
    return bool(below((path,), entries)) or any(fnmatchcase(n, one) for one in entries for n in names)
