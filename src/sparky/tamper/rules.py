"""Whether a diff loosens the rules that the code is held to: CI, linters, type checkers, coverage, pytest."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from sparky.domain.change import Sort, Suspicion
from sparky.tamper.edit import Edit
from sparky.tamper.options import Options, read_options, states_rules

_SHOWN = 60
_NEWLY = re.compile(r"is hidden|evades|lowers|is switched on")

_SCRIPT = re.compile(
    r"(^|/)(\.github/workflows/|\.circleci/|\.gitlab/)|(^|/)(\.gitlab-ci|azure-pipelines|\.travis|appveyor|\.appveyor|codecov|\.codecov)\.ya?ml$"
    r"|(^|/)(Jenkinsfile|Makefile|noxfile\.py|tasks\.py|justfile|\.pre-commit-config\.ya?ml)$"
)
_HIDES = re.compile(
    r"ignore|exclude|omit|disable|skip|norecursedirs|deselect|allow|suppress|unfixable|filterwarnings|confcutdir|partial",
    re.IGNORECASE,
)
_DEMANDS = re.compile(
    r"(^|\.)(select|extend[-_]select|enable|enable_error_code|strict|testpaths|python_files|python_classes|python_functions|files|source|include|envlist|env_list|commands|plugins|packages)$"
)
_AT_LEAST = re.compile(r"fail[-_]under|min[-_]\w+|minimum|threshold|target$", re.IGNORECASE)
_AT_MOST = re.compile(r"max[-_]\w+|line[-_]length", re.IGNORECASE)
_SEVERITY = re.compile(r"(?:^|\.)errors\.[\w-]+$")
_PYRIGHT = re.compile(r"report[A-Z]\w*|typeCheckingMode")
_WEIGHTS = {"false": 0, "ignore": 0, "none": 0, "info": 1, "information": 1, "warn": 1, "warning": 1}
_MODES = ("off", "basic", "standard", "strict", "recommended", "all")
"""Those of pyright, and of basedpyright; who names none has the third."""
_EASY = {
    "ignore_errors",
    "ignore_missing_imports",
    "follow_imports",
    "implicit_reexport",
    "implicit_optional",
    "exit_zero",
    "exit-zero",
}
_STRICT = re.compile(
    r"strict|disallow|^warn|check_|\.warn|branch|no_implicit|xfail_strict|error|report[A-Z]|lint|preview",
    re.IGNORECASE,
)
_EVASIONS = re.compile(
    r"(?:^|\s)(-k|-m(?!\s*(?:pytest|pip|build|coverage|tox|nox|unittest|mypy|ruff|flake8|twine|pylint|black"
    r"|isort|virtualenv|venv|[a-z_]+\.)\b)|-x|--deselect|--ignore(?:-glob)?|--maxfail|--exitfirst|--co"
    r"|--collect-only|-p\s*no:\S+|--no-cov|--assert=plain|--exit-zero|-O|--lf|--last-failed|--noconftest"
    r"|-c\s*/dev/null|--disable-warnings|--continue-on-collection-errors|--suppress-no-test-exit-code"
    r"|-W\s*ignore\S*)(?=[\s=\"']|$)"
)
_GUARDS = re.compile(
    r"--strict\S*|--cov-fail-under\S*|--cov-branch|-W\s*error\S*|--doctest-\S+|--fail-under\S*|--error-\S+"
    r"|--warn-\S+|--exit-non-zero\S*|-Werror"
)
_EXCUSES = re.compile(
    r"continue-on-error\s*:\s*(true|\$)|allow_failure\s*:\s*true|\|\|\s*(true|:|exit 0|echo)|;\s*true\s*$"
    r"|\bexit 0\b|set \+e|^\s*if\s*:\s*(false|\$\{\{\s*false)"
    r"|when\s*:\s*(manual|never)|ignore_outcome\s*=\s*true"
    r"|ignore_errors\s*=\s*true|PYTHONOPTIMIZE|branches-ignore|paths-ignore|^\t-(?!-)|SKIP\s*[:=]|\[skip ci\]"
    r"|fail_ci_if_error\s*:\s*false|informational\s*:\s*true|stages\s*:\s*\[manual\]|success_codes"
)
_WORK = re.compile(
    r"\b(pytest|py\.test|unittest|tox|nox|ruff|mypy|flake8|pylint|pyright|coverage|bandit"
    r"|make (test|check|lint|ci)|pre-commit|hatch run|test(s)?\.py)\b"
)


def judge_rules(edit: Edit) -> Iterator[Suspicion]:
    """What an edit of a configuration or of CI takes back."""
    if edit.before is None:
        yield from _new_file(edit)
        return
    name = PurePosixPath(edit.old_path or edit.path).name
    if not states_rules(name) and not _SCRIPT.search(edit.old_path or edit.path):
        return
    if edit.after is None or (edit.old_path or edit.path) != edit.path:
        yield _said(edit, 0, "it is removed", "the rules in it no longer hold")
    elif _SCRIPT.search(edit.path):
        yield from _script(edit, edit.before, edit.after)
    else:
        yield from _options(edit, read_options(name, edit.before), read_options(name, edit.after))


def _new_file(edit: Edit) -> Iterator[Suspicion]:
    """A new file of rules comes before older ones: `pytest.ini` before what `pyproject.toml` says."""
    name = PurePosixPath(edit.path).name
    if states_rules(name):
        found = _options(edit, {}, read_options(name, edit.after or ""))
        yield from (one for one in found if _NEWLY.search(one.what))


def _said(edit: Edit, line: int, what: str, why: str) -> Suspicion:
    return Suspicion(sort=Sort.RULES, path=edit.path, line=line, what=what, why=why)


def _options(edit: Edit, before: Options, after: Options) -> Iterator[Suspicion]:
    for key in sorted(before.keys() | after.keys()):
        was, now = before.get(key), after.get(key)
        if was != now and (why := _taken_back(key, was, now)):
            yield _said(edit, _line(edit, key), f"{key} {why}", f"{_short(was)} became {_short(now)}")


def _short(value: object) -> str:
    said = "nothing" if value is None else " ".join(str(value).split())
    return said if len(said) <= _SHOWN else f"{said[:_SHOWN]}..."


def _line(edit: Edit, key: str) -> int:
    last = key.rpartition(".")[2].lower()
    lines = (edit.after or "").splitlines()
    return next((n for n, line in enumerate(lines, 1) if line.strip().lower().startswith(last)), 1)


def _taken_back(key: str, was: object, now: object) -> str:
    """What a changed option takes back; "" for nothing."""
    last = key.rpartition(".")[2]
    old, new = _words(was), _words(now)
    if "disallow" not in last and _evades(old, new, last):
        return "evades tests"
    if _AT_LEAST.search(last) and _number(was) is not None:
        return "lowers what is demanded" if (_number(now) or 0.0) < (_number(was) or 0.0) else ""
    if _AT_MOST.search(last) and _number(now) is not None and _number(was) is not None:
        return "raises what is allowed" if (_number(now) or 0.0) > (_number(was) or 0.0) else ""
    if _SEVERITY.search(key):
        return "is switched off" if _weight(now) < _weight(was) else ""
    if _PYRIGHT.fullmatch(last):
        return _of_pyright(last, was, now)
    if _is_flag(was) or _is_flag(now):
        return _flag(last, was, now)
    if last == "filterwarnings":
        return (
            "is hidden from: errors are dropped"
            if old - new and any("error" in w for w in old - new)
            else ("hides warnings: ignores are added" if any("ignore" in w for w in new - old) else "")
        )
    if _HIDES.search(key) and "disallow" not in key and new - old:
        return "is hidden from: entries are added"
    if _DEMANDS.search(key.lower()) or _is_command(last):
        return _demand(last, was, now, old, new)
    return "is taken out" if now is None and _STRICT.search(last) else ""


def _evades(old: Counter[str], new: Counter[str], last: str) -> bool:
    if last not in {"addopts", "commands", "args", "script", "pytest_addopts"} and not _is_command(last):
        return False
    before, after = " ".join(old.elements()), " ".join(new.elements())
    joined = ({m[1].split("=")[0] for m in _EVASIONS.finditer(f" {side} ")} for side in (before, after))
    was, now = joined
    if last == "addopts" and len(_EVASIONS.findall(f" {after} ")) > len(_EVASIONS.findall(f" {before} ")):
        return True
    return bool(now - was) or _unguarded(before, after)


def _unguarded(before: str, after: str) -> bool:
    """Whether an option that makes the tools stricter is gone, or demands a smaller number."""
    was, now = (
        {m.partition("=")[0]: _number(m.partition("=")[2]) for m in _GUARDS.findall(side)}
        for side in (before, after)
    )
    return any(key not in now or (now[key] or 0.0) < (value or 0.0) for key, value in was.items())


def _is_command(last: str) -> bool:
    return last in {"commands", "commands_pre", "script", "scripts", "cmd", "addopts"}


def _is_flag(value: object) -> bool:
    return isinstance(value, bool) or str(value).strip().lower() in {"true", "false", "yes", "no"}


def _flag(last: str, was: object, now: object) -> str:
    on = {"true", "yes", "1", "on"}
    before, after = (str(value).strip().lower() in on for value in (was, now))
    if last in _EASY or last.startswith(("allow", "ignore", "skip")):
        return "is switched on" if after and not before else ""
    return "is switched off" if before and not after and _STRICT.search(last) else ""


def _weight(value: object) -> int:
    """How much an error of a type checker counts; unless it is said, it is one."""
    return 2 if value is None else _WEIGHTS.get(str(value).lower(), 2)


def _of_pyright(last: str, was: object, now: object) -> str:
    """The same of its rules and of its mode, which says how much those count of which nothing is said."""
    if last == "typeCheckingMode":
        return "lowers what is demanded" if _mode(now) < _mode(was) else ""
    if now is None:
        return "is taken out" if _weight(was) else ""
    return "is switched off" if _weight(now) < (1 if was is None else _weight(was)) else ""


def _mode(value: object) -> int:
    return _MODES.index(str(value)) if value in _MODES else _MODES.index("standard")


def _demand(last: str, was: object, now: object, old: Counter[str], new: Counter[str]) -> str:
    if was is None:
        return (
            "narrows what is looked at"
            if last in {"testpaths", "python_files", "python_classes", "python_functions"}
            else ""
        )
    if now is None:
        return "is taken out"
    if _is_command(last):
        gone = [word for word in old - new if _WORK.search(word)]
        kept = any(_WORK.search(word) for word in new - old)
        return "no longer runs what it ran" if gone and not kept else ""
    if last in {"envlist", "env_list"}:
        gone_envs = [word for word in old - new if not re.search(r"py|\d", word)]
        return "no longer runs what it ran" if gone_envs else ""
    return "demands less" if old - new else ""


def _words(value: object) -> Counter[str]:
    if value is None:
        return Counter()
    if isinstance(value, list):
        return Counter(str(item) for item in value)
    return Counter(word for word in re.split(r"[\s,]+", str(value)) if word)


def _number(value: object) -> float | None:
    try:
        return float(str(value).strip().rstrip("%"))
    except ValueError:
        return None


def _script(edit: Edit, before: str, after: str) -> Iterator[Suspicion]:
    """Lines of CI and the like that excuse a failure, or no longer run something."""
    old, new = (Counter(line.strip() for line in side.splitlines()) for side in (before, after))
    gone, fresh = old - new, new - old
    for number, line in enumerate(after.splitlines(), 1):
        if line.strip() not in fresh or line.lstrip().startswith("#"):
            continue
        if _EXCUSES.search(line) and not any(_EXCUSES.search(was) for was in gone):
            yield _said(
                edit, number, f"`{line.strip()[:60]}` excuses a failure", "what fails there no longer counts"
            )
        if _WORK.search(line) and _evading(line, gone):
            yield _said(edit, number, f"`{line.strip()[:60]}` leaves tests out", "it ran without that before")
        if re.search(r"(^|\s)(exclude|args|skip|SKIP|fail_under|threshold|target)\s*:", line) and (
            why := _knob(line, gone)
        ):
            yield _said(edit, number, f"`{line.strip()[:60]}` {why}", "the rule was stricter before")
    lost = [line for line in gone.elements() if _is_work(line)]
    kept = [line for line in fresh.elements() if _is_work(line)]
    if len(lost) > len(kept):
        yield _said(edit, 1, f"`{lost[0][:60]}` is no longer run", "nothing runs in its place")
    hooks = [line for line in gone.elements() if re.match(r"- ?id:", line)]
    if len(hooks) > sum(bool(re.match(r"- ?id:", line)) for line in fresh.elements()):
        yield _said(edit, 1, f"the hook `{hooks[0]}` is taken out", "nothing stands in its place")


def _is_work(line: str) -> bool:
    return (
        bool(_WORK.search(line))
        and not line.startswith(("#", "name:", "- name:", "- repo:", "- pip", "pip ", "- id:", "rev:"))
        and "pip install" not in line
    )


def _evading(line: str, gone: Counter[str]) -> bool:
    now = {m[1] for m in _EVASIONS.finditer(line)}
    was = {m[1] for old in gone for m in _EVASIONS.finditer(old)}
    alike = [old for old in gone if _WORK.findall(old) == _WORK.findall(line)]
    return bool(now - was) or any(_unguarded(old, line) for old in alike)


def _knob(line: str, gone: Counter[str]) -> str:
    key = line.strip().lstrip("- ").split(":")[0]
    was = next((old for old in gone if old.lstrip("- ").startswith(f"{key}:")), None)
    if key in {"fail_under", "threshold", "target"} and was is not None:
        before, after = (_number(side.partition(":")[2]) for side in (was, line))
        looser = (after or 0) > (before or 0) if key == "threshold" else (after or 0) < (before or 0)
        return "lowers what is demanded" if looser else ""
    if key in {"exclude", "skip", "SKIP"}:
        return "hides files or hooks" if was is None or len(line.strip()) > len(was) else ""
    return (
        "ignores more"
        if re.search(r"ignore|disable|exclude|exit-zero", line)
        and not (was and re.search(r"ignore|disable|exclude|exit-zero", was))
        else ""
    )
