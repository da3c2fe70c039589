"""The folders of runs, with the job and the output of each: the newest are kept, and the newest with failed tests."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path

from bluetooth_lab.messages import fail

KEPT = 10
STATUS = "status"
NAME = re.compile(r"\d{8}-\d{6}-(\d+)")  # time and process


def prepare_folders(home: Path, chosen: str | Path | None) -> tuple[Path, Path]:
    """The folders for a run's job, which is still to be made, and for its output: a chosen one, or a new one.

    `out` in the lab's folder leads to the newest output there; old runs are removed.
    """
    run = new_run(home / "runs")
    out = Path(chosen).resolve() if chosen else run / "out"
    prepare_output(home, out)
    return run / "job", out


def prepare_output(home: Path, out: Path) -> None:
    """Makes the folder. Ends this process if it cannot be made."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"cannot make the folder {out}: {error.strerror}")
    if out.parent.parent == home / "runs":
        show_newest(home, out)
    remove_old(home / "runs")


def write_status(out: Path, status: int) -> None:
    """The exit status of a command that is the same each time: for its repetition, and for who has to know whether a
    status is the command's or the lab's."""
    (out / STATUS).write_text(f"{status}\n")


def status_of(out: Path) -> int | None:
    """None if the command has not ended, because the lab failed."""
    try:
        return int((out / STATUS).read_text())
    except (OSError, ValueError):
        return None


def new_run(runs: Path) -> Path:
    """The name of a run's folder in the folder of all, which is made."""
    runs.mkdir(parents=True, exist_ok=True)
    # All are as long as each other: what a machine does can depend on that.
    return runs / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid():07}"


def show_newest(home: Path, out: Path) -> None:
    """Makes `out` in the lab's folder lead to the newest output."""
    link = home / f"out.{os.getpid()}"
    link.symlink_to(out.relative_to(home))
    link.replace(home / "out")


def remove_old(runs: Path) -> None:
    """Removes all but these, and those whose process is still there."""
    entries = runs.iterdir() if runs.is_dir() else ()
    names = sorted(entry.name for entry in entries if NAME.fullmatch(entry.name))
    old = names[:-KEPT]
    failed = [name for name in old if has_failures(runs / name / "out")]
    for name in old:
        if name not in failed[-KEPT:] and not os.path.exists(f"/proc/{int(name.split('-')[2])}"):
            shutil.rmtree(runs / name, ignore_errors=True)


def has_failures(out: Path) -> bool:
    """Whether a test of the run has failed, other than on purpose: on its machine, on one of several, or on a host."""
    try:
        return any(any(out.glob(f"{parts}failures/*/summary.txt")) for parts in ("", "*/", "*/*/"))
    except FileNotFoundError:  # another process removes the run
        return False
