"""Checks what this machine has and lacks for the lab. Changes nothing."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab import __version__
from bluetooth_lab.machine import hardware
from bluetooth_lab.machine.obstacles import obstacles
from bluetooth_lab.places import IS_INSTALLED, Places, lab_home, program_folder, user_cache

KVM_CREATE_VM = 0xAE01
PROGRAMS = ("dittojay", "bluejay", "virtual-radio")
DAEMON_FOLDERS = ("/usr/libexec/bluetooth", "/usr/lib/bluetooth")
LIMIT = 10  # seconds for a program to print its version


class Finding(NamedTuple):
    """`works`: None where that depends on what is asked for."""

    name: str
    works: bool | None
    text: str


def kinds(places: Places) -> list[Finding]:
    """Each kind of machine, in the order in which the lab prefers them."""
    return [user_mode(places), kvm(places), emulation(places), host()]


def user_mode(places: Places) -> Finding:
    if platform.machine() != "x86_64":
        return Finding("uml", False, f"user-mode Linux is for x86-64, not for {platform.machine()}")
    kernel = places.prebuilt_machine / "uml/linux" if places.prebuilt_machine else places.uml_kernel
    if not kernel.exists():
        return Finding(
            "uml", False, "no kernel yet: lab setup --uml builds it in some minutes, as lab test does automatically"
        )
    if not os.access(kernel, os.X_OK):
        return Finding("uml", False, f"{kernel} cannot be executed")
    for obstacle in obstacles():
        return Finding("uml", False, obstacle)
    return Finding("uml", True, f"kernel {kernel.resolve()}")


def kvm(places: Places) -> Finding:
    if not os.path.exists("/dev/kvm"):
        return Finding("kvm", False, "no /dev/kvm")
    try:
        device = os.open("/dev/kvm", os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        return Finding("kvm", False, f"/dev/kvm: {error.strerror}; is this user in the group kvm?")
    try:
        os.close(fcntl.ioctl(device, KVM_CREATE_VM, 0))
    except OSError as error:
        return Finding("kvm", False, f"/dev/kvm cannot create a machine: {error.strerror}")
    finally:
        os.close(device)
    if hardware.kvm_works(places):
        return Finding("kvm", True, "a machine has started with it")
    if hardware.kvm_failed(places):
        return Finding("kvm", False, "/dev/kvm exists, but a machine tried with it did not start")
    return Finding("kvm", None, "/dev/kvm exists; whether a machine starts with it is tried when needed")


def emulation(places: Places) -> Finding:
    program = "qemu-system-aarch64" if platform.machine() == "aarch64" else "qemu-system-x86_64"
    missing = [] if shutil.which(program) else [program]
    missing += [] if list((places.kernel / "boot").glob("vmlinuz-*")) else ["a kernel"]
    if not missing:
        return Finding("tcg", True, "software emulation, several times slower")
    if shutil.which("apt-get"):
        return Finding("tcg", None, f"{' and '.join(missing)} missing; installed when needed")
    return Finding("tcg", False, f"{' and '.join(missing)} missing, and no apt-get to install it")


def host() -> Finding:
    text = "this machine's own kernel and bluetoothd; only with LAB=host"
    if os.geteuid() != 0:
        return Finding("host", False, f"needs root; {text}")
    if not os.path.exists("/dev/vhci") and not has_module("hci_vhci"):
        return Finding("host", False, f"no kernel module hci_vhci; {text}")
    return Finding("host", True, text)


def has_module(name: str) -> bool:
    folder = Path("/lib/modules") / platform.release()
    return any(folder.rglob(f"{name}.ko*")) if folder.is_dir() else False


def chosen(places: Places, environment: Mapping[str, str]) -> str:
    """The kind that the next machine has, and why."""
    if environment.get("LAB") == "host":
        return "none: LAB=host uses this machine itself"
    uml_works = hardware.uml_works(places) or places.prebuilt_machine is not None
    accelerator = hardware.choose_accelerator(environment, hardware.kvm_works(places), uml_works)
    return hardware.named(environment, accelerator)


def parts(places: Places, environment: Mapping[str, str]) -> list[Finding]:
    """What runs in a machine, or makes it."""
    findings = []
    for name in PROGRAMS:
        path = found(name, program_folder(environment), lab_home(environment) / "bin")
        if path is None and places.prebuilt_machine:  # there are links to it after the first command
            path = found("bluetooth-lab-programs", places.prebuilt_machine / "bin")
        findings.append(Finding(name, bool(path), str(path) if path else missing_program()))
    machine = places.prebuilt_machine
    own = [machine / name for name in ("libexec", "bin")] if machine else []
    daemon = found("bluetoothd", *own, *map(Path, DAEMON_FOLDERS))
    findings.append(Finding("bluetoothd", bool(daemon), said_version(daemon) if daemon else missing_package("bluez")))
    for name, package in (("dbus-daemon", "dbus"), ("bluetoothctl", "bluez"), ("busybox", "busybox-static")):
        path = found(name, *own)
        findings.append(Finding(name, bool(path), str(path) if path else missing_package(package)))
    return findings


def found(name: str, *folders: Path) -> Path | None:
    """In one of the folders, or on PATH."""
    path = shutil.which(name, path=":".join([*map(str, folders), os.environ.get("PATH", os.defpath)]))
    return Path(path) if path else None


def missing_program() -> str:
    if IS_INSTALLED:
        return "missing: reinstall this lab"
    return "not built yet: lab build" if shutil.which("swift") else "missing, and no swift to build it"


def missing_package(name: str) -> str:
    return f"missing; {'installed when needed' if shutil.which('apt-get') else f'please install {name}'}"


def said_version(program: Path) -> str:
    try:
        result = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=LIMIT, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return str(program)
    return f"{result.stdout.strip() or 'of an unknown version'}, {program}"


def toolchain() -> Finding:
    swift = found("swift")
    if swift is None:
        return Finding("swift", False, "none; it is needed for Swift packages and for a clone of this one")
    result = subprocess.run([swift, "--version"], capture_output=True, text=True, check=False)
    said = re.search(r"Swift version (\S+)", result.stdout + result.stderr)
    return Finding("swift", True, f"{said[1] if said else 'of an unknown version'}, {swift}")


def show(title: str, findings: Sequence[Finding]) -> None:
    print(f"\n{title}")
    for finding in findings:
        state = {True: "yes", False: "no", None: "maybe"}[finding.works]
        print(f"  {finding.name:13} {state:6} {finding.text}")


def run(as_json: bool) -> int:
    places = Places.of(os.environ)
    machines, others = kinds(places), [*parts(places, os.environ), toolchain()]
    cache = user_cache(os.environ) / "bluetooth-lab"
    works = any(finding.works is not False for finding in machines if finding.name != "host")
    if as_json:
        values = {"version": __version__, "chosen": chosen(places, os.environ), "home": str(places.home)}
        found_ones = {"machines": machines, "parts": others}
        lists = {name: [finding._asdict() for finding in findings] for name, findings in found_ones.items()}
        print(json.dumps({**values, "cache": str(cache), **lists}, indent=2))
    else:
        print(f"lab {__version__}, in {places.home}; cache: {cache}")
        print(f"machine: {chosen(places, os.environ)}")
        show("kinds of machine", machines)
        show("what runs in it", others)
        sys.stdout.flush()
    return 0 if works else 1
