"""What a tool call is about, in a word: its file, its command, its query."""

from sparky.transcripts.model import Call
from sparky.transcripts.plain import table, word

_TELLING = (
    "file_path",
    "path",
    "notebook_path",
    "filePath",
    "command",
    "cmd",
    "pattern",
    "url",
    "query",
    "description",
)


def call_of(name: str, given: object) -> Call:
    """The call, with the first of its arguments that tells it from others; "" where none does."""
    arguments = table(given)
    for key in _TELLING:
        value = arguments.get(key)
        if isinstance(value, list):
            value = " ".join(part for part in value if isinstance(part, str))
        if isinstance(value, str) and value:
            return Call(name=name, target=word(value))
    return Call(name=name)
