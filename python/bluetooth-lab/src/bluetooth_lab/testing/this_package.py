"""This package's own tests: each part of them, and which of its tests run."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

from bluetooth_lab.machine.hardware import Accelerator, Hardware, choose, kvm_works, uml_works
from bluetooth_lab.messages import say
from bluetooth_lab.places import GUEST, PLUGIN, ROOT, Places, build_folder
from bluetooth_lab.testing import finding
from bluetooth_lab.testing.choice import Choice, one_test, pytest_tests, swift_tests
from bluetooth_lab.testing.filters import (
    MANY,
    ONE_HOST,
    THREE_HOSTS,
    TWO_HOSTS,
    UNIT,
    filter_options,
    matches,
    matching,
    patterns,
    pytest_options,
    suites_of,
)
from bluetooth_lab.testing.junit import write_suites
from bluetooth_lab.testing.machines import available_memory, count_machines, has_room, processors_each
from bluetooth_lab.testing.packages import SwiftPackage
from bluetooth_lab.testing.python_tests import PythonTests
from bluetooth_lab.testing.runner import (
    LIMIT_IN_LAB,
    RECORD,
    STREAM,
    SWIFT_TESTING,
    LabOptions,
    Runner,
    build,
    built_tests,
    list_tests,
    program_folder,
    run_tests,
)
from bluetooth_lab.testing.shards import Durations, ListedTest, Shard

UNIT_TESTS, IN_LAB, ON_TWO_HOSTS = "unit tests", "integration tests", "tests with two hosts"
ON_THREE_HOSTS = "tests with three hosts"
AMONG_MANY, MANY_CONTROLLERS = "tests with many controllers", 9
SAMPLE, SOAK = "sample-app", "soak"
# How many tests Swift Testing runs at the same time (Swift 6.3; others do not heed it). It would begin all of them at
# once, and on a slow machine each would wait for the others until its own limit is over.
WIDTH = {"SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "12"}
RUNS_SAMPLE = "/FailureBundles/"  # the suite that runs the sample package's tests


class Wish(NamedTuple):
    """Which tests were asked for. `nightly`: those that take long, too."""

    filters: Sequence[str] = ()
    shard: Shard | None = None
    nightly: bool = False
    must_list: bool = False

    @property
    def needs_names(self) -> bool:
        """Whether each test must be known before any runs."""
        return self.must_list or self.shard is not None


class ThisPackage:
    """Only what has tests that match is built and run."""

    def __init__(self, runner: Runner, options: LabOptions, out: Path, records: Path, wish: Wish) -> None:
        self.runner, self.options, self.out, self.records, self.wish = runner, options, out, records, wish
        self.filters = wish.filters
        self.home = Places.of(runner.environment).home
        self.sample = SwiftPackage(ROOT / "Fixtures" / "sample-app", out / "sample-app", self.filters)
        self.is_sample_built = False
        self.others: list[Callable[[Runner], None]] = []

    def prepare(self) -> None:
        """Decides which tests run."""
        self.bundle = built_tests(ROOT)
        names = list_tests(self.bundle, *SWIFT_TESTING)  # heeds no filters
        self.python_parts = list(self.find_python_parts())
        self.choice = Choice(self.find_tests(names), self.wish.shard, Durations.read(ROOT))

    def find_tests(self, names: Sequence[str]) -> list[ListedTest]:
        parts = (UNIT, ONE_HOST, TWO_HOSTS, THREE_HOSTS, MANY)
        unit, one_host, two_hosts, three_hosts, many = (matching(part, self.filters, names) for part in parts)
        tests = [*swift_tests(UNIT_TESTS, unit), *swift_tests(IN_LAB, one_host)]
        if self.runner.environment.get("LAB") != "host":
            tests += swift_tests(ON_TWO_HOSTS, two_hosts, "IntegrationTests.OnTwoHosts")
            if self.wish.nightly or self.filters:  # three machines take long
                tests += swift_tests(ON_THREE_HOSTS, three_hosts, "IntegrationTests.OnThreeHosts")
            if self.runner.environment.get("LAB_RADIO") != "btvirt":
                tests += swift_tests(AMONG_MANY, many, "IntegrationTests.AmongMany")
        text, _ = finding.read([self.sample.package / "Tests"])
        if not self.filters or finding.missing_words(self.filters, text) is None:
            tests.append(one_test(SAMPLE))  # its names are not known before it is built
        for part in self.python_parts:
            nodes = part.nodes(self.runner.environment, self.records) if self.wish.needs_names else [part.part]
            tests += pytest_tests(part.part, nodes)
        if self.wish.nightly and (not self.filters or matches(self.filters, SOAK)):
            tests.append(one_test(SOAK))
        return tests

    def find_python_parts(self) -> list[PythonTests]:
        """The tests of the pytest plugin, and those of the sample project in Python."""
        python = self.home / "venv" / "bin" / "python"
        plugin, project = PLUGIN, ROOT / "Fixtures" / "python-app"
        parts = [
            ("tests of the pytest plugin", plugin / "tests", plugin, "plugin"),
            (f"tests of {project.name}", project, project, project.name),
        ]
        found = [(name, pytest_options(self.filters, tests), folder, out) for name, tests, folder, out in parts]
        return [
            PythonTests(name, python, folder, words, self.out / out)
            for name, words, folder, out in found
            if words is not None
        ]

    def tests(self) -> list[ListedTest]:
        """The chosen ones, with those of the sample package by their names, for which it is built."""
        tests = [test for test in self.choice.chosen if test.part != SAMPLE]
        if self.choice.has(SAMPLE):
            self.build_sample()
            tests += self.sample.tests()
        return tests

    def parts(self) -> list[Callable[[], None]]:
        """What runs, in its order, after building what it needs: some integration tests run the programs of Fixtures
        and the tests of the sample package, too."""
        if any(self.choice.has(part) for part in (IN_LAB, ON_TWO_HOSTS, ON_THREE_HOSTS, AMONG_MANY)):
            build("the programs that the tests run", "--package-path", "Fixtures")
        if self.choice.has(SAMPLE) or any(RUNS_SAMPLE in name for name in self.choice.names(IN_LAB)):
            self.build_sample()
        others: list[tuple[str, Callable[[Runner], None]]] = [
            (ON_TWO_HOSTS, partial(self.run_on_hosts, ON_TWO_HOSTS, TWO_HOSTS, "2", "two-hosts")),
            (ON_THREE_HOSTS, partial(self.run_on_hosts, ON_THREE_HOSTS, THREE_HOSTS, "3", "three-hosts")),
            (AMONG_MANY, self.run_among_many),
            (SAMPLE, self.run_sample),
            *((part.part, partial(self.run_python, part)) for part in self.python_parts),
        ]
        self.others = [run for part, run in others if self.choice.has(part)]
        parts: list[Callable[[], None]] = [self.run_unit_tests] if self.choice.has(UNIT_TESTS) else []
        parts += [self.run_most] if self.choice.has(IN_LAB) or self.others else []
        return parts + ([self.run_soak] if self.choice.has(SOAK) else [])

    def run_most(self) -> None:
        """The suites in the lab; all else beside them where there is room for its machines."""
        suites = suites_of(self.choice.names(IN_LAB))
        processors = os.cpu_count() or 1
        runs = len(suites) * self.runner.batch.count
        machines = count_machines(
            self.runner.environment, self.hardware(processors), processors, available_memory(), runs
        )
        if machines == 1 or self.options.capture:  # a capture is of one machine
            if self.choice.has(IN_LAB):
                self.run_on_one_machine()
            self.run_others(self.runner)
        elif has_room(available_memory(), machines):
            with beside(self.runner, self.run_others):
                self.run_side_by_side(suites, machines, processors_each(processors, machines))
        else:
            self.run_side_by_side(suites, machines, processors_each(processors, machines))
            self.run_others(self.runner)

    def run_others(self, runner: Runner) -> None:
        for run in self.others:
            if not runner.is_done:
                run(runner)

    def expressions(self, part: str, look_ahead: str) -> list[str]:
        """The filters for a part."""
        return self.choice.expressions(part, self.filters) if self.wish.shard else patterns(look_ahead, self.filters)

    def run_unit_tests(self) -> None:
        say("unit tests, on this machine")
        filters = filter_options(self.expressions(UNIT_TESTS, UNIT))

        def run(record: Path) -> int:
            command: list[str | Path] = [*self.runner.limit(), self.bundle, *SWIFT_TESTING, *STREAM, record, *filters]
            return self.runner.run(command, ROOT, **WIDTH)

        self.runner.repeat(UNIT_TESTS, run, self.records / "unit-tests.jsonl")

    def run_on_one_machine(self) -> None:
        words = self.options.words("controllers", "capture", "bluez")
        self.run_in_lab(self.runner, IN_LAB, ONE_HOST, [*words, "--out", str(self.out)], self.out)

    def hardware(self, processors: int) -> Hardware:
        environment, places = self.runner.environment, Places.of(self.runner.environment)
        return choose(environment, kvm_works(places), uml_works(places), processors)

    def run_on_hosts(self, part: str, look_ahead: str, hosts: str, folder: str, runner: Runner) -> None:
        out = self.out / folder
        words = [*self.options.words("bluez"), "--hosts", hosts, "--out", str(out), "--host", "b"]
        # When each counts its own time, one goes faster than the other. In user-mode Linux they can share one.
        is_asked = runner.environment.get("LAB_CLOCK") == "simulated"
        clock = {"LAB_CLOCK" if is_asked else "LAB_DEFAULT_CLOCK": "real"}
        if is_asked and self.hardware(1).accelerator is Accelerator.USER_MODE:
            clock = {}
        self.run_in_lab(runner, part, look_ahead, words, out / "b", "hosts", **clock)

    def run_among_many(self, runner: Runner) -> None:
        """With controllers of 4.2, whose kernel advertises on while a central is connected, and whose radio gives each
        of several links a handle of its own."""
        out = self.out / "many"
        asked = self.options.controllers or ""
        controllers = max(MANY_CONTROLLERS, int(asked) if asked.isdigit() else 0)
        words = [*self.options.words("bluez"), "--controllers", str(controllers), "--out", str(out)]
        self.run_in_lab(runner, AMONG_MANY, MANY, words, out, LAB_RADIO_OPTIONS="--controller 4.2", LAB_FRESH="1")

    def run_in_lab(
        self,
        runner: Runner,
        part: str,
        look_ahead: str,
        options: Sequence[str],
        out: Path,
        tool: str = "machine",
        **environment: str,
    ) -> None:
        """`out`: the folder of the host that they run on."""
        say(f"{part}, in the lab")
        limit = runner.limit(LIMIT_IN_LAB)
        filters = filter_options(self.expressions(part, look_ahead))
        command = run_tests("--", *limit, self.bundle, *SWIFT_TESTING, *STREAM, RECORD, *filters)
        runner.repeat_in_lab(
            out,
            [(part, "tests.jsonl")],
            lambda batch: runner.run_in_lab(options, batch.in_guest(command), tool, None, **environment),
        )

    def run_side_by_side(self, suites: Sequence[str], machines: int, processors: int) -> None:
        say(f"integration tests, on {machines} machines of the lab")
        batch = self.runner.batch
        words = ["--machines", str(machines), "--out", str(self.out), *batch.options()]
        words += self.options.words("controllers", "bluez")
        words += [word for suite in suites for word in ("--suite", suite)]
        limit = self.runner.environment.get("LAB_TEST_LIMIT", LIMIT_IN_LAB)
        filters = self.choice.expressions(IN_LAB, self.filters) if self.wish.shard else self.filters
        command: list[str | Path] = [GUEST / "run-suites", limit, self.bundle, *filters]
        cpus = self.runner.environment.get("LAB_CPUS", str(processors))
        self.runner.run_in_lab(words, command, "suites", LAB_CPUS=cpus)
        ended = suite_statuses(self.out / "statuses")
        for number in batch.numbers():
            for suite in suites:
                token = f"{suite}.{number}" if batch.is_repeated else suite
                if token not in ended and batch.is_repeated and self.was_stopped(ended):
                    continue
                status, machine = ended.get(token, (125, "none"))  # no machine has come back with it
                record = self.out / machine / "events" / f"{token}.jsonl"
                self.runner.add(suite, status, record, IN_LAB, number, token not in ended)

    def was_stopped(self, ended: dict[str, tuple[int, str]]) -> bool:
        """Whether the missing rounds were left out on purpose."""
        has_failed = any(status not in (0, 69) for status, _ in ended.values())
        return self.runner.is_interrupted or (self.runner.batch.until_failure and has_failed)

    def build_sample(self) -> None:
        if not self.is_sample_built:
            self.sample.build()
            self.is_sample_built = True

    def run_sample(self, runner: Runner) -> None:
        """The sample package's own tests, as its developer runs them."""
        former = runner.environment.get("LAB_PROGRAMS", "")
        folder = program_folder(runner.environment)
        runner.environment["LAB_PROGRAMS"] = f"{build_folder(self.sample.package)}/debug:{folder}"
        self.sample.run(runner, self.options.words("controllers", "capture", "bluez"))
        runner.environment["LAB_PROGRAMS"] = former

    def run_python(self, part: PythonTests, runner: Runner) -> None:
        """The plugin's on this machine, the sample project's in the lab, as its developer runs them."""
        choice = self.choice if self.wish.shard else None
        if part.folder == PLUGIN:
            say(f"{part.part}, on this machine")
            part.run_here(runner, self.records / "plugin.xml", choice)
            return
        say(f"{part.part}, in the lab")
        runner.environment["LAB_PROGRAMS"] = program_folder(runner.environment)
        part.run_in_lab(runner, self.options.words("controllers", "capture", "bluez"), choice, part.folder)

    def run_soak(self) -> None:
        """The soak as a test of its own."""
        build("the soak", "--product", "Soak")
        say("the soak, in the lab")
        program = build_folder(ROOT) / "debug" / "Soak"
        words = [*self.options.words("controllers", "bluez"), "--out", str(self.out / SOAK)]

        def run(record: Path) -> int:
            status = self.runner.run_in_lab(words, [program])
            write_status(record, SOAK, status)
            return status

        self.runner.repeat(SOAK, run, self.records / "soak.xml")


@contextmanager
def beside(runner: Runner, run: Callable[[Runner], None]) -> Iterator[None]:
    """Meanwhile `run` runs with another runner. What its commands have written is shown at the end."""
    with tempfile.TemporaryFile() as output, ThreadPoolExecutor(1) as executor:
        future = executor.submit(run, runner.beside(output))
        try:
            yield
        finally:
            wait([future])
            output.seek(0)
            sys.stdout.flush()
            shutil.copyfileobj(output, sys.stdout.buffer)
            sys.stdout.flush()
        future.result()


def write_status(record: Path, name: str, status: int) -> None:
    """The record of what is one test, by its exit status."""
    suite = Element("testsuite", name=name)
    case = SubElement(suite, "testcase", classname=name, name=name)
    if status:
        SubElement(case, "failure", message=f"{name} ended with exit status {status}")
    write_suites(record, [suite])


def suite_statuses(file: Path) -> dict[str, tuple[int, str]]:
    """Of each suite that ended its exit status and the machine."""
    try:
        lines = [line.split() for line in file.read_text().splitlines()]
    except OSError:
        return {}
    return {words[0]: (int(words[1]), words[2]) for words in lines if len(words) == 3 and words[1].isdigit()}
