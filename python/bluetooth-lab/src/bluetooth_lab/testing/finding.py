"""Whether tests in Swift or Python could match filters, by their sources alone: before anything is built.

A filter is a regular expression for a test's name (`Module.Suite/test()`). Where it is made of plain words, each of
them must occur in the sources; where it is more than that, it could match."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from bluetooth_lab.nearest import did_you_mean

DECLARATION = re.compile(r"\b(?:struct|class|actor|enum|extension|func|def)\s+(`[^`]+`|[\w.]+)")
TITLE = re.compile(r'@(?:Test|Suite)\(\s*"([^"]+)"')


def alternatives(pattern: str) -> list[str] | None:
    """The expressions of which one must match; None where they cannot be separated."""
    if re.search(r"\(\?|[\[\]{}*+?]|\([^)]*\|", pattern):
        return None
    return pattern.split("|")


def words_of(pattern: str) -> list[str]:
    """What must occur in a matching name, whatever is between."""
    plain = re.sub(r"\\.", " ", pattern)
    return [word for word in re.split(r"[^\w-]+", plain) if len(word) > 1]


def read(folders: Sequence[Path]) -> tuple[str, set[str]]:
    """All text of the sources, and the names in it."""
    text: list[str] = []
    names: set[str] = set()
    for folder in folders:
        names.add(folder.name)
        # Python in the Tests of a Swift package is not run by `lab test`.
        patterns = ["*.swift"] if folder.name == "Tests" else ["*.swift", "test_*.py"]
        for path in sorted(path for pattern in patterns for path in folder.rglob(pattern)):
            source = path.read_text(encoding="utf-8", errors="replace")
            text += [*path.relative_to(folder.parent).parts, source]
            names.update(name.strip("`") for name in DECLARATION.findall(source))
            names.update(TITLE.findall(source))
            names.update(path.relative_to(folder).parts[:-1])
    return "\n".join(text), names


def missing_words(filters: Sequence[str], text: str) -> list[str] | None:
    """The words for whose lack none of the filters can match; None if one could."""
    missing = []
    for pattern in filters:
        parts = alternatives(pattern)
        if parts is None or any(all(word in text for word in words_of(part)) for part in parts):
            return None
        missing += [word for part in parts for word in words_of(part) if word not in text]
    return missing


def check(folders: Sequence[Path], filters: Sequence[str]) -> int:
    """The exit status. 0: one of the filters could match, or there is none; 1: none can, and a line on standard error
    says so, with the names that are most alike."""
    if not filters:
        return 0
    text, names = read(folders)
    missing = missing_words(filters, text)
    if missing is None:
        return 0
    hint = did_you_mean(missing, names, cutoff=0.75, most=2)
    print(f"lab: no test matches {' or '.join(filters)}{hint}", file=sys.stderr)
    return 1
