"""The detectors that read Python files: those that are asked for, one after the other, in one process.

Words before `--`: a detector's module beside this one, with its options. Each answers with a line.
"""

import sys
from importlib import import_module

from sparky.tools.programs.sources import arguments, put, sources


def main() -> None:
    """Print what each finds in the paths of the command line, in the order in which they are asked for."""
    files = tuple(sources(arguments()))
    for word in sys.argv[1 : sys.argv.index("--")]:
        name, *options = word.split()
        put(import_module(f"{__package__}.{name}").found(files, *options))
        sys.stdout.buffer.write(b"\n")


if __name__ == "__main__":
    main()
