"""The runs of a search as one JUnit file, a test for each seed: lab merge puts those of shards together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from bluetooth_lab.explore.runs import Run
from bluetooth_lab.testing import junit
from bluetooth_lab.testing.records import Details, Outcome

NAME = "search"


def write_results(
    file: Path, command: str, runs: Sequence[Run], properties: Mapping[str, str], obstacle: str = ""
) -> None:
    """`properties`: those of this search alone; `obstacle`: why it is not complete, which is a failure. Raises
    OSError if the file cannot be written."""
    problems = [f"the search is not complete: {obstacle}"] if obstacle else []
    names = {str(run.seed): f"seed {run.seed}" for run in runs}
    made = [run for run in runs if run.status is not None]
    failed = [run for run in made if run.has_failed]
    outcome = Outcome(
        names,
        set(names),
        {str(run.seed) for run in made if not run.has_failed},
        {str(run.seed) for run in failed},
        set(),
        True,
        {str(run.seed): details(run) for run in runs},
        sum(run.seconds for run in runs),
    )
    junit.write_junit(file, [junit.Run(f"{NAME}: {command}", outcome, problems, properties)], Path("/"))


def details(run: Run) -> Details:
    if run.status == 0:
        return Details(NAME, f"seed {run.seed}", run.seconds)
    return Details(NAME, f"seed {run.seed}", run.seconds, (("", f"{run.reason}\n{run.end_of_output}"),))
