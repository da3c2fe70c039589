"""Machines of the lab that stay up between commands.

Each has a name and a folder in `up` of the lab's folder:

| file | is |
|---|---|
| `machine.json` | what it is (`Record`), written before it starts, and once it is up |
| `session0`, `session1`, … | sockets that lead to the agent in the guest, each for one command at a time |
| `session0.lock`, … | locked by the caller that uses that socket |
| `runs` | the one folder that the guest may write to: the output of each command, and in `machine` its own logs |
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bluetooth_lab.machine.hardware import Accelerator, Clock, Hardware
from bluetooth_lab.messages import fail
from bluetooth_lab.places import GUEST, Places

SESSIONS = 16
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")
DEFAULT_NAME = "default"
STARTS = ("boot", "init")  # what a machine begins with


def chosen_name(environment: Mapping[str, str]) -> str:
    return environment.get("LAB_NAME") or DEFAULT_NAME


class Record(NamedTuple):
    """`leader`: the process of its keeper, which began `began` ticks after the boot of this machine; `up_since`: in
    seconds since 1970, None while it starts; `made_of`: what it was made of, in short."""

    leader: int
    began: int
    up_since: float | None
    controllers: int
    bluez: str | None
    kernel: str
    hardware: Hardware
    made_of: str


class PersistentLab:
    """A machine that was started to stay up; it may have ended since."""

    def __init__(self, home: Path, name: str) -> None:
        if not NAME.fullmatch(name):
            fail(f"invalid lab name {name!r}; expected letters, digits, '_', '-' and '.'")
        self.name = name
        self.folder = home / "up" / name

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    @property
    def logs(self) -> Path:
        return self.runs / "machine"

    @property
    def is_default(self) -> bool:
        return self.name == DEFAULT_NAME

    @property
    def shown_name(self) -> str:
        return "the lab" if self.is_default else f"the lab {self.name}"

    # What it is

    def record(self) -> Record | None:
        """None if there is none."""
        try:
            values = json.loads((self.folder / "machine.json").read_text())
            parts = values["hardware"]
            kinds = {"accelerator": Accelerator(parts["accelerator"]), "clock": Clock(parts["clock"])}
            return Record(**{**values, "hardware": Hardware(**{**parts, **kinds})})
        except (OSError, ValueError, TypeError, KeyError):
            return None

    @property
    def is_up(self) -> bool:
        record = self.record()
        return record is not None and state(record) == "up"

    def write_record(self, record: Record) -> None:
        new = self.folder / "machine.json.new"
        new.write_text(json.dumps({**record._asdict(), "hardware": record.hardware._asdict()}))
        new.replace(self.folder / "machine.json")

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    # Sessions

    def take_session(self) -> tuple[socket.socket, int] | None:
        """A connection that nobody else has, and its lock, which ends with its descriptor; None if all are taken.

        Raises OSError if the machine has ended."""
        for index in range(SESSIONS):
            lock = self.lock(f"session{index}.lock")
            if lock is not None:
                return connect(self.folder, f"session{index}"), lock
        return None

    def lock(self, name: str) -> int | None:
        """None if another process has it."""
        lock = os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return None
        return lock

    def running_commands(self) -> int:
        """How many there are at this moment."""
        locks = [self.lock(f"session{index}.lock") for index in range(SESSIONS)]
        for lock in locks:
            if lock is not None:
                os.close(lock)
        return locks.count(None)


def connect(folder: Path, name: str) -> socket.socket:
    """To a socket by its folder's descriptor, because a socket's path has 107 bytes at most."""
    place = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(f"/proc/self/fd/{place}/{name}")
    except OSError:
        connection.close()
        raise
    finally:
        os.close(place)
    return connection


def all_labs(home: Path) -> list[PersistentLab]:
    folder = home / "up"
    names = sorted(entry.name for entry in folder.iterdir() if entry.is_dir()) if folder.is_dir() else []
    return [PersistentLab(home, name) for name in names if NAME.fullmatch(name)]


def start_time(process: int) -> int | None:
    """In ticks after the boot; None if there is no such process, or only what is left of it."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def is_alive(record: Record) -> bool:
    return start_time(record.leader) == record.began


def state(record: Record) -> str:
    if not is_alive(record):
        return "ended by itself"
    return "starting" if record.up_since is None else "up"


def ingredients(places: Places, kernel: Path) -> str:
    """Changes with all that a machine is made of when it starts, and cannot have afterwards."""
    digest = hashlib.sha256(str(kernel).encode())
    parts = (places.home / name for name in ("lab_agent", "lab_boot", "lab_daemon", "clock_keeper"))
    for file in [kernel, places.boot / "initramfs", *parts, *(GUEST / name for name in STARTS)]:
        if file.exists():
            status = file.stat()
            digest.update(f"{file} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def summary(lab: PersistentLab, now: float) -> dict[str, Any]:
    """What `lab status` prints."""
    record = lab.record()
    if record is None:
        return {"name": lab.name, "state": "starting"}
    values: dict[str, Any] = {"name": lab.name, "state": state(record)}
    parts = record.hardware
    values |= {"controllers": record.controllers, "bluez": record.bluez, "accelerator": parts.accelerator.value}
    values |= {"clock": parts.clock.value}
    if record.up_since is not None and is_alive(record):
        values |= {"up_for_s": round(now - record.up_since), "commands": lab.running_commands()}
    return values | {"logs": str(lab.logs)}
