"""Functions of a module that do the same."""

from sparky.tools.programs.repeated import repeated


def test_bug_a_function_that_is_nested_too_deep_to_be_told_hid_all_others_of_its_file() -> None:
    body = "    a = 1\n    b = 2\n    return a + b\n"
    deep = f"def deep():\n    x = {' + '.join('1' * 1500)}\n{body}"
    source = f"{deep}\n\ndef one():\n{body}\n\ndef two():\n{body}"
    assert [one.message for one in repeated("a.py", source.encode())] == ["`two` has the same body as `one`"]
