"""Whether brackets are closed in their order."""

PAIRS = {")": "(", "]": "[", "}": "{"}


def balanced(text: str) -> bool:
    """Whether every bracket is closed by its own kind, in order; other characters do not count."""
    stack = []
    for sign in text:
        if sign in PAIRS.values():
            stack.append(sign)
        elif sign in PAIRS and (not stack or stack.pop() != PAIRS[sign]):
            return False
    return not stack
