"""The folders of runs: each has the job and the output of one; the newest are kept."""

import os
import re
import shutil
import time
from pathlib import Path

KEPT = 10
NAME = re.compile(r"\d{8}-\d{6}-(\d+)")  # time and process


def prepare_folders(home: Path, chosen: str | Path | None) -> tuple[Path, Path]:
    """The folders for a run's job, which is still to be made, and for its output: a chosen one, or a new one.

    `out` in the lab's folder leads to the newest output there; old runs are removed.
    """
    runs = home / "runs"
    run = new_run(runs)
    if chosen:
        out = Path(chosen).resolve()
        out.mkdir(parents=True, exist_ok=True)
    else:
        out = run / "out"
        out.mkdir(parents=True)
    if out.parent.parent == runs:
        show_newest(home, out)
    remove_old(runs)
    return run / "job", out


def new_run(runs: Path) -> Path:
    """The name of a run's folder in the folder of all, which is made."""
    runs.mkdir(parents=True, exist_ok=True)
    return runs / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"


def show_newest(home: Path, out: Path) -> None:
    """Makes `out` in the lab's folder lead to the newest output."""
    link = home / f"out.{os.getpid()}"
    link.symlink_to(out.relative_to(home))
    link.replace(home / "out")


def remove_old(runs: Path) -> None:
    """Removes all but the newest, except those whose process is still there."""
    names = sorted(entry.name for entry in runs.iterdir() if NAME.fullmatch(entry.name))
    for name in names[:-KEPT]:
        if not os.path.exists(f"/proc/{name.split('-')[2]}"):
            shutil.rmtree(runs / name, ignore_errors=True)
