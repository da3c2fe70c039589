"""Merges the JUnit files of the shards of `lab test`: one summary, one file, and whether all of it has run once.

A folder stands for the files *.xml in it and below. It is a failure if a shard is missing, if the shards did not choose
from the same tests, or if a test ran twice. The last line is "N passed, N failed"; the exit status is 0 when none
failed. --durations writes how long the tests took to the file by which `lab test --shard` balances its shards.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

from bluetooth_lab.messages import fail, shown
from bluetooth_lab.testing.counting import add_up
from bluetooth_lab.testing.junit import Run, own_part, properties_of, read_document, suite_element, write_suites
from bluetooth_lab.testing.records import Outcome, seconds_of
from bluetooth_lab.testing.shards import DURATIONS, Shard, text_of

MAXIMUM_SHOWN = 20
FAILED = ("failure", "error")


class Suite(NamedTuple):
    """A run, as a file has it."""

    file: Path
    element: Element
    properties: dict[str, str]

    @property
    def name(self) -> str:
        return self.element.get("name") or ""

    @property
    def cases(self) -> list[Element]:
        return self.element.findall("testcase")


def find_files(paths: Iterable[Path]) -> list[Path]:
    """Ends this process if there is none where one should be."""
    files: dict[Path, None] = {}
    for path in paths:
        found = sorted(file for file in path.rglob("*.xml") if file.is_file()) if path.is_dir() else [path]
        if not found or not path.exists():
            fail(shown(f"no results in {path}" if path.is_dir() else f"no such file: {path}"))
        files.update((file.resolve(), None) for file in found)
    return list(files)


def read_suites(files: Iterable[Path]) -> tuple[list[Suite], list[str]]:
    """What the files have, and what is wrong with them."""
    suites, problems = [], []
    for file in files:
        try:
            root = read_document(file)
        except (OSError, ValueError) as error:
            problems.append(f"{file} cannot be read: {error}")
            continue
        # A suite may have both tests and suites.
        every = root.iter("testsuite")
        found = [suite for suite in every if suite.find("testcase") is not None or suite.find("testsuite") is None]
        if not found:
            problems.append(f"{file} has no results")
        suites += [Suite(file, own_part(suite), properties_of(suite)) for suite in found]
    return suites, problems


def problems_of_shards(suites: Sequence[Suite]) -> list[str]:
    """What is missing, or does not belong together."""
    files: defaultdict[int, set[Path]] = defaultdict(set)
    counts, choices, problems = set(), set(), []
    for suite in suites:
        if "shard" not in suite.properties:
            continue
        try:
            shard = Shard.parse(suite.properties["shard"])
        except ValueError as error:
            problems.append(f"{suite.file}: {error}")
            continue
        files[shard.index].add(suite.file)
        counts.add(shard.count)
        choices.add(suite.properties.get("shard.of", ""))
    if len(counts) > 1:
        problems.append(f"shards of different numbers: {', '.join(f'K/{count}' for count in sorted(counts))}")
    elif counts:
        count = counts.pop()
        problems += [f"shard {index}/{count} is missing" for index in range(1, count + 1) if index not in files]
    if len(choices) > 1:
        problems.append(
            "the shards did not choose from the same tests: their sources, filters or options are different"
        )
    for index, its_files in sorted(files.items()):
        if len(its_files) > 1:
            problems.append(f"shard {index} ran {len(its_files)} times: {', '.join(map(str, sorted(its_files)))}")
    return problems


def tests_that_ran_twice(suites: Sequence[Suite]) -> list[str]:
    """Rounds of `--repeat` are no reason; nor are problems of whole runs, which several may have."""
    ran: Counter[tuple[str, ...]] = Counter()
    for suite in suites:
        place = suite.properties.get("part", suite.name), suite.properties.get("round", "")
        for case in suite.cases:
            error = case.find("error")
            if error is None or error.get("type") != "run":
                ran[(*place, case.get("classname") or "", case.get("name") or "")] += 1
    return [f"ran {count} times: {name} ({suite})" for (_, _, suite, name), count in sorted(ran.items()) if count > 1]


def count_cases(suites: Sequence[Suite]) -> tuple[int, int, int]:
    """Those that passed, failed and were skipped. Prints which failed."""
    passed = failed = skipped = 0
    for suite in suites:
        for case in suite.cases:
            kinds = {child.tag for child in case}
            if kinds & {*FAILED}:
                failed += 1
                shard = suite.properties.get("shard")
                name = f"{case.get('name') or ''} ({case.get('classname') or ''})"
                print(shown(f"{suite.name}: failed: {name}{of_shard(shard)}"))
            elif "skipped" in kinds:
                skipped += 1
            else:
                passed += 1
    return passed, failed, skipped


def of_shard(shard: str | None) -> str:
    return f", in shard {shard}" if shard else ""


def durations(suites: Sequence[Suite]) -> str:
    """By suite. Tests that ran side by side have taken less in sum than each by itself says."""
    seconds: defaultdict[str, float] = defaultdict(float)
    tests: Counter[str] = Counter()
    parts: defaultdict[str, float] = defaultdict(float)
    for suite in suites:
        times = {case: seconds_of(case.get("time")) for case in suite.cases if case.find("skipped") is None}
        wall, total = seconds_of(suite.element.get("time")), sum(times.values())
        share = min(wall / total, 1) if wall and total else 1
        parts[part_of(suite)] += wall or total
        for case, time in times.items():
            seconds[case.get("classname") or ""] += time * share
            tests[case.get("classname") or ""] += 1
    return text_of({name: (seconds[name], count) for name, count in tests.items()}, parts)


def part_of(suite: Suite) -> str:
    """The tests of a package in XCTest and those in Swift Testing are one part of this package's."""
    return suite.properties.get("part", suite.name).partition("'s tests in ")[0]


def write_merged(file: Path, suites: Sequence[Suite], problems: Sequence[str]) -> None:
    empty = Outcome({}, set(), set(), set(), set(), True)
    of_merging = [suite_element(Run("merge", empty, problems), Path("/"))] if problems else []
    write_suites(file, [*(suite.element for suite in suites), *of_merging])


def merge(paths: Sequence[Path], junit: Path | None, new_durations: Path | None) -> int:
    """`new_durations`: the folder for the file of durations."""
    # The merged file may lie where the shards' files are.
    files = [file for file in find_files(paths) if not junit or file != junit.resolve()]
    suites, problems = read_suites(files)
    problems += problems_of_shards(suites)
    problems += tests_that_ran_twice(suites)
    passed, failed, skipped = count_cases(suites)
    for problem in problems[:MAXIMUM_SHOWN]:
        print(shown(problem))
    if len(problems) > MAXIMUM_SHOWN:
        print(f"… and {len(problems) - MAXIMUM_SHOWN} more")
    try:
        if junit:
            write_merged(junit, suites, problems)
        if new_durations:
            (new_durations / DURATIONS).write_text(durations(suites), encoding="utf-8")
    except OSError as error:
        fail(shown(f"cannot write {error.filename}: {error.strerror}"))
    print(f"{len(files)} files" + (f", {skipped} skipped" if skipped else ""))
    return add_up(passed, failed + len(problems), may_be_empty=not problems)
