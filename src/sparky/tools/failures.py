"""TEST_FAILURE by a run of the target's own tests: what fails, and what of it by a move or a rename.

It has no command: who looks runs the tests, and answers with what `tools.failing` makes of them.
"""

from sparky.domain.finding import for_agent, for_person
from sparky.domain.issue import Kind, Severity
from sparky.tools.failing.causes import FAILING, MOVED_FILE, MOVED_IMPORT, RENAMED
from sparky.tools.failing.snapshots import OPAQUE, SAME, STALE, WHOLE
from sparky.tools.listing import Listing
from sparky.tools.tool import Read

_WHY = {
    MOVED_IMPORT: for_agent("the history does not name one place where it went"),
    RENAMED: for_agent("the history does not name one new name for it"),
    MOVED_FILE: for_agent("not one file, or not one literal, is the one that is meant"),
    STALE: for_person(
        "a snapshot is never rewritten unasked, since the code may be what is wrong: "
        "`sparky fix -k test_failure --update-snapshots` rewrites it"
    ),
    WHOLE: for_person("its test makes or removes a whole snapshot, and only what is there is edited"),
    OPAQUE: for_person("its snapshot is no text, or it is code"),
    SAME: for_person("run alone and told to rewrite its snapshots, its test writes none"),
    FAILING: for_agent("no rule mends it"),
}


def configure(binary: str, read: Read) -> Listing:
    """The detector for any target."""
    del read
    kinds = dict.fromkeys(_WHY, Kind.TEST_FAILURE)
    return Listing(name="failures", binary=binary, kinds=kinds, why=_WHY, severity=Severity.HIGH)
