"""The merged record: lines with their times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timezone

# The time in seconds since 1970, the source (`hci`, `bus`, `bluetoothd`, `test`, or a program with its number), the
# text.
Entry = tuple[float, str, str]


def text_of(seconds: float) -> str:
    """`2026-11-21 18:22:55.209250`, in UTC."""
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f")


def merged(sources: Iterable[Iterable[Entry]]) -> list[Entry]:
    """In the order of time; entries of the same time keep their order."""
    return sorted((entry for source in sources for entry in source), key=lambda entry: entry[0])


def timeline(entries: Sequence[Entry]) -> str:
    width = max((len(source) for _, source, _ in entries), default=0)
    return "".join(f"{text_of(time)}  {source:{width}}  {text}\n" for time, source, text in entries)
