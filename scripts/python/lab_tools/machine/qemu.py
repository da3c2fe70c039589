"""The command line that starts the virtual machine: virtme-ng's, with options for QEMU at its end."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from lab_tools.machine.hardware import Hardware
from lab_tools.places import Places

CONSOLE = "console"
# The ports that every machine has; joined ones follow.
PORTS = ("control", "stdin", "stdout", "stderr", CONSOLE)


def command_line(
    hardware: Hardware,
    places: Places,
    kernel: Path,
    job: Path,
    out: Path,
    ends: Mapping[str, int],
    joined: Sequence[tuple[str, int]],
    architecture: str,
    has_unpacked_kernel: bool,
) -> list[str]:
    """`ends`: the machine's end of each port, a descriptor; `joined`: those of ports that another machine has, too."""
    command = [str(places.home / "tools" / "bin" / "virtme-run"), "--kimg", str(kernel), "--mods", "auto"]
    command += ["--force-9p", "--disable-microvm", "--show-boot-console", "--user", "root"]
    command += [] if hardware.uses_kvm else ["--disable-kvm"]
    command += ["--cpus", hardware.processors, "--memory", hardware.memory, f"--rwdir={out}"]
    for option in kernel_options(hardware, job):
        command += ["--kopt", option]
    # The initramfs and the kernel as `setup` prepared them; QEMU takes the last of two.
    command += ["--script-sh", "true", "--qemu-opts", "-initrd", str(places.boot / "initramfs")]
    if has_unpacked_kernel:
        command += ["-kernel", str(places.boot / "vmlinux")]
    # Each instruction takes 2^2 ns: about as much as on a host that has nothing else to do.
    command += ["-icount", "shift=2"] if hardware.counts_instructions else []
    return command + port_options(ends, joined, architecture)


def kernel_options(hardware: Hardware, job: Path) -> list[str]:
    # The kernel need not test its cryptography here, which takes a second in software emulation.
    options = [f"lab_job={bytes(job).hex()}", "quiet", "loglevel=2", "cryptomgr.notests=1", "mitigations=off"]
    if not hardware.uses_kvm:
        # QEMU translates a program anew when it is at another address: without this, each start takes twice as long.
        options.append("norandmaps")
    return options


def port_options(ends: Mapping[str, int], joined: Sequence[tuple[str, int]], architecture: str) -> list[str]:
    serial = "virtio-serial-ccw" if architecture == "s390x" else "virtio-serial-pci"
    options = ["-device", f"{serial},id=lab,max_ports=31"]
    for name, descriptor in [*ends.items(), *joined]:
        device = "virtconsole,bus=lab.0" if name == CONSOLE else f"virtserialport,bus=lab.0,name=lab.{name}"
        options += ["-chardev", f"socket,id=lab-{name},fd={descriptor}"]
        options += ["-device", f"{device},chardev=lab-{name}"]
    return options
