"""Roman numerals."""

SIGNS = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


def to_roman(number: int) -> str:
    """The numeral of a number from 1 to 3999; raises ValueError for others."""
    if not 0 < number < 4000:
        raise ValueError(f"no numeral for {number}")
    said = ""
    for value, sign in SIGNS:
        while number >= value:
            said, number = said + sign, number - value
    return said
