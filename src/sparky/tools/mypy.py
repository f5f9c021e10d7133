"""TYPE_ERROR by mypy (MIT), as the target configures it, else strict; annotations by `programs/typed.py`."""

from collections.abc import Sequence

from sparky.domain.finding import for_agent
from sparky.domain.issue import Kind, Severity
from sparky.tools.listing import Listing, program
from sparky.tools.programs.mypy_config import unfollowed
from sparky.tools.tool import Argv, Read

ANNOTATED = "no-untyped-def"
"""The rule whose findings annotations mend."""
_CODES = (
    *("no-untyped-def", "no-any-return", "no-any-unimported", "misc"),
    *(
        "arg-type",
        "assignment",
        "attr-defined",
        "call-arg",
        "call-overload",
        "comparison-overlap",
        "dict-item",
    ),
    *(
        "exit-return",
        "func-returns-value",
        "has-type",
        "index",
        "list-item",
        "literal-required",
        "method-assign",
    ),
    *(
        "name-defined",
        "name-match",
        "no-redef",
        "operator",
        "override",
        "possibly-undefined",
        "prop-decorator",
    ),
    *("redundant-cast", "return", "return-value", "safe-super", "str-bytes-safe", "str-format", "syntax"),
    *("top-level-await", "truthy-bool", "truthy-function", "type-abstract", "type-arg", "type-var"),
    *("typeddict-item", "union-attr", "unreachable", "unused-awaitable", "unused-coroutine", "unused-ignore"),
    *("used-before-def", "valid-newtype", "valid-type", "var-annotated", "abstract", "annotation-unchecked"),
    *("await-not-async", "empty-body", "explicit-override", "import-cycle", "deprecated", "metaclass"),
)


def configure(binary: str, read: Read) -> Listing:
    """mypy for the target whose files `read` gives, with its own configuration where there is one."""
    marks = {
        "mypy.ini": b"[mypy",
        ".mypy.ini": b"[mypy",
        "pyproject.toml": b"[tool.mypy",
        "setup.cfg": b"[mypy",
    }
    own = next((path for path, mark in marks.items() if mark in (read(path) or b"")), None)
    options = ("--config-file", own) if own else ()
    left_out = unfollowed(own, read(own) or b"") if own else ()

    def offering(paths: Sequence[str], traces: str) -> Argv:
        shown = ("--traces", traces) if traces else ()
        return program("typed", *options, "--annotate", *shown)(paths)

    return Listing(
        name="mypy",
        binary=binary,
        kinds=dict.fromkeys(_CODES, Kind.TYPE_ERROR),
        argv=program("typed", *options),
        why={ANNOTATED: for_agent("no type was found that mypy and the tests bear out")},
        severity=Severity.MEDIUM,
        offering=offering,
        whole=True,
        unfollowed=(f"not followed of {own}, by mypy: {', '.join(left_out)}",) if left_out else (),
    )
