"""What a client measures: the latencies of requests, and the arrival of numbered notifications."""

import math
from collections.abc import Sequence


def percentile(seconds: Sequence[float], share: float) -> float:
    """In ms: the latency that a share of the requests did not exceed. The bluejay command has the same rule."""
    rank = min(max(math.ceil(len(seconds) * share), 1), len(seconds))
    return round(1000 * sorted(seconds)[rank - 1], 3)


class Arrivals:
    """Counts values that begin with their number (4 bytes, little endian) as they come."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.received = self.breaks = 0
        self.first = self.last = 0.0
        self.previous: int | None = None

    def add(self, value: bytes | bytearray, now: float) -> None:
        self.last = now
        if not self.received:
            self.first = now
        self.received += 1
        number = int.from_bytes(value[:4], "little")
        if self.previous is not None and number != self.previous + 1:
            self.breaks += 1
        self.previous = number

    @property
    def are_complete(self) -> bool:
        return self.received >= self.count

    @property
    def seconds(self) -> float:
        return round(self.last - self.first, 6)
