"""How a new environment gets what a project declares: all at once if that works, else piece by piece."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sparky.adapters.uv import BuildError, Uv, reason
from sparky.domain.command import Completed
from sparky.targets.environment import Declared, distribution, is_unreachable, looser

_OLDER = ("pytest<9", "pytest<8")


@dataclass(frozen=True, kw_only=True)
class Filled:
    """What could not be installed, and what could not be had as declared ("WHAT instead of DECLARED")."""

    missing: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Filling:
    """One environment being made in the directory `home`, with the commit's files in the tree of `place`."""

    uv: Uv
    home: Path
    place: Path
    declared: Declared

    def fill(self) -> Filled:
        """Make it; returns where it is not as declared.

        Raises BuildError if it cannot be made, pytest cannot be had, or the package index not be reached.
        """
        self._must(self._uv("venv", "-q", "--no-project", "--python", str(self.uv.python), str(self.home)))
        declared = self.declared
        if self._install(declared.testing, declared.source, locked=True).ok:
            return Filled(replaced=self._older())
        had = [(line, self._one(line)) for line in declared.testing]
        had += [(line, self._one(line)) for line in self._runtime()]
        self._must(self._install(["pytest>=6"]))
        return Filled(
            missing=tuple(line for line, text in had if text is None),
            replaced=(
                *(f"{text} instead of {line}" for line, text in had if text not in {None, line}),
                *self._older(),
            ),
        )

    def _runtime(self) -> tuple[str, ...]:
        """The project's own dependencies, if they cannot be had at once; the last, so that theirs win."""
        source = self.declared.source
        if source and any(self._install((), source, locked=locked).ok for locked in (True, False)):
            return ()
        return self.declared.runtime

    def _one(self, line: str) -> str | None:
        """What was installed for a requirement: itself, or what is near to it; None if nothing can be had."""
        tries = [(line, True), (line, False), *((text, False) for text in looser(line))]
        had = (text for text, locked in dict.fromkeys(tries) if self._install([text], locked=locked).ok)
        return next(had, None)

    def _older(self) -> tuple[str, ...]:
        """Take an older pytest where the plugins refuse the newest; the oldest stays if they refuse each."""
        if all(distribution(line) == "pytest" for line in self.declared.testing) or self._starts():
            return ()
        for text in _OLDER:
            if self._install([text]).ok and self._starts():
                return (f"{text} instead of pytest, for its plugins",)
        return ("an older pytest, which its plugins refuse, too",)

    def _starts(self) -> bool:
        """Whether pytest loads with all its plugins."""
        python = str(self.home / "bin/python")
        alone = ("-c", os.devnull, "--rootdir=.", "--noconftest", "-p", "no:cacheprovider")
        return self._uv(
            "run", "--no-project", "--offline", "--python", python, "-m", "pytest", "--help", *alone
        ).ok

    def _install(self, lines: Sequence[str], source: str | None = None, *, locked: bool = False) -> Completed:
        constraints = self.declared.constraints if locked else ()
        args = ["-r", self._listing("requirements", lines)] if lines else []
        args += ["-c", self._listing("constraints", constraints)] if constraints else []
        args += ["-r", source] if source else []
        done = self._uv(
            "pip", "install", "--compile-bytecode", "--python", str(self.home / "bin/python"), *args
        )
        if not done.ok and is_unreachable(done.text()):
            raise BuildError(f"the package index cannot be reached: {reason(done)}", done.said())
        return done

    def _listing(self, name: str, lines: Sequence[str]) -> str:
        """A file of these lines, in the tree: paths in them are meant from there."""
        path = self.place / "tree" / f".sparky-{name}.txt"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(path)

    def _uv(self, *args: str) -> Completed:
        return self.uv.run(*args, place=self.place, writable=self.home, project=self.declared.name)

    def _must(self, done: Completed) -> None:
        if not done.ok:
            raise BuildError(f"no environment can be made: {reason(done)}", done.said())
