"""What a machine is made of."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.command_line.options import RADIOS
from bluetooth_lab.machine import hardware, qemu, uml
from bluetooth_lab.machine.bluez import find_bluez, use_bluez
from bluetooth_lab.machine.hardware import Accelerator, Hardware
from bluetooth_lab.machine.job import job_environment, kernel_image
from bluetooth_lab.machine.memory import candidates, choose_memory
from bluetooth_lab.machine.qemu import Port
from bluetooth_lab.machine.start import Start, saved_file
from bluetooth_lab.messages import fail
from bluetooth_lab.places import Places


class Construction(NamedTuple):
    """`bluez`: the folder of another one than the system's."""

    places: Places
    kernel: Path
    parts: Hardware
    controllers: int
    bluez: str | None

    @classmethod
    def of(cls, places: Places, controllers: int, bluez: str | None) -> Construction:
        """As the variables of this process have it. Ends it if there is no kernel, or a variable is wrong."""
        works = hardware.kvm_works(places), hardware.uml_works(places)
        parts = hardware.choose(os.environ, *works, os.cpu_count() or 1)
        if controllers > RADIOS[parts.radio]:
            fail(f"too many controllers: {controllers} (limit {RADIOS[parts.radio]} with {parts.radio})")
        is_user_mode = parts.accelerator is Accelerator.USER_MODE
        return cls(places, places.uml_kernel if is_user_mode else kernel_image(places), parts, controllers, bluez)

    @property
    def accelerator(self) -> str:
        return hardware.named(os.environ, self.parts.accelerator)

    def environment(self, out: Path, logs: Path, host: str = "", hosts: str = "") -> dict[str, str]:
        """What a command finds; `out`: for what it keeps, `logs`: those of the machine; `host`: of several `hosts`."""
        is_repeatable = bool(self.parts.seed)
        environment = job_environment(
            self.kernel, out, logs, self.controllers, host, hosts, is_repeatable=is_repeatable
        )
        environment["LAB_CLOCK"] = self.parts.clock.value
        environment.update(LAB_RADIO=self.parts.radio, LAB_RADIO_OPTIONS=self.parts.radio_options)
        environment["LAB_SCENE"] = self.parts.scene
        if self.parts.seed:
            environment["LAB_SEED"] = self.parts.seed
        if self.bluez:
            use_bluez(environment, find_bluez(self.bluez))
        # In the same order, whatever they came from: it matters for a run that is to be the same again.
        return dict(sorted(environment.items()))

    def start(self, job: Path, ports: Sequence[str]) -> Start:
        """`ports`: the names of those that the machine has."""
        saved = saved_file(self.places, self.kernel, self.parts, ports, platform.machine())
        return Start(job, saved, is_user_mode=self.parts.accelerator is Accelerator.USER_MODE)

    def command_line(self, job: Path, shared: Path, host: str = "") -> Callable[[Sequence[Port]], list[str]]:
        """Makes the command that starts the machine from its ports."""
        if self.parts.accelerator is Accelerator.USER_MODE:
            boot = self.places.home / "lab_boot"
            memory = choose_memory(self.parts.memory, candidates(os.environ, self.places.home))
            return lambda ports: uml.command_line(self.parts, self.kernel, boot, job, ports, memory, host)
        has_unpacked_kernel = (self.places.boot / "vmlinux").exists()
        return lambda ports: qemu.command_line(
            self.parts, self.places, self.kernel, shared, ports, platform.machine(), has_unpacked_kernel
        )
