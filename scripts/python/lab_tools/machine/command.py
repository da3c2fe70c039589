"""The tool that runs one command in the lab's virtual machine and ends with its exit status.

usage: machine [--controllers N] [--capture FILE] [--out FOLDER] [--bluez FOLDER] -- COMMAND [ARG…]
       machine --host NAME [--joined PORT=DESCRIPTOR]… [--prefix TEXT] … is for lab_tools.hosts: one of several machines
"""

import os
import platform
import shutil
from collections.abc import Mapping
from pathlib import Path

from lab_tools.machine import hardware, qemu
from lab_tools.machine.bluez import find_bluez, use_bluez
from lab_tools.machine.job import job_environment, kernel_image, write_job
from lab_tools.machine.options import parse
from lab_tools.machine.process import Machine, adopt_orphans
from lab_tools.machine.runs import prepare_folders
from lab_tools.machine.session import Session
from lab_tools.machine.terminal import Terminal, terminal_size
from lab_tools.messages import name_host, say
from lab_tools.places import Places

# Software emulation with two processors now and then runs code that the kernel has just patched in its old form, and
# the kernel stops at that ("Oops: int3", as it starts). Nothing has happened by then, so another machine is started.
START_ATTEMPTS = 3


def main(words: list[str]) -> int:
    options = parse(words)
    name_host(options.host)
    adopt_orphans()
    places = Places.of(os.environ)
    kernel = kernel_image(places)
    parts = hardware.choose(os.environ, hardware.kvm_works(places), os.cpu_count() or 1)
    job, out = prepare_folders(places.home, options.out)
    terminal = Terminal(os.isatty(0) and os.isatty(1))
    environment = job_environment(kernel, out, options.controllers, options.capture, options.host)
    if options.bluez:
        use_bluez(environment, find_bluez(options.bluez))
    write_job(job, environment, options.command, terminal_size() if terminal.is_used else None)

    def command_line(ends: Mapping[str, int]) -> list[str]:
        has_unpacked_kernel = (places.boot / "vmlinux").exists()
        return qemu.command_line(
            parts, places, kernel, job, out, ends, options.joined, platform.machine(), has_unpacked_kernel
        )

    for attempts_left in reversed(range(START_ATTEMPTS)):
        with terminal, Machine(command_line, out / "console.log", options.joined) as machine:
            session = Session(machine, parts.accelerator, terminal, out, options.prefix)
            session.install_signals()
            session.run()
        if not session.died_starting or not attempts_left:
            break
        say(f"{session.reason} while it started; starting another")
        (out / "console.log").replace(out / f"console-{attempts_left}.log")
    status = session.finish()
    if options.capture:
        keep_capture(out / "capture.btsnoop", options.capture)
    return status


def keep_capture(file: Path, chosen: str) -> None:
    if file.exists():
        shutil.copyfile(file, chosen)
