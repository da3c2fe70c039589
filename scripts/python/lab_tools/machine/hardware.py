"""What the virtual machine is made of."""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from lab_tools.messages import fail
from lab_tools.places import Places

MOST_PROCESSORS = 2  # unless LAB_CPUS says otherwise
MEMORY = "2G"


class Clock(str, Enum):
    """Of a machine in software emulation.

    Only a real one goes on by itself. The others go by the instructions that the machine executes, so that a busy host
    makes the machine slow, but makes nothing in it late. While the machine has nothing to do, a counted clock goes as
    the host's; a simulated one leaps to the moment at which there is something to do. Both take one processor."""

    REAL = "real"
    COUNTED = "counted"
    SIMULATED = "simulated"


class Hardware(NamedTuple):
    """`memory`: as QEMU takes it."""

    uses_kvm: bool
    clock: Clock
    processors: str
    memory: str

    @property
    def accelerator(self) -> str:
        return "KVM" if self.uses_kvm else "software emulation"


def choose(environment: Mapping[str, str], kvm_works: bool, host_processors: int) -> Hardware:
    """Ends this process if LAB_CLOCK is wrong."""
    try:
        clock = Clock(environment.get("LAB_CLOCK", "real"))
    except ValueError:
        fail(f"LAB_CLOCK is real, counted or simulated, not {environment['LAB_CLOCK']}")
    # A simulated clock is needed for what the run is about; a counted one only helps a machine that is slow.
    uses_kvm = kvm_works and environment.get("LAB") != "tcg" and clock is not Clock.SIMULATED
    if uses_kvm:
        clock = Clock.REAL
    processors = environment.get("LAB_CPUS", str(min(MOST_PROCESSORS, host_processors)))
    memory = environment.get("LAB_MEMORY", MEMORY)
    return Hardware(uses_kvm, clock, processors if clock is Clock.REAL else "1", memory)


def kvm_works(places: Places) -> bool:
    """What `lab setup` found out: /dev/kvm alone says little."""
    try:
        return (places.home / "kvm").read_text().split()[0] == "yes"
    except (OSError, IndexError):
        return False
