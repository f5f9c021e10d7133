"""What mypy makes of the standard library's stubs, made once for each configuration, and kept.

It is made from nothing of a target's but that, by a process that sees no file of any target. mypy is given a
copy, in which it believes nothing of a file that is not as it was.
"""

from contextlib import suppress
from pathlib import Path

from sparky.domain.command import Command, Level, Policy
from sparky.evidence.kept import is_kept, keep, key_of
from sparky.foreign import toml_foreign
from sparky.ports import Ports
from sparky.tools.tool import Argv, Read

SPARKY = Path(__file__).parents[2]
"""What sparky is imported from."""
_KEPT = 5
"""Of how many configurations it is kept: 7 MB each."""
_LIMIT = 100_000_000
_TIMEOUT_S = 300.0
_ASKS, _MAKES = "sparky.tools.programs.typed", "sparky.tools.programs.stubs"
_AT = 4
"""Where the options of a program stand in its command."""


def knowing(ports: Ports, argv: Argv, read: Read) -> Argv:
    """The command, with the file that spares mypy the stubs if it is one of mypy's, and one can be had.

    `read` reads the target's files.
    """
    if argv[3:_AT] != (_ASKS,):
        return argv
    options = argv[_AT : _AT + 2] if argv[_AT] == "--config-file" else ()
    config = (read(options[1]) or b"") if options else b""
    file = ports.kept.resolve() / "stubs" / f"{key_of(options, [_asked(options, config)])}.zip"
    if not is_kept(file):
        made = _made(ports, (*argv[:3], _MAKES, *options, "--"), config)
        if not made:
            return argv
        keep(file, made, at_most=_KEPT)
    return (*argv[:_AT], *options, "--known", str(file), *argv[_AT + len(options) :])


def _made(ports: Ports, argv: Argv, config: bytes) -> bytes:
    """The file's bytes; empty where mypy gives none."""
    policy = None if ports.shell.level() is Level.OFF else Policy(readable=(SPARKY,))
    command = Command(
        argv=argv, cwd=SPARKY, stdin=config, timeout_s=_TIMEOUT_S, output_limit=_LIMIT, policy=policy
    )
    done = ports.shell.run(command)
    return done.stdout if done.ok and not done.dropped else b""


def _asked(options: Argv, config: bytes) -> bytes:
    """What of a configuration it depends on: of a pyproject only mypy's part."""
    if options[1:] == ("pyproject.toml",):
        with suppress(ValueError, AttributeError):
            told = toml_foreign(config)
            return repr(told.get("tool", {}).get("mypy")).encode()
    return config
