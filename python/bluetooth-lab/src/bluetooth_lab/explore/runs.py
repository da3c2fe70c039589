"""Runs a command in the lab with a seed, one run after another or several at the same time."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.command_line.options import HOSTS_BY_NAME
from bluetooth_lab.explore.delays import Made, delays_of
from bluetooth_lab.explore.variation import Variation
from bluetooth_lab.hosts import commands_of
from bluetooth_lab.machine.repeat import OUTPUTS
from bluetooth_lab.machine.runs import status_of
from bluetooth_lab.messages import say
from bluetooth_lab.places import child_command

# The exit statuses of `timeout` for a command that it has ended, and for one that it had to kill. The command may end
# with them, too: `timeout` then says nothing.
ENDED_AT_LIMIT = (124, 128 + signal.SIGKILL)
NOT_RUN = (126, 127)  # likewise, of a command that cannot be run
SAID_BY_TIMEOUT = re.compile("^timeout: .*$", re.MULTILINE)  # on standard error, in the user's language
# Seconds by the host's clock, unless the limit by the machine's is longer. That one passes slowly while a command
# computes, and so never ends a command that does nothing else in a reasonable time.
REAL_LIMIT = 600
ERRORS = OUTPUTS[1]
END_OF_OUTPUT = 1 << 16  # bytes
END_LIMIT = 60  # seconds that it has to end
# Of Swift Testing, XCTest and pytest.
FAILED_TEST = re.compile(r"^(?:✘ Test (.+) failed after|.*error: (\S+) : |FAILED (\S+))", re.MULTILINE)


class Run(NamedTuple):
    """One that has ended. `status`: the command's; None if the lab itself failed, and the command did not end. `out`:
    its folder; `seconds`: by this machine's clock; `limit`: the one that the command exceeded, if it did."""

    seed: int
    variation: Variation
    status: int | None
    out: Path
    seconds: float = 0
    limit: str = ""

    @property
    def has_failed(self) -> bool:
        return self.status not in (0, None)

    @property
    def reason(self) -> str:
        if self.status is None:
            return "could not be made: the lab itself failed"
        if self.limit:
            return f"was still running after {self.limit}"
        return f"ended with exit status {self.status}"

    @property
    def mistake(self) -> str:
        """What `timeout` says if the command does not exist or cannot be run."""
        lines = said_by_timeout(self.out) if self.status in NOT_RUN else []
        return lines[-1].removeprefix("timeout: ") if lines else ""

    @property
    def log(self) -> Path:
        return self.out / "output.log"

    @property
    def output(self) -> str:
        with contextlib.suppress(OSError):
            return self.log.read_text(errors="replace")
        return ""

    @property
    def end_of_output(self) -> str:
        """So much of it that people look at it."""
        with contextlib.suppress(OSError), open(self.log, "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - END_OF_OUTPUT, 0))
            return file.read().decode(errors="replace")
        return ""

    @property
    def failed_tests(self) -> set[str]:
        return {next(filter(None, match.groups())) for match in FAILED_TEST.finditer(self.output)}

    def fails_like(self, other: Run) -> bool:
        """With the same exit status, or over a limit as well, and one of the same tests if it is tests that failed."""
        tests = other.failed_tests
        is_alike = bool(other.limit) if self.limit else self.status == other.status and not other.limit
        return self.has_failed and is_alike and (not tests or bool(tests & self.failed_tests))

    @property
    def delays(self) -> list[Made]:
        return [made for host in ("", *HOSTS_BY_NAME) for made in delays_of(self.out / host / "dmesg.log", host)]


def with_limit(command: Sequence[str], limit: int) -> list[str]:
    """Of each command of several hosts, or of the only one."""
    kill = ["--verbose", "--kill-after", "10", str(limit)]
    if command[:1] != ["--host"]:
        return ["--", "timeout", *kill, *command]
    commands = commands_of(command)
    timeout = ["timeout", "--foreground", *kill]  # where the interrupt comes with which a host's command ends
    return [word for host, words in commands.items() for word in ("--host", host, "--", *timeout, *words)]


def said_by_timeout(out: Path) -> list[str]:
    """What the limit of a command, or of those of several hosts, has said in their output."""
    lines: list[str] = []
    for host in ("", *HOSTS_BY_NAME):
        with contextlib.suppress(OSError):
            lines += SAID_BY_TIMEOUT.findall((out / host / ERRORS).read_text(errors="replace"))
    return lines


class Running:
    """What runs, of all runners of a search. Signal handlers use it: it has no locks."""

    def __init__(self) -> None:
        self.processes: set[subprocess.Popen[bytes]] = set()
        self.is_stopped = False
        self.is_interrupted = False


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
        self.environment.update(LAB_FRESH="1")
        self.running = Running()
        self.on_end: Callable[[], object] = lambda: None
        self.count = 0
        self.numbers = itertools.count(1)  # which several threads may ask
        self.others = itertools.count(1)

    def with_words(self, *words: str) -> Runner:
        """With further options."""
        folder = self.folder / f"other-{next(self.others)}"
        other = Runner([*self.words, *words], self.command, self.limit, self.jobs, folder, self.environment)
        other.running = self.running
        return other

    def line(self, seed: int, variation: Variation) -> list[str]:
        """What `lab` is to be told for this run."""
        given = ["--time", "simulated", "--seed", str(seed), "--vary", str(variation)]
        return ["run", *self.words, *given, *with_limit(self.command, self.limit)]

    def status(self, ended: int, out: Path) -> int | None:
        """The command's. Any other is the lab's: it failed, or something has ended it."""
        return ended if ended == status_of(out) else None

    def run(self, seed: int, variation: Variation) -> Run:
        self.count = number = next(self.numbers)
        out = self.folder / f"{seed}-{number}"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        first, *words = self.line(seed, variation)
        line = [first, "--out", str(out), *words]
        begin = time.monotonic()
        exceeded = ""
        with open(out / "output.log", "wb") as output:
            process = subprocess.Popen(
                [*child_command(line[0]), *line[1:]],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=self.environment,
                start_new_session=True,
            )
            self.running.processes.add(process)
            if self.running.is_stopped:
                send(process, signal.SIGTERM)
            limit = max(REAL_LIMIT, self.limit)
            status: int | None
            try:
                status = self.status(process.wait(limit), out)
            except subprocess.TimeoutExpired:
                end([process])
                status, exceeded = ENDED_AT_LIMIT[0], f"{limit} s of real time"
            self.running.processes.discard(process)
        if self.running.is_stopped:  # nobody takes it
            shutil.rmtree(out, ignore_errors=True)
        if status in ENDED_AT_LIMIT and any("TERM" in line for line in said_by_timeout(out)):
            exceeded = exceeded or f"{self.limit} s by the lab's clock"
        return Run(seed, variation, status, out, time.monotonic() - begin, exceeded)

    def run_all(
        self, wanted: Iterable[tuple[int, Variation]], take: Callable[[Run], bool], deadline: float | None = None
    ) -> None:
        """So many at the same time as there are jobs, in order, until `take` returns True for one that has ended, or
        the time is up. Raises KeyboardInterrupt if the search was interrupted."""
        if self.running.is_interrupted:
            raise KeyboardInterrupt
        self.running.is_stopped = False
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

    def once(self, seed: int, variation: Variation) -> Run:
        done: list[Run] = []

        def take(run: Run) -> bool:
            done.append(run)
            return True

        self.run_all([(seed, variation)], take)
        return done[0]

    def first(self, wanted: Sequence[tuple[int, Variation]], like: Run | None = None) -> Run | None:
        """The first of these to fail, or to fail like another run, as far as it matters which: of those that ran at
        the same time, the first in order."""
        failed: list[Run] = []

        def take(run: Run) -> bool:
            is_wanted = run.fails_like(like) if like else run.has_failed
            if is_wanted:
                failed.append(run)
            return is_wanted

        self.run_all(wanted, take)
        order = {(seed, str(variation)): index for index, (seed, variation) in enumerate(wanted)}
        return min(failed, key=lambda run: order[run.seed, str(run.variation)], default=None)

    def stop(self) -> None:
        """Ends those that are running."""
        self.running.is_stopped = True
        end(list(self.running.processes))
        if self.running.is_interrupted:  # meanwhile, or that is why
            raise KeyboardInterrupt

    def interrupt(self) -> None:
        """For a signal's handler: ends those that are running, at once if they are already ending. Raises
        KeyboardInterrupt, unless run_all does so when they have ended."""
        running, processes = self.running, list(self.running.processes)
        is_ending = running.is_stopped and bool(processes)
        running.is_stopped = running.is_interrupted = True
        for process in processes:
            send(process, signal.SIGKILL if is_ending else signal.SIGTERM)
        if processes:
            runs = "1 run" if len(processes) == 1 else f"{len(processes)} runs"
            with contextlib.suppress(OSError):  # the terminal may be gone
                say(f"interrupted: {f'killing {runs}' if is_ending else f'ending {runs}; Ctrl-C again kills them'}")
        if not is_ending:
            raise KeyboardInterrupt


def send(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Has all of them end at the same time, and returns when they have."""
    for process in processes:
        send(process, signal.SIGTERM)
    deadline = time.monotonic() + END_LIMIT
    for process in processes:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(max(deadline - time.monotonic(), 0))
        if process.poll() is None:
            send(process, signal.SIGKILL)
