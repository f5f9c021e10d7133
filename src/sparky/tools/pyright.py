"""TYPE_ERROR by pyright (MIT), in a target that configures it, where it can be had: it is an extra."""

import shlex
import sys

from sparky.domain.finding import for_person
from sparky.domain.issue import Kind, Severity
from sparky.tools.listing import Listing, program
from sparky.tools.programs.pyright_config import CONFIG, MUTE, configured_in
from sparky.tools.tool import SILENT, Read

REMEDY = "pip install 'sparky-agents[pyright]'"
_TIMEOUT_S = 300


def configure(binary: str, read: Read) -> Listing:
    """pyright for the target whose files `read` gives; it finds nothing where it is not configured.

    `binary` is its command as a shell reads it, "" where it can't be had.
    """
    where = configured_in(read)
    absent = f"{where} configures pyright, which is not installed: its errors are not told; {REMEDY}"
    extends = where == CONFIG and b'"extends"' in (read(CONFIG) or b"")
    inherited = f"{CONFIG} extends another file, which is not read"
    return Listing(
        name="pyright",
        binary=sys.executable if binary else "",
        kinds=Kind.TYPE_ERROR if where else {},
        argv=program("pyright", str(_TIMEOUT_S), *shlex.split(binary)),
        why={SILENT: for_person("what pyright would say of the types is not known")},
        severity=Severity.MEDIUM,
        codes=frozenset({0, MUTE}),
        whole=True,
        unfollowed=((inherited,) if extends else ()) if binary else (absent,),
    )
