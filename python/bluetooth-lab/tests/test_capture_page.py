"""Captures of all kinds as what the page's viewer reads."""

from __future__ import annotations

import contextlib
import random
import struct
from pathlib import Path

import pytest

from bluetooth_lab.bundle.capture import EPOCH, MAGIC, capture_records
from bluetooth_lab.page.capture import Packet, is_capture, is_monitor, monitor_capture, packets_of, write_capture_page
from bluetooth_lab.page.command import make

COMMAND, EVENT, SENT, RECEIVED = (
    b"\x03\x0c\x00",
    b"\x0e\x04\x01\x03\x0c\x00",
    b"\x40\x00\x01\x00a",
    b"\x40\x20\x01\x00b",
)
EXPECTED = [(2, COMMAND), (3, EVENT), (4, SENT), (5, RECEIVED)]
H4 = [b"\x01" + COMMAND, b"\x04" + EVENT, b"\x02" + SENT, b"\x02" + RECEIVED]
TIME = 1_700_000_000_000_000  # microseconds


def btsnoop(datalink: int, records: list[tuple[int, bytes]]) -> bytes:
    parts = [MAGIC, struct.pack(">II", 1, datalink)]
    for flags, content in records:
        parts += [struct.pack(">IIIIq", len(content), len(content), flags, 0, TIME + EPOCH), content]
    return b"".join(parts)


def pcap(link: int, contents: list[bytes], order: str = "<", magic: int = 0xA1B2C3D4) -> bytes:
    parts = [struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, link)]
    fraction = 0
    for content in contents:
        parts += [struct.pack(f"{order}IIII", TIME // 10**6, fraction, len(content), len(content)), content]
    return b"".join(parts)


def block(kind: int, body: bytes, order: str) -> bytes:
    body += bytes(-len(body) % 4)
    length = struct.pack(f"{order}I", len(body) + 12)
    return struct.pack(f"{order}I", kind) + length + body + length


def pcapng(link: int, contents: list[bytes], order: str = "<") -> bytes:
    options = struct.pack(f"{order}HHB3x", 9, 1, 9)  # nanoseconds
    parts = [
        block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1), order),
        block(1, struct.pack(f"{order}HHI", link, 0, 0) + options, order),
    ]
    time = TIME * 1000
    for content in contents:
        head = struct.pack(f"{order}IIIII", 0, time >> 32, time & 0xFFFFFFFF, len(content), len(content))
        parts.append(block(6, head + content, order))
    return b"".join(parts)


def packet_logger(order: str) -> bytes:
    kinds = zip((0, 1, 2, 3, 0xFC), [COMMAND, EVENT, SENT, RECEIVED, b"a note"])
    return b"".join(
        struct.pack(f"{order}IIIB", len(content) + 9, TIME // 10**6, 0, kind) + content for kind, content in kinds
    )


DIRECTED = [b"\0\0\0\0" + H4[0], b"\0\0\0\1" + H4[1], b"\0\0\0\0" + H4[2], b"\0\0\0\1" + H4[3]]
FILES = {
    "H1": btsnoop(1001, [(2, COMMAND), (3, EVENT), (0, SENT), (1, RECEIVED)]),
    "H4": btsnoop(1002, [(2, H4[0]), (3, H4[1]), (0, H4[2]), (1, H4[3])]),
    "monitor": btsnoop(2001, EXPECTED),
    "pcap": pcap(187, H4),
    "pcap, big-endian": pcap(201, DIRECTED, ">"),
    "pcap, nanoseconds": pcap(201, DIRECTED, magic=0xA1B23C4D),
    "pcap of the monitor": pcap(254, [struct.pack(">HH", 0, opcode) + content for opcode, content in EXPECTED]),
    "pcapng": pcapng(201, DIRECTED),
    "pcapng, big-endian": pcapng(187, H4, ">"),
    "PacketLogger": packet_logger("<"),
    "PacketLogger, big-endian": packet_logger(">"),
}


@pytest.mark.parametrize("data", FILES.values(), ids=FILES.keys())
def test_packets_are_the_same_whatever_the_format(data: bytes) -> None:
    assert list(packets_of(data)) == [Packet(TIME, *expected) for expected in EXPECTED]


@pytest.mark.parametrize("data", FILES.values(), ids=FILES.keys())
def test_a_file_that_is_cut_off_or_damaged_gives_what_is_left(data: bytes) -> None:
    for length in range(len(data)):
        read_all(data[:length])
    chance = random.Random(1)
    for _ in range(500):
        damaged = bytearray(data)
        for _ in range(chance.randrange(1, 6)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        read_all(bytes(damaged))


def read_all(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        list(packets_of(data))


def test_the_viewer_gets_a_controller_and_the_packets() -> None:
    written = monitor_capture(list(packets_of(FILES["H4"])))
    assert is_monitor(written) and is_capture(written[:8])
    records = list(capture_records(written))
    assert [record.kind for record in records] == [0, 2, 3, 4, 5]
    assert {round(record.time * 1e6) for record in records} == {TIME}


def test_a_page_is_made_of_a_capture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "phone.pklg"
    file.write_bytes(FILES["PacketLogger"])
    assert make(file, None, None) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'phone.html'}\n"
    assert 'data-file="hci.btsnoop"' in (tmp_path / "phone.html").read_text()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (btsnoop(1003, []), "datalink 1003 has no HCI"),
        (pcap(251, []), "link type 251 has no HCI"),
        (btsnoop(1002, []), "no HCI packets in"),
    ],
)
def test_a_capture_without_hci_is_refused(data: bytes, text: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(ValueError, match=text):
        write_capture_page(tmp_path / "x")
