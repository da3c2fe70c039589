"""Packets that are passed on while they are captured."""

from __future__ import annotations

import os
import struct
import threading
from pathlib import Path

from bluetooth_lab.bundle.capture import EPOCH, MAGIC
from bluetooth_lab.machine.live import HEADER, Live, live
from bluetooth_lab.page.capture import Packet, packets_of

TIME = 1_700_000_000_000_001


def record(opcode: int, content: bytes) -> bytes:
    return struct.pack(">IIIIq", len(content), len(content), 1 << 16 | opcode, 0, TIME + EPOCH) + content


def test_packets_come_while_the_capture_grows_whole_and_in_order(tmp_path: Path) -> None:
    capture, fifo = tmp_path / "capture", tmp_path / "fifo"
    os.mkfifo(fifo)
    passing = Live(capture, fifo)
    with open(fifo, "rb", buffering=0) as reader, open(capture, "wb", buffering=0) as writer:
        writer.write(MAGIC + struct.pack(">II", 1, 2001) + record(2, b"first")[:30])
        got = reader.read(len(HEADER))
        writer.write(record(2, b"first")[30:])
        got += reader.read(16 + 4 + 5)
        assert list(packets_of(got)) == [Packet(TIME, 2, b"first")]
        writer.write(b"".join(record(3, b"%d" % number) for number in range(2000)))
        rest: list[bytes] = []
        thread = threading.Thread(target=lambda: rest.append(reader.readall()))
        thread.start()
        passing.finish()
        thread.join(10)
    contents = [packet.content for packet in packets_of(got + rest[0])]
    assert contents == [b"first", *(b"%d" % number for number in range(2000))]


def test_a_reader_that_never_comes_or_leaves_holds_nothing_up(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    Live(tmp_path / "capture", fifo).finish(0.1)
    (tmp_path / "capture.btsnoop").write_bytes(MAGIC + struct.pack(">II", 1, 2001) + record(2, b"x") * 100_000)
    with live(tmp_path, str(fifo)):
        os.close(os.open(fifo, os.O_RDONLY))
    with live(tmp_path, str(tmp_path / "missing" / "file")):
        pass
    with live(tmp_path, None):
        pass
