"""What the virtual machine is made of."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from bluetooth_lab.command_line.options import RADIOS
from bluetooth_lab.explore.variation import DEFAULT_VARIATION
from bluetooth_lab.messages import fail
from bluetooth_lab.places import Places

MAXIMUM_PROCESSORS = 2  # unless LAB_CPUS says otherwise
MEMORY = "2G"


class Accelerator(str, Enum):
    """What runs a machine: QEMU with KVM, QEMU in software emulation, which works everywhere, or user-mode Linux: a
    kernel that is a process of the host's. There programs run on the host's processor as they are, and system calls
    cost more."""

    KVM = "KVM"
    EMULATION = "software emulation"
    USER_MODE = "user-mode Linux"


class Clock(str, Enum):
    """How time passes in a machine.

    Only a real clock goes on by itself. The others go by what the machine does, so that a busy host makes the machine
    slow, but makes nothing in it late: by the instructions that it executes in software emulation, and by its system
    calls in user-mode Linux. While the machine has nothing to do, a counted clock goes as the host's; a simulated one
    leaps to the moment at which there is something to do. Both take one processor."""

    REAL = "real"
    COUNTED = "counted"
    SIMULATED = "simulated"


class Hardware(NamedTuple):
    """`memory`: as QEMU takes it; `radio`: what makes the controllers; `radio_options`: as
    virtual-radio takes them; `scene`: a file for it; `seed`: of a run that is the same each time, or empty; `vary`:
    what the seed varies (explore/variation.py)."""

    accelerator: Accelerator
    clock: Clock
    processors: str
    memory: str
    radio: str = "virtual"
    radio_options: str = ""
    scene: str = ""
    seed: str = ""
    vary: str = DEFAULT_VARIATION


def choose(environment: Mapping[str, str], kvm_works: bool, uml_works: bool, host_processors: int) -> Hardware:
    """The clock is the one that was asked for by LAB_CLOCK, or else LAB_DEFAULT_CLOCK, which only helps a machine that
    is slow: it does not take KVM away. User-mode Linux has no counted one. Likewise LAB_DEFAULT_RADIO says what makes
    the controllers if LAB_RADIO does not. Ends this process if a variable is wrong."""
    asked = environment.get("LAB_CLOCK")
    try:
        clock = Clock(asked or environment.get("LAB_DEFAULT_CLOCK", "real"))
    except ValueError:
        fail(f"invalid LAB_CLOCK {asked}; expected real, counted or simulated")
    accelerator = choose_accelerator(environment, kvm_works, uml_works)
    if accelerator is Accelerator.KVM or (accelerator is Accelerator.USER_MODE and clock is Clock.COUNTED):
        clock = Clock.REAL
    processors = environment.get("LAB_CPUS", str(min(MAXIMUM_PROCESSORS, host_processors)))
    memory = environment.get("LAB_MEMORY", MEMORY)
    radio = environment.get("LAB_RADIO") or environment.get("LAB_DEFAULT_RADIO", "virtual")
    options = environment.get("LAB_RADIO_OPTIONS", "")
    if radio not in RADIOS:
        fail(f"invalid radio {radio} (--radio, LAB_RADIO); expected {' or '.join(RADIOS)}")
    if options and radio != "virtual":
        fail(f"{options.split()[0]} requires --radio virtual")
    scene = environment.get("LAB_SCENE", "")
    if scene and radio != "virtual":
        fail("--scene requires --radio virtual")
    if clock is not Clock.REAL or accelerator is Accelerator.USER_MODE:
        processors = "1"
    is_repeatable = accelerator is Accelerator.USER_MODE and clock is Clock.SIMULATED
    seed = environment.get("LAB_SEED", "") if is_repeatable else ""
    vary = environment.get("LAB_VARY", "")
    if vary and not seed:
        fail("--vary needs --seed, --time simulated and user-mode Linux")
    return Hardware(accelerator, clock, processors, memory, radio, options, scene, seed, vary or DEFAULT_VARIATION)


def choose_accelerator(environment: Mapping[str, str], kvm_works: bool, uml_works: bool) -> Accelerator:
    """The first available one of user-mode Linux, KVM and software emulation. User-mode Linux has no counted clock and
    no other kernel, KVM no simulated clock. LAB chooses one. Ends this process if that cannot be."""
    lab, clock, kernel = (environment.get(name) for name in ("LAB", "LAB_CLOCK", "LAB_KERNEL"))
    if lab == "uml":
        if kernel:
            fail("LAB_KERNEL does not work with user-mode Linux (LAB=uml)")
        if not uml_works:
            fail("no kernel for user-mode Linux: run lab setup --uml")
        if clock == Clock.COUNTED:
            fail("user-mode Linux (LAB=uml) does not support --time counted; use real or simulated")
        return Accelerator.USER_MODE
    if lab == "kvm":
        if not kvm_works:
            fail("KVM (LAB=kvm) does not work on this machine; lab doctor shows what does")
        if clock == Clock.SIMULATED:
            fail("KVM (LAB=kvm) does not support --time simulated")
        return Accelerator.KVM
    if lab and lab != "tcg":
        fail(f"invalid LAB {lab}; expected uml, kvm, tcg or host")
    if not lab and uml_works and not kernel and clock != Clock.COUNTED:
        return Accelerator.USER_MODE
    if not lab and kvm_works and clock != Clock.SIMULATED:
        return Accelerator.KVM
    return Accelerator.EMULATION


def named(environment: Mapping[str, str], chosen: Accelerator) -> str:
    """What was chosen, and why it is not user-mode Linux if it is not."""
    if environment.get("LAB"):
        return f"{chosen.value}, by LAB={environment['LAB']}"
    if chosen is Accelerator.USER_MODE:
        return str(chosen.value)
    if environment.get("LAB_KERNEL"):
        return f"{chosen.value}, for LAB_KERNEL"
    if environment.get("LAB_CLOCK") == Clock.COUNTED:
        return f"{chosen.value}, for counted time"
    lacks = ["no kernel for user-mode Linux", "no KVM"][: 1 if chosen is Accelerator.KVM else 2]
    return f"{chosen.value}: {', '.join(lacks)}"


def uml_works(places: Places) -> bool:
    """Whether its kernel is there."""
    return places.uml_kernel.exists()


def kvm_works(places: Places) -> bool:
    """What `lab setup` found out: /dev/kvm alone says little. A lab that came with a machine needs no other."""
    return not places.prebuilt_machine and tried_kvm(places) == "yes"


def kvm_failed(places: Places) -> bool:
    return tried_kvm(places) == "no"


def tried_kvm(places: Places) -> str | None:
    try:
        return next(iter((places.home / "kvm").read_text().split()), None)
    except OSError:
        return None
