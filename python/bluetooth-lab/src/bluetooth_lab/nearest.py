"""What may have been meant by words that are not known."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(words: Iterable[str], known: Iterable[str], cutoff: float = 0.6, most: int = 1) -> str:
    """`; did you mean …?` with at most so many known words for each, or nothing if no known word is like one."""
    import difflib  # seldom needed, and each start of the lab would load it

    candidates = list(known)
    near = [name for word in words for name in difflib.get_close_matches(word, candidates, n=most, cutoff=cutoff)]
    return f"; did you mean {' or '.join(dict.fromkeys(near))}?" if near else ""
