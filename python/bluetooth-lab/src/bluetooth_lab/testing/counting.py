"""Counts the tests of several runs, prints which failed, and adds them up.

usage: count-tests NAME=STATUS=EVENTS.jsonl|NAME=STATUS=OUTPUT.log|NAME=STATUS=JUNIT.xml …

STATUS is the run's exit status. The files are event streams of Swift Testing, the output of XCTest, and JUnit files of
pytest. A test that began and did not end was ended by a crash, and has failed. So has a run that did not end, or whose
exit status says that something is wrong while no test failed. The last line is "N passed, N failed"; the exit status is
0 when none failed and at least one passed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bluetooth_lab.messages import shown
from bluetooth_lab.testing.records import Outcome, read

NO_TESTS = (69, 5)  # the exit statuses of Swift Testing and pytest when nothing matches the filters

PYTEST_USAGE = 4  # pytest's, when it knows an option not or finds no such file


def problems_of(name: str, status: int, outcome: Outcome) -> list[str]:
    """What was wrong with a run, a line each."""
    problems = [f"failed: {outcome.names.get(test, test)} ({test})" for test in sorted(outcome.failed)]
    problems += [f"did not end: {outcome.names.get(test, test)} ({test})" for test in sorted(outcome.unfinished)]
    return problems + problems_of_run(name, status, outcome)


def problems_of_run(name: str, status: int, outcome: Outcome) -> list[str]:
    """What was wrong besides the tests, where no test explains it."""
    if outcome.failed or outcome.unfinished or status in NO_TESTS:
        return []
    if status != 0:
        return [f"{name} ended with exit status {status}"]
    return [] if outcome.has_ended else [f"{name} did not report their end"]


def count(name: str, status: int, outcome: Outcome) -> tuple[int, int]:
    """Prints what a run came to; how many passed and failed."""
    problems = problems_of(name, status, outcome)
    for problem in problems:
        print(shown(f"{name}: {problem}"))
    passed, skipped = len(outcome.passed), len(outcome.skipped)
    print(f"{name}: {passed} passed, {len(problems)} failed" + (f", {skipped} skipped" if skipped else ""))
    return passed, len(problems)


def without_unfinished(outcome: Outcome) -> Outcome:
    """What an interrupted run has done until then."""
    return outcome._replace(began=outcome.passed | outcome.failed | outcome.skipped, has_ended=True)


def total(results: Iterable[tuple[str, int, Path]]) -> int:
    """Prints what all runs came to: name, exit status and record of each."""
    all_passed = all_failed = 0
    for name, status, file in results:
        passed, failed = count(name, status, read(file))
        all_passed += passed
        all_failed += failed
    return add_up(all_passed, all_failed)


def add_up(passed: int, failed: int, may_be_empty: bool = False) -> int:
    """Prints the last line; the exit status."""
    if passed + failed == 0 and not may_be_empty:
        print("no test matches")
    print(f"{passed} passed, {failed} failed")
    return 0 if (passed or may_be_empty) and not failed else 1


def main(words: list[str]) -> int:
    results = []
    for word in words:
        name, status, file = word.split("=", 2)
        results.append((name, int(status), Path(file)))
    return total(results)
