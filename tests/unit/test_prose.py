"""What of a text is prose in English."""

import pytest

from sparky.tools.prose import is_english, is_foreign, masked, unnamed


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("docs/de/index.md", True),
        ("docs/pt_BR/a.rst", True),
        ("docs/translations/index.md", True),
        ("docs/de.md", True),
        ("README.zh.md", True),
        ("README_zh-CN.md", True),
        ("docs/en/index.md", False),
        ("docs/index.md", False),
        ("README.md", False),
    ],
)
def test_a_page_in_another_language_says_so_in_its_path(path: str, *, expected: bool) -> None:
    assert is_foreign(path) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Die Adresse der Funktion steht in der Datei, die der Autor nennt.", False),
        ("Het adres van de functie staat in het bestand van de auteur, en is goed.", False),
        ("L'adresse de la fonction est dans le fichier de l'auteur.", False),
        ("The address of a function is in the file that its author names.", True),
        ("Install shop with pip, then run it.", True),
        ("Teh adress", True),
    ],
)
def test_english_is_known_by_its_commonest_words(text: str, *, expected: bool) -> None:
    assert is_english(text, 5) is expected


def test_code_is_blank_and_all_else_stays_where_it_was() -> None:
    text = """\
Use `a b` and ``c ` d`` (see [this](to/it.md)), snake_case and CamelCase, a.b.c, call(x) with --one -t. End.
~~~~ python
code
~~~
code
~~~~
Then::

  code

    code
Text, as::
  code
.. code-block:: python

   code
Done.\r\nReally."""
    found = masked(text)
    assert [len(line) for line in found] == [len(line) for line in text.replace("\r", "").split("\n")]
    assert [(number, " ".join(line.split())) for number, line in enumerate(found, 1) if line.strip()] == [
        (1, "Use and (see [this )), and , , x) with . End."),
        (7, "Then::"),
        (12, "Text, as::"),
        (14, ".. code-block:: python"),
        (17, "Done."),
        (18, "Really."),
    ]


def test_a_word_that_is_a_name_is_blank() -> None:
    assert unnamed("recieve it, recieved", frozenset({"recieve", "it"})) == "          , recieved"
