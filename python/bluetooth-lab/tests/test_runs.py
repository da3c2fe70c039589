"""The folders of runs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from bluetooth_lab.machine.runs import KEPT, prepare_folders, remove_old

GONE = 4_194_305  # more than the highest number of a process


def test_a_run_has_a_folder_of_its_own_and_a_link_leads_to_the_newest(tmp_path: Path) -> None:
    job, out = prepare_folders(tmp_path, None)
    assert out.is_dir() and job.parent == out.parent and not job.exists()
    assert (tmp_path / "out").resolve() == out.resolve()
    assert not Path(os.readlink(tmp_path / "out")).is_absolute()


def test_a_chosen_folder_is_used_as_it_is(tmp_path: Path) -> None:
    chosen = tmp_path / "kept" / "here"
    _, out = prepare_folders(tmp_path / "home", chosen)
    assert out == chosen and out.is_dir()
    assert not (tmp_path / "home" / "out").exists(), "only output in the lab's own folder is linked"


def test_old_runs_are_removed_and_those_that_still_run_are_not(tmp_path: Path) -> None:
    running = f"20260101-000000-{os.getpid()}"
    old = [f"20260101-0000{second:02}-{GONE}" for second in range(1, 13)]
    for name in (running, *old, "notes"):
        (tmp_path / name).mkdir()
    remove_old(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [running, *old[2:], "notes"]


def test_runs_with_failed_tests_outlast_others(tmp_path: Path) -> None:
    names = [f"20260101-0000{second:02}-{GONE}" for second in range(40)]
    for index, name in enumerate(names):
        (tmp_path / name / "out").mkdir(parents=True)
        if index < 14:
            folder = ("failures", "1/failures", "two-hosts/b/failures")[index % 3]
            (tmp_path / name / "out" / folder / "Test.fails").mkdir(parents=True)
            (tmp_path / name / "out" / folder / "Test.fails" / "summary.txt").touch()
    on_purpose = tmp_path / names[14] / "out" / "failures" / "on-purpose" / "Test.fails"
    on_purpose.mkdir(parents=True)
    (on_purpose / "summary.txt").touch()
    remove_old(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == names[4:14] + names[-KEPT:]


def test_a_run_that_another_process_removes_meanwhile_is_no_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def glob(folder: Path, pattern: str) -> list[Path]:
        shutil.rmtree(tmp_path / "20260101-000000-4194305", ignore_errors=True)
        raise FileNotFoundError(folder, pattern)

    for second in range(KEPT + 1):
        (tmp_path / f"20260101-0000{second:02}-{GONE}").mkdir()
    monkeypatch.setattr(Path, "glob", glob)
    remove_old(tmp_path)
    assert len(list(tmp_path.iterdir())) == KEPT
