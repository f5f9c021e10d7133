"""Ends the process groups that sparky leaves behind when it dies. Run by path, never imported.

Standard input tells of groups, a line each, begun (`+7`) and over (`-7`); its end is sparky's.
"""

import os
import sys

SIGKILL = 9


def main() -> None:
    groups = set()
    for line in sys.stdin.buffer:
        group = int(line[1:])
        if line[:1] == b"+":
            groups.add(group)
        else:
            groups.discard(group)
    for group in groups:
        try:
            os.killpg(group, SIGKILL)
        except OSError:
            continue


if __name__ == "__main__":
    main()
