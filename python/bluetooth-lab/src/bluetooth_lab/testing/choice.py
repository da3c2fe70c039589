"""Which tests a run has: all that match the filters, or those of one shard."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from bluetooth_lab.messages import say
from bluetooth_lab.testing.filters import SUITE, patterns
from bluetooth_lab.testing.names import pytest_class, pytest_file, swift_class, swift_suite, xctest_parts
from bluetooth_lab.testing.shards import Durations, ListedTest, Shard, digest, partition

NO_TEST = "^$"  # as a filter
MAXIMUM_SHOWN = 25
META = re.compile(r"([\\^$.|?*+()\[\]{}])")
FIRST_SUITE = re.compile(r"(?:`[^`]*`|[^/`])+(?=/)")


def escape(text: str) -> str:
    """For regular expressions of Swift and of Python."""
    return META.sub(r"\\\1", text)


def swift_tests(part: str, names: Iterable[str], group: str = "") -> list[ListedTest]:
    """Tests of Swift Testing. A filter for the group is shorter than one for its tests."""

    def group_of(name: str) -> str:
        in_lab, first = SUITE.match(name), FIRST_SUITE.match(name)
        return (in_lab[0].rstrip("/") if in_lab else first[0] if first else swift_suite(name)).strip()

    return [ListedTest(part, group or group_of(name), name, swift_class(name)) for name in names]


def xctest_tests(part: str, names: Iterable[str]) -> list[ListedTest]:
    """The output of XCTest has the class without its module."""
    classes = {name: xctest_parts(name)[0] for name in names}
    return [ListedTest(part, suite, name, suite.rpartition(".")[2]) for name, suite in classes.items()]


def pytest_tests(part: str, nodes: Iterable[str]) -> list[ListedTest]:
    return [ListedTest(part, pytest_file(node), node, pytest_class(node)) for node in nodes]


def one_test(part: str) -> ListedTest:
    """A part that stays in one piece."""
    return ListedTest(part, part, part, part)


class Choice:
    """The tests that run, of all that match."""

    def __init__(self, tests: Sequence[ListedTest], shard: Shard | None, durations: Durations) -> None:
        self.every, self.shard, self.durations = tests, shard, durations
        self.shards = partition(tests, shard.count if shard else 1, durations)
        self.chosen = self.shards[shard.index - 1 if shard else 0]

    def names(self, part: str) -> list[str]:
        return [test.name for test in self.chosen if test.part == part]

    def has(self, part: str) -> bool:
        return any(test.part == part for test in self.chosen)

    def expressions(self, part: str, filters: Sequence[str]) -> list[str]:
        """Filters for the chosen tests of Swift Testing: by their groups where these are whole, else by their names."""
        every, chosen = by_group(self.every, part), by_group(self.chosen, part)
        words = []
        for group, tests in chosen.items():
            if len(tests) == len(every[group]) and all(test.name.startswith(f"{group}/") for test in tests):
                words.append(f"{escape(group)}/")
            else:
                words += [f"{escape(test.name)}(?:/|$)" for test in tests]
        return patterns(f"=(?:{'|'.join(words)})", filters) if words else [NO_TEST]

    def properties(self) -> dict[str, str]:
        """What says to `lab merge` which results belong together."""
        return {"shard": str(self.shard), "shard.of": digest(self.every)} if self.shard else {}

    def announce(self) -> None:
        """Says which shard has what: this one in detail."""
        if not self.shard:
            return
        for index, tests in enumerate(self.shards):
            seconds = sum(map(self.durations.of, tests))
            mine = " (this one)" if index + 1 == self.shard.index else ""
            say(f"shard {index + 1}/{self.shard.count}{mine}: {len(tests)} tests, some {seconds:.0f} s")
        for part in dict.fromkeys(test.part for test in self.chosen):
            every, chosen = by_group(self.every, part), by_group(self.chosen, part)
            words = [group_text(group, len(tests), len(every[group])) for group, tests in chosen.items()]
            rest = f" and {len(words) - MAXIMUM_SHOWN} more" if len(words) > MAXIMUM_SHOWN else ""
            say(f"  {part}: {', '.join(words[:MAXIMUM_SHOWN])}{rest}")


def by_group(tests: Iterable[ListedTest], part: str) -> dict[str, list[ListedTest]]:
    groups: defaultdict[str, list[ListedTest]] = defaultdict(list)
    for test in tests:
        if test.part == part:
            groups[test.group].append(test)
    return groups


def group_text(group: str, count: int, of: int) -> str:
    short = group.removeprefix("IntegrationTests.InTheLab/")
    return short if count == of else f"{short} ({count} of {of})"


def print_list(tests: Sequence[ListedTest]) -> None:
    """A line for each test, with its part."""
    for test in tests:
        print(test.name if test.name == test.part else f"{test.part}: {test.name}")
