"""What the virtual machine is made of."""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from lab_tools.messages import fail
from lab_tools.places import Places

MOST_PROCESSORS = 2  # unless LAB_CPUS says otherwise
MEMORY = "2G"
# What makes controllers, and how many at most. The first one is the default.
RADIOS = {"virtual": 250, "btvirt": 16}


class Clock(str, Enum):
    """Of a machine in software emulation.

    Only a real one goes on by itself. The others go by the instructions that the machine executes, so that a busy host
    makes the machine slow, but makes nothing in it late. While the machine has nothing to do, a counted clock goes as
    the host's; a simulated one leaps to the moment at which there is something to do. Both take one processor."""

    REAL = "real"
    COUNTED = "counted"
    SIMULATED = "simulated"


class Hardware(NamedTuple):
    """`memory`: as QEMU takes it; `radio`: what makes the controllers; `radio_options`: as
    virtual-radio takes them; `scene`: a file for it."""

    uses_kvm: bool
    clock: Clock
    processors: str
    memory: str
    radio: str = "virtual"
    radio_options: str = ""
    scene: str = ""

    @property
    def accelerator(self) -> str:
        return "KVM" if self.uses_kvm else "software emulation"


def choose(environment: Mapping[str, str], kvm_works: bool, host_processors: int) -> Hardware:
    """The clock is the one that was asked for by LAB_CLOCK, or else LAB_DEFAULT_CLOCK, which only helps a machine that
    is slow: it does not take KVM away. Likewise LAB_DEFAULT_RADIO says what makes the controllers if LAB_RADIO does
    not. Ends this process if a variable is wrong."""
    asked = environment.get("LAB_CLOCK")
    try:
        clock = Clock(asked or environment.get("LAB_DEFAULT_CLOCK", "real"))
    except ValueError:
        fail(f"LAB_CLOCK is real, counted or simulated, not {asked}")
    uses_kvm = kvm_works and environment.get("LAB") != "tcg" and asked != Clock.SIMULATED
    if uses_kvm:
        clock = Clock.REAL
    processors = environment.get("LAB_CPUS", str(min(MOST_PROCESSORS, host_processors)))
    memory = environment.get("LAB_MEMORY", MEMORY)
    radio = environment.get("LAB_RADIO") or environment.get("LAB_DEFAULT_RADIO", "virtual")
    options = environment.get("LAB_RADIO_OPTIONS", "")
    if radio not in RADIOS:
        fail(f"the radio (--radio, LAB_RADIO) is {' or '.join(RADIOS)}: not {radio}")
    if options and radio != "virtual":
        fail(f"{options.split()[0]} is for --radio virtual")
    scene = environment.get("LAB_SCENE", "")
    if scene and radio != "virtual":
        fail("--scene is for --radio virtual")
    return Hardware(uses_kvm, clock, processors if clock is Clock.REAL else "1", memory, radio, options, scene)


def kvm_works(places: Places) -> bool:
    """What `lab setup` found out: /dev/kvm alone says little."""
    try:
        return (places.home / "kvm").read_text().split()[0] == "yes"
    except (OSError, IndexError):
        return False
