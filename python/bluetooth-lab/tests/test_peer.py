"""Commands of one host for others: the test is the other hosts, and lab-on."""

from __future__ import annotations

import os
import pty
import select
import socket
import subprocess
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from bluetooth_lab.peer import HEADER, frame
from bluetooth_lab.places import tool_command

LIMIT = 20  # seconds


class OtherHost:
    """The other end of the port, which is a terminal in raw mode here."""

    def __init__(self, folder: Path) -> None:
        self.descriptor, port = pty.openpty()
        tty.setraw(port)
        self.socket = folder / "peer.sock"
        self.process = subprocess.Popen([*tool_command("peer"), os.ttyname(port), str(self.socket)])
        self.folder = folder
        self.received = b""
        self.port = port

    def send(self, call: int, kind: bytes, content: bytes = b"") -> None:
        os.write(self.descriptor, frame(call, kind, content))

    def begin(self, call: int, *words: str) -> None:
        self.send(call, b"C", b"".join(os.fsencode(word) + b"\0" for word in (str(self.folder), *words)))

    def next(self) -> tuple[int, bytes, bytes]:
        self.received, found = take(self.received)
        deadline = time.monotonic() + LIMIT
        while found is None:
            assert select.select([self.descriptor], [], [], deadline - time.monotonic())[0], "no frame in time"
            self.received, found = take(self.received + os.read(self.descriptor, 4096))
        return found

    def result(self, call: int) -> tuple[bytes, bytes, int]:
        """Output, errors and exit status of a command."""
        streams = {b"O": b"", b"E": b""}
        while True:
            number, kind, content = self.next()
            assert number == call
            if kind == b"X":
                return streams[b"O"], streams[b"E"], int(content)
            streams[kind] += content

    def connect(self) -> socket.socket:
        """As lab-on does."""
        deadline = time.monotonic() + LIMIT
        while True:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(str(self.socket))
                connection.settimeout(LIMIT)
                return connection
            except OSError:
                connection.close()
                assert time.monotonic() < deadline
                time.sleep(0.01)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.descriptor)
        os.close(self.port)


def take(data: bytes) -> tuple[bytes, tuple[int, bytes, bytes] | None]:
    """The rest, and the first frame, if it is complete."""
    if len(data) < HEADER.size:
        return data, None
    call, kind, length = HEADER.unpack_from(data)
    end = HEADER.size + length
    return (data[end:], (call, kind, data[HEADER.size : end])) if len(data) >= end else (data, None)


@pytest.fixture
def other(tmp_path: Path) -> Iterator[OtherHost]:
    host = OtherHost(tmp_path)
    assert host.next() == (0, b"H", b""), "it says that it is there"
    host.connect().close()  # it listens
    assert host.next()[1:] == (b"S", b"15"), "a lab-on that has ended ends its command"
    yield host
    host.close()


def test_a_command_runs_in_its_folder_with_its_streams(other: OtherHost) -> None:
    other.begin(7, "sh", "-c", 'pwd; echo "$1" >&2; cat; exit 3', "x", "a  b")
    assert other.result(7) == (f"{other.folder}\n".encode(), b"a  b\n", 3)


def test_a_command_that_cannot_start_is_reported(other: OtherHost) -> None:
    other.begin(1, "no-such-program")
    output, errors, status = other.result(1)
    assert (output, status) == (b"", 127) and errors.startswith(b"lab-on: ")
    other.send(2, b"C", b"/nowhere\0true\0")
    assert other.result(2)[2] == 127


def test_a_frame_for_no_command_is_ignored(other: OtherHost) -> None:
    other.send(99, b"S", b"15")
    other.send(99, b"X", b"0")
    for content in (b"", b"/\0", b"/"):
        other.send(98, b"C", content)
        assert other.result(98)[2] == 127
    other.begin(3, "true")
    assert other.result(3) == (b"", b"", 0)


def test_signals_reach_a_command_and_its_children(other: OtherHost) -> None:
    other.begin(4, "sh", "-c", "echo here; sleep 60")
    assert other.next() == (4, b"O", b"here\n")
    other.send(4, b"S", b"15")
    assert other.result(4)[2] == 143


def test_a_call_of_lab_on_goes_to_the_other_host_and_its_answer_back(other: OtherHost) -> None:
    with other.connect() as caller:
        caller.sendall(frame(0, b"C", b"/\0true\0"))
        call, kind, content = other.next()
        assert (kind, content) == (b"C", b"/\0true\0")
        other.send(call, b"O", b"output")
        other.send(call, b"X", b"5")
        data = b""
        while len(data) < len(frame(0, b"O", b"output")) + len(frame(0, b"X", b"5")):
            data += caller.recv(100)
        rest, first = take(data)
        assert first and first[1:] == (b"O", b"output") and take(rest)[1] == (call, b"X", b"5")


def test_a_greeting_is_answered(other: OtherHost) -> None:
    """What came before the other host's line was open is noticed with the answer."""
    other.send(0, b"H")
    assert other.next() == (0, b"h", b"")
    other.send(0, b"h")
    other.begin(1, "true")
    assert other.result(1) == (b"", b"", 0)


def test_each_of_several_hosts_has_its_own_socket_and_ends_by_itself(tmp_path: Path) -> None:
    ports = [pty.openpty() for _ in range(2)]
    words = []
    for index, (_, port) in enumerate(ports):
        tty.setraw(port)
        words += [os.ttyname(port), str(tmp_path / str(index))]
    process = subprocess.Popen([*tool_command("peer"), *words])
    for index, (ours, port) in enumerate(ports):
        assert os.read(ours, HEADER.size) == frame(0, b"H")
        os.write(ours, frame(index, b"C", b"/\0true\0"))
        assert select.select([ours], [], [], LIMIT)[0], "the command ended"
        assert os.read(ours, 100) == frame(index, b"X", b"0")
        os.close(ours)  # that host has ended
        os.close(port)
    assert process.wait(LIMIT) == 0
