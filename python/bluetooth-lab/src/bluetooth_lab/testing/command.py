"""The tests of `lab test`: which run, where, and what became of them.

`lab test` has built the tests and the programs that the lab has on PATH by then. Of this package, unit tests run on
this machine and integration tests in the lab; so do all tests of any other package or project. The last line is
"N passed, N failed".
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.command_line.parsing import Line
from bluetooth_lab.machine.runs import prepare_output
from bluetooth_lab.messages import EXIT_LAB_FAILED, fail, say, shown_path
from bluetooth_lab.page.index import write_index
from bluetooth_lab.places import ROOT, SETUP, Places
from bluetooth_lab.testing.choice import Choice, print_list, pytest_tests
from bluetooth_lab.testing.junit import prepare_file
from bluetooth_lab.testing.packages import SwiftPackage
from bluetooth_lab.testing.python_tests import PythonTests, find_python
from bluetooth_lab.testing.results import Report
from bluetooth_lab.testing.rounds import Rounds
from bluetooth_lab.testing.runner import LabOptions, Runner
from bluetooth_lab.testing.shards import Durations, ListedTest, Shard
from bluetooth_lab.testing.this_package import UNIT_TESTS, ThisPackage, Wish

NO_UML = 3  # the exit status of setup/setup when it cannot build a kernel for user-mode Linux
NIGHTLY_LIMIT = "5400"  # seconds for what a part of the tests takes


class Options(NamedTuple):
    """`kind`: swift or python, `package`: its folder; `lab`: for the lab's machines."""

    kind: str
    package: Path
    filters: Sequence[str]
    lab: LabOptions
    out: Path | None
    shard: Shard | None
    junit: Path | None
    repeat: int | None
    must_list: bool
    until_failure: bool
    is_nightly: bool

    @classmethod
    def of(cls, line: Line, kind: str, package: Path, bluez: str | None) -> Options:
        out, shard, junit, repeat = (line.value(name) for name in ("--out", "--shard", "--junit", "--repeat"))
        return cls(
            kind,
            package,
            line.rest,
            LabOptions(line.value("--controllers"), line.value("--capture"), bluez),
            Path(out) if out else None,
            Shard.parse(shard) if shard else None,
            Path(junit) if junit else None,
            int(repeat) if repeat else None,
            *(line.has(name) for name in ("--list", "--until-failure", "--nightly")),
        )


class Session:
    """One `lab test`."""

    def __init__(self, options: Options, environment: Mapping[str, str], records: Path) -> None:
        self.options, self.records = options, records
        self.runner = Runner(environment)
        self.wish = Wish(options.filters, options.shard, options.is_nightly, options.must_list)
        self.rounds = Rounds(options.repeat, options.until_failure)
        self.home = Places.of(environment).home
        # Surely this run's, whatever other labs run meanwhile.
        self.out = options.out or self.home / "runs" / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}" / "out"
        self.lab_options = options.lab
        self.words = self.lab_options.words("controllers", "capture", "bluez")

    def run(self) -> int:
        if self.options.kind == "python" or self.wish.needs_names:
            self.set_up()
        if self.options.kind == "python":
            choice, parts = self.python_project()
        elif self.options.package == ROOT:
            package = ThisPackage(self.runner, self.lab_options, self.out, self.records, self.wish)
            package.prepare()
            if self.wish.must_list:
                return show_list(package.tests(), package.choice)
            choice, parts = package.choice, package.parts()
        else:
            choice, parts = self.swift_package()
        if self.wish.must_list:
            return show_list(choice.chosen, choice)
        choice.announce()
        if any(test.part != UNIT_TESTS for test in choice.chosen):
            self.set_up()
            prepare_output(self.home, self.out.resolve())
        self.run_rounds(choice, parts)
        show_failures(self.out)
        sys.stdout.flush()
        return self.report(choice).show(self.runner.results)

    def set_up(self) -> None:
        """Sets up what tests in the lab need, without user-mode Linux where its kernel cannot be built."""
        command = [str(SETUP / "setup"), "--quiet", "--for", "test"]
        environment = self.runner.environment
        status = subprocess.run(command, env=environment, check=False).returncode
        if status == NO_UML and not environment.get("LAB"):
            say("software emulation is used, which is slower")
            environment["LAB"] = "tcg"
            status = subprocess.run(command, env=environment, check=False).returncode
        if status:
            sys.exit(EXIT_LAB_FAILED)

    def swift_package(self) -> tuple[Choice, list[Callable[[], None]]]:
        package = SwiftPackage(self.options.package, self.out, self.wish.filters)
        choice = Choice(package.tests(), self.wish.shard, Durations.read(package.package))
        return choice, [lambda: package.run(self.runner, self.words, choice)]

    def python_project(self) -> tuple[Choice, list[Callable[[], None]]]:
        folder = self.options.package
        python = find_python(folder, self.home)
        if python is None:
            fail(f"no pytest for {folder}, neither in its .venv nor in the active environment")
        project = PythonTests(f"tests of {folder.name}", python, Path.cwd(), self.wish.filters, self.out)
        nodes = project.nodes(self.runner.environment, self.records) if self.wish.needs_names else [project.part]
        choice = Choice(pytest_tests(project.part, nodes), self.wish.shard, Durations.read(folder))
        parts = [lambda: project.run_in_lab(self.runner, self.words, choice)] if choice.chosen else []
        return choice, parts

    def run_rounds(self, choice: Choice, parts: Sequence[Callable[[], None]]) -> None:
        if not parts:
            return
        seconds = sum(map(choice.durations.of, choice.chosen))
        with self.runner.passing_signals():
            for batch in self.rounds.batches(len(parts), seconds):
                self.runner.batch = batch
                for run in parts:
                    if not self.runner.is_done:
                        run()
                if self.runner.is_done:
                    return

    def report(self, choice: Choice) -> Report:
        properties = {
            "package": str(self.options.package),
            "lab": self.runner.environment.get("LAB") or "machine",
            **{name: value for name, value in self.lab_options._asdict().items() if value},
            **{name: self.runner.environment[name] for name in CI_PROPERTIES if self.runner.environment.get(name)},
            **choice.properties(),
        }
        is_empty_shard = bool(self.wish.shard and choice.every and not choice.chosen)
        is_repeated = self.rounds.is_repeated
        return Report(self.options.junit, self.options.package, properties, is_repeated, is_empty_shard)


def show_list(tests: Sequence[ListedTest], choice: Choice) -> int:
    """A shard may have no test, where there are some."""
    print_list(tests)
    if not choice.every:
        say("no test matches")
    return 0 if choice.every else 1


def show_failures(out: Path) -> None:
    """Makes the list of the failed tests that have left a page."""
    try:
        index = write_index(out)
    except OSError as error:
        say(f"cannot list the failed tests: {error}")
    else:
        if index:
            say(f"the failed tests, each with its page: {shown_path(index)}")


# What CI systems say about the run.
CI_PROPERTIES = (
    "GITHUB_RUN_ID",
    "GITHUB_RUN_ATTEMPT",
    "GITHUB_JOB",
    "GITHUB_SHA",
    "GITHUB_REF_NAME",
    "CI_PIPELINE_ID",
    "CI_JOB_ID",
    "CI_COMMIT_SHA",
    "CI_COMMIT_REF_NAME",
    "BUILD_NUMBER",
    "BUILD_URL",
    "GIT_COMMIT",
    "JOB_COMPLETION_INDEX",
)


def run(options: Options) -> int:
    # This package's tests wait most of the time, and for nothing outside of the lab.
    clock = "simulated" if options.package == ROOT else "counted"
    environment = {"LAB_DEFAULT_CLOCK": clock, **os.environ}
    if options.is_nightly:
        environment["LAB_THOROUGH"] = "1"
        environment.setdefault("LAB_TEST_LIMIT", NIGHTLY_LIMIT)
    if not os.isatty(1):
        environment["NO_COLOR"] = "1"
    if options.junit:
        prepare_file(options.junit)
    if options.until_failure and not options.repeat:
        say("until a test fails or Ctrl-C is pressed")
    with tempfile.TemporaryDirectory() as records:
        return Session(options, environment, Path(records)).run()
