"""Files of answers that are kept by what they depend on, the newest few of them."""

import secrets
from pathlib import Path


def keep(file: Path, data: bytes, *, at_most: int) -> None:
    """Write a file, which is there whole or not at all, as one of `at_most` of its sort in its directory."""
    file.parent.mkdir(parents=True, exist_ok=True)
    for old in sorted(file.parent.glob(f"*{file.suffix}"), key=_age)[: -at_most + 1]:
        old.unlink(missing_ok=True)
    part = file.with_suffix(f".{secrets.token_hex(4)}.part")
    part.write_bytes(data)
    part.rename(file)


def _age(file: Path) -> float:
    """When a file was written, in seconds since the epoch; 0 if another process has removed it."""
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0.0
