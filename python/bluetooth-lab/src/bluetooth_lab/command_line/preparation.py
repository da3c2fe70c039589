"""Has what a command needs installed and built."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, MutableMapping

from bluetooth_lab.messages import EXIT_LAB_FAILED
from bluetooth_lab.places import SETUP, Places, program_folder


def prepare(environment: MutableMapping[str, str], *words: str) -> None:
    """Runs setup/prepare, and takes over the variables that it prints. Ends this process if it fails."""
    if is_prepared(environment, *words):
        return
    printed = subprocess.run([SETUP / "prepare", *words], env=environment, stdout=subprocess.PIPE, check=False)
    if printed.returncode:
        sys.exit(EXIT_LAB_FAILED)
    for variable in printed.stdout.split(b"\0")[:-1]:
        name, _, value = os.fsdecode(variable).partition("=")
        environment[name] = value
    # It was made into LAB_SCENE.
    environment.pop("LAB_SCENE_FILE", None)


def is_prepared(environment: Mapping[str, str], *words: str) -> bool:
    """Whether this lab came with its machine, and has the links to it that setup/prepare has made once."""
    places = Places.of(environment)
    machine = places.prebuilt_machine
    asks_for_more = any(environment.get(name) for name in ("LAB_SCENE_FILE", "LAB_KERNEL", "LAB_CLOCK"))
    if machine is None or asks_for_more or words[0] not in ("machine", "programs"):
        return False
    links = {places.uml_kernel: "uml/linux", places.home / "lab_agent": "lab_agent"}
    links[program_folder(environment) / "dittojay"] = "bin/bluetooth-lab-programs"
    chosen = environment.get("LAB") or "uml"
    return chosen == "uml" and all(link.exists() and link.samefile(machine / name) for link, name in links.items())


def find_bluez(value: str, environment: MutableMapping[str, str]) -> str:
    """The folder of another BlueZ; a release is built. Ends this process if it cannot be."""
    if not is_release(value) or os.path.exists(value):
        return os.path.realpath(value)
    for command in ([str(SETUP / "setup"), "--quiet", "--for", "build"], [str(SETUP / "bluez"), value]):
        result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
        if result.returncode:
            sys.exit(EXIT_LAB_FAILED)
    return os.fsdecode(result.stdout).strip()


def is_release(value: str) -> bool:
    major, dot, minor = value.partition(".")
    return bool(dot) and major.isdecimal() and minor.isdecimal()
