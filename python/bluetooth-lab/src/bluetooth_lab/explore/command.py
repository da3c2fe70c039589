"""lab explore: runs a command with one seed after another until a run fails, and says what that took."""

from __future__ import annotations

import fcntl
import itertools
import os
import shlex
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.command_line.parsing import Line
from bluetooth_lab.explore.meanwhile import entries_of, meanwhile
from bluetooth_lab.explore.pages import write_pages
from bluetooth_lab.explore.reduction import MAXIMUM_RUNS, Reduction
from bluetooth_lab.explore.results import write_results
from bluetooth_lab.explore.runs import Run, Runner
from bluetooth_lab.explore.variation import ALL, Variation, new_seed
from bluetooth_lab.hosts import Options as HostsOptions
from bluetooth_lab.machine import hardware
from bluetooth_lab.machine.hardware import Clock
from bluetooth_lab.machine.runs import new_run, prepare_output, remove_old
from bluetooth_lab.machine.uml import START_OF_REPEATABLE_RUNS
from bluetooth_lab.messages import EXIT_LAB_FAILED, fail, say, shown, shown_path
from bluetooth_lab.page.command import PAGE
from bluetooth_lab.page.record import plain
from bluetooth_lab.places import ROOT, Places
from bluetooth_lab.testing.junit import prepare_file

EXIT_INTERRUPTED = 128 + signal.SIGINT
START = START_OF_REPEATABLE_RUNS / 1e9
DEFAULT_RUNS = 200
DEFAULT_SEED_OF_SHARDS = 1  # which all of them begin with
DEFAULT_LIMIT = 300  # seconds by the machine's clock
MAXIMUM_LAB_FAILURES = 3
INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SHOWN_LINES = 12  # of the output of a run that failed
LONGEST_LINE = 300
MOST_SHOWN_DELAYS = 40
PROGRESS_INTERVAL = 20  # seconds
# Options of `lab run` that are passed on.
PASSED = ("--hosts", "--package", "--controllers", "--controller", "--air", "--scene", "--env", "--bluez")


class Options(NamedTuple):
    """`seed`: the first one. `minutes`: instead of a number of runs. `no_tests`: the exit statuses that say that no
    test has run."""

    command: Sequence[str]
    words: Sequence[str]
    seed: int
    runs: int | None
    minutes: float | None
    jobs: int
    keeps_going: bool
    limit: int
    variation: Variation
    shard: tuple[int, int] | None
    junit: Path | None
    out: Path | None
    no_tests: Sequence[int]

    @classmethod
    def of(cls, line: Line) -> Options:
        if int(line.value("--hosts") or 1) > 1:
            HostsOptions.of(line)  # says what is wrong with them
        minutes, runs, shard, out = (line.value(name) for name in ("--minutes", "--runs", "--shard", "--out"))
        part, _, parts = (shard or "").partition("/")
        junit = line.value("--junit")
        return cls(
            line.rest,
            line.words(*PASSED),
            first_seed(line.value("--seed"), is_shard=bool(shard)),
            None if minutes and not runs else int(runs or DEFAULT_RUNS),
            float(minutes) if minutes else None,
            int(line.value("--jobs") or os.cpu_count() or 1),
            line.has("--keep-going"),
            int(line.value("--limit") or DEFAULT_LIMIT),
            Variation.parse(line.value("--vary") or ALL),
            (int(part), int(parts)) if shard else None,
            Path(junit) if junit else None,
            Path(out) if out else None,
            list(map(int, line.values("--no-tests"))),
        )

    def seeds(self) -> Iterator[int]:
        """Those of this shard."""
        part, parts = self.shard or (1, 1)
        for index in itertools.count(part - 1, parts):
            if self.runs is not None and index >= self.runs:
                return
            yield self.seed + index

    @property
    def subject(self) -> str:
        """What is explored, wherever the project and the lab are."""
        chosen = ["--limit", str(self.limit), "--vary", str(self.variation)]
        return shlex.join(map(without_folders, [*self.words, *chosen, "--", *self.command]))

    @property
    def properties(self) -> dict[str, str]:
        """Of the results; the shards of one search have the same choice."""
        properties = {"part": self.subject}
        if self.shard:
            number = f"{self.runs} runs" if self.runs else f"{self.minutes} minutes"
            choice = f"{number} from {self.seed}: {self.subject}"
            properties.update({"shard": f"{self.shard[0]}/{self.shard[1]}", "shard.of": choice})
        return properties


class Exploration:
    """One `lab explore`."""

    def __init__(self, options: Options, environment: Mapping[str, str]) -> None:
        self.options = options
        self.folder = options.out or new_run(Places.of(environment).home / "explored")
        self.runner = Runner(options.words, options.command, options.limit, options.jobs, self.folder, environment)
        self.begin = self.shown = time.monotonic()
        self.runs: list[Run] = []
        self.failed: list[Run] = []
        self.lab_failures = 0
        self.unmade: Run | None = None  # the last one
        self.odd: Run | None = None  # one without tests
        self.obstacle = ""  # why it did not go through all seeds, nor found a failure

    def run(self) -> int:
        options = self.options
        what = "everything" if str(options.variation) == ALL else str(options.variation)
        say(f"exploring from seed {options.seed}, with {options.jobs} at a time; {what} varies")
        deadline = self.begin + options.minutes * 60 if options.minutes else None
        interrupted = has_given_up = False
        try:
            self.runner.run_all(((seed, options.variation) for seed in options.seeds()), self.take, deadline)
        except KeyboardInterrupt:
            interrupted = True
            self.obstacle = "interrupted"
        except OSError as error:  # there is no room for a run's folder, or for its process
            self.obstacle = f"the lab itself failed: {error}"
            has_given_up = True
        self.show_progress()
        failed = sorted(self.failed, key=lambda run: run.seed)
        for run in failed:
            say(f"seed {run.seed} {run.reason}; to run it again: lab replay {shown_path(run.out)}")
        has_given_up = has_given_up or self.lab_failures > MAXIMUM_LAB_FAILURES
        if self.unmade:
            runs = "1 run" if self.lab_failures == 1 else f"{self.lab_failures} runs"
            say(f"{runs} could not be made: the lab itself failed, such as with seed {self.unmade.seed}")
            self.show_output(self.unmade)
        if self.obstacle and not interrupted:
            say(self.obstacle)
        if self.odd:
            self.show_output(self.odd)
        has_results = self.write_results()
        if interrupted:
            return EXIT_INTERRUPTED
        if failed and not has_given_up:
            self.explain(failed[0])
        return 1 if failed else EXIT_LAB_FAILED if self.lab_failures or self.obstacle or not has_results else 0

    def write_results(self) -> bool:
        """False if the file cannot be written: what was found is said all the same."""
        options = self.options
        if options.junit:
            try:
                name = shlex.join(options.command)
                write_results(options.junit, name, self.runs, options.properties, self.obstacle)
            except OSError as error:
                say(f"--junit: {error}")
                return False
        return True

    def take(self, run: Run) -> bool:
        """Whether that is enough."""
        if run.status in self.options.no_tests:
            self.obstacle = (
                f"no test has run (exit status {run.status}): wrong options, none that matches, or all skipped"
            )
            self.odd = run
            return True
        if run.mistake:
            self.obstacle = run.mistake
            return True
        self.runs.append(run)
        if run.status is None:
            self.lab_failures += 1
            self.unmade = run
            if self.lab_failures > MAXIMUM_LAB_FAILURES:
                self.obstacle = "the lab itself failed too often"
            return bool(self.obstacle)
        if run.has_failed:
            self.failed.append(run)
        else:
            shutil.rmtree(run.out, ignore_errors=True)
        if time.monotonic() - self.shown > PROGRESS_INTERVAL:
            self.show_progress()
        return run.has_failed and not self.options.keeps_going

    def show_progress(self) -> None:
        self.shown = time.monotonic()
        minutes = (self.shown - self.begin) / 60
        runs = len(self.runs) - self.lab_failures
        say(f"{runs} run{'' if runs == 1 else 's'}, {len(self.failed)} failed, {runs / minutes:.0f} per minute")

    # What a failure takes

    def explain(self, run: Run) -> None:
        self.show_output(run)
        again = self.runner.once(run.seed, run.variation)
        if again.status is None:
            say(f"seed {run.seed} could not be run again: the lab itself failed; its output: {shown_path(again.log)}")
            return
        if not again.has_failed:
            say(f"seed {run.seed} did not fail again: the command depends on something besides the lab")
            return
        say(f"it fails again with this seed; looking for what makes it fail, in up to {MAXIMUM_RUNS} runs")
        reduction = Reduction(self.runner, again, say)
        before = self.runner.count
        self.runner.on_end = lambda: self.show_reduction(self.runner.count - before)
        record = None
        try:
            reduction.reduce()
            if self.options.command[:1] != ["--host"]:
                text, record = write_pages(self.runner, reduction.run, self.folder / PAGE)
                say(text)
        except KeyboardInterrupt:
            say("interrupted; the smallest so far:")
        self.describe(reduction, record)

    @staticmethod
    def show_output(run: Run) -> None:
        """The last lines; of a command only its own."""
        lines = run.end_of_output.splitlines()
        own = [line for line in lines if run.status is None or not line.startswith("lab: ")][-SHOWN_LINES:]
        if not own and run.status is None:
            say(f"it left no output: is there room in {shown_path(run.out)}?")
        if own:
            say(f"the last lines of its output, which is in {shown_path(run.log)}:")
        for line in own:
            text = shown(plain(line).replace("\t", " "))
            say(f"  {text[:LONGEST_LINE]}{'…' if len(text) > LONGEST_LINE else ''}")

    def show_reduction(self, count: int) -> None:
        if time.monotonic() - self.shown > PROGRESS_INTERVAL:
            self.shown = time.monotonic()
            say(f"still looking, after {count} run{'' if count == 1 else 's'}")

    def describe(self, reduction: Reduction, record: Path | None) -> None:
        run, delays = reduction.run, reduction.remaining()
        kinds = ", ".join(sorted(run.variation.kinds))
        if kinds and not reduction.is_done:
            say(f"it fails when these vary with the seed, of which it may not need all: {kinds}")
        elif kinds:
            say(f"it fails when these vary with the seed: {kinds}")
        if len(delays) > 1:
            say("it fails if all of these happen:")
        entries = entries_of(record) if record and delays else []
        for made in delays[:MOST_SHOWN_DELAYS]:
            say(f"{'  ' if len(delays) > 1 else 'it fails if '}{made.text} at {made.moment - START:.6f} s")
            for text in meanwhile(entries, made):
                say(f"{'  ' * min(len(delays), 2)}meanwhile: {text}")
        if len(delays) > MOST_SHOWN_DELAYS:
            say(f"  and {len(delays) - MOST_SHOWN_DELAYS} more, which are in dmesg.log")
        if not kinds and not delays:
            say("it fails whatever varies")
        say(f"to run it again: lab replay {shown_path(run.out)}")
        if len(delays) <= MOST_SHOWN_DELAYS:
            say(f"or, in the same environment: lab {shlex.join(self.runner.line(run.seed, run.variation))}")


def without_folders(word: str) -> str:
    """A word of a command line with its paths as seen from the project's folder or the lab's."""
    for folder in (Path.cwd(), ROOT):
        word = "." if word == str(folder) else word.replace(f"{folder}/", "")
    return word


def first_seed(given: str | None, is_shard: bool) -> int:
    if given and given != "random":
        return int(given)
    return DEFAULT_SEED_OF_SHARDS if is_shard else int(new_seed())


def must_be_repeatable(environment: Mapping[str, str]) -> None:
    """Ends this process if the lab cannot repeat runs here."""
    radio = environment.get("LAB_RADIO") or "virtual"
    if radio != "virtual":
        fail(f"a search needs the virtual radio, not {radio} (LAB_RADIO)")
    places = Places.of(environment)
    chosen = {**environment, "LAB_CLOCK": Clock.SIMULATED.value, "LAB_SEED": "1"}
    works = hardware.kvm_works(places), hardware.uml_works(places)
    if environment.get("LAB") == "host" or not hardware.choose(chosen, *works, 1).seed:
        lab = environment.get("LAB")
        fail(
            f"a search needs user-mode Linux{f', not LAB={lab}' if lab else '; lab doctor shows what this machine has'}"
        )


def prepare_folder(folder: Path, environment: Mapping[str, str]) -> None:
    """Makes it, and keeps other searches out of it until this process ends. Ends this process if that cannot be."""
    prepare_output(Places.of(environment).home, folder)
    try:
        fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
        with tempfile.TemporaryFile(dir=folder):
            (folder / PAGE).unlink(missing_ok=True)  # of an earlier search
    except BlockingIOError:
        fail(f"another search writes to {folder}")
    except OSError as error:
        fail(f"cannot write to {folder}: {error.strerror}")


def explore(line: Line, environment: Mapping[str, str]) -> int:
    options = Options.of(line)
    must_be_repeatable(environment)
    if options.junit:
        prepare_file(options.junit)
    exploration = Exploration(options, environment)
    prepare_folder(exploration.folder, environment)
    if not options.out:
        remove_old(exploration.folder.parent)
    for number in INTERRUPTS:
        signal.signal(number, lambda *_: exploration.runner.interrupt())
    try:
        return exploration.run()
    except KeyboardInterrupt:  # while it explains what it has found
        return EXIT_INTERRUPTED
