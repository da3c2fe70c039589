"""The tests of a Swift package that depends on this one, in the lab."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from bluetooth_lab.messages import say
from bluetooth_lab.places import GUEST
from bluetooth_lab.testing.choice import Choice, swift_tests, xctest_tests
from bluetooth_lab.testing.filters import filter_options, matches, xctest_names
from bluetooth_lab.testing.runner import SWIFT_TESTING, Runner, build, built_tests, list_tests
from bluetooth_lab.testing.shards import ListedTest


def parse_statuses(text: str, lab_status: int) -> tuple[int, int]:
    """Those of XCTest and of Swift Testing. Without them, the lab itself has failed."""
    words = text.split()
    if len(words) != 2 or not all(re.fullmatch(r"\d+", word) for word in words):
        return lab_status, lab_status
    return int(words[0]), int(words[1])


def read_statuses(folder: Path, lab_status: int) -> tuple[int, int]:
    file = folder / "statuses"
    return parse_statuses(file.read_text() if file.exists() else "", lab_status)


def build_tests_of(package: Path) -> None:
    build(f"{package.name} and its tests", "--package-path", str(package), "--build-tests")


class SwiftPackage:
    """A package whose tests run in the lab once they are built. `out`: the folder for the lab's output."""

    def __init__(self, package: Path, out: Path, filters: Sequence[str]) -> None:
        self.package, self.out, self.filters = package, out, filters
        self.in_xctest = f"{package.name}'s tests in XCTest"
        self.in_swift_testing = f"{package.name}'s tests in Swift Testing"

    def build(self) -> None:
        build_tests_of(self.package)

    @property
    def bundle(self) -> Path:
        return built_tests(self.package)

    def xctest(self) -> list[str]:
        names = xctest_names(self.filters, list_tests(self.bundle))
        return names.split(",") if names else []

    def tests(self) -> list[ListedTest]:
        """All that match, of both kinds."""
        names = list_tests(self.bundle, *SWIFT_TESTING)  # heeds no filters
        in_swift_testing = [name for name in names if not self.filters or matches(self.filters, name)]
        return [
            *xctest_tests(self.in_xctest, self.xctest()),
            *swift_tests(self.in_swift_testing, in_swift_testing),
        ]

    def run(self, runner: Runner, options: Sequence[str], choice: Choice | None = None) -> None:
        """Those that were chosen, if there is a choice."""
        filters, has_swift_testing = self.filters, True
        names = self.xctest() if choice is None else choice.names(self.in_xctest)
        if choice is not None and choice.shard:
            filters = choice.expressions(self.in_swift_testing, self.filters)
            has_swift_testing = choice.has(self.in_swift_testing)
        if not names and not has_swift_testing:
            return
        say(f"tests of {self.package.name}, in the lab")
        limit = runner.environment.get("LAB_TEST_LIMIT", "1800")
        command: list[str | Path] = [GUEST / "run-package-tests", limit, ",".join(names), self.bundle]
        command += filter_options(filters)
        (self.out / "statuses").unlink(missing_ok=True)
        parts = [(self.in_xctest, "xctest.log")] if names else []
        parts.append((self.in_swift_testing, "tests.jsonl"))
        runner.repeat_in_lab(
            self.out,
            parts,
            lambda batch: runner.run_in_lab(
                [*options, "--out", str(self.out)], batch.in_guest(command), folder=self.package
            ),
            lambda folder, status: read_statuses(folder, status)[-len(parts) :],
        )
