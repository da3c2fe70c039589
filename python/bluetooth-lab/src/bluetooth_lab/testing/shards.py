"""Divides tests among several machines: each test is in one shard, whatever the machine, and the shards take about as
long as one another.

A suite stays together unless it is longer than half of what a shard should take; then it is cut into pieces of
consecutive tests. The pieces go to the shard with the least to do, the longest ones first.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

DURATIONS = ".test-durations.json"  # in the package's folder


@dataclass(frozen=True)
class Shard:
    """One of several; the first has the index 1."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        match = re.fullmatch(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})", text)
        shard = cls(int(match[1]), int(match[2])) if match else cls(0, 0)
        if not 1 <= shard.index <= shard.count:
            raise ValueError(f"invalid shard {text}; expected K/N, such as 2/5, with K from 1 to N")
        return shard

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"


class ListedTest(NamedTuple):
    """`part`: what it runs with. `group`: what stays together. `suite`: by which its duration is known."""

    part: str
    group: str
    name: str
    suite: str


class Durations(NamedTuple):
    """How long the tests of each suite have taken, and each part as a whole, in seconds."""

    suites: Mapping[str, tuple[float, int]] = {}
    parts: Mapping[str, float] = {}

    @classmethod
    def read(cls, package: Path) -> Durations:
        """Those of the package's file; none if there is no such file, or if it is something else."""
        try:
            content = json.loads((package / DURATIONS).read_text(encoding="utf-8"))
            suites = {str(name): (float(entry[0]), int(entry[1])) for name, entry in content["suites"].items()}
            parts = {str(name): float(value) for name, value in content.get("parts", {}).items()}
        except (OSError, ValueError, TypeError, LookupError, AttributeError):
            return cls()
        return cls({name: entry for name, entry in suites.items() if entry[0] >= 0 and entry[1] > 0}, parts)

    def of(self, test: ListedTest) -> float:
        """The mean of its suite's; where that is not known, the mean of the suites beside it, or of all."""
        if test.part in self.parts and test.suite == test.part:
            return self.parts[test.part]
        total, count = self.suites.get(test.suite) or self.mean_near(test.suite)
        return max(total / count, 0.001)

    def mean_near(self, suite: str) -> tuple[float, int]:
        while suite:
            suite = suite.rpartition(".")[0]
            entries = [entry for name, entry in self.suites.items() if not suite or name.startswith(f"{suite}.")]
            if entries:
                return sum(entry[0] for entry in entries), sum(entry[1] for entry in entries)
        return 1, 1


def text_of(suites: Mapping[str, tuple[float, int]], parts: Mapping[str, float]) -> str:
    """The content of a package's file: a line for each suite."""
    content: dict[str, dict[str, Any]] = {
        "parts": {name: round(value, 1) for name, value in sorted(parts.items())},
        "suites": {name: [round(entry[0], 2), entry[1]] for name, entry in sorted(suites.items())},
    }
    blocks = []
    for block, entries in content.items():
        lines = [f"    {json.dumps(name)}: {json.dumps(value)}" for name, value in entries.items()]
        blocks.append(f'  "{block}": {{\n' + ",\n".join(lines) + "\n  }")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def cut(tests: Sequence[ListedTest], limit: float, durations: Durations) -> list[list[ListedTest]]:
    """Consecutive tests in as many pieces as it takes for each to be within the limit, or to be a single test."""
    pieces: list[list[ListedTest]] = []
    load = 0.0
    for test in tests:
        seconds = durations.of(test)
        if not pieces or load + seconds > limit:
            pieces.append([])
            load = 0.0
        pieces[-1].append(test)
        load += seconds
    return pieces


def partition(tests: Iterable[ListedTest], count: int, durations: Durations) -> list[list[ListedTest]]:
    """The tests of each shard, in their order."""
    every = sorted(set(tests))
    if count == 1:
        return [every]
    groups: defaultdict[tuple[str, str], list[ListedTest]] = defaultdict(list)
    for test in every:
        groups[test.part, test.group].append(test)
    limit = sum(map(durations.of, every)) / count / 2
    pieces = [piece for group in groups.values() for piece in cut(group, limit, durations)]
    weighed = sorted(((sum(map(durations.of, piece)), piece) for piece in pieces), key=lambda one: (-one[0], one[1]))
    shards: list[list[ListedTest]] = [[] for _ in range(count)]
    loads = [0.0] * count
    for seconds, piece in weighed:
        index = min(range(count), key=lambda index: (loads[index], index))
        shards[index] += piece
        loads[index] += seconds
    return [sorted(shard) for shard in shards]


def digest(tests: Iterable[ListedTest]) -> str:
    """The same for the same tests: shards of different ones do not belong together."""
    lines = "".join(f"{test.part}\0{test.name}\n" for test in sorted(set(tests)))
    return hashlib.sha256(lines.encode(errors="surrogateescape")).hexdigest()[:16]
