"""The command line of a machine in user-mode Linux (UML): the kernel is a program, and the machine a process."""

from collections.abc import Sequence
from pathlib import Path

from lab_tools.machine.hardware import Hardware
from lab_tools.machine.qemu import Port
from lab_tools.places import GUEST


def command_line(hardware: Hardware, kernel: Path, job: Path, ports: Sequence[Port]) -> list[str]:
    """The ports are serial lines, each a descriptor of the kernel's; guest/boot-uml gives them their names."""
    command = [str(kernel), f"mem={hardware.memory}", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro"]
    command += [f"init={GUEST / 'boot-uml'}", f"uml_dir={job}/uml/"]
    command += ["quiet", "loglevel=2", "con=null", "con0=null,fd:1"]
    command += [f"ssl{line}=fd:{end}" for line, (_, end) in enumerate(ports)]
    return [*command, f"LAB_JOB={job}", f"LAB_PORTS={','.join(name for name, _ in ports)}"]
