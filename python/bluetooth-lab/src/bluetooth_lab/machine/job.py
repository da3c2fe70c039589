"""What the guest finds: the environment of its Bluetooth and of a command, and what its start needs."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from bluetooth_lab.messages import fail
from bluetooth_lab.places import GUEST, Places, program_folder

# Of the caller's environment: the lab's own, what CI sets, and what runners of tests go by. `lab help environment`
# lists them.
SERVICE_PREFIXES = ("CI_", "GITHUB_", "GITLAB_", "RUNNER_")  # tokens are among them
PASSED_PREFIXES = (
    *("LAB_", "BLUEJAY_", "DITTOJAY_", "BLUETOOTH_", "PYTEST_", "PYTHON", "COV_", "COVERAGE_", "LC_"),
    *SERVICE_PREFIXES,
)
# What only says which machine it is to be, or is set for each.
NOT_PASSED = (
    "LAB_HOST",
    "LAB_HOSTS",
    "LAB_BLUETOOTHD",
    "LAB_CPUS",
    "LAB_DEFAULT_CLOCK",
    "LAB_DEFAULT_RADIO",
    "LAB_FRESH",
    "LAB_KERNEL",
    "LAB_MEMORY",
    "LAB_NAME",
    "LAB_SEED",
    "LAB_TEST_LIMIT",
    "LAB_VARY",
    "LAB_SCENE_FILE",
)
PASSED_NAMES = ("CI", "VIRTUAL_ENV", "TERM", "TZ", "LANG", "COLORTERM", "NO_COLOR", "FORCE_COLOR")
# What a shell takes for the name of a variable; an environment may have others, which are no variables in the guest.
NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")
# What guest/boot.c needs.
BOOT_VARIABLES = ("LAB_MODULES", "LAB_PREBUILT")
# Where a repeatable run has the folder that it may write to, whatever its name is here.
FIXED_FOLDER = Path("/run/lab/out")
BUSYBOX = "/run/lab/busybox"  # for what the host has no program for; guest/boot.c makes it
SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin")


def kernel_image(places: Places) -> Path:
    images = sorted((places.kernel / "boot").glob("vmlinuz-*"))
    if not images:
        fail(f"no kernel in {places.kernel}: run ./lab setup")
    return images[-1]


def program_folders(environment: Mapping[str, str]) -> str:
    """As in PATH: where dittojay and bluejay are, before all others."""
    return environment.get("LAB_PROGRAMS") or str(program_folder(environment))


def is_passed(name: str, named: Sequence[str] = (), is_repeatable: bool = False) -> bool:
    """Whether a command in the lab gets the variable of the caller's; `named`: those of LAB_ENV. One that is repeatable
    gets none of a CI service, which differ from job to job, unless they are named."""
    if not NAME.fullmatch(name) or name in NOT_PASSED:
        return False
    if name in named or name in PASSED_NAMES:
        return True
    return name.startswith(PASSED_PREFIXES) and not (is_repeatable and name.startswith(SERVICE_PREFIXES))


def job_environment(
    kernel: Path,
    out: Path,
    logs: Path,
    controllers: int,
    host: str,
    hosts: str,
    caller: Mapping[str, str] = os.environ,
    is_repeatable: bool = False,
) -> dict[str, str]:
    """What the command finds in its environment: little of the caller's, so that a run does not depend on it.

    `out`: for what the command keeps; `logs`: has the machine's own."""
    places = Places.of(caller)
    home = places.home
    named = caller.get("LAB_ENV", "").split()
    values = {name: value for name, value in caller.items() if is_passed(name, named, is_repeatable)}
    values.setdefault("DITTOJAY_ADAPTER", "hci0")
    if controllers > 1:
        values.setdefault("BLUETOOTH_ADAPTER", "hci1")
    values.update(
        PATH=":".join([*path_folders(places, caller), caller.get("PATH", os.defpath), *SYSTEM_FOLDERS]),
        BLUETOOTH_LAB="1",
        LAB_CONTROLLERS=str(controllers),
        LAB_OUT=str(out),
        LAB_LOGS=str(logs),
        LAB_GUEST=str(GUEST),
        LAB_MODULES=str(places.kernel / "lib" / "modules" / kernel.name.removeprefix("vmlinuz-")),
        LAB_PYTHON=caller.get("LAB_PYTHON") or str(home / "venv" / "bin" / "python"),
    )
    if (home / "radio_timing.so").exists():
        values["LAB_RADIO_TIMING"] = str(home / "radio_timing.so")
    values["LAB_AGENT"] = str(home / "lab_agent")
    values["LAB_DAEMON"] = str(home / "lab_daemon")
    values["LAB_CLOCK_KEEPER"] = str(home / "clock_keeper")
    values["LAB_RADIO_LINK"] = str(home / "radio_link")
    if places.prebuilt_machine:
        values["LAB_BLUETOOTHD"] = str(places.prebuilt_machine / "libexec" / "bluetoothd")
        values["PATH"] += f":{BUSYBOX}"
    if host:
        values.update(LAB_HOST=host, LAB_HOSTS=hosts)
    return values


def path_folders(places: Places, caller: Mapping[str, str]) -> list[str]:
    own = [program_folders(caller), str(GUEST / "bin"), str(places.home / "bin")]
    return [*own, str(places.prebuilt_machine / "bin")] if places.prebuilt_machine else own


def write_job(
    folder: Path,
    environment: Mapping[str, str],
    shared: Path,
    is_persistent: bool,
    begin: bytes | None = None,
    variation: str = "",
) -> None:
    """`shared`: the folder that the guest may write to; `is_persistent`: whether the machine outlives us; `begin`: the
    frames that the agent begins with. A run with those is repeatable: its host is heard at no moment of its own.
    `variation`: the kernel's parameters for it."""
    folder.mkdir(parents=True)
    environment = {**environment}
    boot = {name: environment[name] for name in BOOT_VARIABLES if name in environment}
    boot["LAB_SHARED"] = str(shared.resolve())
    if begin is not None:
        (folder / "begin").write_bytes(begin)
        (folder / "variation").write_text(variation)
        environment.update(LAB_BEGIN=str(folder / "begin"), LAB_VARIATION=str(folder / "variation"))
        link = folder / "shared"
        link.symlink_to(shared.resolve())
        boot.update(LAB_SHARED=str(link), LAB_SHARED_AT=str(FIXED_FOLDER))
    if is_persistent:
        environment["LAB_PERSISTENT"] = "1"
    (folder / "init").symlink_to(GUEST / "init")
    text = "".join(export(name, value) for name, value in sorted(environment.items()))
    (folder / "environment").write_bytes(os.fsencode(text))
    text = "".join(f"{name}={value}\0" for name, value in boot.items())
    (folder / "boot").write_bytes(os.fsencode(text))


def export(name: str, value: str) -> str:
    """A line for a shell."""
    if not NAME.fullmatch(name):
        raise ValueError(f"invalid variable name {name!r}")
    return f"export {name}={shlex.quote(value)}\n"
