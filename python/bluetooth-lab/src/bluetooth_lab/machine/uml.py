"""The command line of a machine in user-mode Linux (UML): the kernel is a program, and the machine a process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bluetooth_lab.machine.hardware import Clock, Hardware
from bluetooth_lab.machine.qemu import Port
from bluetooth_lab.places import GUEST

# The clock leaps over idle time, and stands still while the kernel computes. The kernel would then wait forever for
# jitter in its own computing, at its start; it has other sources of random numbers.
SIMULATED_TIME = ("time-travel=inf-cpu", "initcall_blacklist=jent_mod_init")


def command_line(hardware: Hardware, kernel: Path, job: Path, ports: Sequence[Port]) -> list[str]:
    """The ports are serial lines, each a descriptor of the kernel's; guest/boot-uml gives them their names."""
    command = [str(kernel), f"mem={hardware.memory}", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro"]
    command += [f"init={GUEST / 'boot-uml'}", f"uml_dir={job}/uml/"]
    command += ["quiet", "loglevel=2", "con=null", "con0=null,fd:1"]
    command += SIMULATED_TIME if hardware.clock is Clock.SIMULATED else ()
    command += [f"ssl{line}=fd:{end}" for line, (_, end) in enumerate(ports)]
    return [*command, f"LAB_JOB={job}", f"LAB_PORTS={','.join(name for name, _ in ports)}"]
