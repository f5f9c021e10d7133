"""`sparky demo`: what the README promises that it shows."""

from pathlib import Path

from tests.acceptance.conftest import MakeWorld


def test_the_demo_withdraws_a_fix_refutes_a_claim_and_merges_the_rest(
    world_of: MakeWorld, tmp_path: Path
) -> None:
    world = world_of({})
    said = world.sparky("demo", str(tmp_path / "demo" / "orders"), cwd=tmp_path)
    assert said.code == 0, said.err
    assert "1 withdrawn after" in said.err
    assert "claim refuted: it reported success and changed nothing" in said.err
    assert [run["outcome"] for run in world.runs()] == ["merged", "merged"]
    subjects = world.git("-C", str(tmp_path / "demo" / "orders"), "log", "--format=%s").splitlines()
    assert subjects == [
        "Discount is taken twice",
        "FORMATTING: mend 3 finding(s) in 2 file(s)",
        "IMPORT_ERROR: mend 5 finding(s) in 3 file(s)",
        "DEAD_CODE: mend 1 finding(s) in 1 file(s)",
        "A small shop",
    ]
