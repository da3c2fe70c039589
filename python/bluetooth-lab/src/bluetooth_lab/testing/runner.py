"""Runs tests on this machine and in the lab, and keeps what became of them."""

from __future__ import annotations

import copy
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import IO, NamedTuple

from bluetooth_lab.explore.seed import set_seed
from bluetooth_lab.messages import fail
from bluetooth_lab.places import GUEST, ROOT, SETUP, build_folder, child_command
from bluetooth_lab.testing.results import Result
from bluetooth_lab.testing.rounds import Batch

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SWIFT_TESTING = ["--testing-library", "swift-testing"]
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


class Progress:
    """What has run, and what runs. After an interruption nothing more does."""

    def __init__(self) -> None:
        self.results: list[Result] = []
        self.is_interrupted = False
        self.has_failed = False
        self.processes: set[subprocess.Popen[bytes]] = set()


class Runner:
    """`batch`: the rounds that are its turn; `output`: where its commands write to, if not to ours; `seed`: of what
    runs in the lab, if there is one."""

    def __init__(
        self, environment: Mapping[str, str], progress: Progress | None = None, output: IO[bytes] | None = None
    ) -> None:
        self.environment = dict(environment)
        self.seed = self.environment.pop("LAB_SEED", "")
        self.progress = progress or Progress()
        self.output = output
        self.batch = Batch()

    def beside(self, output: IO[bytes]) -> Runner:
        """One that runs other tests at the same time, in another thread."""
        other = copy.copy(self)
        other.environment, other.output = dict(self.environment), output
        return other

    def in_round(self, number: int) -> Runner:
        """The same for one round of the batch."""
        other = copy.copy(self)
        other.batch = replace(self.batch, first=number, count=1)
        return other

    @property
    def results(self) -> list[Result]:
        return self.progress.results

    @property
    def is_interrupted(self) -> bool:
        return self.progress.is_interrupted

    @property
    def is_done(self) -> bool:
        """Whether nothing more is to be begun."""
        return self.is_interrupted or (self.batch.until_failure and self.progress.has_failed)

    def limit(self, default: str = LIMIT) -> list[str]:
        """A command before another one that ends that after a while."""
        return ["timeout", "--foreground", "--kill-after", "10", self.environment.get("LAB_TEST_LIMIT", default)]

    def run(self, command: Sequence[str | Path], folder: Path | None = None, **environment: str) -> int:
        """The exit status."""
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=folder,
            env={**self.environment, **environment},
            stdout=self.output,
            stderr=self.output and subprocess.STDOUT,
        )
        self.progress.processes.add(process)
        status = process.wait()
        self.progress.processes.discard(process)
        return status if status >= 0 else 128 - status

    @contextmanager
    def passing_signals(self) -> Iterator[None]:
        """Passes signals on, which a terminal does not send to all of us."""

        def pass_on(number: int, _frame: FrameType | None) -> None:
            self.progress.is_interrupted = True
            for process in list(self.progress.processes):
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
        start = [str(SETUP / "host")] if is_on_host else child_command(tool)
        records = ["--records-itself"] if tool == "machine" and not is_on_host else []
        if self.seed:  # each round has another one
            environment.setdefault("LAB_RADIO_OPTIONS", self.environment.get("LAB_RADIO_OPTIONS", ""))
            set_seed(environment, str(int(self.seed) + self.batch.first - 1), self.environment.get("LAB_VARY"))
        return self.run([*start, *options, *records, "--", *command], folder, **environment)

    def add(self, name: str, status: int, record: Path, part: str = "", number: int = 1, is_last: bool = True) -> None:
        """`is_last`: an interruption was in this run, if there was one."""
        is_cut_short = self.is_interrupted and self.batch.is_repeated and is_last
        result = Result(name, status, record, part, number, is_cut_short)
        self.results.append(result)
        if self.batch.until_failure:
            self.progress.has_failed = self.progress.has_failed or result.has_failed()

    def repeat(self, name: str, run: Callable[[Path], int], record: Path) -> None:
        """Rounds of what runs on this machine. `run` gets the file for its record."""
        if not self.batch.is_repeated:
            self.add(name, run(record), record)
            return
        for number in self.batch.numbers():
            file = record.with_stem(f"{record.stem}-{number}")
            self.add(name, run(file), file, number=number)
            if self.is_done:
                return

    def repeat_in_lab(
        self,
        out: Path,
        records: Sequence[tuple[str, str]],
        run: Callable[[Batch], int],
        statuses: Callable[[Path, int], Sequence[int]] | None = None,
    ) -> None:
        """Rounds within one machine, where `run` starts it. `records`: the name of each run, and of its file in the
        folder `out`. `statuses` finds the exit statuses of the runs in a folder, where there are several."""
        for _, file in records:
            (out / file).unlink(missing_ok=True)
        if self.batch.is_repeated:
            shutil.rmtree(out / "rounds", ignore_errors=True)
        lab_status = run(self.batch)

        def add(folder: Path, status: int, number: int, is_last: bool = True) -> None:
            each = statuses(folder, status) if statuses else [status] * len(records)
            for (name, file), its_status in zip(records, each):
                self.add(name, its_status, folder / file, number=number, is_last=is_last)

        if not self.batch.is_repeated:
            add(out, lab_status, 1)
            return
        ended = list(ended_rounds(out / "rounds", self.batch))
        for number, status in ended:
            add(out / "rounds" / str(number), status, number, number == ended[-1][0])
        # If neither all rounds nor a failure nor an interruption has ended them, the machine has ended in one.
        if len(ended) != self.batch.count and not self.is_done:
            number = self.batch.first + len(ended)
            add(out / "rounds" / str(number), lab_status or 125, number)


def ended_rounds(folder: Path, batch: Batch) -> Iterator[tuple[int, int]]:
    """The number and the exit status of each round that has ended."""
    for number in batch.numbers():
        status = round_status(folder / str(number))
        if status is None:
            return
        yield number, status


def round_status(folder: Path) -> int | None:
    """The exit status of a round that has ended."""
    try:
        return int((folder / "status").read_text())
    except (OSError, ValueError):
        return None


def build(what: str, *options: str) -> None:
    """Ends this process if it fails."""
    command = [str(SETUP / "build-package"), what, *options]
    status = subprocess.run(command, check=False).returncode
    if status:
        sys.exit(status)


def built_tests(package: Path) -> Path:
    """The built tests, run without SwiftPM: in the lab there is no need of it, and its start takes long."""
    folder = build_folder(package) / "debug"
    # Packages of this repository share the folder.
    name = {ROOT: "bluejay-linux"}.get(package, package.name) if folder.is_relative_to(ROOT) else "*"
    bundles = sorted(folder.glob(f"{name}PackageTests.xctest"))
    if len(bundles) != 1:
        fail(f"one test bundle was expected in {folder}, and there are {len(bundles)}")
    return bundles[0]


def list_tests(bundle: Path, *options: str) -> list[str]:
    listed = subprocess.run([bundle, *options, "--list-tests"], capture_output=True, text=True, check=False)
    return listed.stdout.splitlines()


def run_tests(*words: str | Path) -> list[str | Path]:
    """The command that keeps tests' records in the lab."""
    return [GUEST / "run-tests", *words]


def program_folder(environment: Mapping[str, str]) -> str:
    """Where the programs of this package are, which every lab has on PATH."""
    return environment.get("LAB_PROGRAMS", "").rsplit(":", 1)[-1] or str(build_folder(ROOT) / "debug")
