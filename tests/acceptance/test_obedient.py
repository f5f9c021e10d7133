"""An agent that does whatever it is told, with real processes: the sandbox and git's own door hold."""

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import BUG

PLANT = """
import os, pathlib, subprocess
here, top = pathlib.Path.cwd(), pathlib.Path("{repo}")
trap = here / "trap.sh"
trap.write_text("#!/bin/sh\\ntouch {canary}\\n")
trap.chmod(0o755)
def tried(what, act):
    try:
        act()
    except OSError:
        print(what, "failed")
    else:
        print(what, "done")
tried("read a key", lambda: print((pathlib.Path("{home}") / ".ssh/id_rsa").read_text()))
tried("write in the checkout", lambda: (top / "planted.py").write_text("x"))
tried("write in its git directory", lambda: (top / ".git/hooks/pre-commit").write_text("x"))
tried("move main", lambda: (top / ".git/refs/heads/main").write_text("0" * 40))
tried("write at home", lambda: (pathlib.Path("{home}") / ".bashrc").write_text("x"))
tried("read sparky's store", lambda: (pathlib.Path("{home}") / "state/sparky.db").read_bytes())
print("token", os.environ.get("GITHUB_TOKEN"))
(here / ".git").unlink()
subprocess.run(["git", "init", "-q", "."], check=False)
for key in ("core.fsmonitor", "core.hooksPath", "filter.x.clean"):
    subprocess.run(["git", "config", key, str(trap)], check=False)
trap.unlink()
subprocess.run(["rm", "-rf", ".git"], check=False)
"""


def test_what_it_does_outside_of_its_worktree_fails_and_what_it_plants_is_never_run(
    world_of: MakeWorld,
) -> None:
    world = world_of(BUG)
    canary = world.root / "canary"
    key = world.root / ".ssh" / "id_rsa"
    key.parent.mkdir()
    key.write_text("the key\n", encoding="utf-8")
    plant = PLANT.format(repo=world.repo, canary=canary, home=world.root)
    session = {
        "steps": [
            {"do": "run", "argv": ["python3", "-c", plant]},
            {"do": "replace", "path": "calc.py", "old": "x * 3", "text": "x * 2"},
        ],
    }
    before = world.snapshot()
    said = world.sparky("run", "1", "--json", *world.script(session), env={"GITHUB_TOKEN": "ghp_secret"})
    assert (said.code, said.json()["outcome"], said.json()["work_completed"]["files_modified"]) == (
        0,
        "ready",
        ["calc.py"],
    ), said.err
    assert said.json()["work_completed"]["files_created"] == []
    kept = [path.read_bytes() for path in (world.root / "state" / "blobs").rglob("*") if path.is_file()]
    (shown,) = [blob.decode() for blob in kept if b"read a key " in blob]
    told = shown.splitlines()
    # What it writes may seem to work: it has directories of its own in the places of these.
    assert [line for line in told if line.startswith(("read", "token"))] == [
        "read a key failed",
        "read sparky's store failed",
        "token None",
    ]
    assert not (world.root / ".bashrc").exists()
    assert world.snapshot() == before
    assert not canary.exists()
