"""What the command writes and reads, at the caller's end."""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from pathlib import Path

from bluetooth_lab.messages import write_all

MAXIMUM_INPUT = 1 << 14


class Output:
    """Passes bytes on as they come, or whole lines with a prefix where several commands share a terminal."""

    def __init__(self, descriptor: int, prefix: str, copy: Path | None = None) -> None:
        """`copy`: a file for the same bytes, without prefixes."""
        self.descriptor = descriptor
        self.prefix = prefix.encode()
        self.line = b""
        self.copy = open(copy, "wb", buffering=0) if copy else None  # noqa: SIM115 (closed at the end)

    def add(self, data: bytes) -> None:
        if self.copy:
            self.copy.write(data)
        self.show(data)

    def show(self, data: bytes) -> None:
        if not self.prefix:
            write_all(self.descriptor, data)
            return
        *lines, self.line = (self.line + data).split(b"\n")
        for line in lines:
            write_all(self.descriptor, self.prefix + line + b"\n")

    def end(self) -> None:
        """Completes the last line."""
        if self.line:
            self.show(b"\n")
        if self.copy:
            self.copy.close()


class Input:
    """Reads no more than the command takes, so that one that does not read its input cannot hold us up."""

    def __init__(self, poll: select.poll, send: Callable[[bytes, bytes], None], source: int = 0) -> None:
        """`send`: gets the kind and the content of a frame."""
        self.poll, self.send, self.source = poll, send, source

    def begin(self) -> None:
        """The command takes more."""
        self.poll.register(self.source, select.POLLIN)

    def read(self) -> None:
        self.poll.unregister(self.source)
        try:
            data = os.read(self.source, MAXIMUM_INPUT)
        except OSError:
            data = b""
        self.send(b"I", data)
