"""This package's own tests: each part of them, and which of its tests run."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Lock
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

from bluetooth_lab.machine.hardware import Accelerator, Clock, Hardware, choose, kvm_works, uml_works
from bluetooth_lab.messages import say
from bluetooth_lab.places import PLUGIN, ROOT, Places, build_folder
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
# Their kernel advertises on while a central is connected, and their radio gives each of several links a handle of its
# own.
CONTROLLERS_OF_MANY = "4.2"
SAMPLE, SOAK = "sample-app", "soak"
# How many tests Swift Testing runs at the same time (Swift 6.3; others do not heed it). It would begin all of them at
# once, and on a slow machine each would wait for the others until its own limit is over.
WIDTH = {"SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "12"}
SAMPLE_FOLDER = ROOT / "Fixtures" / "sample-app"


def needs_sample(names: Iterable[str]) -> bool:
    """Whether some of these tests run those of the sample package."""
    return any("/FailureBundles/" in name for name in names)


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
        self.sample = SwiftPackage(SAMPLE_FOLDER, out / "sample-app", self.filters)
        self.is_sample_built = False
        self.lock = Lock()
        self.others: list[Callable[[Runner], None]] = []

    def prepare(self) -> None:
        """Decides which tests run."""
        self.bundle = built_tests(ROOT)
        self.names = list_tests(self.bundle, *SWIFT_TESTING)  # heeds no filters
        self.python_parts = list(self.find_python_parts())
        self.choice = Choice(self.find_tests(), self.wish.shard, Durations.read(ROOT))

    def find_tests(self) -> list[ListedTest]:
        parts = (UNIT, ONE_HOST, TWO_HOSTS, THREE_HOSTS, MANY)
        unit, one_host, two_hosts, three_hosts, many = (matching(part, self.filters, self.names) for part in parts)
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
        if self.choice.has(SAMPLE) or needs_sample(self.choice.names(IN_LAB)):
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
        if self.options.capture or self.runner.environment.get("LAB") == "host":  # a capture is of one machine
            if suites:
                self.run_on_one_machine()
            self.run_others(self.runner)
        elif machines > 1 and has_room(available_memory(), machines):
            with beside(self.runner, self.run_others):
                self.run_side_by_side(suites, machines, processors_each(processors, machines))
        else:
            if suites:
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
        hardware = self.hardware(1)
        shares_time = hardware.accelerator is Accelerator.USER_MODE and hardware.clock is Clock.SIMULATED
        clock = {"LAB_CLOCK": Clock.SIMULATED.value if shares_time else Clock.REAL.value}
        self.run_in_lab(runner, part, look_ahead, words, out / "b", "hosts", **clock)

    def run_among_many(self, runner: Runner) -> None:
        out = self.out / "many"
        asked = self.options.controllers or ""
        controllers = max(MANY_CONTROLLERS, int(asked) if asked.isdigit() else 0)
        words = [*self.options.words("bluez"), "--controllers", str(controllers), "--out", str(out)]
        radio = f"--controller {CONTROLLERS_OF_MANY}"
        self.run_in_lab(runner, AMONG_MANY, MANY, words, out, LAB_RADIO_OPTIONS=radio, LAB_FRESH="1")

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
        command = self.command(self.expressions(part, look_ahead))
        runner.repeat_in_lab(
            out,
            [(part, "tests.jsonl")],
            lambda batch: runner.run_in_lab(options, batch.in_guest(command), tool, None, **environment),
        )

    def command(self, expressions: Sequence[str]) -> list[str | Path]:
        """What runs the tests that match, in the lab."""
        limit, filters = self.runner.limit(LIMIT_IN_LAB), filter_options(expressions)
        return run_tests("--", *limit, self.bundle, *SWIFT_TESTING, *STREAM, RECORD, *filters)

    def run_side_by_side(self, suites: Sequence[str], machines: int, processors: int) -> None:
        with_seed = f", with seed {self.runner.seed}" if self.runner.seed else ""
        say(f"integration tests, each suite on a machine of the lab, {machines} at a time{with_seed}")
        cpus = self.runner.environment.get("LAB_CPUS", str(processors))
        tokens = [(suite, number) for number in self.runner.batch.numbers() for suite in suites]
        with ThreadPoolExecutor(machines) as executor:
            for future in [executor.submit(self.run_suite, *token, cpus) for token in tokens]:
                future.result()

    def run_suite(self, suite: str, number: int, cpus: str) -> None:
        """On a machine of its own, so that it does not depend on what ran before."""
        if self.runner.is_done:
            return
        out = self.out / (f"{suite}.{number}" if self.runner.batch.is_repeated else suite)
        words = [*self.options.words("controllers", "bluez"), "--out", str(out), "--prefix", f"{suite}| ", "--quiet"]
        command = self.command(self.expressions_of_suite(suite))
        (out / "tests.jsonl").unlink(missing_ok=True)  # left by an earlier run
        runner = self.runner.in_round(number)
        status = runner.run_in_lab(words, command, LAB_CPUS=cpus)
        runner.add(suite, status, out / "tests.jsonl", IN_LAB, number)
        with self.lock:
            link_failures(self.out, out, is_repeated=runner.batch.is_repeated)
        if runner.batch.is_repeated and not status:
            remove_all_but(out, "tests.jsonl", "passed")

    def expressions_of_suite(self, suite: str) -> list[str]:
        """Of a whole one, whatever the filters are: with the same seed it is to be the same run."""
        part = f"=IntegrationTests.InTheLab/{suite}/"
        chosen, every = ([*matching(part, [], names)] for names in (self.choice.names(IN_LAB), self.names))
        if chosen == every:
            return patterns(part, [])
        filters = self.choice.expressions(IN_LAB, self.filters) if self.wish.shard else self.filters
        return patterns(part, filters)

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


def link_failures(out: Path, of_suite: Path, is_repeated: bool) -> None:
    """The records of a suite's failed tests, in the same folder as those of the others. Of several rounds the first of
    each test is kept alone."""
    for folder in sorted(of_suite.glob("failures/*")):
        link = out / "failures" / folder.name
        link.parent.mkdir(exist_ok=True)
        if not link.exists():
            link.symlink_to(Path("..") / folder.relative_to(out))
        elif is_repeated and link.resolve() != folder.resolve():
            shutil.rmtree(folder, ignore_errors=True)


def remove_all_but(folder: Path, *names: str) -> None:
    for entry in folder.glob("*"):
        if entry.name not in names:
            shutil.rmtree(entry, ignore_errors=True) if entry.is_dir() else entry.unlink()
