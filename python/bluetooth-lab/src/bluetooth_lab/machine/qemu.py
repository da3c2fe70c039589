"""The command line that starts the virtual machine: virtme-ng's, with options for QEMU at its end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Union

from bluetooth_lab.machine.hardware import Accelerator, Clock, Hardware
from bluetooth_lab.places import Places

# A port: its name in the machine, and its end here: a descriptor, or the path of a socket that QEMU makes.
Port = tuple[str, Union[int, str]]


def command_line(
    hardware: Hardware,
    places: Places,
    kernel: Path,
    shared: Path,
    ports: Sequence[Port],
    architecture: str,
    has_unpacked_kernel: bool,
) -> list[str]:
    """`shared`: the one folder of this machine that the guest may write to."""
    command = [str(places.home / "tools" / "bin" / "virtme-run"), "--kimg", str(kernel), "--mods", "auto"]
    command += ["--force-9p", "--disable-microvm", "--show-boot-console", "--user", "root"]
    command += [] if hardware.accelerator is Accelerator.KVM else ["--disable-kvm"]
    command += ["--cpus", hardware.processors, "--memory", hardware.memory, f"--rwdir={shared}"]
    for option in kernel_options(hardware):
        command += ["--kopt", option]
    # The initramfs and the kernel as `setup` prepared them; QEMU takes the last of two.
    command += ["--script-sh", "true", "--qemu-opts", "-initrd", str(places.boot / "initramfs")]
    if has_unpacked_kernel:
        command += ["-kernel", str(places.boot / "vmlinux")]
    # Each instruction takes 2^2 ns: about as much as on a host that has nothing else to do.
    icount = {Clock.COUNTED: ["-icount", "shift=2"], Clock.SIMULATED: ["-icount", "shift=2,sleep=off"]}
    command += icount.get(hardware.clock, [])
    return command + port_options(ports, architecture)


def kernel_options(hardware: Hardware) -> list[str]:
    # The kernel need not test its cryptography here, which takes a second in software emulation.
    options = ["quiet", "loglevel=2", "cryptomgr.notests=1", "mitigations=off"]
    if hardware.accelerator is not Accelerator.KVM:
        # QEMU translates a program again when it is at another address: without this, each start takes twice as long.
        options.append("norandmaps")
    return options


def port_options(ports: Sequence[Port], architecture: str) -> list[str]:
    serial = "virtio-serial-ccw" if architecture == "s390x" else "virtio-serial-pci"
    options = ["-device", f"{serial},id=lab,max_ports=31"]
    for name, end in ports:
        place = f"fd={end}" if isinstance(end, int) else f"path={end},server=on,wait=off"
        options += ["-chardev", f"socket,id=lab-{name},{place}"]
        options += ["-device", f"virtserialport,bus=lab.0,name=lab.{name},chardev=lab-{name}"]
    return options
