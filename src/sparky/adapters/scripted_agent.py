"""The agent of the scripted runner: a process of its own that does what one session of a script says.

It reads the session as JSON on standard input and acts in the current directory. Run by path with
`python -I -S`, inside the sandbox; standard library only.
"""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any


def act(step: dict[str, Any]) -> None:
    """One step: write, replace, delete, run, or print."""
    path = Path(str(step.get("path") or "."))
    match step["do"]:
        case "write":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(step["text"]), encoding="utf-8", newline="")
        case "replace":
            text = path.read_bytes().decode("utf-8")
            if str(step["old"]) not in text:
                sys.exit(f"scripted agent: {path} does not hold the text to replace")
            path.write_bytes(text.replace(str(step["old"]), str(step["text"])).encode())
        case "delete":
            path.unlink()
        case "run":
            argv = [str(word) for word in step["argv"]]
            sys.stderr.write(f"$ {argv} -> {subprocess.run(argv, check=False).returncode}\n")
        case "print":
            sys.stdout.write(str(step["text"]))
        case other:
            sys.exit(f"scripted agent: unknown step {other!r}")


def main() -> None:
    """All steps of the session, then its ending."""
    session = json.load(sys.stdin)
    for step in session["steps"]:
        act(step)
    match session["ending"]:
        case "crash":
            os.abort()
        case "hang":
            threading.Event().wait()
        case _:
            claim = {name: session[name] for name in ("success", "summary", "handover", "plan", "report")}
            sys.stdout.write("\n" + json.dumps({"claim": claim}) + "\n")
            sys.exit(int(session["code"]))


if __name__ == "__main__":
    main()
