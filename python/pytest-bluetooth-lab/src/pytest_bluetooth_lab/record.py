"""What a test and its programs have printed and noted, with the time of each line."""

from __future__ import annotations

import logging
import threading
import time
from typing import NamedTuple


class Entry(NamedTuple):
    time: float
    """Seconds since 1970, by the machine's clock: the one clock of all that is recorded."""
    source: str
    """`test`, or a program with its number."""
    text: str


class Record:
    """The lines of one test."""

    def __init__(self) -> None:
        self.start = time.time()
        self._entries: list[Entry] = []
        self._lock = threading.Lock()

    def add(self, source: str, text: str) -> None:
        now = time.time()
        with self._lock:
            self._entries.extend(Entry(now, source, line) for line in text.splitlines() or [""])

    @property
    def entries(self) -> list[Entry]:
        with self._lock:
            return list(self._entries)


class RecordHandler(logging.Handler):
    """Puts what is logged during a test into its record."""

    def __init__(self, record: Record) -> None:
        super().__init__()
        self._record = record

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._record.add(f"log:{record.name}", f"{record.levelname} {record.getMessage()}")
        except Exception:
            self.handleError(record)
