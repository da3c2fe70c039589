"""The tests of `lab test`: which run, where, and what became of them.

usage: test --kind swift|python --package FOLDER [--controllers N] [--capture FILE] [--bluez FOLDER] [--out FOLDER]
            -- [FILTER…]

`lab test` has set up the lab by then, and built the programs that it has on PATH. Of this package, unit tests run on
this machine and integration tests in the lab; so do all tests of any other package or project. The last line is
"N passed, N failed".
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab_tools.messages import fail, say
from lab_tools.places import GUEST, ROOT, Places
from lab_tools.testing import counting, finding
from lab_tools.testing.filters import (
    ONE_HOST,
    TWO_HOSTS,
    UNIT,
    filter_options,
    matching,
    patterns,
    pytest_options,
    suites_of,
)
from lab_tools.testing.machines import available_memory, count_machines, processors_each
from lab_tools.testing.packages import find_python, run_pytest, run_swift_package
from lab_tools.testing.runner import (
    LIMIT_IN_LAB,
    RECORD,
    STREAM,
    LabOptions,
    Runner,
    build,
    built_tests,
    list_tests,
    program_folder,
    run_tests,
)

SWIFT_TESTING = ["--testing-library", "swift-testing"]


class ThisPackage:
    """This package's own tests. Only what has tests that match is built and run."""

    def __init__(self, runner: Runner, options: LabOptions, out: Path, records: Path, filters: Sequence[str]) -> None:
        self.runner, self.options, self.out, self.records, self.filters = runner, options, out, records, filters
        self.home = Places.of(runner.environment).home

    def run(self) -> None:
        """Those of the integration tests run the programs of Fixtures and the tests of the sample package, too."""
        build("the package and its tests", "--build-tests")
        self.bundle = built_tests(ROOT)
        names = list_tests(self.bundle, *SWIFT_TESTING)  # heeds no filters
        unit, one_host, two_hosts = (matching(part, self.filters, names) for part in (UNIT, ONE_HOST, TWO_HOSTS))
        if one_host or two_hosts:
            build("the programs that the tests run", "--package-path", "Fixtures")
        parts = [
            (unit, self.run_unit_tests),
            (one_host, lambda: self.run_on_one_host(one_host)),
            (two_hosts, self.run_on_two_hosts),
            (True, self.run_sample),
            (True, self.run_plugin),
            (True, self.run_python_sample),
        ]
        for has_tests, run in parts:
            if has_tests and not self.runner.is_interrupted:
                run()

    def run_unit_tests(self) -> None:
        say("unit tests, on this machine")
        record = self.records / "unit-tests.jsonl"
        filters = filter_options(patterns(UNIT, self.filters))
        command: list[str | Path] = [*self.runner.limit(), self.bundle, *SWIFT_TESTING, *STREAM, record, *filters]
        self.runner.add("unit tests", self.runner.run(command, ROOT), record)

    def run_on_one_host(self, names: Sequence[str]) -> None:
        """On one machine, or the suites on several side by side."""
        suites = suites_of(names)
        processors = os.cpu_count() or 1
        machines = count_machines(self.runner.environment, processors, available_memory(), len(suites))
        if machines > 1 and not self.options.capture:  # a capture is of one machine
            self.run_side_by_side(suites, machines, processors_each(processors, machines))
        elif names:
            words = self.options.words("controllers", "capture", "bluez")
            self.run_in_lab(ONE_HOST, "integration tests", [*words, "--out", str(self.out)], self.out)

    def run_on_two_hosts(self) -> None:
        if self.runner.environment.get("LAB") != "host":
            out = self.out / "two-hosts"
            words = [*self.options.words("bluez"), "--out", str(out), "--host", "b"]
            self.run_in_lab(TWO_HOSTS, "tests with two hosts", words, out / "b", "hosts")

    def run_in_lab(self, part: str, name: str, options: Sequence[str], out: Path, tool: str = "machine") -> None:
        """`out`: the folder of the host that they run on."""
        say(f"{name}, in the lab")
        record = out / "tests.jsonl"
        record.unlink(missing_ok=True)
        limit = self.runner.limit(LIMIT_IN_LAB)
        filters = filter_options(patterns(part, self.filters))
        command = run_tests("--", *limit, self.bundle, *SWIFT_TESTING, *STREAM, RECORD, *filters)
        self.runner.add(name, self.runner.run_in_lab(options, command, tool), record)

    def run_side_by_side(self, suites: Sequence[str], machines: int, processors: int) -> None:
        say(f"integration tests, on {machines} machines of the lab")
        words = ["--machines", str(machines), "--out", str(self.out), *self.options.words("controllers", "bluez")]
        words += [word for suite in suites for word in ("--suite", suite)]
        limit = self.runner.environment.get("LAB_TEST_LIMIT", LIMIT_IN_LAB)
        command: list[str | Path] = [GUEST / "run-suites", limit, self.bundle, *self.filters]
        cpus = self.runner.environment.get("LAB_CPUS", str(processors))
        self.runner.run_in_lab(words, command, "suites", LAB_CPUS=cpus)
        ended = suite_statuses(self.out / "statuses")
        for suite in suites:
            status, machine = ended.get(suite, (125, "none"))  # no machine has come back with it
            self.runner.add(suite, status, self.out / machine / "events" / f"{suite}.jsonl")

    def run_sample(self) -> None:
        """The sample package's own tests, as its developer runs them."""
        sample = ROOT / "Fixtures" / "sample-app"
        text, _ = finding.read([sample / "Tests"])
        if self.filters and finding.missing_words(self.filters, text) is not None:
            return
        former = self.runner.environment.get("LAB_PROGRAMS", "")
        folder = program_folder(self.runner.environment)
        configuration = self.runner.environment.get("LAB_CONFIG", "debug")
        self.runner.environment["LAB_PROGRAMS"] = f"{sample}/.build/{configuration}:{folder}"
        words = self.options.words("controllers", "capture", "bluez")
        run_swift_package(self.runner, sample, self.out / "sample-app", words, self.filters)
        self.runner.environment["LAB_PROGRAMS"] = former

    def run_plugin(self) -> None:
        """The tests of the pytest plugin, on this machine."""
        words = pytest_options(self.filters, ROOT / "python" / "tests")
        if words is None:
            return
        say("tests of the pytest plugin, on this machine")
        record = self.records / "plugin.xml"
        python = self.home / "venv" / "bin" / "python"
        command: list[str | Path] = [
            python,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--junit-xml",
            record,
            *words,
        ]
        self.runner.add("tests of the pytest plugin", self.runner.run(command, ROOT / "python"), record)

    def run_python_sample(self) -> None:
        """The tests of the sample project in Python, as its developer runs them."""
        project = ROOT / "Fixtures" / "python-app"
        words = pytest_options(self.filters, project)
        if words is None:
            return
        say("tests of python-app, in the lab")
        self.runner.environment["LAB_PROGRAMS"] = program_folder(self.runner.environment)
        python = self.home / "venv" / "bin" / "python"
        options = self.options.words("controllers", "capture", "bluez")
        run_pytest(self.runner, python, project, self.out / "python-app", options, words, project)


def suite_statuses(file: Path) -> dict[str, tuple[int, str]]:
    """Of each suite that ended its exit status and the machine."""
    try:
        lines = [line.split() for line in file.read_text().splitlines()]
    except OSError:
        return {}
    return {words[0]: (int(words[1]), words[2]) for words in lines if len(words) == 3 and words[1].isdigit()}


def parse(words: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options and the filters."""
    parser = argparse.ArgumentParser(prog="test", add_help=False)
    parser.add_argument("--kind", choices=("swift", "python"), required=True)
    parser.add_argument("--package", type=Path, required=True)
    for name in ("controllers", "capture", "bluez"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--out", type=Path)
    split = words.index("--")
    return parser.parse_args(words[:split]), list(words[split + 1 :])


def run(options: argparse.Namespace, filters: Sequence[str], environment: Mapping[str, str], records: Path) -> Runner:
    runner = Runner(environment)
    home = Places.of(environment).home
    # Surely this run's, whatever other labs run meanwhile.
    out = options.out or home / "runs" / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}" / "out"
    lab_options = LabOptions(options.controllers, options.capture, options.bluez)
    words = lab_options.words("controllers", "capture", "bluez")
    if options.kind == "python":
        python = find_python(options.package, home)
        if python is None:
            fail(f"there is no pytest for {options.package}: neither in its .venv, nor in the active environment")
        run_pytest(runner, python, options.package, out, words, filters)
    elif options.package == ROOT:
        ThisPackage(runner, lab_options, out, records, filters).run()
    else:
        run_swift_package(runner, options.package, out, words, filters)
    return runner


def main(words: list[str]) -> int:
    options, filters = parse(words)
    environment = {"LAB_CLOCK": "counted", **os.environ}
    if not os.isatty(1):
        environment["NO_COLOR"] = "1"
    with tempfile.TemporaryDirectory() as records:
        runner = run(options, filters, environment, Path(records))
        sys.stdout.flush()
        return counting.total(runner.results)
