"""Which tools of other languages a sandbox shows."""

from pathlib import Path

from sparky.targets.toolchains import Toolchains, toolchains


def test_tools_in_a_home_directory_are_shown_and_nothing_else_of_it() -> None:
    home = Path("/home/ada")
    parts = ("bin", ".cargo/bin", ".nvm/versions/node/v20.1.0/bin", "sdk/go1.22/bin")
    path = ":".join([*(str(home / part) for part in parts), "/bin"])
    assert toolchains(path) == Toolchains(
        readable=(
            home / ".cargo/bin",
            home / ".rustup",
            home / ".nvm/versions/node/v20.1.0",
            home / "sdk/go1.22",
        ),
        env={"RUSTUP_HOME": "/home/ada/.rustup"},
    )
    assert toolchains("") == Toolchains()
