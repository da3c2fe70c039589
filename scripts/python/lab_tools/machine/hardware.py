"""What the virtual machine is made of."""

from collections.abc import Mapping
from typing import NamedTuple

from lab_tools.messages import fail
from lab_tools.places import Places

MOST_PROCESSORS = 2  # unless LAB_CPUS says otherwise
MEMORY = "2G"


class Hardware(NamedTuple):
    """`counts_instructions`: the machine's clock goes by the instructions that it executes.

    While it has nothing to do, that clock keeps pace with the host's. A busy host then makes the machine slow, but
    makes nothing in it late. It takes software emulation with one processor."""

    uses_kvm: bool
    counts_instructions: bool
    processors: str
    memory: str

    @property
    def accelerator(self) -> str:
        return "KVM" if self.uses_kvm else "software emulation"


def choose(environment: Mapping[str, str], kvm_works: bool, host_processors: int) -> Hardware:
    """Ends this process if LAB_CLOCK is wrong."""
    clock = environment.get("LAB_CLOCK", "real")
    if clock not in ("real", "counted"):
        fail(f"LAB_CLOCK is real or counted, not {clock}")
    uses_kvm = kvm_works and environment.get("LAB") != "tcg"
    counts = clock == "counted" and not uses_kvm
    processors = "1" if counts else environment.get("LAB_CPUS", str(min(MOST_PROCESSORS, host_processors)))
    return Hardware(uses_kvm, counts, processors, environment.get("LAB_MEMORY", MEMORY))


def kvm_works(places: Places) -> bool:
    """What `lab setup` found out: /dev/kvm alone says little."""
    try:
        return (places.home / "kvm").read_text().split()[0] == "yes"
    except (OSError, IndexError):
        return False
