"""The calls of Linux on x86-64 that can change a file or start a program, and the filter that stops them."""

import ctypes
import os
import struct
from dataclasses import dataclass
from enum import Enum

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long] * 4
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_ALLOW, _TRACE, _LOAD, _EQUAL, _SET, _RETURN = 0x7FFF0000, 0x7FF00000, 0x20, 0x15, 0x45, 0x06
_NO_NEW_PRIVS, _SET_SECCOMP, _BY_FILTER = 38, 22, 2


class Kind(Enum):
    """What sort of change a boundary lies before."""

    START = "process start"
    WRITE = "file write"
    RENAME = "rename"
    REMOVAL = "removal"
    DIRECTORY = "directory made"
    REF = "ref update"
    COMMIT = "database commit"


@dataclass(frozen=True, kw_only=True)
class Call:
    """How a call names what it changes: the place of its path, or of its descriptor, among the arguments.

    `folder`: the place of the directory that the path is relative to.
    """

    kind: Kind
    path: int | None = None
    folder: int | None = None
    descriptor: int | None = None


CALLS = {
    1: Call(kind=Kind.WRITE, descriptor=0),  # write
    18: Call(kind=Kind.WRITE, descriptor=0),  # pwrite64
    20: Call(kind=Kind.WRITE, descriptor=0),  # writev
    40: Call(kind=Kind.WRITE, descriptor=0),  # sendfile
    59: Call(kind=Kind.START, path=0),  # execve
    76: Call(kind=Kind.WRITE, path=0),  # truncate
    77: Call(kind=Kind.WRITE, descriptor=0),  # ftruncate
    82: Call(kind=Kind.RENAME, path=1),  # rename
    83: Call(kind=Kind.DIRECTORY, path=0),  # mkdir
    84: Call(kind=Kind.REMOVAL, path=0),  # rmdir
    85: Call(kind=Kind.WRITE, path=0),  # creat
    86: Call(kind=Kind.RENAME, path=1),  # link
    87: Call(kind=Kind.REMOVAL, path=0),  # unlink
    88: Call(kind=Kind.WRITE, path=1),  # symlink
    258: Call(kind=Kind.DIRECTORY, path=1, folder=0),  # mkdirat
    263: Call(kind=Kind.REMOVAL, path=1, folder=0),  # unlinkat
    264: Call(kind=Kind.RENAME, path=3, folder=2),  # renameat
    265: Call(kind=Kind.RENAME, path=3, folder=2),  # linkat
    266: Call(kind=Kind.WRITE, path=2, folder=1),  # symlinkat
    316: Call(kind=Kind.RENAME, path=3, folder=2),  # renameat2
    326: Call(kind=Kind.WRITE, descriptor=2),  # copy_file_range
    2: Call(kind=Kind.WRITE, path=0),  # open
    257: Call(kind=Kind.WRITE, path=1, folder=0),  # openat
}
_OPENING = {2: 1, 257: 2}
"""Where the flags of the calls that open a file stand; those that open it for reading are not stopped."""


def stop_at_calls() -> None:
    """From now on the calls above stop, here and in all that is started."""
    code = [(_LOAD, 0, 0, 0)]
    for number in CALLS:
        if number in _OPENING:
            flags = 16 + 8 * _OPENING[number]
            code += [(_EQUAL, 0, 4, number), (_LOAD, 0, 0, flags), (_SET, 0, 1, _WRITING)]
            code += [(_RETURN, 0, 0, _TRACE), (_RETURN, 0, 0, _ALLOW)]
        else:
            code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _TRACE)]
    code.append((_RETURN, 0, 0, _ALLOW))
    plain = b"".join(struct.pack("HBBI", *one) for one in code)
    kept = ctypes.create_string_buffer(plain)
    program = ctypes.create_string_buffer(struct.pack("HP", len(code), ctypes.addressof(kept)))
    for words in ((_NO_NEW_PRIVS, 1, 0, 0, 0), (_SET_SECCOMP, _BY_FILTER, program, 0, 0)):
        if LIBC.prctl(*words):
            raise OSError(ctypes.get_errno(), "prctl")
