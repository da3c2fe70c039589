"""What may have been meant by a word that is not known."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6, most: int = 1) -> str:
    """`; did you mean …?`, or nothing if no known word is like it."""
    import difflib  # seldom needed, and each start of the lab would load it

    near = difflib.get_close_matches(word, list(known), n=most, cutoff=cutoff)
    return f"; did you mean {' or '.join(near)}?" if near else ""
