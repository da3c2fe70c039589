"""What may have been meant by a word that is not known."""

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6, most: int = 1) -> str:
    """`; did you mean …?`, or nothing if no known word is like it."""
    near = difflib.get_close_matches(word, list(known), n=most, cutoff=cutoff)
    return f"; did you mean {' or '.join(near)}?" if near else ""
