"""The recorders' files (guest/bin/lab-record), and waiting until they are complete."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import subprocess
import time
from pathlib import Path

RECORD = Path(os.environ.get("LAB_RUN") or "/run/lab") / "record"
CAPTURE = RECORD / "hci.btsnoop"
BUS_TRACE = RECORD / "bus.log"
AIR = RECORD / "air.jsonl"
CATCH_UP_LIMIT = 30  # seconds

BLUETOOTH_FAMILY, HCI_PROTOCOL, NO_CONTROLLER, LOGGING_CHANNEL = 31, 1, 0xFFFF, 4
INFORMATIONAL = 6
LONGEST_NOTE = 500  # bytes


def content_of(path: str | Path, offset: int = 0) -> bytes:
    """Nothing when it cannot be read."""
    try:
        with open(path, "rb") as file:
            file.seek(offset)
            return file.read()
    except OSError:
        return b""


def write_note(text: str) -> bool:
    """Writes a note on the kernel's logging channel, where bluetoothd writes its log, too: between the packets.

    False when there is no channel, which takes the capability CAP_NET_ADMIN."""
    identity = b"BluetoothLab\0"
    address = struct.pack("=HHH", BLUETOOTH_FAMILY, NO_CONTROLLER, LOGGING_CHANNEL)  # struct sockaddr_hci
    content = bytes([INFORMATIONAL, len(identity)]) + identity + text.encode()[:LONGEST_NOTE] + b"\0"
    try:
        with socket.socket(BLUETOOTH_FAMILY, socket.SOCK_RAW, HCI_PROTOCOL) as channel:
            # Python has no form of this address.
            if ctypes.CDLL(None).bind(channel.fileno(), address, len(address)) != 0:
                return False
            os.write(channel.fileno(), struct.pack("<HHH", 0, NO_CONTROLLER, len(content)) + content)
            return True
    except OSError:
        return False


def catch_up() -> list[str]:
    """Waits until the recorders have written all that has happened, by letting something happen that they show.

    Returns the names of those that have not in time."""
    if os.environ.get("LAB_RECORD") == "0":
        return []
    mark = f"mark-{os.urandom(4).hex()}"
    awaited = {path: path.stat().st_size if path.exists() else 0 for path in (BUS_TRACE, CAPTURE)}
    if not write_note(mark):
        del awaited[CAPTURE]
    # The bus driver answers any question; this one is about the mark.
    question = ["--dest=org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.NameHasOwner"]
    subprocess.run(
        ["dbus-send", "--system", "--print-reply", *question, f"string:bluetooth.lab.{mark}"],
        stdout=subprocess.DEVNULL,
        check=False,
    )
    missing = [] if catch_up_with_radio() else [AIR.name]
    deadline = time.monotonic() + CATCH_UP_LIMIT
    while awaited and time.monotonic() < deadline:
        for path, offset in list(awaited.items()):
            if mark.encode() in content_of(path, offset):
                del awaited[path]
        if awaited:
            time.sleep(0.02)
    return [*missing, *(path.name for path in awaited)]


def catch_up_with_radio() -> bool:
    """The radio writes what it has to its recordings before it answers anything."""
    if not AIR.exists():
        return True
    try:
        done = subprocess.run(["virtual-radio", "status"], capture_output=True, timeout=CATCH_UP_LIMIT, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
