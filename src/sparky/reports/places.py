"""Places in a repository that a text names: file, line and symbol."""

import re

from sparky.domain.finding import Location

_WORD = re.compile(r"[^\s`'\"(),;<>|\[\]{}]+")
_LINE = re.compile(
    r"\W{0,3}\s?(?:in |an? |at |on )?(?:lines?|zeilen?|row|L)\s?:?\s?#?([0-9]{1,7})\b"
    r"|:([0-9]{1,7})|:?\[([0-9]{1,7})|#L([0-9]{1,7})",
    re.IGNORECASE,
)
_SYMBOL = re.compile(r"(?<![\w.])([A-Za-z_][\w.]{0,80})\(\)")
_CODE = re.compile(r"`([A-Za-z_]\w{0,80}(?:\.\w{1,80}){0,4})(?:\([^`()]{0,40}\))?`")
_EXTENSIONS = re.compile(
    r"pyi?|ipynb|java|kts?|scala|groovy|[cm]?jsx?|tsx?|vue|svelte|go|rs|rb|php|[ch](?:pp|xx|c)?|cs|fs|swift|mm?"
    r"|[bz]?a?sh|zsh|ps1|sql|graphql|proto|ya?ml|toml|json|xml|html|s?css|md|rst|txt|cfg|ini|conf|lock|gradle|tf"
    r"|lua|jl|p[lm]|exs?|erl|hs|ml|dart|zig",
    re.IGNORECASE,
)
_BARE = frozenset({"Dockerfile", "Makefile", "Jenkinsfile", "Gemfile"})


def find_place(text: str) -> Location | None:
    """The first file that the text names, with the line and symbol beside it; None if it names none."""
    for found in _WORD.finditer(text):
        path, rest = _split(found[0].strip("*.:"))
        if path:
            behind = rest or text[found.end() : found.end() + 30]
            line = _LINE.match(behind)
            number = int(next(filter(None, line.groups()))) if line else None
            return Location(path=path, line=number, symbol=find_symbol(text, path))
    return None


def find_symbol(text: str, path: str = "") -> str:
    """The function, class or name that the text speaks of, "" for none: `x()`, or a name in code."""
    called = _SYMBOL.search(text)
    if called and called[1] not in path:
        return called[1]
    return next((name for name in _CODE.findall(text) if "." not in name and name not in path), "")


def is_test(path: str) -> bool:
    """Whether a path is a test's in any of the usual languages."""
    *folders, name = path.split("/")
    stem, _, _ = name.partition(".")
    named = (
        stem.startswith("test_") or stem.endswith(("_test", "_spec", "Test", "Tests")) or stem == "conftest"
    )
    return (
        named
        or ".test." in name
        or ".spec." in name
        or bool({"test", "tests", "spec"} & {folder.lower() for folder in folders})
    )


def is_document(path: str) -> bool:
    """Whether a path is documentation."""
    return path.lower().endswith((".md", ".rst")) or path.lower().startswith("docs/")


def _split(word: str) -> tuple[str, str]:
    """The path that a word begins with and what stands behind it; ("", "") if it is none."""
    path, mark, rest = word.partition(":") if ":" in word else word.partition("#L")
    name = path.rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    known = (dot and stem and _EXTENSIONS.fullmatch(extension)) or name in _BARE
    if not known or "://" in word or path.startswith(("~", "-")):
        return "", ""
    return path.removeprefix("./").lstrip("/"), mark + rest
