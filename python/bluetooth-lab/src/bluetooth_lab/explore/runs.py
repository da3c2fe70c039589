"""Runs a command in the lab with a seed, one run after another or several at the same time."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.command_line.options import HOSTS_BY_NAME
from bluetooth_lab.explore.delays import Made, delays_of
from bluetooth_lab.explore.variation import Variation
from bluetooth_lab.hosts import commands_of
from bluetooth_lab.messages import EXIT_LAB_FAILED
from bluetooth_lab.places import child_command

STILL_RUNNING = 124  # the exit status that `timeout` gives a command
REAL_LIMIT = 600  # seconds by the host's clock: the machine itself hangs


class Run(NamedTuple):
    """One that has ended. `out`: its folder."""

    seed: int
    variation: Variation
    status: int
    out: Path

    @property
    def has_failed(self) -> bool:
        return self.status not in (0, EXIT_LAB_FAILED)

    @property
    def reason(self) -> str:
        if self.status == STILL_RUNNING:
            return "was still running at its limit"
        return f"ended with exit status {self.status}"

    @property
    def output(self) -> str:
        with contextlib.suppress(OSError):
            return (self.out / "output.log").read_text(errors="replace")
        return ""

    @property
    def delays(self) -> list[Made]:
        return [made for host in ("", *HOSTS_BY_NAME) for made in delays_of(self.out / host / "dmesg.log", host)]


def with_limit(command: Sequence[str], limit: int) -> list[str]:
    """Of each command of several hosts, or of the only one."""
    if command[:1] != ["--host"]:
        return ["--", "timeout", str(limit), *command]
    commands = commands_of(command)
    timeout = ["timeout", "--foreground", str(limit)]  # where the interrupt comes with which a host's command ends
    return [word for host, words in commands.items() for word in ("--host", host, "--", *timeout, *words)]


class Runner:
    """`words`: the options of `lab run`; `limit`: seconds by the machine's clock; `folder`: for what the runs keep.
    `on_end` is called when one has ended."""

    def __init__(
        self,
        words: Sequence[str],
        command: Sequence[str],
        limit: int,
        jobs: int,
        folder: Path,
        environment: Mapping[str, str],
    ) -> None:
        self.words, self.command, self.limit = words, command, limit
        self.jobs, self.folder = jobs, folder
        # What options stand for is among the words.
        names = ("LAB_SEED", "LAB_VARY", "LAB_RADIO_OPTIONS", "LAB_CLOCK")
        self.environment = {name: value for name, value in environment.items() if name not in names}
        self.environment.update(LAB_FRESH="1", PYTHONDONTWRITEBYTECODE="1")
        self.is_stopped = threading.Event()
        self.processes: set[subprocess.Popen[bytes]] = set()
        self.on_end: Callable[[], object] = lambda: None
        self.count = 0
        self.others = itertools.count(1)

    def with_words(self, *words: str) -> Runner:
        """With further options."""
        folder = self.folder / f"other-{next(self.others)}"
        return Runner([*self.words, *words], self.command, self.limit, self.jobs, folder, self.environment)

    def line(self, seed: int, variation: Variation) -> list[str]:
        """What `lab` is to be told for this run."""
        given = ["--time", "simulated", "--seed", str(seed), "--vary", str(variation)]
        return ["run", *self.words, *given, *with_limit(self.command, self.limit)]

    def run(self, seed: int, variation: Variation) -> Run:
        self.count += 1
        out = self.folder / f"{seed}-{self.count}"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        first, *words = self.line(seed, variation)
        line = [first, "--out", str(out), *words]
        with open(out / "output.log", "wb") as output:
            process = subprocess.Popen(
                [*child_command(line[0]), *line[1:]],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=self.environment,
                start_new_session=True,
            )
            self.processes.add(process)
            if self.is_stopped.is_set():
                self.end(process)
            try:
                status = process.wait(REAL_LIMIT)
            except subprocess.TimeoutExpired:
                self.end(process)
                process.wait()
                status = EXIT_LAB_FAILED
            self.processes.discard(process)
        return Run(seed, variation, status, out)

    def run_all(
        self, wanted: Iterable[tuple[int, Variation]], take: Callable[[Run], bool], deadline: float | None = None
    ) -> None:
        """So many at the same time as there are jobs, in order, until `take` returns True for one that has ended, or
        the time is up."""
        self.is_stopped.clear()
        left = iter(wanted)
        running: set[Future[Run]] = set()
        with ThreadPoolExecutor(self.jobs) as pool:
            try:
                while True:
                    while len(running) < self.jobs and (deadline is None or time.monotonic() < deadline):
                        following = next(left, None)
                        if following is None:
                            break
                        running.add(pool.submit(self.run, *following))
                    if not running:
                        return
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    self.on_end()
                    if any([take(future.result()) for future in done]):
                        return
            finally:
                self.stop()

    def first(self, wanted: Sequence[tuple[int, Variation]]) -> Run | None:
        """The first of these to fail, as far as it matters which: of those that ran at the same time, the first in
        order."""
        failed: list[Run] = []

        def take(run: Run) -> bool:
            if run.has_failed:
                failed.append(run)
            return run.has_failed

        self.run_all(wanted, take)
        order = {(seed, str(variation)): index for index, (seed, variation) in enumerate(wanted)}
        return min(failed, key=lambda run: order[run.seed, str(run.variation)], default=None)

    def stop(self) -> None:
        """Ends those that are running."""
        self.is_stopped.set()
        for process in list(self.processes):
            self.end(process)

    @staticmethod
    def end(process: subprocess.Popen[bytes]) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
