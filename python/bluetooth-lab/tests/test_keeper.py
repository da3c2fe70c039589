"""The machine as a process, with shell scripts instead of QEMU."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bluetooth_lab.machine.persistent import start_time
from bluetooth_lab.machine.process import Kept
from bluetooth_lab.machine.qemu import Port
from bluetooth_lab.machine.start import Start
from bluetooth_lab.places import PACKAGE

LIMIT = 20  # seconds, on a busy machine
# Two processes of a machine, of which one is the other's child.
SCRIPT = "sleep 1000 & echo $! $$ >pids.new; mv pids.new pids; wait"


def kept(folder: Path, *command: str, ports: Sequence[Port] = (), is_user_mode: bool = False) -> Kept:
    words = [*(command or ("sh", "-c", SCRIPT)), *(str(end) for _, end in ports)]
    start = Start(folder, None, is_user_mode)
    return Kept(lambda _: words, ports, start, os.open(os.devnull, os.O_RDONLY), folder / "log", folder)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def processes(folder: Path) -> list[int]:
    """Once they are there."""
    wait_until((folder / "pids").exists)
    return [int(word) for word in (folder / "pids").read_text().split()]


def have_ended(numbers: Sequence[int]) -> bool:
    return all(start_time(number) is None for number in numbers)


def test_a_machine_that_nobody_has_begun_does_not_start(tmp_path: Path) -> None:
    machine = kept(tmp_path)
    machine.close()
    assert machine.process.wait() == 0 and not (tmp_path / "pids").exists()


def test_all_processes_of_a_machine_end_when_nobody_wants_it(tmp_path: Path) -> None:
    machine = kept(tmp_path)
    machine.begin()
    numbers = processes(tmp_path)
    assert not machine.has_ended() and not have_ended(numbers)
    machine.close()
    assert machine.process.wait() == signal.SIGKILL
    wait_until(lambda: have_ended(numbers))


def test_a_machine_ends_with_a_process_that_is_killed(tmp_path: Path) -> None:
    text = (
        "import subprocess, sys\nfrom pathlib import Path\nfrom test_keeper import kept\n"
        "machine = kept(Path(sys.argv[1]))\nmachine.begin()\nprint(machine.process.pid, flush=True)\n"
        "machine.process.wait()"
    )
    path = os.pathsep.join([str(PACKAGE.parent), str(Path(__file__).parent)])
    owner = subprocess.Popen(
        [sys.executable, "-c", text, tmp_path], env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE
    )
    assert owner.stdout
    numbers = [int(owner.stdout.readline()), *processes(tmp_path)]
    owner.kill()
    owner.wait(LIMIT)
    wait_until(lambda: have_ended(numbers))


def test_one_that_is_left_outlasts_its_owner(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "word")
    machine = kept(tmp_path, "sh", "-c", "read word <word && echo $word >said")
    machine.begin()
    machine.leave()
    machine.close()
    (tmp_path / "word").write_text("still here\n")
    assert machine.process.wait() == 0
    assert (tmp_path / "said").read_text() == "still here\n"


def test_the_end_of_a_machine_is_that_of_its_keeper(tmp_path: Path) -> None:
    machine = kept(
        tmp_path, "sh", "-c", "trap 'echo told >told; exit 3' TERM; echo >pids; while :; do sleep 0.01; done"
    )
    machine.begin()
    processes(tmp_path)
    machine.end()
    assert machine.process.wait() == 3 and (tmp_path / "told").exists()
    machine.end()
    machine.close()


def test_a_machine_that_does_not_end_is_killed_with_all_that_it_has(tmp_path: Path) -> None:
    machine = kept(tmp_path, "sh", "-c", f"trap '' TERM; {SCRIPT}")
    machine.begin()
    numbers = processes(tmp_path)
    machine.end()
    assert machine.process.wait() == signal.SIGKILL
    wait_until(lambda: have_ended(numbers))
    machine.close()


def test_what_leaves_the_group_of_its_own_accord_cannot(tmp_path: Path) -> None:
    """As user-mode Linux does."""
    text = "import os, time; os.setsid()"
    machine = kept(tmp_path, sys.executable, "-c", text)
    machine.begin()
    assert machine.process.wait() == 1 and "PermissionError" in (tmp_path / "log").read_text()
    machine.close()


def test_a_program_that_is_not_there_is_in_the_log(tmp_path: Path) -> None:
    machine = kept(tmp_path, "/nowhere/qemu")
    machine.begin()
    assert machine.process.wait() == 1 and "/nowhere/qemu" in (tmp_path / "log").read_text()
    machine.begin()  # which nobody reads
    machine.close()


def test_the_machine_alone_has_its_ports(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair()
    ours.settimeout(LIMIT)
    text = "import os, sys, time; os.close(int(sys.argv[1])); time.sleep(1000)"
    machine = kept(tmp_path, sys.executable, "-c", text, ports=[("control", theirs.fileno())])
    theirs.close()
    machine.begin()
    assert ours.recv(1) == b"" and not machine.has_ended()
    machine.close()
    machine.process.wait()
    ours.close()


@pytest.mark.parametrize("number", [signal.SIGPIPE, signal.SIGXFSZ])
def test_no_signal_is_ignored_in_a_machine(tmp_path: Path, number: int) -> None:
    machine = kept(tmp_path, "sh", "-c", f"kill -{int(number)} $$; exit 0")
    machine.begin()
    assert machine.process.wait() == number
    machine.close()


@pytest.mark.parametrize(("is_user_mode", "processors"), [(True, 1), (False, len(os.sched_getaffinity(0)))])
def test_a_machine_in_user_mode_linux_has_one_processor(tmp_path: Path, is_user_mode: bool, processors: int) -> None:
    text = "import os; print(len(os.sched_getaffinity(0)))"
    machine = kept(tmp_path, sys.executable, "-c", text, is_user_mode=is_user_mode)
    machine.begin()
    machine.process.wait()
    assert (tmp_path / "log").read_text() == f"{processors}\n"
