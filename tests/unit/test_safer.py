"""Commands that need no shell, and temporary files that may be there at once: the few where nothing tells."""

import pytest

from sparky.tools.programs.safer import safer
from sparky.tools.ruff_json import patched

COMMAND = """\
import subprocess


def head():
    try:
        return subprocess.check_output("git rev-parse HEAD", shell=True, text=True)
    except Exception:
        return ""
"""
FILE = """\
import os
import tempfile


def read(text):
    text = text if text else "none"
    path = tempfile.mktemp(".txt", dir="/tmp")
    with open(path, "w") as file:
        file.write(text)
    found = open(path).read()
    os.remove(path)
    return found
"""


def mended(text: str) -> str:
    found = [*safer("a.py", text.encode())]
    return patched(text.encode(), [edit for one in found if one.fix for edit in one.fix.edits]).decode()


def test_a_command_without_a_shells_syntax_is_a_list_where_one_handler_takes_all() -> None:
    listed = '["git", "rev-parse", "HEAD"]'
    assert mended(COMMAND) == COMMAND.replace('"git rev-parse HEAD", shell=True', listed)
    both = COMMAND.replace("except Exception", "except (subprocess.CalledProcessError, OSError)")
    many = both.replace(
        "shell=True, text=True", "\n            text=True,\n            shell=True,\n        "
    )
    expected = both.replace(
        '"git rev-parse HEAD", shell=True, text=True', f"{listed}, \n            text=True,\n        "
    )
    assert mended(many) == expected
    bracketed = COMMAND.replace("text=True", "stderr=(subprocess.DEVNULL)").replace("shell=True", "X")
    asked = bracketed.replace("X, stderr=(subprocess.DEVNULL)", "stderr=(subprocess.DEVNULL), shell=True")
    assert mended(asked) == asked.replace('"git rev-parse HEAD"', listed).replace(", shell=True", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("git rev-parse", "git log |"),
        ("git rev-parse", "git show $REF"),
        ("git rev-parse", "npm"),
        ("git rev-parse", "/opt/release.sh"),
        ("git rev-parse", "echo"),
        ("git rev-parse", "A=1 git show"),
        ('"git rev-parse HEAD"', 'f"git show {REF}"'),
        ("shell=True", "shell=SHELL"),
        ("text=True", 'cwd="/tmp"'),
        ("text=True", "**more"),
        ("text=True)", "text=True)  # noqa: S602"),
        ("check_output", "call"),
        ("except Exception", "except subprocess.CalledProcessError"),
        ("except Exception", "except OSError"),
        ("except Exception", "except Exception as error"),
        ('return ""', "raise"),
        ("return subprocess", "return lambda: subprocess"),
        ("except Exception", "except (subprocess.CalledProcessError, FileNotFoundError)"),
        ('"git rev-parse HEAD"', '("git rev-parse " "HEAD")'),
        ("    try", "    os.chdir('/tmp')\n    try"),
    ],
)
def test_a_command_keeps_its_shell_where_that_might_be_told(old: str, new: str) -> None:
    text = COMMAND.replace(old, new)
    assert text != COMMAND
    assert mended(text) == text


def test_a_file_that_is_only_opened_and_removed_is_made_where_it_is_named() -> None:
    expected = FILE.replace("path = tempfile.mktemp", "handle, path = tempfile.mkstemp").replace(
        '"/tmp")\n', '"/tmp")\n    os.close(handle)\n'
    )
    assert mended(FILE) == expected
    assert mended(FILE.replace("\n", "\r\n")) == expected.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("os.remove(path)", "os.rename(path, text)"),
        ("os.remove(path)", "os.remove(path)\n    print(path)"),
        ("found = ", "found, path = path, "),
        ("os.remove(path)", "rm(path)"),
        ("return found", "return file.name"),
        ("return found", "return [handle for handle in found]"),
        ("return found", "return lambda: path"),
        ('(path, "w")', '(path, "x")'),
        ('(path, "w")', "(path)"),
        ("    with open", "    print(os.listdir('/tmp'))\n    with open"),
        ("    with open", "    if text:\n        return 1\n    with open"),
        ('dir="/tmp")', 'dir="/tmp")  # noqa: S306'),
        ('dir="/tmp")', 'dir="/tmp"); print(1)'),
        ("    os.remove", "    import os\n\n    os.remove"),
    ],
)
def test_a_file_stays_as_it_is_where_its_name_goes_elsewhere(old: str, new: str) -> None:
    text = FILE.replace(old, new)
    assert text != FILE
    assert mended(text) == text
