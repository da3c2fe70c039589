"""Has what a command needs installed and built.

setup/prepare looks at everything, which takes a quarter of a second where nothing is to be done. So what it has found
is noted in the lab's folder, and holds as long as nothing that it went by has changed."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path

from bluetooth_lab.messages import EXIT_LAB_FAILED
from bluetooth_lab.places import GUEST, OWNER, ROOT, SETUP, Places, program_folder

NOTED = ("machine", "programs", "demo")  # purposes for which nothing is built that its user has just changed
HOLDS = 24 * 3600  # seconds: setup also notes in the cache what is used
# What setup/prepare makes in the lab's folder.
MADE = (
    *("lab_agent", "lab_boot", "lab_daemon", "bin/virtual-radio", "bin/virtual-radio-scene"),
    *("uml/linux", "boot/initramfs", "kernel/boot", "tools/bin", "python", "kvm"),
)


def prepare(environment: MutableMapping[str, str], *words: str) -> None:
    """Runs setup/prepare, and takes over the variables that it prints. Ends this process if it fails."""
    note = note_of(environment, words)
    before = state_of_sources(environment) if note else ""
    values = noted(note, before + state_of_results(environment)) if note else None
    if values is None:
        printed = subprocess.run([SETUP / "prepare", *words], env=environment, stdout=subprocess.PIPE, check=False)
        if printed.returncode:
            sys.exit(EXIT_LAB_FAILED)
        variables = (os.fsdecode(variable).partition("=") for variable in printed.stdout.split(b"\0")[:-1])
        values = {name: value for name, _, value in variables}
        if note:
            keep(note, before + state_of_results(environment), values)
    environment.update(values)
    # It was made into LAB_SCENE.
    environment.pop("LAB_SCENE_FILE", None)


# Notes


def note_of(environment: Mapping[str, str], words: tuple[str, ...]) -> Path | None:
    """The file that has what is noted for these words and variables. None if there is to be none."""
    if words[0] not in NOTED or environment.get("LAB_SCENE_FILE"):
        return None
    # Of a command, setup/prepare only wants to know whether it plays a scene.
    plays_scene = any("scene" in word for word in words)
    names = ("HOME", "PATH", "XDG_CACHE_HOME", *sorted(name for name in environment if name.startswith("LAB")))
    variables = [(name, environment.get(name)) for name in names]
    key = hashlib.sha256(repr((words[:2] if words[0] == "machine" else words[0], plays_scene, variables)).encode())
    return Places.of(environment).home / "prepared" / key.hexdigest()[:16]


def noted(note: Path, state: str) -> dict[str, str] | None:
    """The variables that setup/prepare printed, if the state is still that one."""
    try:
        content = json.loads(note.read_text())
        is_valid = content["state"] == state and time.time() - note.stat().st_mtime < HOLDS
        return dict(content["values"]) if is_valid else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def keep(note: Path, state: str, values: Mapping[str, str]) -> None:
    """Where nothing can be noted, the next command looks at everything, too."""
    with contextlib.suppress(OSError):
        note.parent.mkdir(parents=True, exist_ok=True)
        for old in note.parent.iterdir():
            if time.time() - old.stat().st_mtime > HOLDS:
                old.unlink(missing_ok=True)
        new = note.with_name(f"{note.name}.{os.getpid()}")
        new.write_text(json.dumps({"state": state, "values": values}))
        new.replace(note)


def state_of_sources(environment: Mapping[str, str]) -> str:
    """Changes with what the programs and the machine are made of, and what is installed."""
    swift = shutil.which("swift", path=environment.get("PATH"))
    files = [SETUP, GUEST, ROOT / "Sources", ROOT / "Package.swift"]
    files += [OWNER / "Package.swift", OWNER / "Package.resolved"]
    files += [Path("/var/lib/dpkg/status"), Path(swift or "/nowhere")]
    machine = Places.of(environment).prebuilt_machine
    lines = (line for file in [*files, *filter(None, [machine])] for line in lines_of(file))
    return digest(itertools.chain([f"kvm {os.access('/dev/kvm', os.R_OK | os.W_OK)}\n"], lines))


def state_of_results(environment: Mapping[str, str]) -> str:
    home, programs = Places.of(environment).home, program_folder(environment)
    files = [home / name for name in MADE]
    files += [programs / name for name in ("dittojay", "bluejay", "virtual-radio", ".lab-built")]
    return digest(line_of(file) for file in files)


def digest(lines: Iterator[str]) -> str:
    return hashlib.sha256("".join(lines).encode(errors="surrogateescape")).hexdigest()


def lines_of(file: Path) -> Iterator[str]:
    """Of all files that are in it, if it is a folder."""
    yield line_of(file)
    with contextlib.suppress(OSError), os.scandir(file) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name == "__pycache__":
                continue
            if entry.is_dir():
                yield from lines_of(Path(entry.path))
            else:
                yield line_of(entry)


def line_of(file: Path | os.DirEntry[str]) -> str:
    """What changes with a file, or with what a link leads to."""
    try:
        status = file.stat()
        return f"{os.fspath(file)} {status.st_size} {status.st_mtime_ns} {status.st_ino}\n"
    except OSError:
        return f"{os.fspath(file)} -\n"


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
