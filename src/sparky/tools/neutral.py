"""Where there are no tests: which fixes are made all the same, since the program stays as it is."""

import re
import sys

from sparky.domain.finding import Finding, Fix
from sparky.tools.reexports import is_re_export

STANDARD = sys.stdlib_module_names - {"antigravity", "readline", "rlcompleter", "test", "this"}
"""Python's own modules that do nothing by being imported; `test` is mostly the target's own."""
_IMPORTS = frozenset({"F401", "F811"})
_OWN = frozenset({"typo", "S324", "attr-defined"})
"""What tools beside ruff mend in prose, with the same digest as before, or by `import x as x`."""
_NAME = re.compile(r"`(\w+)")

UNSHOWN = "there are no tests to show whether its fix changes what the program does"


def unshown(finding: Finding) -> str:
    """`UNSHOWN` if the finding's fix may change what a program does, else ""."""
    return UNSHOWN if finding.fix in {Fix.SAFE, Fix.UNSAFE} and not _is_neutral(finding) else ""


def _is_neutral(finding: Finding) -> bool:
    """Whether the program stays the same: as ruff says, which does not know what an import does.

    Its fixes are looked at before, where they are found: sorting is safe only as `sorting` says, and no text
    is mended that a program may read, as `docstrings` says.
    """
    if finding.rule in _IMPORTS and not is_re_export(finding.rule, finding.location.path):
        named = _NAME.search(finding.message)
        return named is not None and named[1] in STANDARD
    return finding.fix is Fix.SAFE and (finding.tool == "ruff" or finding.rule in _OWN)
