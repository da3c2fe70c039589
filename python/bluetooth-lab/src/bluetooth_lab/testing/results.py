"""What the runs of one `lab test` came to: the summary, and the JUnit file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.testing import counting
from bluetooth_lab.testing.junit import Run, write_junit
from bluetooth_lab.testing.records import Outcome, read
from bluetooth_lab.testing.rounds import Failures


class Result(NamedTuple):
    """A run that has ended. `part`: of which the run is one, such as a suite of the integration tests. `number`: the
    round."""

    name: str
    status: int
    record: Path
    part: str = ""
    number: int = 1
    is_interrupted: bool = False

    def outcome(self) -> Outcome:
        """Of an interrupted run what it has done until then."""
        outcome = read(self.record)
        return counting.without_unfinished(outcome) if self.is_interrupted else outcome

    def problems(self, outcome: Outcome) -> list[str]:
        """Of the run as a whole."""
        status = 0 if self.is_interrupted else self.status
        return counting.problems_of_run(self.name, status, outcome)

    def has_failed(self) -> bool:
        outcome = self.outcome()
        return bool(outcome.failed or outcome.unfinished or self.problems(outcome))


class Report(NamedTuple):
    """How the results are shown. A shard that has no tests has not failed."""

    junit: Path | None = None
    package: Path = Path("/")
    properties: Mapping[str, str] = {}
    is_repeated: bool = False
    may_be_empty: bool = False

    def show(self, results: Sequence[Result]) -> int:
        """Prints the summary, writes the file, and gives the exit status."""
        outcomes = [result.outcome() for result in results]
        if self.junit:
            write_junit(self.junit, self.runs(results, outcomes), self.package)
        return self.show_rounds(results, outcomes) if self.is_repeated else self.show_runs(results, outcomes)

    def show_runs(self, results: Sequence[Result], outcomes: Sequence[Outcome]) -> int:
        counts = [counting.count(result.name, result.status, outcome) for result, outcome in zip(results, outcomes)]
        return self.add_up(counts)

    def show_rounds(self, results: Sequence[Result], outcomes: Sequence[Outcome]) -> int:
        """Each round by itself, and what failed how often."""
        counts: dict[int, tuple[int, int]] = {}
        failures = Failures()
        for result, outcome in zip(results, outcomes):
            problems = result.problems(outcome)
            failed = [*outcome.failed, *outcome.unfinished]
            failures.note(result.number, sorted(outcome.began), sorted([*failed, *problems]))
            passed, wrong = counts.get(result.number, (0, 0))
            counts[result.number] = passed + len(outcome.passed), wrong + len(failed) + len(problems)
        for number, (passed, wrong) in sorted(counts.items()):
            print(f"round {number}: {passed} passed, {wrong} failed")
        for line in failures.table():
            print(line)
        return self.add_up(list(counts.values()))

    def add_up(self, counts: Sequence[tuple[int, int]]) -> int:
        passed, failed = (sum(column) for column in zip(*counts)) if counts else (0, 0)
        return counting.add_up(passed, failed, self.may_be_empty)

    def runs(self, results: Sequence[Result], outcomes: Sequence[Outcome]) -> list[Run]:
        runs = []
        for result, outcome in zip(results, outcomes):
            properties = {"part": result.part or result.name, **self.properties}
            name = result.name
            if self.is_repeated:
                properties["round"] = str(result.number)
                name = f"{name}, round {result.number}"
            runs.append(Run(name, outcome, result.problems(outcome), properties))
        # A shard says that it ran also where it had no tests.
        empty = Outcome({}, set(), set(), set(), set(), True)
        return runs or [Run("no tests", empty, (), {"part": "none", **self.properties})]
