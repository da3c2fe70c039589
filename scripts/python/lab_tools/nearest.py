"""Prints "; did you mean …?" with the known word that is most like another one, if any is.

usage: nearest WORD KNOWN…
"""

import difflib


def main(words: list[str]) -> int:
    word, *known = words
    for name in difflib.get_close_matches(word, known, n=1):
        print(f"; did you mean {name}?", end="")
    return 0
