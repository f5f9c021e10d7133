"""What a user can do something about. The text says what is wrong, where, and what to do next."""


class UserError(Exception):
    """A mistake or a state of the world that is not sparky's fault: shown without a traceback.

    `code` is the exit code: 1 failed, 2 usage, 3 needs a person.
    """

    code = 1


class UsageError(UserError):
    """The call, the configuration or a file that it names is wrong."""

    code = 2


class NeedsPersonError(UserError):
    """Nothing is broken, but a person has to act first."""

    code = 3


def database_trouble(path: object, said: object) -> str:
    """What a person is told of a database that could not be read or written."""
    return (
        f"{path}: {said}; look at its permissions and the disk's free space, then `sparky resume`. "
        "A corrupt file can be moved away: branches and worktrees stay."
    )
