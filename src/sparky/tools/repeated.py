"""DRY_VIOLATION: functions of a module with equal bodies; the later one can call the first."""

from sparky.domain.finding import for_agent
from sparky.domain.issue import Kind
from sparky.tools.listing import Listing, detector
from sparky.tools.programs.repeated import RULE
from sparky.tools.tool import Read

_WHY = for_agent("the bodies are equal, but a call of one can't simply stand for the other")


def configure(binary: str, read: Read) -> Listing:
    """The detector for any target."""
    del read
    kinds = {RULE: Kind.DRY_VIOLATION}
    return Listing(name="repeated", binary=binary, kinds=kinds, argv=detector("repeated"), why={RULE: _WHY})
