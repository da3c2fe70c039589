"""Packets that are passed on while they are captured."""

from __future__ import annotations

import os
import struct
import threading
import time
from pathlib import Path

import pytest

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


def test_a_slow_reader_gets_all_of_it(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    content = b"x" * 1000
    (tmp_path / "capture").write_bytes(MAGIC + struct.pack(">II", 1, 2001) + record(2, content) * 200)
    passing = Live(tmp_path / "capture", fifo)
    end = threading.Thread(target=passing.finish, args=(0.2,))
    got = b""
    with open(fifo, "rb", buffering=0) as reader:
        end.start()
        while part := reader.read(16_384):
            got += part
            time.sleep(0.1)
        end.join(10)
    assert [packet.content for packet in packets_of(got)] == [content] * 200


def test_a_reader_that_stops_holds_nothing_up(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    (tmp_path / "capture").write_bytes(MAGIC + struct.pack(">II", 1, 2001) + record(2, b"x" * 1000) * 200)
    passing = Live(tmp_path / "capture", fifo)
    with open(fifo, "rb", buffering=0) as reader:
        assert reader.read(len(HEADER)) == HEADER
        passing.finish(0.1)
        assert passing.thread.is_alive()
    passing.thread.join(10)
    assert not passing.thread.is_alive()


def test_packets_that_cannot_be_passed_on_are_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "missing" / "file"
    with live(tmp_path, str(target)):
        pass
    assert capfd.readouterr().err == f"lab: no packets are passed on to {target}: No such file or directory\n"


def test_a_reader_that_never_comes_or_leaves_holds_nothing_up(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    Live(tmp_path / "capture", fifo).finish(0.1)
    (tmp_path / "capture.btsnoop").write_bytes(MAGIC + struct.pack(">II", 1, 2001) + record(2, b"x") * 100_000)
    with live(tmp_path, str(fifo)):
        os.close(os.open(fifo, os.O_RDONLY))
    with live(tmp_path, None):
        pass
