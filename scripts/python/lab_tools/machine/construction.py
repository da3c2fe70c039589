"""What a machine is made of."""

import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from lab_tools.machine import hardware, qemu, uml
from lab_tools.machine.bluez import find_bluez, use_bluez
from lab_tools.machine.hardware import Accelerator, Clock, Hardware
from lab_tools.machine.job import job_environment, kernel_image
from lab_tools.machine.memory import candidates, choose_memory
from lab_tools.machine.qemu import Port
from lab_tools.machine.start import Start, saved_file
from lab_tools.messages import fail
from lab_tools.places import Places


class Construction(NamedTuple):
    """`bluez`: the folder of another one than the system's."""

    places: Places
    kernel: Path
    parts: Hardware
    controllers: int
    bluez: str | None

    @classmethod
    def of(cls, places: Places, controllers: int, bluez: str | None, stays_up: bool = False) -> "Construction":
        """As the variables of this process have it. Ends it if there is no kernel, or a variable is wrong.

        `stays_up`: then simulated time needs QEMU; commands in user-mode Linux did not end with it."""
        needs_qemu = stays_up and os.environ.get("LAB_CLOCK") == Clock.SIMULATED
        if needs_qemu and os.environ.get("LAB") == "uml":
            fail("a lab that stays up has no simulated time in user-mode Linux (LAB=uml): lab run --time simulated")
        works = hardware.kvm_works(places), hardware.uml_works(places) and not needs_qemu
        parts = hardware.choose(os.environ, *works, os.cpu_count() or 1)
        if controllers > hardware.RADIOS[parts.radio]:
            fail(f"--controllers takes 1 to {hardware.RADIOS[parts.radio]}: {parts.radio} makes no more")
        is_user_mode = parts.accelerator is Accelerator.USER_MODE
        return cls(places, places.uml_kernel if is_user_mode else kernel_image(places), parts, controllers, bluez)

    @property
    def accelerator(self) -> str:
        return self.parts.accelerator.value

    def environment(self, out: Path, logs: Path, host: str = "", hosts: str = "") -> dict[str, str]:
        """What a command finds; `out`: for what it keeps, `logs`: those of the machine; `host`: of several `hosts`."""
        environment = job_environment(self.kernel, out, logs, self.controllers, host, hosts)
        environment["LAB_CLOCK"] = self.parts.clock.value
        environment.update(LAB_RADIO=self.parts.radio, LAB_RADIO_OPTIONS=self.parts.radio_options)
        environment["LAB_SCENE"] = self.parts.scene
        if self.bluez:
            use_bluez(environment, find_bluez(self.bluez))
        return environment

    def start(self, job: Path, ports: Sequence[str]) -> Start:
        """`ports`: the names of those that the machine has."""
        return Start(job, saved_file(self.places, self.kernel, self.parts, ports, platform.machine()))

    def command_line(self, job: Path, shared: Path) -> Callable[[Sequence[Port]], list[str]]:
        """Makes the command that starts the machine from its ports."""
        if self.parts.accelerator is Accelerator.USER_MODE:
            memory = choose_memory(self.parts.memory, candidates(os.environ, self.places.home))
            return lambda ports: uml.command_line(self.parts, self.kernel, job, ports, memory)
        has_unpacked_kernel = (self.places.boot / "vmlinux").exists()
        return lambda ports: qemu.command_line(
            self.parts, self.places, self.kernel, shared, ports, platform.machine(), has_unpacked_kernel
        )
