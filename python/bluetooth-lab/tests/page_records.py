"""Records for tests of their page, made by hand: two controllers, a link, a write, and a failure."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from bluetooth_lab.bundle.capture import EPOCH, MAGIC, USER_LOGGING
from bluetooth_lab.bundle.timeline import text_of, timeline

START = 1795285375.0  # 2026-11-21 18:22:55 UTC
NEW_INDEX, COMMAND, EVENT, ACL_OUT, ACL_IN = 0, 2, 3, 4, 5
SENSOR, CENTRAL = "00:AA:01:00:00:00", "00:AA:01:01:00:01"
MARKUP = "<img src=x onerror=document.title='run'></script><b>Belt</b>"
DEVICE = "/org/bluez/hci1/dev_00_AA_01_00_00_00"
HANDLE = 42


def raw_address(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))[::-1]


def connection_complete(role: int, peer: str) -> bytes:
    content = struct.pack("<BBHBB6sHHHB", 1, 0, HANDLE, role, 0, raw_address(peer), 24, 0, 42, 0)
    return bytes([0x3E, len(content)]) + content


def advertising_report(name: bytes) -> bytes:
    data = bytes([len(name) + 1, 9]) + name
    content = bytes([2, 1, 0, 0]) + raw_address(SENSOR) + bytes([len(data)]) + data + b"\x7f"
    return bytes([0x3E, len(content)]) + content


def att(pdu: bytes, is_first: bool = True) -> bytes:
    """ACL data with a whole PDU."""
    frame = struct.pack("<HH", len(pdu), 4) + pdu
    return struct.pack("<HH", HANDLE | (0 if is_first else 0x1000), len(frame)) + frame


class RecordFolder:
    """The folder of a failed test, as lab-bundle leaves it."""

    def __init__(self, folder: Path, title: str = "Suite.aTest", status: str = "failed") -> None:
        self.folder = folder
        self.title, self.status = title, status
        self.packets: list[bytes] = []
        self.bus: list[str] = []
        self.lines: list[tuple[float, str, str]] = []
        self.end = 0.0

    def packet(self, seconds: float, controller: int, kind: int, content: bytes) -> None:
        moment = round((START + seconds) * 1e6) + EPOCH
        header = struct.pack(">IIIIq", len(content), len(content), controller << 16 | kind, 0, moment)
        self.packets.append(header + content)
        self.end = max(self.end, seconds)

    def note(self, seconds: float, program: str, text: str) -> None:
        name = program.encode() + b"\0"
        self.packet(seconds, 0xFFFF, USER_LOGGING, bytes([6, len(name)]) + name + text.encode() + b"\0")

    def message(self, seconds: float, headline: str, *content: str) -> None:
        """`headline`: with `@` instead of the time."""
        self.bus.append(f"{text_of(START + seconds)}  {headline.replace('@', f'time={START + seconds:.6f}')}\n")
        self.bus += [f"   {line}\n" for line in content]
        self.end = max(self.end, seconds)

    def line(self, seconds: float, source: str, text: str) -> None:
        self.lines.append((START + seconds, source, text))
        self.end = max(self.end, seconds)

    def write(self, issues: Sequence[str] = ("Test.swift:7: it failed",)) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "hci.btsnoop").write_bytes(MAGIC + struct.pack(">II", 1, 2001) + b"".join(self.packets))
        (self.folder / "bus.log").write_text("".join(self.bus))
        (self.folder / "app.log").write_text(timeline(sorted(self.lines)))
        span = f"from {text_of(START)} to {text_of(START + self.end + 1)} UTC"
        text = [f"{self.title} {self.status}", span, "", *issues, "", "hci0, powered: true", ""]
        (self.folder / "summary.txt").write_text("\n".join(text))
        return self.folder


def add_link(record: RecordFolder) -> None:
    """Two controllers, a sensor whose name is markup, and a link between them."""
    for controller, address in enumerate((SENSOR, CENTRAL)):
        content = bytes([0, 0]) + raw_address(address) + f"hci{controller}".encode().ljust(8, b"\0")
        record.packet(0.001, controller, NEW_INDEX, content)
    record.line(0.01, "test", f"{record.title} begins")
    record.packet(0.1, 1, COMMAND, bytes.fromhex("0c20020101"))
    record.packet(0.2, 1, EVENT, advertising_report(MARKUP.encode()))
    record.message(
        0.21,
        "signal @ sender=:1.0 -> destination=(null destination) serial=3 path=/; "
        "interface=org.freedesktop.DBus.ObjectManager; member=InterfacesAdded",
        f'object path "{DEVICE}"',
        f'   string "Name"\n         variant             string "{MARKUP}"',
    )
    record.message(
        0.3,
        f"method call @ sender=:1.7 -> destination=org.bluez serial=8 path={DEVICE}; "
        "interface=org.bluez.Device1; member=Connect",
    )
    record.packet(0.4, 1, EVENT, connection_complete(0, SENSOR))
    record.packet(0.41, 0, EVENT, connection_complete(1, CENTRAL))
    record.note(0.42, "bluetoothd", f"src/device.c:connect() {SENSOR}")
    record.message(0.5, "method return @ sender=:1.0 -> destination=:1.7 serial=4 reply_serial=8")


def add_write(record: RecordFolder, seconds: float = 1.0) -> None:
    """WriteValue of a program's, and what it leads to at both ends of the link."""
    path = f"{DEVICE}/service0010/char0011"
    record.message(
        seconds,
        f"method call @ sender=:1.7 -> destination=org.bluez serial=9 path={path}; "
        "interface=org.bluez.GattCharacteristic1; member=WriteValue",
        "array of bytes [",
        "   02 03",
        "]",
    )
    request, response = bytes.fromhex("1212000203"), b"\x13"
    record.packet(seconds + 0.01, 1, ACL_OUT, att(request))
    record.packet(seconds + 0.02, 0, ACL_IN, att(request))
    record.note(seconds + 0.025, "bluetoothd", "src/shared/gatt-server.c:write_cb() handle: 0x0012")
    record.packet(seconds + 0.03, 0, ACL_OUT, att(response))
    record.packet(seconds + 0.04, 1, ACL_IN, att(response))
    record.message(seconds + 0.05, "method return @ sender=:1.0 -> destination=:1.7 serial=5 reply_serial=9")


def failed_test(folder: Path) -> Path:
    record = RecordFolder(folder, f"Suite.aTest[{MARKUP}]")
    add_link(record)
    add_write(record)
    record.line(1.2, "dittojay[12]", f'{{"event":"written","name":"{MARKUP}"}}')
    record.line(1.5, "test", "failure: Test.swift:7: it failed")
    return record.write()


def passed_test(folder: Path) -> Path:
    """The same, with a notification after the write, and by another process."""
    record = RecordFolder(folder, "Suite.aTest", "passed")
    add_link(record)
    add_write(record, 1.3)
    notification = bytes.fromhex("1b1200") + b"hello"
    record.packet(1.7, 0, ACL_OUT, att(notification))
    record.packet(1.8, 1, ACL_IN, att(notification))
    record.line(1.9, "dittojay[77]", f'{{"event":"written","name":"{MARKUP}"}}')
    return record.write(())


def huge_record(folder: Path, count: int) -> Path:
    """`count` events, two packets for each message and line."""
    record = RecordFolder(folder, "Suite.flood")
    add_link(record)
    headline = (
        "signal @ sender=:1.0 -> destination=(null destination) serial=5 "
        f"path={DEVICE}/service0010/char0011; interface=org.freedesktop.DBus.Properties; member=PropertiesChanged"
    )
    value = (
        'string "org.bluez.GattCharacteristic1"',
        'string "Value"',
        "   variant   array of bytes [",
        "  16 48",
        "]",
    )
    for index in range(count // 4):
        seconds = 1 + index * 0.004
        notification = bytes.fromhex("1b1200") + index.to_bytes(4, "little")
        record.packet(seconds, 0, ACL_OUT, att(notification))
        record.packet(seconds + 0.001, 1, ACL_IN, att(notification))
        record.message(seconds + 0.002, headline, *value)
        record.line(seconds + 0.003, "dittojay[12]", f'{{"event":"value","number":{index}}}')
    record.line(record.end, "test", "failure: Test.swift:7: too slow")
    return record.write()
