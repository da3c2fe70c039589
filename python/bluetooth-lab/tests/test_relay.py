"""Sockets for the ports of a machine in user-mode Linux, with this test at both ends."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bluetooth_lab.machine.frames import DISCONNECTED, HEADER, MAXIMUM_CONTENT, FrameReader, frame
from bluetooth_lab.machine.relay import ENOUGH, MOST, Relay

LIMIT = 20  # seconds for what takes milliseconds
DISCONNECTION = (DISCONNECTED, b"")


class Port:
    """The machine's end of a port, and callers at the other one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.machine, theirs = socket.socketpair()
        self.machine.settimeout(LIMIT)
        self.frames = FrameReader()
        self.received: list[tuple[bytes, bytes]] = []
        self.selector = selectors.DefaultSelector()
        self.waker, wake = socket.socketpair()
        self.selector.register(wake, selectors.EVENT_READ)
        self.relay = Relay(self.selector, path, theirs)
        self.thread = threading.Thread(target=self.serve, args=[wake])
        self.thread.start()

    def serve(self, wake: socket.socket) -> None:
        while True:
            for key, events in self.selector.select():
                if key.fileobj is wake:
                    return
                key.data(events)

    def call(self) -> socket.socket:
        caller = socket.socket(socket.AF_UNIX)
        caller.settimeout(LIMIT)
        caller.connect(str(self.path))
        return caller

    def receive(self) -> tuple[bytes, bytes]:
        """The machine's next frame."""
        while not self.received:
            self.received += self.frames.add(self.machine.recv(MOST))
        return self.received.pop(0)

    def close(self) -> None:
        self.waker.send(b"w")
        self.thread.join(LIMIT)
        assert not self.thread.is_alive()


@pytest.fixture
def port(tmp_path: Path) -> Iterator[Port]:
    port = Port(tmp_path / "session0")
    yield port
    port.close()


def test_what_both_say_gets_to_the_other(port: Port) -> None:
    with port.call() as caller:
        caller.sendall(frame(b"H", b"hello"))
        assert port.receive() == (b"H", b"hello")
        port.machine.sendall(frame(b"H", b"hello") + b"half a fra")
        expected = frame(b"H", b"hello") + b"half a fra"
        assert caller.recv(len(expected), socket.MSG_WAITALL) == expected


def test_the_machine_is_told_that_a_caller_has_left_and_gets_no_part_of_a_frame(port: Port) -> None:
    with port.call() as caller:
        caller.sendall(frame(b"I", b"whole") + frame(b"I", b"in part")[:-1])
    assert [port.receive(), port.receive()] == [(b"I", b"whole"), DISCONNECTION]
    with port.call() as caller:
        caller.sendall(frame(b"I", b"next"))
        assert port.receive() == (b"I", b"next")


def test_a_second_caller_waits_for_the_first_one(port: Port) -> None:
    with port.call() as first, port.call() as second:
        second.sendall(frame(b"H", b"second"))
        first.sendall(frame(b"H", b"first"))
        assert port.receive() == (b"H", b"first")
        first.close()
        assert [port.receive(), port.receive()] == [DISCONNECTION, (b"H", b"second")]


def test_what_the_machine_says_to_nobody_is_dropped(port: Port) -> None:
    port.machine.sendall(b"x" * (4 * ENOUGH))
    with port.call() as caller:
        caller.sendall(frame(b"H"))
        assert port.receive() == (b"H", b"")
        port.machine.sendall(b"end")
        data = b""
        while not data.endswith(b"end"):
            data += caller.recv(MOST)
        assert len(data) < ENOUGH


def test_a_caller_that_does_not_read_does_not_make_it_grow(port: Port) -> None:
    with port.call() as caller:
        caller.sendall(frame(b"H"))
        assert port.receive() == (b"H", b"")
        port.machine.settimeout(0.5)
        sent = 0
        with contextlib.suppress(TimeoutError):
            while sent < 100 * ENOUGH:
                sent += port.machine.send(b"x" * MOST)
        assert sent < 10 * ENOUGH and len(port.relay.to_caller) < ENOUGH + MOST


@pytest.mark.parametrize("length", [MAXIMUM_CONTENT + 2 * MOST, 0xFFFF_FFFF])
def test_a_caller_that_is_none_of_ours_is_left(port: Port, length: int) -> None:
    with port.call() as caller:
        with contextlib.suppress(OSError):
            caller.sendall(HEADER.pack(b"I", length) + bytes(MAXIMUM_CONTENT + 4 * MOST))
        assert port.receive() == DISCONNECTION
        with contextlib.suppress(ConnectionResetError):
            assert caller.recv(1) == b""


def test_callers_are_left_when_the_machine_ends(port: Port) -> None:
    with port.call() as caller:
        caller.sendall(frame(b"H"))
        assert port.receive() == (b"H", b"")
        port.machine.close()
        assert caller.recv(1) == b""
    with pytest.raises(ConnectionRefusedError):
        port.call()
