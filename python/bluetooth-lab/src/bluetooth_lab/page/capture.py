"""The page of a capture that was made elsewhere: btsnoop of any kind, Apple's PacketLogger, pcap and pcapng with HCI.

All become what the viewer reads: btsnoop as the kernel's monitor channel gives it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.bundle.capture import EPOCH, FILE_HEADER, MAGIC, RECORD_HEADER
from bluetooth_lab.page.assemble import page
from bluetooth_lab.page.record import Record

MAXIMUM_SIZE = 64 << 20  # bytes: a page holds all of it
HCI_H1, HCI_H4, MONITOR = 1001, 1002, 2001  # datalinks of btsnoop
PCAP_H4, PCAP_H4_WITH_DIRECTION, PCAP_MONITOR = 187, 201, 254  # link types of pcap
PCAP_MAGIC = {0xA1B2C3D4: 1_000_000, 0xA1B23C4D: 1_000_000_000}  # with the units of a second
PCAPNG_MAGIC = 0x0A0D0D0A
NEW_INDEX, COMMAND, EVENT, ACL_SENT, ACL_RECEIVED = 0, 2, 3, 4, 5  # opcodes of the monitor
SCO_SENT, ISO_SENT = 6, 18
# The opcode of each H4 type that the host sends; what it receives has the next one.
SENT = {2: ACL_SENT, 3: SCO_SENT, 5: ISO_SENT}
PACKET_LOGGER = {0: COMMAND, 1: EVENT, 2: ACL_SENT, 3: ACL_RECEIVED, 8: SCO_SENT, 9: SCO_SENT + 1}
CONTROLLER = struct.pack("BB6s8s", 0, 0, bytes(6), b"hci0")


class Packet(NamedTuple):
    """`time`: in microseconds since 1970; `opcode`: the monitor's."""

    time: int
    opcode: int
    content: bytes


def is_capture(head: bytes) -> bool:
    """By its first bytes. (PacketLogger's files have no mark: they are known by their name.)"""
    number = int.from_bytes(head[:4], "little"), int.from_bytes(head[:4], "big")
    return head.startswith(MAGIC) or any(word in PCAP_MAGIC or word == PCAPNG_MAGIC for word in number)


def write_capture_page(file: Path, target: Path | None = None) -> Path:
    """Writes the page, beside the capture if it is not said where, and returns its path. Raises OSError, or ValueError
    with what is wrong."""
    if file.stat().st_size > MAXIMUM_SIZE:
        raise ValueError(f"{file} is too large for a page: limit {MAXIMUM_SIZE >> 20} MB")
    data = file.read_bytes()
    packets = list(packets_of(data))
    if not packets:
        raise ValueError(f"no HCI packets in {file}")
    content = data if is_monitor(data) else monitor_capture(packets)
    about = {"title": file.name, "status": "", "start": packets[0].time / 1e6, "end": packets[-1].time / 1e6}
    target = target or file.with_suffix(".html")
    target.write_text(page(Record(about, {"hci.btsnoop": content})))
    return target


def is_monitor(data: bytes) -> bool:
    return data.startswith(MAGIC) and data[12:16] == MONITOR.to_bytes(4, "big")


def monitor_capture(packets: list[Packet]) -> bytes:
    parts = [MAGIC, struct.pack(">II", 1, MONITOR)]
    for time, opcode, content in [Packet(packets[0].time, NEW_INDEX, CONTROLLER), *packets]:
        parts += [struct.pack(">IIIIq", len(content), len(content), opcode, 0, time + EPOCH), content]
    return b"".join(parts)


def packets_of(data: bytes) -> Iterator[Packet]:
    """As far as they are complete. Raises ValueError if the file is none of these, or has no HCI."""
    if data.startswith(MAGIC):
        return btsnoop_packets(data)
    for order in ("<", ">"):
        if len(data) < 24:
            break
        magic = struct.unpack_from(f"{order}I", data)[0]
        if magic in PCAP_MAGIC:
            return pcap_packets(data, order, PCAP_MAGIC[magic])
    if data[:4] == PCAPNG_MAGIC.to_bytes(4, "big"):
        return pcapng_packets(data)
    return packet_logger_packets(data)


# Formats


def btsnoop_packets(data: bytes) -> Iterator[Packet]:
    datalink = int.from_bytes(data[12:16], "big")
    if datalink not in (HCI_H1, HCI_H4, MONITOR):
        raise ValueError(f"btsnoop's datalink {datalink} has no HCI")
    position, direction = FILE_HEADER, Direction()
    while position + RECORD_HEADER <= len(data):
        _, length, flags, _, moment = struct.unpack_from(">IIIIq", data, position)
        begin, position = position + RECORD_HEADER, position + RECORD_HEADER + length
        content = data[begin:position]
        if len(content) < length:
            return
        time = moment - EPOCH
        if datalink == MONITOR:
            yield Packet(time, flags & 0xFFFF, content)
        elif datalink == HCI_H1:
            kind = (4 if flags & 1 else 1) if flags & 2 else 2
            yield from direction.packet(time, kind, content, bool(flags & 1))
        elif content:
            yield from direction.packet(time, content[0], content[1:], bool(flags & 1))


def pcap_packets(data: bytes, order: str, units: int) -> Iterator[Packet]:
    link = struct.unpack_from(f"{order}I", data, 20)[0] & 0xFFFF
    check_link(link)
    position, direction = 24, Direction()
    while position + 16 <= len(data):
        seconds, fraction, length, _ = struct.unpack_from(f"{order}IIII", data, position)
        begin, position = position + 16, position + 16 + length
        if position > len(data):
            return
        yield from link_packet(
            seconds * 1_000_000 + fraction * 1_000_000 // units, link, data[begin:position], direction
        )


def pcapng_packets(data: bytes) -> Iterator[Packet]:
    position, order, direction = 0, "<", Direction()
    links: list[tuple[int, int]] = []  # the link type of each interface, and its units of a second
    while position + 12 <= len(data):
        if data[position : position + 4] == PCAPNG_MAGIC.to_bytes(4, "big"):
            order = "<" if data[position + 8 : position + 12] == bytes.fromhex("4d3c2b1a") else ">"
            links = []
        kind, length = struct.unpack_from(f"{order}II", data, position)
        if length < 12 or length % 4 or position + length > len(data):
            return
        body = data[position + 8 : position + length - 4]
        position += length
        if kind == 1 and len(body) >= 8:  # Interface Description Block
            link = struct.unpack_from(f"{order}H", body)[0]
            check_link(link)
            links.append((link, units_of(body[8:], order)))
        elif kind == 6 and len(body) >= 20:  # Enhanced Packet Block
            interface, high, low, captured, _ = struct.unpack_from(f"{order}IIIII", body)
            if interface < len(links) and 20 + captured <= len(body):
                link, units = links[interface]
                time = (high << 32 | low) * 1_000_000 // units
                yield from link_packet(time, link, body[20 : 20 + captured], direction)


def units_of(options: bytes, order: str) -> int:
    """The units of a second that an interface's time stamps are in (if_tsresol)."""
    position = 0
    while position + 4 <= len(options):
        code, length = struct.unpack_from(f"{order}HH", options, position)
        value = options[position + 4 : position + 4 + length]
        if code == 9 and len(value) == 1:
            base, exponent = (2 if value[0] & 0x80 else 10), value[0] & 0x7F
            return int(base ** min(exponent, 60))
        position += 4 + (length + 3) // 4 * 4
    return 1_000_000


def packet_logger_packets(data: bytes) -> Iterator[Packet]:
    """Apple's: the length of the rest, seconds, microseconds and a kind before each packet, all in one byte order."""
    order = ">" if int.from_bytes(data[:4], "big") <= 1 << 16 else "<"
    position, has_some = 0, False
    while position + 13 <= len(data):
        length, seconds, microseconds, kind = struct.unpack_from(f"{order}IIIB", data, position)
        if length < 9 or position + 4 + length > len(data):
            break
        content = data[position + 13 : position + 4 + length]
        position += 4 + length
        if kind in PACKET_LOGGER:
            has_some = True
            yield Packet(seconds * 1_000_000 + microseconds, PACKET_LOGGER[kind], content)
    if not has_some:
        raise ValueError("expected a capture: btsnoop, PacketLogger, pcap or pcapng with HCI packets")


def check_link(link: int) -> None:
    if link not in (PCAP_H4, PCAP_H4_WITH_DIRECTION, PCAP_MONITOR):
        raise ValueError(f"link type {link} has no HCI; for link-layer captures, see dittojay import")


def link_packet(time: int, link: int, content: bytes, direction: Direction) -> Iterator[Packet]:
    if link == PCAP_MONITOR:
        if len(content) >= 4:
            yield Packet(time, int.from_bytes(content[2:4], "big"), content[4:])
    elif link == PCAP_H4_WITH_DIRECTION:
        if len(content) > 4:
            yield from direction.packet(time, content[4], content[5:], bool(content[3] & 1))
    elif content:
        yield from direction.packet(time, content[0], content[1:], None)


class Direction:
    """Who has sent a packet, where the capture does not say."""

    def __init__(self) -> None:
        self.is_received: dict[int, bool] = {}  # by the connection's handle

    def packet(self, time: int, kind: int, content: bytes, is_received: bool | None) -> Iterator[Packet]:
        """`kind`: H4's. What is none of HCI is left out."""
        if kind in (1, 4):
            yield Packet(time, COMMAND if kind == 1 else EVENT, content)
        elif kind in SENT:
            if is_received is None:
                is_received = self.guess(content)
            yield Packet(time, SENT[kind] + is_received, content)

    def guess(self, content: bytes) -> bool:
        """By the boundary flag: only a controller marks a first fragment with 2 (Core Specification, Vol 4, Part E,
        5.4.2), and a later one follows its first."""
        word = int.from_bytes(content[:2], "little")
        handle, boundary = word & 0xFFF, word >> 12 & 3
        if boundary != 1:
            self.is_received[handle] = boundary == 2
        return self.is_received.get(handle, False)
