"""What the command writes and reads, at the caller's end."""

import os
import select
import socket

from lab_tools.messages import write_all


class Output:
    """Passes bytes on as they come, or whole lines with a prefix where several commands share a terminal."""

    def __init__(self, descriptor: int, prefix: str) -> None:
        self.descriptor = descriptor
        self.prefix = prefix.encode()
        self.line = b""

    def add(self, data: bytes) -> None:
        if not self.prefix:
            write_all(self.descriptor, data)
            return
        *lines, self.line = (self.line + data).split(b"\n")
        for line in lines:
            write_all(self.descriptor, self.prefix + line + b"\n")

    def end(self) -> None:
        """Completes the last line."""
        if self.line:
            self.add(b"\n")


class Input:
    """Reads no more than the guest takes, so that a command that does not read its input cannot hold us up."""

    def __init__(self, poll: "select.poll", target: socket.socket, is_terminal: bool, source: int = 0) -> None:
        """`target`: where it goes; a terminal is read from there, too."""
        self.poll, self.target, self.is_terminal, self.source = poll, target, is_terminal, source
        self.pending = b""
        self.has_begun = False
        target.setblocking(False)

    def begin(self) -> None:
        """Starts once the command runs."""
        if not self.has_begun:
            self.has_begun = True
            self.poll.register(self.source, select.POLLIN)

    def read(self) -> None:
        try:
            self.pending = os.read(self.source, 4096)
        except OSError:
            self.pending = b""
        self.poll.unregister(self.source)
        if self.pending:
            self.flush()
        elif not self.is_terminal:
            self.target.shutdown(socket.SHUT_WR)

    def flush(self) -> None:
        try:
            self.pending = self.pending[self.target.send(self.pending) :]
        except BlockingIOError:
            pass
        except OSError:
            self.pending = b""
        output = select.POLLIN if self.is_terminal else 0
        self.poll.register(self.target, output | (select.POLLOUT if self.pending else 0))
        if not self.pending:
            self.poll.register(self.source, select.POLLIN)
