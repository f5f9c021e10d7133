"""How a new environment gets what a project declares: all at once if that works, else piece by piece."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sparky.adapters.uv import BuildError, Uv, reason
from sparky.domain.command import Completed
from sparky.targets.environment import Declared, is_unreachable, looser


@dataclass(frozen=True, kw_only=True)
class Filling:
    """One environment being made in the directory `home`, with the commit's files in the tree of `place`."""

    uv: Uv
    home: Path
    place: Path
    declared: Declared

    def fill(self) -> tuple[str, ...]:
        """Make it; returns the requirements that could not be installed.

        Raises BuildError if it cannot be made, pytest cannot be had, or the package index not be reached.
        """
        self._must(self._uv("venv", "-q", "--no-project", "--python", str(self.uv.python), str(self.home)))
        declared = self.declared
        if self._install(declared.testing, declared.source, locked=True).ok:
            return ()
        missing = [line for line in declared.testing if not self._one(line)]
        missing += self._runtime()
        self._must(self._install(["pytest>=6"]))
        return tuple(missing)

    def _runtime(self) -> list[str]:
        """The project's own dependencies, last, so that of two versions theirs wins."""
        source = self.declared.source
        if source and any(self._install((), source, locked=locked).ok for locked in (True, False)):
            return []
        return [line for line in self.declared.runtime if not self._one(line)]

    def _one(self, line: str) -> bool:
        """One requirement: as locked, as declared, or else as near to it as can be had."""
        tries = [(line, True), (line, False), *((text, False) for text in looser(line))]
        return any(self._install([text], locked=locked).ok for text, locked in dict.fromkeys(tries))

    def _install(self, lines: Sequence[str], source: str | None = None, *, locked: bool = False) -> Completed:
        constraints = self.declared.constraints if locked else ()
        args = ["-r", self._listing("requirements", lines)] if lines else []
        args += ["-c", self._listing("constraints", constraints)] if constraints else []
        args += ["-r", source] if source else []
        done = self._uv(
            "pip", "install", "--compile-bytecode", "--python", str(self.home / "bin/python"), *args
        )
        if not done.ok and is_unreachable(done.text()):
            raise BuildError(
                f"the package index cannot be reached: {reason(done)}", done.stdout + done.stderr
            )
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
            raise BuildError(f"no environment can be made: {reason(done)}", done.stdout + done.stderr)
