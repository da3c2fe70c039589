"""The tests of a package or project as one command, which `lab explore` repeats."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.messages import fail
from bluetooth_lab.places import ROOT, lab_home
from bluetooth_lab.testing.filters import ONE_HOST, THREE_HOSTS, TWO_HOSTS, filter_options, matching, patterns
from bluetooth_lab.testing.packages import build_tests_of
from bluetooth_lab.testing.python_tests import find_python
from bluetooth_lab.testing.runner import SWIFT_TESTING, build, built_tests, list_tests
from bluetooth_lab.testing.this_package import SAMPLE_FOLDER, needs_sample

# For tests that limit times which a process that is held up does not keep.
EXPLORED = "LAB_EXPLORED=1"
LIMIT = "1800"  # seconds by the lab's clock, of all tests of a run
ON_HOSTS = {"OnTwoHosts": (TWO_HOSTS, "2"), "OnThreeHosts": (THREE_HOSTS, "3")}


class Command(NamedTuple):
    """`hosts`: how many it needs, as the option has it; its words then name the host."""

    words: Sequence[str]
    hosts: str = "1"

    @property
    def options(self) -> list[tuple[str, str]]:
        hosts = [("--hosts", self.hosts)] if self.hosts != "1" else []
        return [*hosts, ("--env", EXPLORED), ("--limit", LIMIT)]


def command_of_tests(kind: str, folder: Path, filters: Sequence[str]) -> Command:
    """`kind`: swift or python. Of this package, the tests that need the lab. Ends this process if there is no
    pytest."""
    if kind == "python":
        python = find_python(folder, lab_home(os.environ))
        if python is None:
            fail(f"no pytest for {folder}, neither in its .venv nor in the active environment")
        return Command([python, "-m", "pytest", "-p", "no:cacheprovider", *filters])
    if folder != ROOT:
        return Command([str(built_tests(folder)), *SWIFT_TESTING, *filter_options(filters)])
    part, hosts = part_of(filters)
    bundle = built_tests(folder)
    build("the programs that the tests run", "--package-path", "Fixtures")
    if needs_sample(matching(part, filters, list_tests(bundle, *SWIFT_TESTING))):
        build_tests_of(SAMPLE_FOLDER)
    words = [str(bundle), *SWIFT_TESTING, *filter_options(patterns(part, filters))]
    return Command(words if hosts == "1" else ["--host", "b", "--", *words], hosts)


def part_of(filters: Sequence[str]) -> tuple[str, str]:
    """Which tests of this package the filters are about, and on how many hosts they run. Those on several hosts are not
    explored with others."""
    named = {name for name in ON_HOSTS for word in filters if name in word}
    if not named:
        return ONE_HOST, "1"
    if len(named) > 1 or not all(next(iter(named)) in word for word in filters):
        fail("tests with different numbers of hosts are explored one number at a time")
    return ON_HOSTS[named.pop()]
