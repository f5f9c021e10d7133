"""What a Python project's own files say of it: pyproject, setup.cfg, setup.py (read, never run), Pipfile."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparky.foreign import parse_foreign
from sparky.targets.tables import read_ini, read_text, read_toml, strings, table

_PKG_RESOURCES = "setuptools<82"
"""What old namespace packages import `pkg_resources` from; setuptools 82 has it no longer."""


@dataclass(frozen=True, kw_only=True)
class Project:
    """Requirements as PEP 508 lines: `runtime`, by `extras` of the project, and by `groups` for its makers.

    `source`: the file an installer reads, None if there is nothing to install. A group may include another
    by the line "include-group NAME". `pythons`: specifiers of the Pythons it runs on, each with its file.
    """

    name: str = ""
    source: str | None = None
    runtime: tuple[str, ...] = ()
    extras: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pythons: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: "Project") -> "Project":
        """Both; of two names and sources the first."""
        return Project(
            name=self.name or other.name,
            source=self.source or other.source,
            runtime=self.runtime + other.runtime,
            extras=_joined(self.extras, other.extras),
            groups=_joined(self.groups, other.groups),
            pythons=self.pythons + other.pythons,
        )


def parse(files: Mapping[str, bytes]) -> Project:
    """All that the files at the top of a repository say; what can't be read counts as empty."""
    data = files.get("pyproject.toml", b"")
    pyproject = read_toml(data)
    # One that can't be read is to be installed all the same: the installer then says what is wrong with it.
    broken = Project(source="pyproject.toml" if data.strip() and not pyproject else None)
    return (
        broken
        + _standard(pyproject)
        + _tools(table(pyproject, "tool"))
        + _setup_cfg(read_text(files.get("setup.cfg", b"")))
        + _setup_py(files.get("setup.py"))
        + _pipfile(read_toml(files.get("Pipfile", b"")))
    )


def _standard(pyproject: Mapping[str, Any]) -> Project:
    project = table(pyproject, "project")
    groups = {name: _group(lines) for name, lines in table(pyproject, "dependency-groups").items()}
    return Project(
        name=str(project.get("name", "")),
        source="pyproject.toml" if "build-system" in pyproject else None,
        runtime=strings(project.get("dependencies")),
        extras={name: strings(lines) for name, lines in table(project, "optional-dependencies").items()},
        groups=groups,
        pythons=_pythons(project.get("requires-python"), "pyproject.toml"),
    )


def _pythons(specifier: Any, path: str) -> tuple[tuple[str, str], ...]:
    return ((specifier, path),) if isinstance(specifier, str) and specifier else ()


def _group(lines: Any) -> tuple[str, ...]:
    entries = lines if isinstance(lines, list) else []
    return tuple(
        f"include-group {entry.get('include-group', '')}" if isinstance(entry, dict) else str(entry)
        for entry in entries
    )


def _tools(tool: Mapping[str, Any]) -> Project:
    """Groups as Poetry, uv, PDM and Hatch have them in tables of their own."""
    poetry = table(tool, "poetry")
    groups = {name: _table(table(group, "dependencies")) for name, group in table(poetry, "group").items()}
    groups["dev"] = (
        *groups.get("dev", ()),
        *_table(table(poetry, "dev-dependencies")),
        *strings(table(tool, "uv").get("dev-dependencies")),
    )
    for name, lines in table(tool, "pdm", "dev-dependencies").items():
        groups[name] = groups.get(name, ()) + strings(lines)
    for name in table(tool, "hatch", "envs"):
        made = table(tool, "hatch", "envs", name)
        both = strings(made.get("dependencies")) + strings(made.get("extra-dependencies"))
        groups[name] = groups.get(name, ()) + both
    dependencies = table(poetry, "dependencies")
    python = dependencies.get("python")
    return Project(
        name=str(poetry.get("name", "")),
        runtime=_table(dependencies),
        groups=groups,
        pythons=_pythons(_specifier(python) if isinstance(python, str) else "", "pyproject.toml"),
    )


def _setup_cfg(text: str) -> Project:
    parser = read_ini(text)

    def listed(section: str, key: str) -> tuple[str, ...]:
        value = (parser.get(section, key, fallback="") or "").replace("\\\n", " ").replace(";\n", "\n")
        lines = tuple(line.strip() for line in value.splitlines() if line.strip())
        return () if value.strip().startswith("file:") else lines

    section = "options.extras_require"
    names = parser.options(section) if parser.has_section(section) else []
    return Project(
        name=parser.get("metadata", "name", fallback="") or "",
        source="setup.cfg" if parser.has_option("metadata", "name") else None,
        runtime=listed("options", "install_requires"),
        extras={name: listed(section, name) for name in names},
        groups={
            "tests": listed("options", "tests_require")
            + _namespaces(parser.get("options", "namespace_packages", fallback=None))
        },
        pythons=_pythons(parser.get("options", "python_requires", fallback=""), "setup.cfg"),
    )


def _setup_py(data: bytes | None) -> Project:
    if data is None:
        return Project()
    try:
        tree = parse_foreign(data)
    except (SyntaxError, ValueError):
        return Project(source="setup.py")
    known = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    said: dict[str, Any] = {}
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("setup"):
            said |= {word.arg or "": _literal(word.value, known) for word in call.keywords}
    extras = said.get("extras_require")
    return Project(
        name=str(said.get("name") or ""),
        source="setup.py",
        runtime=strings(said.get("install_requires")),
        extras={n: strings(v) for n, v in extras.items()} if isinstance(extras, dict) else {},
        groups={"tests": strings(said.get("tests_require")) + _namespaces(said.get("namespace_packages"))},
        pythons=_pythons(said.get("python_requires"), "setup.py"),
    )


def _namespaces(declared: object) -> tuple[str, ...]:
    return (_PKG_RESOURCES,) if declared else ()


def _literal(node: ast.expr, known: Mapping[str, ast.expr]) -> Any:
    """The value of a literal, or of a name that stands for one; None for whatever would have to be run."""
    if isinstance(node, ast.Name):
        node = known.get(node.id, node)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return None


def _pipfile(pipfile: Mapping[str, Any]) -> Project:
    packages = _table(table(pipfile, "packages"))
    return Project(runtime=packages, groups={"dev": _table(table(pipfile, "dev-packages"))})


def _table(entries: Mapping[str, Any]) -> tuple[str, ...]:
    """Requirements written as `name = version` or `name = {version = …, extras = […]}`."""
    return tuple(_entry(name, value) for name, value in entries.items() if name.lower() != "python")


def _entry(name: str, value: Any) -> str:
    said = value if isinstance(value, dict) else {"version": value}
    extras = f"[{','.join(strings(said.get('extras')))}]" if said.get("extras") else ""
    if "git" in said:
        ref = said.get("rev") or said.get("tag") or said.get("branch") or said.get("ref")
        return f"{name}{extras} @ git+{said['git']}" + (f"@{ref}" if ref else "")
    version = said.get("version")
    return name + extras + (_specifier(version) if isinstance(version, str) else "")


def _specifier(version: str) -> str:
    """Poetry's `^1.2`, `~1.2`, `*` and bare versions as PEP 440 has them; alternatives are not pinned."""
    if version.strip() in {"", "*"} or "||" in version:
        return ""
    return ",".join(_bound(part.strip()) for part in version.split(","))


def _bound(part: str) -> str:
    if part[0] not in "^~" or part.startswith("~="):
        return part if part[0] in "<>=!~" else f"=={part}"
    low = part[1:].strip()
    numbers = [int(n) if n.isdigit() else 0 for n in low.split(".")]
    keep = min(2, len(numbers)) - 1
    if part[0] == "^":
        keep = next((i for i, n in enumerate(numbers) if n), len(numbers) - 1)
    high = [*numbers[:keep], numbers[keep] + 1]
    return f">={low},<{'.'.join(map(str, high))}"


def _joined(
    one: Mapping[str, tuple[str, ...]], other: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    return {name: (*one.get(name, ()), *other.get(name, ())) for name in {**one, **other}}
