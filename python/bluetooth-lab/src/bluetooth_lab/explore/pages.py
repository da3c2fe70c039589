"""The page of a run that failed, beside the same run without what it takes.

Of a run with a seed, all is the same whether its record is kept or not (guest/recorded). To keep it takes longer than
most runs, so that a search keeps none, and what it has found is run once more.
"""

from __future__ import annotations

import os
from pathlib import Path

from bluetooth_lab.explore.runs import Run, Runner
from bluetooth_lab.explore.variation import Variation
from bluetooth_lab.machine.calls import RUN
from bluetooth_lab.messages import shown_path
from bluetooth_lab.page.command import write_page


def write_pages(runner: Runner, run: Run, page: Path) -> tuple[str, Path | None]:
    """Returns the result as a line for people, and the record of the run that failed."""
    variation = run.variation
    recorder = runner.with_words("--page", os.devnull)
    failed = recorder.once(run.seed, variation)
    if failed.status is None:
        return f"no page: the lab itself failed; its output: {shown_path(failed.log)}", None
    if not failed.has_failed:
        return "no page: it did not fail again", None
    passed = recorder.once(run.seed, variation.without_delays() if variation.only else Variation.parse("none"))
    beside = f", beside that of {'the same without delays' if variation.only else 'a run that passed'}"
    compared = passed.out / RUN if passed.status == 0 else None
    try:
        write_page(failed.out / RUN, page, compared)
    except OSError as error:
        return f"cannot make a page: {error}", None
    return f"its record{beside if compared else ''}: {shown_path(page)}", failed.out / RUN
