"""The tests of a Swift package that depends on this one, and of a Python project, in the lab."""

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from lab_tools.messages import say
from lab_tools.places import GUEST
from lab_tools.testing.filters import filter_options, xctest_names
from lab_tools.testing.runner import Runner, build, built_tests, list_tests, run_tests


def parse_statuses(text: str, lab_status: int) -> tuple[int, int]:
    """Those of XCTest and of Swift Testing. Without them, the lab itself has failed."""
    words = text.split()
    if len(words) != 2 or not all(re.fullmatch(r"\d+", word) for word in words):
        return lab_status, lab_status
    return int(words[0]), int(words[1])


def run_swift_package(runner: Runner, package: Path, out: Path, options: Sequence[str], filters: Sequence[str]) -> None:
    """Builds the package's tests and runs them in the lab."""
    name = package.name
    build(f"{name} and its tests", "--package-path", str(package), "--build-tests")
    bundle = built_tests(package)
    names = xctest_names(filters, list_tests(bundle))
    for file in ("xctest.log", "tests.jsonl", "statuses"):
        (out / file).unlink(missing_ok=True)
    say(f"tests of {name}, in the lab")
    limit = runner.environment.get("LAB_TEST_LIMIT", "1800")
    command: list[str | Path] = [GUEST / "run-package-tests", limit, names, bundle, *filter_options(filters)]
    lab_status = runner.run_in_lab([*options, "--out", str(out)], command, folder=package)
    statuses = out / "statuses"
    in_xctest, in_swift_testing = parse_statuses(statuses.read_text() if statuses.exists() else "", lab_status)
    if names:
        runner.add(f"{name}'s tests in XCTest", in_xctest, out / "xctest.log")
    runner.add(f"{name}'s tests in Swift Testing", in_swift_testing, out / "tests.jsonl")


def run_pytest(
    runner: Runner,
    python: str | Path,
    project: Path,
    out: Path,
    options: Sequence[str],
    words: Sequence[str],
    folder: Path | None = None,
) -> None:
    """pytest in the lab, in this folder unless another one is given."""
    record = out / "junit.xml"
    record.unlink(missing_ok=True)
    pytest = [python, "-m", "pytest", "-p", "no:cacheprovider", "--junit-xml", record, *words]
    command = run_tests("pytest", "--", *runner.limit(), *pytest)
    status = runner.run_in_lab([*options, "--out", str(out)], command, folder=folder)
    runner.add(f"tests of {project.name}", status, record)


def find_python(project: Path, home: Path) -> str | None:
    """One with pytest: the active environment's, the project's, the system's, the lab's."""
    active = os.environ.get("VIRTUAL_ENV", "/nowhere")
    for candidate in (f"{active}/bin/python", f"{project}/.venv/bin/python", "python3", f"{home}/venv/bin/python"):
        try:
            found = subprocess.run([candidate, "-c", "import pytest"], capture_output=True, check=False).returncode == 0
        except OSError:
            continue
        if found:
            return candidate
    return None
