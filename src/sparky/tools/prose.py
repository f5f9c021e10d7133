"""What of a text is prose in English: not other languages, and no code in its midst."""

import re
from pathlib import PurePosixPath

_LANGUAGES = (
    "ar|bg|bn|ca|cs|da|de|el|es|et|fa|fi|fr|he|hi|hr|hu|id|it|ja|ka|kk|ko|lt|lv|ms|nb|nl|no|pl|pt|ro|ru|sk|sl|sr|sv"
    "|ta|te|th|tr|uk|ur|uz|vi|zh"
)
_FOREIGN = re.compile(rf"(?:.*[._-])?(?:{_LANGUAGES})(?:[-_][a-z]{{2,4}})?", re.IGNORECASE)
_FOLDER = re.compile(rf"(?:{_LANGUAGES})(?:[-_][a-z]{{2,4}})?|i18n|locales?|translations?", re.IGNORECASE)
# Neither "is" nor "of": they are Dutch, too.
_COMMON = frozenset(
    {"the", "and", "to", "that", "it", "with", "this", "are", "be", "by", "from", "not", "have"}
    | {"which", "you", "can", "if", "when", "for"}
)
_SHARE = 0.06
"""In English, code among it, one word of ten is so common; in other languages what looks so is rarer."""
_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"\w+")
_FENCE = re.compile(r"[\s>#]*(```+|~~~+)")
_LITERAL = re.compile(
    r"\s*(?:\.\. (?:code|code-block|sourcecode|parsed-literal|doctest|testcode)::.*|.*::\s*)"
)
_INLINE = re.compile(
    r"(`+).+?\1"  # in backticks
    r"|\]\([^)\s]*"  # what a link leads to
    r"|\w*[a-z][A-Z]\w*|\w*_\w+|[\w.]+\.\w+|[\w.]*\w\("  # a name, by its looks
    r"|(?<![\w-])--?\w[\w-]*"  # an option
)


def is_foreign(path: str) -> bool:
    """Whether a page's path says that it is in another language than English: docs/de/, README.zh.md."""
    page = PurePosixPath(path)
    return bool(_FOREIGN.fullmatch(page.stem)) or any(_FOLDER.fullmatch(folder) for folder in page.parts[:-1])


def is_english(text: str, enough: int) -> bool:
    """Whether the words of a text are English, by the commonest; fewer than `enough` of them tell nothing."""
    words = [word.lower() for word in _WORD.findall(text)]
    return len(words) < enough or sum(word in _COMMON for word in words) >= _SHARE * len(words)


def masked(text: str) -> list[str]:
    """The lines of a text, each as long as it was, with blanks for what is code by its form.

    That are fenced blocks, what is indented below `::`, what is in backticks, the goal of a link, and names
    and options by their looks.
    """
    found, fence, literal = [], "", None
    for line in re.split(r"\r\n|\n|\r", text):
        mark = _FENCE.match(line)
        indent = len(line) - len(line.lstrip())
        if literal is not None and line.strip() and indent <= literal:
            literal = None
        code = bool(fence or mark or literal is not None)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        if not code and _LITERAL.fullmatch(line):
            literal = indent
        found.append(" " * len(line) if code else _INLINE.sub(lambda m: " " * len(m[0]), line))
    return found


def unnamed(line: str, names: frozenset[str]) -> str:
    """The line, as long as it was, with blanks for words that are names."""
    return _NAME.sub(lambda m: " " * len(m[0]) if m[0] in names else m[0], line)
