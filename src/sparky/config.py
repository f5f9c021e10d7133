"""Configuration, read once: `sparky.toml`, or `[tool.sparky]`."""

import difflib
import math
import os
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path, PurePosixPath

import msgspec

from sparky.domain.agent import USUAL, Thresholds
from sparky.domain.attempt import Budget
from sparky.domain.errors import UsageError
from sparky.domain.state import MergePolicy, Preferences

FILE = "sparky.toml"

LIMITS = ("attempt_budget", "day_budget")
"""Settings that are tables of limits."""

RUNNERS = ("claude", "codex", "claude-acp", "codex-acp", "opencode", "model")
"""The coding agents that sessions can be had with."""

POSITIVE = (
    *("test_timeout_s", "session_timeout_s", "budget_usd", "budget_tokens", "budget_minutes", "budget_turns"),
    *("usd", "tokens", "minutes", "turns"),
)
"""Settings, and limits in tables of them, that must be above 0."""


SHARES = ("bid_chosen", "bid_fallback")
"""Settings that must be within 0 and 1."""


class ConfigError(UsageError):
    """The configuration can't be used; the text says which file, what is wrong, and what would be right."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What something may cost; None: no limit."""

    usd: float | None = None
    tokens: int | None = None
    minutes: float | None = None
    turns: int | None = None

    @property
    def budget(self) -> Budget:
        """The limits as a run knows them."""
        seconds = None if self.minutes is None else self.minutes * 60
        return Budget(usd=self.usd, tokens=self.tokens, seconds=seconds, turns=self.turns)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What `sparky.toml` may say. Times are in seconds.

    `sisters` are other repositories by name, each as a path (from the repository's top) or a URL.
    `test_command` and `test_setup` are one shell-like line each, `test_report` is a path or pattern from the
    repository's top.
    """

    merge: str = "ask"
    test_command: str | None = None
    test_report: str | None = None
    test_setup: str | None = None
    test_timeout_s: float = 900.0
    session_timeout_s: float = 1800.0
    budget_usd: float | None = None
    budget_tokens: int | None = None
    budget_minutes: float | None = None
    budget_turns: int | None = None
    attempt_budget: Limits = field(default_factory=Limits)
    day_budget: Limits = field(default_factory=Limits)
    sandbox: bool = True
    constraints: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()
    script: str | None = None
    runner: str | None = None
    fallback_runner: str | None = None
    model: str | None = None
    hand_on: bool = False
    bid_chosen: float = USUAL.chosen
    bid_fallback: float = USUAL.fallback
    write_results: bool = False
    sisters: Mapping[str, str] = field(default_factory=dict)


def read_settings(top: Path) -> Settings:
    """The settings of a repository: its `sparky.toml`, else `[tool.sparky]` of its pyproject, else defaults.

    Raises ConfigError for unreadable TOML, an unknown key (naming the nearest), a wrong type or value.
    A pyproject that is invalid TOML and does not speak of sparky is not sparky's to refuse.
    """
    own = top / FILE
    if os.path.lexists(own):
        return parse_settings(_parse(_read(own), own), str(own))
    pyproject = top / "pyproject.toml"
    said = _read(pyproject) if pyproject.is_file() else b""
    try:
        table = _parse(said, pyproject).get("tool")
    except ConfigError:
        if b"[tool.sparky" in said:
            raise
        return Settings()
    if isinstance(table, dict) and "sparky" in table:
        return parse_settings(table["sparky"], f"{pyproject} [tool.sparky]")
    return Settings()


def parse_settings(table: object, where: str) -> Settings:
    """Settings from a TOML table; raises ConfigError naming `where`."""
    if not isinstance(table, dict):
        raise ConfigError(f"{where} is {table!r}, and must be a table")
    if said := unknown_key(table, (f.name for f in fields(Settings))):
        raise ConfigError(f"{where}: {said}")
    for name in LIMITS:
        limits = table.get(name)
        if isinstance(limits, dict) and (said := unknown_key(limits, (f.name for f in fields(Limits)))):
            raise ConfigError(f"{where}: {name}: {said}")
    try:
        settings = msgspec.convert(table, Settings)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: {error}") from error
    if settings.merge not in {"ask", "auto"}:
        raise ConfigError(f"{where}: merge is {settings.merge!r}, and may be 'ask' or 'auto'")
    _check_positive(settings, where)
    for name in LIMITS:
        _check_positive(getattr(settings, name), f"{where}: {name}")
    _check_bids(settings, where)
    _check_runners(settings, where)
    _check_tests(settings, where)
    return settings


def _check_positive(values: Settings | Limits, where: str) -> None:
    for key in POSITIVE:
        value = getattr(values, key, None)
        if value is not None and not 0 < value < math.inf:
            unit = " seconds" if key.endswith("_s") else ""
            raise ConfigError(f"{where}: {key} is {value}, and must be above 0{unit}")


def _check_bids(settings: Settings, where: str) -> None:
    for key in SHARES:
        if not 0 <= (value := getattr(settings, key)) <= 1:
            raise ConfigError(f"{where}: {key} is {value}, and must be within 0 and 1")
    if settings.bid_fallback > settings.bid_chosen:
        both = f"bid_fallback is {settings.bid_fallback}, and bid_chosen {settings.bid_chosen}"
        raise ConfigError(f"{where}: {both}: a fallback must need no more than what is chosen")


def _check_runners(settings: Settings, where: str) -> None:
    for runner in filter(None, (settings.runner, settings.fallback_runner)):
        if runner not in RUNNERS:
            raise ConfigError(f"{where}: no runner is called {runner!r}; there are {', '.join(RUNNERS)}")
    if settings.fallback_runner == "model":
        raise ConfigError(f"{where}: fallback_runner can't be 'model', which has no model of its own choice")


def _check_tests(settings: Settings, where: str) -> None:
    report = PurePosixPath(settings.test_report or "")
    if report.is_absolute() or ".." in report.parts:
        raise ConfigError(f"{where}: test_report is {settings.test_report!r}, and must lie in the repository")
    for key in ("test_command", "test_setup"):
        try:
            shlex.split(getattr(settings, key) or "")
        except ValueError as error:
            raise ConfigError(f"{where}: {key}: {error}") from error


def parse_toml(data: bytes) -> dict[str, object]:
    """The table in a TOML file; raises ValueError, whose text goes on after the file's name."""
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValueError(f"is not valid TOML: {error}") from error


def unknown_key(keys: Iterable[str], known: Iterable[str]) -> str | None:
    """What to say of the first key that is not known, with the nearest that is; None if all are."""
    names = tuple(known)
    for key in keys:
        if key not in names:
            near = difflib.get_close_matches(key, names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known keys are {', '.join(names)}"
            return f"unknown key {key!r}; {hint}"
    return None


def preferences(settings: Settings) -> Preferences:
    """What the settings say about one run."""
    return Preferences(
        merge=MergePolicy(settings.merge),
        test_command=tuple(shlex.split(settings.test_command)) if settings.test_command else None,
        test_report=settings.test_report or "",
        test_setup=tuple(shlex.split(settings.test_setup or "")),
        test_timeout_s=settings.test_timeout_s,
        session_timeout_s=settings.session_timeout_s,
        sandbox=settings.sandbox,
        constraints=settings.constraints,
        script=settings.script,
        attempt_budget=settings.attempt_budget.budget,
        day_budget=settings.day_budget.budget,
        runner=settings.runner or "",
        fallback_runner=settings.fallback_runner or "",
        model=settings.model or "",
        thresholds=Thresholds(chosen=settings.bid_chosen, fallback=settings.bid_fallback),
    )


def budget(settings: Settings) -> Budget:
    """What a segment of a run may cost."""
    return Limits(
        usd=settings.budget_usd,
        tokens=settings.budget_tokens,
        minutes=settings.budget_minutes,
        turns=settings.budget_turns,
    ).budget


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error


def _parse(data: bytes, path: Path) -> dict[str, object]:
    try:
        return parse_toml(data)
    except ValueError as error:
        raise ConfigError(f"{path} {error}") from error
