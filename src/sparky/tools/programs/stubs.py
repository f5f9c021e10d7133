"""What mypy makes of the standard library's stubs: the same for every target, and a third of its work.

Printed is a cache of mypy's, made from nothing of a target's but its configuration (on standard input), which
it depends on: a digest, then an archive. `unpack` puts it where mypy looks.
"""

import contextlib
import hashlib
import io
import sys
import tempfile
import zipfile
from pathlib import Path

from sparky.tools.programs.checking import check
from sparky.tools.programs.mypy_config import harmless
from sparky.tools.programs.sources import leave

_DIGEST = hashlib.sha256().digest_size


def unpack(known: Path, cache: Path) -> None:
    """Put what was printed into an empty directory; what is not whole counts for nothing."""
    try:
        data = known.read_bytes()
    except OSError:
        return
    if hashlib.sha256(data[_DIGEST:]).digest() == data[:_DIGEST]:
        zipfile.ZipFile(io.BytesIO(data[_DIGEST:])).extractall(cache)


def made(options: tuple[str, ...], config: bytes) -> bytes:
    """The cache after a program that imports all of the standard library."""
    names = sorted(name for name in sys.stdlib_module_names if not name.startswith("_"))
    # As text: mypy takes a target's file of the same name, size and second for the one that it knew.
    program = "\n".join(f"import {name}" for name in names)
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory(prefix="sparky-stubs-") as place, contextlib.chdir(place):
        if options:
            Path(options[-1]).write_bytes(harmless(options[-1], config))
        cache = Path(place, "cache")
        check(["-c", program], options, cache)
        with zipfile.ZipFile(packed, "w") as archive:
            for file in sorted(path for path in cache.rglob("*") if path.is_file()):
                archive.write(file, file.relative_to(cache))
    data = packed.getvalue()
    return hashlib.sha256(data).digest() + data


def main() -> None:
    """Print it for the options of mypy on the command line."""
    options = tuple(sys.argv[1 : sys.argv.index("--")])
    sys.stdout.buffer.write(made(options, sys.stdin.buffer.read()))
    leave()


if __name__ == "__main__":
    main()
