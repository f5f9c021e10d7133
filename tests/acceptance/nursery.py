"""A process that has loaded sparky and is forked for every call of it: loading takes longer than most calls.

Started as a program, it reads one request a line (JSON: words, cwd, env, out, err) and answers the exit code,
negative for a signal. Nothing but the command's own entry point is called in the child.
"""

import gc
import json
import os
import signal
import sys
from typing import Any

from sparky.cli import drive, main, table

LIMIT_S = 120


def serve() -> None:
    """Answer requests until there are no more."""
    for verb in table.VERBS:
        table.load(verb)
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        request: dict[str, Any] = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(request)
            main.main()
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _become(request: dict[str, Any]) -> None:
    """Be the process that was asked for: its directory, environment, output and arguments."""
    signal.alarm(LIMIT_S)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    sys.argv = ["sparky", *request["words"]]


if __name__ == "__main__":
    assert drive.start is not None
    serve()
