"""Rounds: the same tests again and again, and which of them fail now and then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bluetooth_lab.places import GUEST

MAXIMUM_IN_ONE_MACHINE = 64
SECONDS_IN_ONE_MACHINE = 2400  # what a machine has recorded is in its memory


@dataclass(frozen=True)
class Batch:
    """Rounds of a part that run in one machine."""

    first: int = 1
    count: int = 1
    until_failure: bool = False
    is_repeated: bool = False

    def numbers(self) -> range:
        return range(self.first, self.first + self.count)

    def in_guest(self, command: Sequence[object]) -> list[str]:
        """The command that runs another one in these rounds, in the lab."""
        words = [str(word) for word in command]
        if not self.is_repeated:
            return words
        stop = "first-failure" if self.until_failure else "end"
        return [str(GUEST / "run-rounds"), str(self.first), str(self.count), stop, "--", *words]


@dataclass(frozen=True)
class Rounds:
    """What was asked for. Without a number, `until_failure` is endless."""

    count: int | None = None
    until_failure: bool = False

    @property
    def is_repeated(self) -> bool:
        return self.count is not None or self.until_failure

    def batches(self, parts: int, seconds: float) -> Iterator[Batch]:
        """As many rounds in one machine as it can take, by how long one takes. Several parts take turns, where the
        rounds are endless; the first turns are short."""
        most = max(1, min(MAXIMUM_IN_ONE_MACHINE, int(SECONDS_IN_ONE_MACHINE / max(seconds, 1))))
        is_endless = self.count is None and self.until_failure
        size = 1 if is_endless and parts > 1 else most
        first, left = 1, self.count or 1
        while is_endless or left > 0:
            count = size if is_endless else min(size, left)
            yield Batch(first, count, self.until_failure, self.is_repeated)
            first, left, size = first + count, left - count, min(size * 2, most)


class Failures:
    """How often each test ran and failed."""

    def __init__(self) -> None:
        self.ran: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.first: dict[str, int] = {}

    def note(self, number: int, began: Sequence[str], failed: Sequence[str]) -> None:
        self.ran.update(began)
        for test in failed:
            self.failed[test] += 1
            self.first[test] = min(self.first.get(test, number), number)

    def table(self) -> list[str]:
        """A line for each test that has failed, the most frequent first; it may have failed without having begun."""
        if not self.failed:
            return []
        lines = ["failed   first in  test"]
        for test, count in sorted(self.failed.items(), key=lambda item: (-item[1], item[0])):
            rounds = f"{count}/{max(self.ran[test], count)}"
            lines.append(f"{rounds:<9}round {self.first[test]:<4}{test}")
        return lines
