"""lab explore: runs a command with one seed after another until a run fails, and says what that took."""

from __future__ import annotations

import os
import shlex
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.command_line.parsing import Line
from bluetooth_lab.explore.delays import Made
from bluetooth_lab.explore.pages import write_pages
from bluetooth_lab.explore.reduction import MAXIMUM_RUNS, Reduction
from bluetooth_lab.explore.runs import Run, Runner
from bluetooth_lab.explore.variation import ALL, Variation, new_seed
from bluetooth_lab.hosts import Options as HostsOptions
from bluetooth_lab.machine.uml import START_OF_REPEATABLE_RUNS
from bluetooth_lab.messages import EXIT_LAB_FAILED, fail, say, shown_path
from bluetooth_lab.page.command import PAGE
from bluetooth_lab.places import Places

START = START_OF_REPEATABLE_RUNS / 1e9
DEFAULT_RUNS = 200
DEFAULT_LIMIT = 300  # seconds by the machine's clock
MAXIMUM_LAB_FAILURES = 3
SHOWN_LINES = 12  # of the output of a run that failed
PROGRESS_INTERVAL = 20  # seconds
# Options of `lab run` that are passed on.
PASSED = ("--hosts", "--package", "--controllers", "--radio", "--controller", "--air", "--scene", "--env", "--bluez")


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
    shard: tuple[int, int]
    out: Path | None
    no_tests: Sequence[int]

    @classmethod
    def of(cls, line: Line, no_tests: Sequence[int] = ()) -> Options:
        if int(line.value("--hosts") or 1) > 1:
            HostsOptions.of(line)  # says what is wrong with them
        minutes, runs, shard, out = (line.value(name) for name in ("--minutes", "--runs", "--shard", "--out"))
        part, _, parts = (shard or "1/1").partition("/")
        return cls(
            line.rest,
            line.words(*PASSED),
            int(line.value("--seed") or new_seed()),
            None if minutes and not runs else int(runs or DEFAULT_RUNS),
            float(minutes) if minutes else None,
            int(line.value("--jobs") or os.cpu_count() or 1),
            line.has("--keep-going"),
            int(line.value("--limit") or DEFAULT_LIMIT),
            Variation.parse(line.value("--vary") or ALL),
            (int(part), int(parts)),
            Path(out) if out else None,
            no_tests,
        )

    def seeds(self) -> Iterator[int]:
        """Those of this shard."""
        index = 0
        while self.runs is None or index < self.runs:
            if index % self.shard[1] == self.shard[0] - 1:
                yield self.seed + index
            index += 1


class Exploration:
    """One `lab explore`."""

    def __init__(self, options: Options, environment: Mapping[str, str]) -> None:
        self.options = options
        name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid():07}"
        self.folder = options.out or Places.of(environment).home / "explored" / name
        self.runner = Runner(options.words, options.command, options.limit, options.jobs, self.folder, environment)
        self.begin = self.shown = time.monotonic()
        self.failed: list[Run] = []
        self.ended = self.lab_failures = 0

    def run(self) -> int:
        options = self.options
        what = "everything" if str(options.variation) == ALL else str(options.variation)
        say(f"exploring from seed {options.seed}, with {options.jobs} at a time; {what} varies")
        deadline = self.begin + options.minutes * 60 if options.minutes else None
        self.runner.run_all(((seed, options.variation) for seed in options.seeds()), self.take, deadline)
        self.show_progress()
        if self.lab_failures > MAXIMUM_LAB_FAILURES:
            say("the lab itself failed; the last output:")
            print(self.last.output, end="")
            return EXIT_LAB_FAILED
        if self.lab_failures:
            say(f"{self.lab_failures} of these runs could not be made: the lab itself failed")
        if not self.failed:
            return EXIT_LAB_FAILED if self.lab_failures else 0
        first = min(self.failed, key=lambda run: run.seed)
        for run in sorted(self.failed, key=lambda run: run.seed):
            say(f"seed {run.seed} {run.reason}; to run it again: lab replay {shown_path(run.out)}")
        self.explain(first)
        return 1

    def take(self, run: Run) -> bool:
        """Whether that is enough."""
        self.last = run
        if run.status in self.options.no_tests:
            fail("no test matches, or all were skipped")
        self.ended += 1
        if run.status == EXIT_LAB_FAILED:
            self.lab_failures += 1
            return self.lab_failures > MAXIMUM_LAB_FAILURES
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
        runs = f"{self.ended} run{'' if self.ended == 1 else 's'}"
        say(f"{runs}, {len(self.failed)} failed, {self.ended / minutes:.0f} per minute")

    # What a failure takes

    def explain(self, run: Run) -> None:
        for line in [line for line in run.output.splitlines() if not line.startswith("lab: ")][-SHOWN_LINES:]:
            print(f"  {line}")
        again = self.runner.first([(run.seed, run.variation)])
        if again is None:
            say(f"seed {run.seed} did not fail again: the command depends on something besides the lab")
            return
        say(f"it fails again with this seed; looking for what makes it fail, in up to {MAXIMUM_RUNS} runs")
        reduction = Reduction(self.runner, again, say)
        before = self.runner.count
        self.runner.on_end = lambda: self.show_reduction(self.runner.count - before)
        try:
            reduction.reduce()
        except KeyboardInterrupt:
            say("interrupted; the smallest so far:")
        else:
            if self.options.command[:1] != ["--host"]:
                say(write_pages(self.runner, reduction.run, self.folder / PAGE))
        self.describe(reduction.run, reduction.remaining())

    def show_reduction(self, count: int) -> None:
        if time.monotonic() - self.shown > PROGRESS_INTERVAL:
            self.shown = time.monotonic()
            say(f"still looking, after {count} runs")

    def describe(self, run: Run, delays: Sequence[Made]) -> None:
        kinds = ", ".join(sorted(run.variation.kinds))
        if kinds:
            say(f"it fails when these vary with the seed: {kinds}")
        for made in delays:
            say(f"it fails if {made.text} at {made.moment - START:.6f} s")
        if not kinds and not delays:
            say("it fails whatever varies")
        say(f"to run it again: lab replay {shown_path(run.out)}")
        say(f"or, in the same environment: lab {shlex.join(self.runner.line(run.seed, run.variation))}")


def explore(line: Line, environment: Mapping[str, str], no_tests: Sequence[int] = ()) -> int:
    return Exploration(Options.of(line, no_tests), environment).run()
