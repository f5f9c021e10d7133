"""How far two words are apart."""


def distance(one: str, other: str) -> int:
    """The least number of letters to insert, delete or exchange."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        before, row = row, [i]
        for j, right in enumerate(other, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right)))
    return row[-1]
