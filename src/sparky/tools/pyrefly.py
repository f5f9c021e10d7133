"""TYPE_ERROR by pyrefly (MIT), in a target that configures it: what mypy has to say comes beside it."""

from sparky.domain.issue import Kind, Severity
from sparky.foreign import toml_foreign
from sparky.tools.listing import Listing, program
from sparky.tools.tool import Read


def configure(binary: str, read: Read) -> Listing:
    """pyrefly for the target whose files `read` gives; it finds nothing where it is not configured."""
    used = read("pyrefly.toml") is not None or _has_table(read("pyproject.toml") or b"")
    return Listing(
        name="pyrefly",
        binary=binary,
        kinds=Kind.TYPE_ERROR if used else {},
        argv=program("reviewed"),
        severity=Severity.MEDIUM,
        whole=True,
    )


def _has_table(project: bytes) -> bool:
    try:
        tools = toml_foreign(project).get("tool")
    except ValueError:
        return False
    return isinstance(tools, dict) and "pyrefly" in tools
