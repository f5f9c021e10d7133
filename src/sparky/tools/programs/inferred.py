"""What pyrefly and mypy say of types, as words."""

import ast
import builtins
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from sparky.tools.programs.annotations import Annotated
from sparky.tools.programs.imports import bindings
from sparky.tools.programs.shapes import MEMBERS
from sparky.tools.programs.signatures import Key, arguments, functions
from sparky.tools.programs.sources import tree_of

_HUSHES = re.compile(
    r"\b(?:Any|object|Unknown|Incomplete|Never|NoReturn|Self@\w+|Module)\b|[^\w\s\[\],.:|'\"]"
)
_KNOWN = {
    **{name: f"collections.abc:{name}" for name in ("Callable", "Generator", "Iterable", "Iterator")},
    **{name: f"collections.abc:{name}" for name in ("Mapping", "Sequence")},
    "Literal": "typing:Literal",
}
_SERIES = "collections.abc:Sequence[{}]"
_LIST = re.compile(r"list\[(.+)\]|tuple\[([^,]+), \.\.\.\]")
_BUILT_IN = frozenset(vars(builtins))


def inferred_words(one: Annotated, inferred: bytes) -> dict[Key, dict[str, str]]:
    """What `pyrefly infer` wrote into a file, as words for the slots that it annotated."""
    tree = tree_of(inferred)
    if tree is None:
        return {}
    names = bindings(tree, one.module, package=one.package)
    found: dict[Key, dict[str, str]] = defaultdict(dict)
    for key, node in functions(tree).items():
        said = {**{arg.arg: arg.annotation for arg in arguments(node)}, "return": node.returns}
        for slot, annotation in said.items():
            if annotation is not None and (word := _word(annotation, names)):
                found[key][slot] = word
    return found


def _word(annotation: ast.expr, names: Mapping[str, str]) -> str:
    """An annotation as a word; "" if it hushes, or names what nobody knows."""
    text = ast.unparse(annotation)
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        text = annotation.value
    try:
        tree = _Full(names).visit(ast.parse(text, mode="eval"))
    except (SyntaxError, KeyError):
        return ""
    word = ast.unparse(tree)
    return "" if _HUSHES.search(word) else word


class _Full(ast.NodeTransformer):
    """Puts `module:Name` for the names in an annotation; KeyError for one that nobody knows."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        module = self.names[node.value.id] if isinstance(node.value, ast.Name) else ""
        if not module.endswith(":"):
            raise KeyError(node.attr)
        return ast.Name(id=f"{module}{node.attr}")

    def visit_Name(self, node: ast.Name) -> ast.expr:
        full = self.names.get(node.id, "") or _KNOWN.get(node.id, "")
        if full.endswith(":") or (not full and node.id not in _BUILT_IN):
            raise KeyError(node.id)
        return ast.Name(id=full or node.id)


class Names:
    """How mypy's messages name types: by the last part of a class's name."""

    def __init__(self, files: Mapping[str, Annotated]) -> None:
        known: dict[str, set[str]] = defaultdict(set)
        for one in files.values():
            for name, full in one.names.items():
                if full and not full.endswith(":"):
                    known[name].add(full)
        self.known = {name: _own(fulls) for name, fulls in known.items()}

    def word(self, text: str, current: str) -> str:
        """The union of a word with a type as mypy writes it; "" where that can't be written."""
        try:
            more = _word(ast.parse(text, mode="eval").body, self.known)
        except SyntaxError:
            return ""
        if not more:
            return ""
        parts = dict.fromkeys([*members(current), *members(more)])
        rest = [part for part in parts if part != "None" and _covering(part) not in parts]
        none = [part for part in parts if part == "None"]
        made = " | ".join([*rest, *none])
        return made if len(rest) <= MEMBERS and not is_muddled(made) else ""


def is_muddled(word: str) -> bool:
    """Whether a string is said to be something beside a sequence of strings, which it is.

    What takes both tells them apart in ways that no type follows.
    """
    return {"str", _SERIES.format("str")} <= {*members(word)}


def _covering(part: str) -> str:
    """The sequence that a list or a tuple of a type is, too; "" for what is neither."""
    found = _LIST.fullmatch(part)
    return _SERIES.format(found[1] or found[2]) if found else ""


def _own(fulls: Iterable[str]) -> str:
    """Of several ways to one class, the way to where it is: the longest."""
    return max(sorted(fulls), key=len)


def members(word: str) -> list[str]:
    """The members of a union."""
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(word):
        depth += (sign in "[(") - (sign in "])")
        if sign == "|" and not depth:
            parts.append(word[start:at].strip())
            start = at + 1
    return [*parts, word[start:].strip()]
