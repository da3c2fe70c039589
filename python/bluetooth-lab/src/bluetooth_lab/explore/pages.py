"""The page of a run that failed, beside the same run without what it takes.

Runs of a search are not recorded: that takes longer than most of them. The processes that record a run are started
before its command, whose own processes then have other numbers. So a run that is recorded holds up those that have the
same place after that.
"""

from __future__ import annotations

import os
from pathlib import Path

from bluetooth_lab.explore.runs import Run, Runner
from bluetooth_lab.explore.variation import Variation
from bluetooth_lab.machine.calls import RUN
from bluetooth_lab.page.command import write_page

PRINT_NUMBER = ["bash", "-c", "echo $$"]
SEED = 1


def write_pages(runner: Runner, run: Run, page: Path) -> str:
    """Returns the result as a line for people."""
    recorder = runner.with_words("--page", os.devnull)
    variation = renumbered(runner, recorder, run.variation)
    failed = recorder.run(run.seed, variation)
    if not failed.has_failed:
        return "no page: it did not fail while it was recorded"
    passed = recorder.run(run.seed, variation.without("delays") if variation.only else Variation.parse("none"))
    beside = f", beside that of {'the same without delays' if variation.only else 'a run that passed'}"
    compared = passed.out / RUN if passed.status == 0 else None
    try:
        write_page(failed.out / RUN, page, compared)
    except OSError as error:
        return f"cannot make a page: {error}"
    return f"its record{beside if compared else ''}: {os.path.relpath(page)}"


def renumbered(runner: Runner, recorder: Runner, variation: Variation) -> Variation:
    """The same for the recorder, whose command's processes have other numbers."""
    if not variation.only:
        return variation
    first, recorded_first = (number_of_command(one) for one in (runner, recorder))
    delays = [
        delay._replace(process=delay.process + recorded_first - first) if delay.process >= first else delay
        for delay in variation.only
    ]
    return variation._replace(only=delays)


def number_of_command(runner: Runner) -> int:
    """Of the first process that a command is: `timeout`, and its child follows."""
    run = runner.with_command(PRINT_NUMBER).run(SEED, Variation.parse("none"))
    numbers = [line for line in run.output.splitlines() if line.isdecimal()]
    return int(numbers[-1]) - 1 if numbers else 0
