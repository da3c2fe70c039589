"""Tests that run beside others."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from bluetooth_lab.testing.machines import has_room
from bluetooth_lab.testing.runner import Runner
from bluetooth_lab.testing.this_package import beside

LIMIT = 30  # seconds


def test_both_run_at_the_same_time_and_count_together(tmp_path: Path) -> None:
    runner, (first, second) = Runner({}), (threading.Event(), threading.Event())

    def other(its: Runner) -> None:
        first.set()
        assert second.wait(LIMIT)
        its.add("other", 0, tmp_path / "none")

    with beside(runner, other):
        assert first.wait(LIMIT)
        second.set()
        runner.add("main", 0, tmp_path / "none")
    assert {result.name for result in runner.results} == {"main", "other"}


def test_the_others_output_is_shown_at_the_end_in_one_piece(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    runner, has_run = Runner({"PATH": "/usr/bin:/bin"}), threading.Event()

    def other(its: Runner) -> None:
        its.run(["sh", "-c", "echo from the other; echo its error >&2"])
        has_run.set()

    with beside(runner, other):
        assert has_run.wait(LIMIT)
        runner.run(["echo", "from this one"])
    assert capfdbinary.readouterr().out == b"from this one\nfrom the other\nits error\n"


def test_its_own_variables_are_not_the_others() -> None:
    runner = Runner({"LAB_PROGRAMS": "/a"})
    with beside(runner, lambda its: its.environment.update(LAB_PROGRAMS="/b")):
        pass
    assert runner.environment["LAB_PROGRAMS"] == "/a"


def test_what_fails_in_the_other_fails(tmp_path: Path) -> None:
    def other(_: Runner) -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit), beside(Runner({}), other):
        pass


def test_a_signal_reaches_the_commands_of_both(tmp_path: Path) -> None:
    runner = Runner({"PATH": "/usr/bin:/bin"})
    statuses: list[int] = []

    def run(its: Runner) -> None:
        statuses.append(its.run(["sleep", "1000"]))

    def interrupt() -> None:
        deadline = time.monotonic() + LIMIT
        while len(runner.progress.processes) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        for process in list(runner.progress.processes):
            process.terminate()

    threading.Thread(target=interrupt).start()
    with beside(runner, run):
        run(runner)
    assert statuses == [128 + 15] * 2


def test_room_is_for_two_more_machines() -> None:
    assert has_room(12, 2) and not has_room(11, 2)
