"""A machine in user-mode Linux: its command line, and its kernel."""

from __future__ import annotations

import os
from pathlib import Path

from bluetooth_lab.machine.hardware import Accelerator, Clock, Hardware
from bluetooth_lab.machine.memory import Memory
from bluetooth_lab.machine.uml import command_line
from bluetooth_lab.places import SETUP
from scratch_lab import ScratchLab

KERNEL, BOOT = Path("/lab/uml/linux"), Path("/lab/lab_boot")
PARTS = Hardware(Accelerator.USER_MODE, Clock.REAL, "1", "512M")


def test_ports_are_serial_lines_in_their_order() -> None:
    words = command_line(PARTS, KERNEL, BOOT, Path("/lab/job"), [("control", 5), ("session0", 7)])
    assert words[:2] == ["/lab/uml/linux", "mem=512M"]
    assert "init=/lab/lab_boot" in words
    assert [word for word in words if word.startswith("ssl")] == ["ssl0=fd:5", "ssl1=fd:7"]
    assert words[-2:] == ["LAB_JOB=/lab/job", "LAB_PORTS=control,session0"]


def test_time_is_simulated_if_that_is_asked_for() -> None:
    for clock, words in ((Clock.REAL, []), (Clock.SIMULATED, ["time-travel=inf-cpu"])):
        command = command_line(PARTS._replace(clock=clock), KERNEL, BOOT, Path("/lab/job"), [])
        assert [word for word in command if word.startswith("time-travel")] == words


def test_its_memory_is_where_there_is_room() -> None:
    words = command_line(PARTS, KERNEL, BOOT, Path("/lab/job"), [], Memory(Path("/var/tmp"), "300M"))
    assert words[:4] == ["env", "TMPDIR=/var/tmp", "/lab/uml/linux", "mem=300M"]


def test_a_path_with_a_space_is_one_word_for_the_kernel() -> None:
    assert 'LAB_JOB="/my lab/job"' in command_line(PARTS, Path("/my lab/uml/linux"), BOOT, Path("/my lab/job"), [])


def test_a_command_takes_the_kernel_that_is_there_and_says_that_it_is_old(scratch: ScratchLab) -> None:
    kernel = scratch.write("home/uml/linux", is_executable=True)
    variables = {"XDG_CACHE_HOME": f"{scratch.folder}/cache"}
    result = scratch.run(SETUP / "setup", "--quiet", "--for", "run", variables=variables)
    assert result.returncode == 0, result.stderr
    assert "user-mode Linux is older than its sources: lab setup --uml renews it" in result.stderr
    assert kernel.exists()


def test_the_lists_of_packages_are_fetched_where_there_are_none(scratch: ScratchLab) -> None:
    called = scratch.folder / "called"
    scratch.write("bin/sudo", '#!/bin/sh\nexec "$@"\n', is_executable=True)
    scratch.write("bin/apt-get", f'#!/bin/sh\necho "$1" >>"{called}"\n', is_executable=True)
    scratch.write("bin/apt-cache", "#!/bin/sh\nexit 100\n", is_executable=True)
    path = f"{scratch.folder}/bin:{os.environ['PATH']}"
    variables = {"XDG_CACHE_HOME": f"{scratch.folder}/cache", "PATH": path}
    result = scratch.run(SETUP / "setup", "--quiet", "--for", "run", "--uml", variables=variables)
    assert "apt knows no linux-source" in result.stderr and result.returncode == 3
    assert called.read_text() == "update\n"
