"""The tests of a package or project as one command, which `lab explore` repeats."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.messages import fail
from bluetooth_lab.places import ROOT, lab_home
from bluetooth_lab.testing.filters import (
    MANY,
    ONE_HOST,
    THREE_HOSTS,
    TWO_HOSTS,
    filter_options,
    matching,
    patterns,
)
from bluetooth_lab.testing.packages import build_tests_of
from bluetooth_lab.testing.python_tests import find_python
from bluetooth_lab.testing.runner import SWIFT_TESTING, build, built_tests, list_tests
from bluetooth_lab.testing.this_package import (
    CONTROLLERS_OF_MANY,
    MANY_CONTROLLERS,
    SAMPLE_FOLDER,
    needs_sample,
)

# For tests that limit times which a process that is held up does not keep.
EXPLORED = "LAB_EXPLORED=1"
LIMIT = "1800"  # seconds by the lab's clock, of all tests of a run


class Part(NamedTuple):
    """Tests of this package that run together. `pattern`: of their names; `options`: of what they need."""

    pattern: str
    options: Sequence[tuple[str, str]] = ()


IN_LAB = Part(ONE_HOST)
OTHERS = {
    "OnTwoHosts": Part(TWO_HOSTS, [("--hosts", "2")]),
    "OnThreeHosts": Part(THREE_HOSTS, [("--hosts", "3")]),
    "AmongMany": Part(MANY, [("--controllers", str(MANY_CONTROLLERS)), ("--controller", CONTROLLERS_OF_MANY)]),
}


class Command(NamedTuple):
    """`needs`: options for what it needs. If these are hosts, its words name the one that it is for."""

    words: Sequence[str]
    needs: Sequence[tuple[str, str]] = ()

    @property
    def options(self) -> list[tuple[str, str]]:
        return [*self.needs, ("--env", EXPLORED), ("--limit", LIMIT)]


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
    part = part_of(filters)
    bundle = built_tests(folder)
    build("the programs that the tests run", "--package-path", "Fixtures")
    if needs_sample(matching(part.pattern, filters, list_tests(bundle, *SWIFT_TESTING))):
        build_tests_of(SAMPLE_FOLDER)
    words = [str(bundle), *SWIFT_TESTING, *filter_options(patterns(part.pattern, filters))]
    has_hosts = any(name == "--hosts" for name, _ in part.options)
    return Command(["--host", "b", "--", *words] if has_hosts else words, part.options)


def part_of(filters: Sequence[str]) -> Part:
    """Which tests of this package the filters are about. Each part is explored alone."""
    named = {name for name in OTHERS for word in filters if name in word}
    if not named:
        return IN_LAB
    if len(named) > 1 or not all(next(iter(named)) in word for word in filters):
        fail(f"tests in {' and '.join(sorted(named))} are explored alone")
    return OTHERS[named.pop()]
