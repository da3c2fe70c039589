"""The tests of a package or project as one command, which `lab explore` repeats."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bluetooth_lab.messages import fail
from bluetooth_lab.places import ROOT, lab_home
from bluetooth_lab.testing.filters import ONE_HOST, filter_options, patterns
from bluetooth_lab.testing.python_tests import find_python
from bluetooth_lab.testing.runner import SWIFT_TESTING, built_tests

# For tests that limit times which a process that is held up does not keep.
EXPLORED = "LAB_EXPLORED=1"
LIMIT = "1800"  # seconds by the lab's clock, of all tests of a run


def command_of_tests(kind: str, folder: Path, filters: Sequence[str]) -> list[str]:
    """`kind`: swift or python. Of this package, the tests that need the lab. Ends this process if there is no
    pytest."""
    if kind == "python":
        import os

        python = find_python(folder, lab_home(os.environ))
        if python is None:
            fail(f"no pytest for {folder}, neither in its .venv nor in the active environment")
        return [python, "-m", "pytest", "-p", "no:cacheprovider", *filters]
    expressions = patterns(ONE_HOST, filters) if folder == ROOT else filters
    return [str(built_tests(folder)), *SWIFT_TESTING, *filter_options(expressions)]
