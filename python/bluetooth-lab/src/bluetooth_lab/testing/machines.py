"""How many machines run at a time, each with a suite, and how large each is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bluetooth_lab.machine.hardware import Accelerator, Clock, Hardware

MOST = 4
MAXIMUM_IN_USER_MODE = 8
# For each processor of the host's: in real time tests wait most of it, and the programs in such a machine are not
# emulated.
EACH_IN_USER_MODE = 3
MEMORY_EACH = 3  # GB of the host's, for a machine with 2 and what runs beside it
MAXIMUM_PROCESSORS = 2


def count_machines(
    environment: Mapping[str, str], hardware: Hardware, processors: int, memory: int, suites: int
) -> int:
    """One for each processor, or some in user-mode Linux in real time, as far as the memory (in GB) goes, unless
    LAB_MACHINES says otherwise."""
    wanted = environment.get("LAB_MACHINES")
    if environment.get("LAB") == "host":
        return 1
    if hardware.accelerator is Accelerator.USER_MODE and hardware.clock is Clock.REAL:
        most = min(EACH_IN_USER_MODE * processors, MAXIMUM_IN_USER_MODE)
    else:
        most = min(processors, MOST)
    number = int(wanted) if wanted else min(most, memory // MEMORY_EACH)
    return max(min(number, suites), 1)


def has_room(memory: int, machines: int) -> bool:
    """Whether two more machines find memory (in GB): what runs on them waits most of the time."""
    return memory // MEMORY_EACH >= machines + 2


def processors_each(processors: int, machines: int) -> int:
    """With a processor more than the host has for it, a machine waits for itself."""
    return max(min(processors // machines, MAXIMUM_PROCESSORS), 1)


def available_memory(meminfo: Path = Path("/proc/meminfo")) -> int:
    """In GB."""
    for line in meminfo.read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) // (1 << 20)
    return 0
