import pytest
from rle import decode, encode


def test_encodes() -> None:
    assert encode("aaabcc") == "3a1b2c"


def test_decodes() -> None:
    coded = "12x1y"
    expected = "xxxxxxxxxxxxy"
    assert decode(coded) == expected


def test_there_and_back() -> None:
    for text in ["", "zzz", "hello world"]:
        assert decode(encode(text)) == text


def test_a_missing_length() -> None:
    with pytest.raises(ValueError):
        decode("ab")
