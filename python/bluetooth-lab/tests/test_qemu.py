"""The command line of the virtual machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bluetooth_lab.machine.hardware import Accelerator, Clock, Hardware
from bluetooth_lab.machine.qemu import Port, command_line
from bluetooth_lab.places import Places

PLACES = Places.of({"LAB_HOME": "/lab"})
EMULATED = Hardware(Accelerator.EMULATION, Clock.REAL, "2", "2G")


def command(
    hardware: Hardware = EMULATED,
    ports: Sequence[Port] = (),
    architecture: str = "x86_64",
    has_unpacked_kernel: bool = True,
) -> list[str]:
    out, kernel = Path("/lab/runs/1/out"), Path("/lab/kernel/boot/vmlinuz-6.12")
    return command_line(hardware, PLACES, kernel, out, ports, architecture, has_unpacked_kernel)


def values(words: Sequence[str], option: str) -> list[str]:
    return [words[index + 1] for index, word in enumerate(words) if word == option]


def test_size_and_folders() -> None:
    words = command(Hardware(Accelerator.KVM, Clock.REAL, "3", "4G"))
    assert words[0] == "/lab/tools/bin/virtme-run"
    assert (values(words, "--cpus"), values(words, "--memory")) == (["3"], ["4G"])
    assert "--rwdir=/lab/runs/1/out" in words
    assert values(words, "--kimg") == ["/lab/kernel/boot/vmlinuz-6.12"]


def test_software_emulation_keeps_addresses_and_counts_only_when_asked_to() -> None:
    kvm, emulated = command(Hardware(Accelerator.KVM, Clock.REAL, "2", "2G")), command()
    assert "--disable-kvm" in emulated and "--disable-kvm" not in kvm
    assert "norandmaps" in values(emulated, "--kopt") and "norandmaps" not in values(kvm, "--kopt")
    assert values(emulated, "-icount") == []
    assert values(command(Hardware(Accelerator.EMULATION, Clock.COUNTED, "1", "2G")), "-icount") == ["shift=2"]
    simulated = Hardware(Accelerator.EMULATION, Clock.SIMULATED, "1", "2G")
    assert values(command(simulated), "-icount") == ["shift=2,sleep=off"]


def test_a_kernel_that_is_unpacked_takes_the_place_of_the_packed_one() -> None:
    assert values(command(), "-kernel") == ["/lab/boot/vmlinux"]
    assert values(command(has_unpacked_kernel=False), "-kernel") == []
    assert values(command(), "-initrd") == ["/lab/boot/initramfs"]


def test_every_port_is_a_device_on_its_descriptor_or_its_socket() -> None:
    words = command(ports=[("control", 10), ("session0", "session0")])
    assert values(words, "-chardev") == [
        "socket,id=lab-control,fd=10",
        "socket,id=lab-session0,path=session0,server=on,wait=off",
    ]
    assert values(words, "-device") == [
        "virtio-serial-pci,id=lab,max_ports=31",
        "virtserialport,bus=lab.0,name=lab.control,chardev=lab-control",
        "virtserialport,bus=lab.0,name=lab.session0,chardev=lab-session0",
    ]


def test_ports_have_another_bus_on_s390x() -> None:
    assert values(command(architecture="s390x"), "-device")[0] == "virtio-serial-ccw,id=lab,max_ports=31"


def test_qemus_options_come_last() -> None:
    words = command()
    start = words.index("--qemu-opts")
    assert not any(word.startswith("--") for word in words[start + 1 :])
