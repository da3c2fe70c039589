"""Prints the tag of the last release among the ancestors of HEAD: the highest semantic version, with or without a "v"
in front. Prints nothing where there is none.

usage: last-release
"""

import re
import subprocess
from collections.abc import Iterable

# Three numbers, then the pre-release; what is behind a "+" has no rank (semver.org, 10 and 11).
VERSION = re.compile(r"v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?", re.ASCII)

Rank = tuple[tuple[int, ...], bool, list[tuple[bool, int, str]]]


def rank(tag: str) -> Rank | None:
    """Where the tag's version is among others; None if the tag is none of a version."""
    found = VERSION.fullmatch(tag)
    if not found:
        return None
    *numbers, before = found.groups()
    # A pre-release comes before its release, numbers come before words, and fewer parts before more.
    parts = [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in (before or "").split(".")]
    return tuple(map(int, numbers)), before is None, parts


def last(tags: Iterable[str]) -> str | None:
    """The tag of the highest version."""
    ranked = [(place, tag) for tag in tags if (place := rank(tag)) is not None]
    return max(ranked)[1] if ranked else None


def main(words: list[str]) -> int:
    listed = subprocess.run(["git", "tag", "--merged", "HEAD"], capture_output=True, text=True, check=True)
    if tag := last(listed.stdout.splitlines()):
        print(tag)
    return 0
