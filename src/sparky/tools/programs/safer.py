"""Calls that a list or a file can stand for, in the few shapes where nothing can tell the two apart.

S602: a command without a shell's syntax needs none. Where its program is missing a shell answers 127 and a
list raises, which comes to the same where one handler takes both. Windows' shell finds scripts that a list
does not (`npm.cmd`), and any shell runs a script that does not name its own, so only programs are meant that
are no such scripts anywhere.

S306: `mkstemp` makes the file that `mktemp` only names. It is there at once and has another mode, which
nobody sees where the next statement writes to it, and its name is used for nothing but to open and remove it.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sparky.tools.programs.sources import diagnostic, place, rows, tree_of
from sparky.tools.ruff_json import Diagnostic, Edit

_PROGRAMS = "bzr|cc|clang|cmake|curl|docker|ffmpeg|gcc|git|go|hg|java|make|ninja|node|rsync|ssh|svn|tar"
_PLAIN = re.compile(rf" *(?:{_PROGRAMS})(?: +[\w./:@+,=-]+)* *", re.ASCII)
"""A command without quotes, variables, patterns, or anything else that a shell of any system reads."""
_SAME = frozenset(
    {"close_fds", "encoding", "errors", "input", "shell", "stderr", "stdin", "stdout", "text", "timeout"}
)
"""What means the same without a shell; not `cwd` and `env`, since a shell sets PWD, and reads PATH itself.

For the first of these reasons a module that changes the directory keeps its shells.
"""
_TELLING = re.compile(r"\b(?:exc_info|exception|print_exc|format_exc|raise)\b")
_BOTH = ({"OSError"}, {"CalledProcessError", "SubprocessError"})
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_LATER = (*_DEFINES, ast.GeneratorExp, ast.Try, ast.With, ast.AsyncWith)
"""What is done at another time, or handles exceptions by itself."""
_LOOKING = frozenset({"eval", "exec", "fileno", "handle", "locals", "name", "vars"})
"""Names by which a function could get at the file, and that of what is new in it."""


def safer(path: str, source: bytes) -> Iterator[Diagnostic]:
    """The findings of a file that can be mended."""
    tree = tree_of(source) if b"mktemp" in source or b"shell=True" in source else None
    for node in ast.walk(tree) if tree is not None else ():
        match node:
            case ast.Try(body=body, handlers=[first, *_]) if _takes_all(first):
                yield from (one for call in _calls(body) for one in _list(path, source, call))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _files(path, source, node)


def _takes_all(handler: ast.ExceptHandler) -> bool:
    """Whether a handler treats all that can go wrong with a command alike, and does not look at it."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {ast.unparse(kind).rpartition(".")[2] if kind else "BaseException" for kind in kinds}
    every = names & {"Exception", "BaseException"} or all(names & some for some in _BOTH)
    return bool(every) and not handler.name and not any(_TELLING.search(ast.unparse(s)) for s in handler.body)


def _calls(nodes: Sequence[ast.AST]) -> Iterator[ast.Call]:
    for node in nodes:
        if not isinstance(node, _LATER):
            if isinstance(node, ast.Call):
                yield node
            yield from _calls(list(ast.iter_child_nodes(node)))


def _list(path: str, source: bytes, call: ast.Call) -> Iterator[Diagnostic]:
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="subprocess"), attr="check_call" | "check_output"),
            args=[ast.Constant(value=str() as command) as said],
            keywords=words,
        ) if _PLAIN.fullmatch(command) and {word.arg for word in words} <= _SAME and _is_bare(source, call):
            if b"chdir" in source or not _is_alone(source, said):
                return
            parts: list[ast.expr | ast.keyword] = [said, *words]
            for word, before in zip(words, parts, strict=False):
                if word.arg == "shell" and isinstance(word.value, ast.Constant) and word.value.value is True:
                    items = ", ".join(f'"{item}"' for item in command.split())
                    listed = _edit(source, _start(said), _end(said), f"[{items}]")
                    edits = listed, _edit(source, _end(before), _end(word), "")
                    message = "`subprocess` call with `shell=True` that needs no shell"
                    yield diagnostic("S602", path, message, place(source, *_start(call)), *edits)


def _files(
    path: str, source: bytes, function: ast.FunctionDef | ast.AsyncFunctionDef
) -> Iterator[Diagnostic]:
    inside = list(ast.walk(function))
    used = {n.id for n in inside if isinstance(n, ast.Name)}
    used |= {n.arg for n in inside if isinstance(n, ast.arg)}
    used |= {n.attr for n in inside if isinstance(n, ast.Attribute)}
    own = {n.asname or n.name.partition(".")[0] for n in inside if isinstance(n, ast.alias)}
    if (
        "os" in own
        or used & _LOOKING
        or not used >= {"mktemp", "os"}
        or any(isinstance(n, _DEFINES) for n in inside[1:])
    ):
        return
    fields = ("body", "orelse", "finalbody")
    blocks = [getattr(node, field, None) for node in inside for field in fields]
    for block in blocks:
        for one, after in pairwise(block if isinstance(block, list) else ()):
            match one:
                case ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.Call(
                        func=ast.Attribute(value=ast.Name(id="tempfile"), attr="mktemp") as called
                    ),
                ) if _is_bare(source, one) and _is_written(after, name) and _is_opened_only(inside, name):
                    yield _made(path, source, one, called)


def _made(path: str, source: bytes, statement: ast.Assign, called: ast.Attribute) -> Diagnostic:
    line_end = "\r\n" if b"\r\n" in source else "\n"
    margin = rows(source)[statement.lineno - 1][: statement.col_offset].decode()
    where, end = _start(statement), _end(statement)
    return diagnostic(
        *("S306", path, "Use of insecure and deprecated function (`mktemp`)"),
        place(source, *_start(called)),
        _edit(source, where, where, "handle, "),
        _edit(source, _end(called.value), _end(called), ".mkstemp"),
        _edit(source, end, end, f"{line_end}{margin}os.close(handle)"),
    )


def _is_bare(source: bytes, node: ast.stmt | ast.expr) -> bool:
    """Whether no comment stands beside it, which may speak of it to a linter; nor another statement."""
    mine = rows(source)[node.lineno - 1 : node.end_lineno]
    return not any(sign in row for row in mine for sign in (b"#", b";"))


def _is_alone(source: bytes, argument: ast.expr) -> bool:
    """Whether an argument ends where the next one begins: no bracket is around it."""
    behind = b"\n".join(rows(source)[(argument.end_lineno or 0) - 1 :])
    return behind[argument.end_col_offset or 0 :].lstrip().startswith(b",")


def _is_written(statement: ast.stmt, name: str) -> bool:
    """Whether a statement opens the file of that name to write it, before all else."""
    match statement:
        case ast.With(items=[ast.withitem(context_expr=call)]) | ast.Assign(value=call):
            pass
        case _:
            return False
    match call:
        case ast.Call(func=ast.Name(id="open"), args=[ast.Name(id=first), ast.Constant(value=str() as mode)]):
            return first == name and mode.startswith("w")
    return False


def _is_opened_only(inside: Sequence[ast.AST], name: str) -> bool:
    """Whether no more is done with a name, which is set once, than to open and remove what it names."""
    known = 1
    for node in inside:
        match node:
            case ast.Call(func=ast.Name(id="open"), args=[ast.Name(id=first), *_]) if first == name:
                known += 1
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="os"), attr="remove" | "unlink"),
                args=[ast.Name(id=first)],
            ) if first == name:
                known += 1
    uses = [n for n in inside if isinstance(n, ast.Name | ast.Global | ast.Nonlocal) and name in _names(n)]
    return len(uses) == known


def _names(node: ast.Name | ast.Global | ast.Nonlocal) -> Sequence[str]:
    return [node.id] if isinstance(node, ast.Name) else node.names


def _start(node: ast.stmt | ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.stmt | ast.expr | ast.keyword) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0


def _edit(source: bytes, start: tuple[int, int], end: tuple[int, int], text: str) -> Edit:
    return Edit(content=text, location=place(source, *start), end_location=place(source, *end))
