"""Runs tests on this machine and in the lab, and keeps what became of them."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from lab_tools.messages import fail
from lab_tools.places import GUEST, ROOT, tool_command

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STREAM = ["--event-stream-version", "0", "--event-stream-output-path"]
RECORD = "/run/lab/tests.jsonl"  # in memory, in the lab
LIMIT, LIMIT_IN_LAB = "1800", "2400"  # seconds


class LabOptions(NamedTuple):
    """The lab's own options that were given."""

    controllers: str | None = None
    capture: str | None = None
    bluez: str | None = None

    def words(self, *names: str) -> list[str]:
        """Those of these names."""
        values = self._asdict()
        return [word for name in names if values[name] for word in (f"--{name}", values[name])]


class Result(NamedTuple):
    """What `count-tests` counts."""

    name: str
    status: int
    record: Path


class Runner:
    """`results` has what has run; after an interruption nothing more does."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = dict(environment)
        self.results: list[Result] = []
        self.is_interrupted = False

    def limit(self, default: str = LIMIT) -> list[str]:
        """A command before another one that ends that after a while."""
        return ["timeout", "--foreground", "--kill-after", "10", self.environment.get("LAB_TEST_LIMIT", default)]

    def run(self, command: Sequence[str | Path], folder: Path | None = None, **environment: str) -> int:
        """The exit status. Passes signals on, which a terminal does not send to all of us."""
        process = subprocess.Popen([str(word) for word in command], cwd=folder, env={**self.environment, **environment})
        with self.passing_signals(process):
            status = process.wait()
        return status if status >= 0 else 128 - status

    @contextmanager
    def passing_signals(self, process: "subprocess.Popen[bytes]") -> Iterator[None]:
        def pass_on(number: int, _frame: FrameType | None) -> None:
            self.is_interrupted = True
            if process.poll() is None:
                process.send_signal(number)

        former = {number: signal.signal(number, pass_on) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)

    def run_in_lab(
        self,
        options: Sequence[str],
        command: Sequence[str | Path],
        tool: str = "machine",
        folder: Path | None = None,
        **environment: str,
    ) -> int:
        is_on_host = self.environment.get("LAB") == "host"
        start = [str(ROOT / "scripts" / "lab" / "host")] if is_on_host else tool_command(tool)
        return self.run([*start, *options, "--", *command], folder, **environment)

    def add(self, name: str, status: int, record: Path) -> None:
        self.results.append(Result(name, status, record))


def build(what: str, *options: str) -> None:
    """Ends this process if it fails."""
    command = [str(ROOT / "scripts" / "lab" / "build-package"), what, *options]
    status = subprocess.run(command, check=False).returncode
    if status:
        sys.exit(status)


def built_tests(package: Path) -> Path:
    """The built tests, run without SwiftPM: in the lab there is no need of it, and its start takes long."""
    bundles = sorted((package / ".build" / "debug").glob("*PackageTests.xctest"))
    if len(bundles) != 1:
        fail(f"one test bundle was expected in {package}/.build/debug, and there are {len(bundles)}")
    return bundles[0]


def list_tests(bundle: Path, *options: str) -> list[str]:
    listed = subprocess.run([bundle, *options, "--list-tests"], capture_output=True, text=True, check=False)
    return listed.stdout.splitlines()


def run_tests(*words: str | Path) -> list[str | Path]:
    """The command that keeps tests' records in the lab."""
    return [GUEST / "run-tests", *words]


def program_folder(environment: Mapping[str, str]) -> str:
    """Where the programs of this package are, which every lab has on PATH."""
    return environment.get("LAB_PROGRAMS", "").rsplit(":", 1)[-1] or os.path.join(ROOT, ".build", "debug")
