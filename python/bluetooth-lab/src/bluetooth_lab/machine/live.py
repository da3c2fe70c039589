"""Shows the packets of a run to Wireshark while it goes on: what is captured is passed on as pcap, as it comes."""

from __future__ import annotations

import contextlib
import os
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

from bluetooth_lab.bundle.capture import EPOCH, FILE_HEADER, RECORD_HEADER
from bluetooth_lab.machine.calls import CAPTURE
from bluetooth_lab.messages import say

LINUX_MONITOR = 254  # pcap's link type for what the kernel's monitor channel gives
HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, LINUX_MONITOR)
PAUSE = 0.05  # seconds between looks at the capture
PIECE = 4096  # bytes that are written at once: Linux writes as many to a FIFO together


@contextlib.contextmanager
def live(out: Path, target: str | None) -> Iterator[None]:
    """While a command runs whose output is in the folder. Does nothing without a target."""
    if target is None:
        yield
        return
    passing = Live(out / CAPTURE, Path(target))
    try:
        yield
    finally:
        passing.finish()


class Live:
    """`capture`: the file that the run writes, in btsnoop; `target`: a file, or a FIFO whose reader may come later."""

    def __init__(self, capture: Path, target: Path) -> None:
        self.capture, self.target = capture, target
        self.is_over = threading.Event()
        self.written = 0
        # Nobody waits for a FIFO's reader that never comes.
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def finish(self, limit: float = 2) -> None:
        """Nothing more is captured: passes the rest on, as long as its reader takes some within so many seconds."""
        self.is_over.set()
        while True:
            written = self.written
            self.thread.join(limit)
            if not self.thread.is_alive() or self.written == written:
                return

    def run(self) -> None:
        try:
            with open(self.target, "wb", buffering=0) as output:
                self.write(output.fileno(), HEADER)
                self.pass_on(output.fileno())
        except BrokenPipeError:
            return  # the reader has left: the run goes on without
        except OSError as error:
            say(f"no packets are passed on to {self.target}: {error.strerror}")

    def write(self, output: int, data: bytes) -> None:
        view = memoryview(data)
        while view:
            count = os.write(output, view[:PIECE])
            self.written += count
            view = view[count:]

    def pass_on(self, output: int) -> None:
        position, rest, begun = 0, b"", False
        while True:
            was_over = self.is_over.is_set()
            data = read_from(self.capture, position)
            position += len(data)
            rest += data
            if not begun and len(rest) >= FILE_HEADER:
                rest, begun = rest[FILE_HEADER:], True
            if begun:
                packets, rest = packets_in(rest)
                self.write(output, packets)
            if data:
                continue
            if was_over:
                return
            self.is_over.wait(PAUSE)


def read_from(file: Path, position: int) -> bytes:
    """What is there from the position on."""
    try:
        with open(file, "rb") as opened:
            opened.seek(position)
            return opened.read(1 << 20)
    except OSError:
        return b""  # it is yet to be made


def packets_in(data: bytes) -> tuple[bytes, bytes]:
    """The complete records as pcap has them, and what is left."""
    parts, position = [], 0
    while position + RECORD_HEADER <= len(data):
        _, length, flags, _, moment = struct.unpack_from(">IIIIq", data, position)
        end = position + RECORD_HEADER + length
        if end > len(data):
            break
        seconds, microseconds = divmod(moment - EPOCH, 1_000_000)
        size = length + 4
        parts += [
            struct.pack("<IIII", seconds & 0xFFFFFFFF, microseconds, size, size),
            struct.pack(">HH", flags >> 16, flags & 0xFFFF),
            data[position + RECORD_HEADER : end],
        ]
        position = end
    return b"".join(parts), data[position:]
