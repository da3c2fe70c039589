"""The command line of a machine in user-mode Linux (UML): the kernel is a program, and the machine a process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bluetooth_lab.explore.variation import Variation, seed_of_host
from bluetooth_lab.machine.hardware import Clock, Hardware
from bluetooth_lab.machine.memory import Memory
from bluetooth_lab.machine.qemu import Port

# The clock leaps over idle time, and stands still while the kernel computes. The kernel would then wait forever for
# jitter in its own computing, at its start; it has other sources of random numbers.
NO_JITTER = "initcall_blacklist=jent_mod_init"
# Nanoseconds: the 1st of January 2030. A run that is the same each time begins at the same moment, and the host's files
# are older.
START_OF_REPEATABLE_RUNS = 1893456000 * 10**9
CALENDAR = "calendar"


def command_line(
    hardware: Hardware,
    kernel: Path,
    boot: Path,
    job: Path,
    ports: Sequence[Port],
    memory: Memory | None = None,
    host: str = "",
) -> list[str]:
    """The ports are serial lines, each a descriptor of the kernel's; `boot` (guest/boot.c) gives them their names. One
    named CALENDAR leads to where several machines get their time from."""
    command = ["env", f"TMPDIR={memory.folder}"] if memory else []
    command += [str(kernel), f"mem={memory.size if memory else hardware.memory}"]
    command += ["root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro"]
    # The kernel splits its command line at spaces outside of quotes. Its own part takes uml_dir before that, as it is.
    command += [option("init", boot), f"uml_dir={job}/uml/"]
    command += ["quiet", "loglevel=2", "con=null", "con0=null,fd:1"]
    lines = [port for port in ports if port[0] != CALENDAR]
    calendar = next((end for name, end in ports if name == CALENDAR), None)
    if hardware.clock is Clock.SIMULATED:
        command += [f"time-travel={'inf-cpu' if calendar is None else f'ext:fd:{calendar}'}", NO_JITTER]
    if hardware.seed:
        numbers = Variation.parse(hardware.vary).seed_of("numbers", int(hardware.seed))
        command += [f"seed={seed_of_host(numbers, host)}", f"time-travel-start={START_OF_REPEATABLE_RUNS}"]
    command += [f"ssl{line}=fd:{end}" for line, (_, end) in enumerate(lines)]
    return [*command, option("LAB_JOB", job), f"LAB_PORTS={','.join(name for name, _ in lines)}"]


def option(name: str, value: Path) -> str:
    return f'{name}="{value}"' if " " in str(value) else f"{name}={value}"
