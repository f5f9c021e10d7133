"""DEAD_CODE by vulture (MIT): private definitions that nothing names, and code that nothing reaches."""

from sparky.domain.finding import for_agent
from sparky.domain.issue import Kind
from sparky.tools.listing import Listing, detector
from sparky.tools.tool import Read

_WHY = {
    "unused-private": for_agent("something has its name, or it is decorated or nested"),
    "unreachable-code": for_agent("which of the two was meant is for its author to say"),
}


def configure(binary: str, read: Read) -> Listing:
    """The detector for any target."""
    del read
    kinds = dict.fromkeys(_WHY, Kind.DEAD_CODE)
    return Listing(name="vulture", binary=binary, kinds=kinds, argv=detector("unused"), why=_WHY)
