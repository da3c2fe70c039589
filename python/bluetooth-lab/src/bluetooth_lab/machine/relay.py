"""Sockets that lead to the ports of a machine in user-mode Linux, for one caller at a time each, as QEMU makes them."""

from __future__ import annotations

import contextlib
import selectors
import socket
from pathlib import Path

from bluetooth_lab.machine.frames import DISCONNECTED, MAXIMUM_CONTENT, FrameReader, frame

MOST = 1 << 16  # bytes at a time
ENOUGH = 1 << 18  # bytes that wait on one way; then no more are read for it


class Relay:
    """Between the machine's end of a port and whoever has connected to the socket.

    A serial line does not show that nobody is at its other end, so a frame says so to the agent. Only whole frames go
    to it: a caller may be killed in the middle of one. What the machine sends when nobody is there is dropped."""

    def __init__(self, selector: selectors.BaseSelector, path: Path, machine: socket.socket) -> None:
        self.selector = selector
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        self.machine = machine
        self.caller: socket.socket | None = None
        self.frames = FrameReader()
        self.to_machine = bytearray()
        self.to_caller = bytearray()
        for end in (self.listener, self.machine):
            end.setblocking(False)
        self.watch()

    def watch(self) -> None:
        """Waits for what there is to do now."""
        self.wait_for(self.listener, selectors.EVENT_READ if self.caller is None else 0, self.accept)
        reads = selectors.EVENT_READ if len(self.to_caller) < ENOUGH else 0
        self.wait_for(self.machine, reads | (selectors.EVENT_WRITE if self.to_machine else 0), self.serve_machine)
        if self.caller is not None:
            reads = selectors.EVENT_READ if len(self.to_machine) < ENOUGH else 0
            self.wait_for(self.caller, reads | (selectors.EVENT_WRITE if self.to_caller else 0), self.serve_caller)

    def wait_for(self, end: socket.socket, events: int, action: object) -> None:
        if end.fileno() < 0:
            return
        is_waiting = end.fileno() in self.selector.get_map()
        if events and is_waiting:
            self.selector.modify(end, events, action)
        elif events:
            self.selector.register(end, events, action)
        elif is_waiting:
            self.selector.unregister(end)

    def accept(self, _: int) -> None:
        with contextlib.suppress(OSError):  # disconnected already
            self.caller, _address = self.listener.accept()
            self.caller.setblocking(False)
            self.frames = FrameReader()
        self.watch()

    def serve_caller(self, events: int) -> None:
        caller = self.caller
        if caller is None:
            return
        try:
            if events & selectors.EVENT_WRITE:
                del self.to_caller[: caller.send(self.to_caller)]
            if events & selectors.EVENT_READ:
                self.take(caller.recv(MOST))
        except BlockingIOError:
            pass
        except OSError:
            self.drop_caller()
        self.watch()

    def take(self, data: bytes) -> None:
        """From the caller."""
        for kind, content in self.frames.add(data):
            self.to_machine += frame(kind, content)
        if not data or len(self.frames.rest) > MAXIMUM_CONTENT + MOST:  # or no caller of ours
            self.drop_caller()

    def drop_caller(self) -> None:
        if self.caller is None:
            return
        if self.caller.fileno() in self.selector.get_map():
            self.selector.unregister(self.caller)
        self.caller.close()
        self.caller = None
        self.to_caller.clear()
        self.to_machine += frame(DISCONNECTED)

    def serve_machine(self, events: int) -> None:
        try:
            if events & selectors.EVENT_WRITE:
                del self.to_machine[: self.machine.send(self.to_machine)]
            data = self.machine.recv(MOST) if events & selectors.EVENT_READ else None
        except BlockingIOError:
            data = None
        except OSError:
            data = b""
        if data and self.caller is not None:
            self.to_caller += data
        elif data == b"":
            self.close()
            return
        self.watch()

    def close(self) -> None:
        """The machine has ended. A caller that notices finds no listener."""
        for end in (self.listener, self.machine):
            if end.fileno() in self.selector.get_map():
                self.selector.unregister(end)
            end.close()
        self.drop_caller()
