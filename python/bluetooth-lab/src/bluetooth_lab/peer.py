"""Runs commands for the lab's other hosts (lab_on.c), and hands this host's own such calls to them.

usage: peer PORT SOCKET [PORT SOCKET…]

For each other host, PORT is the virtio port that both have, and SOCKET is where lab-on finds this process.

Frames go over the port, and over the socket to each lab-on: the call's number, a letter, the length, the content. To
the host that runs the command: C (begin: the folder and the words, each followed by a NUL) and S (a signal's number);
to the one that asked: O and E (what it wrote to standard output and error) and X (its exit status). H and h (that one
is there, and the answer) ask for nothing: a serial line of a machine in user-mode Linux does not notice what came
before it was opened until more comes."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
import struct
import subprocess
from collections.abc import Callable
from typing import IO

HEADER = struct.Struct("!IcI")
LAB_FAILED = 125
OnFrame = Callable[[int, bytes, bytes], None]  # call, kind, content


def frame(call: int, kind: bytes, content: bytes = b"") -> bytes:
    return HEADER.pack(call, kind, len(content)) + content


class Stream:
    """A descriptor that frames come from and go to, neither of which can hold the others up."""

    def __init__(
        self, loop: selectors.BaseSelector, descriptor: int, on_frame: OnFrame, on_end: Callable[[], None]
    ) -> None:
        self.loop, self.descriptor, self.on_frame, self.on_end = loop, descriptor, on_frame, on_end
        self.received, self.waiting, self.has_ended = b"", bytearray(), False
        os.set_blocking(descriptor, False)
        loop.register(descriptor, selectors.EVENT_READ, self.work)

    def send(self, data: bytes) -> None:
        self.waiting += data
        self.flush()

    def flush(self) -> None:
        try:
            while self.waiting and not self.has_ended:
                del self.waiting[: os.write(self.descriptor, self.waiting)]
        except BlockingIOError:
            pass
        except OSError:
            self.end()
        if not self.has_ended:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self.waiting else 0)
            self.loop.modify(self.descriptor, events, self.work)

    def work(self, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            self.flush()
        if not events & selectors.EVENT_READ or self.has_ended:
            return
        try:
            data = os.read(self.descriptor, 65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.end()
            return
        self.received += data
        while len(self.received) >= HEADER.size:
            call, kind, length = HEADER.unpack_from(self.received)
            if len(self.received) < HEADER.size + length:
                break
            content = self.received[HEADER.size : HEADER.size + length]
            self.received = self.received[HEADER.size + length :]
            self.on_frame(call, kind, content)

    def end(self) -> None:
        if not self.has_ended:
            self.has_ended = True
            self.loop.unregister(self.descriptor)
            self.on_end()


class Command:
    """A command that the other host asked for."""

    def __init__(
        self,
        loop: selectors.BaseSelector,
        reply: Callable[[bytes, bytes], None],
        content: bytes,
        on_end: Callable[[], None],
    ) -> None:
        self.loop, self.reply, self.on_end = loop, reply, on_end
        try:
            folder, *words = os.fsdecode(content).split("\0")[:-1]
            self.process = subprocess.Popen(
                words,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                restore_signals=True,
            )
        except (OSError, ValueError, IndexError) as error:
            reply(b"E", f"lab-on: {error}\n".encode())
            reply(b"X", b"127")
            on_end()
            return
        self.open = 3
        for pipe, kind in ((self.process.stdout, b"O"), (self.process.stderr, b"E")):
            if pipe:
                loop.register(pipe.fileno(), selectors.EVENT_READ, self.copier(pipe, kind))
        self.handle = os.pidfd_open(self.process.pid)
        loop.register(self.handle, selectors.EVENT_READ, lambda _: self.exited())

    def copier(self, pipe: IO[bytes], kind: bytes) -> Callable[[int], None]:
        return lambda _: self.copy(pipe, kind)

    def copy(self, pipe: IO[bytes], kind: bytes) -> None:
        data = os.read(pipe.fileno(), 65536)
        if data:
            self.reply(kind, data)
        else:
            self.loop.unregister(pipe.fileno())
            pipe.close()
            self.finish_one()

    def exited(self) -> None:
        self.loop.unregister(self.handle)
        os.close(self.handle)
        self.process.wait()
        self.finish_one()

    def finish_one(self) -> None:
        self.open -= 1
        if self.open == 0:
            status = self.process.returncode
            self.reply(b"X", str(status if status >= 0 else 128 - status).encode())
            self.on_end()

    def signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)


class Peer:
    """Another host."""

    def __init__(self, loop: selectors.BaseSelector, port: str, path: str) -> None:
        self.loop = loop
        self.commands: dict[int, Command] = {}  # by the other host's number of the call
        self.callers: dict[int, Stream] = {}  # by ours
        self.calls = 0
        self.port = Stream(self.loop, os.open(port, os.O_RDWR), self.from_other_host, self.lost)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(16)
        self.loop.register(self.listener, selectors.EVENT_READ, lambda _: self.accept())
        self.port.send(frame(0, b"H"))

    def from_other_host(self, call: int, kind: bytes, content: bytes) -> None:
        if kind == b"C":
            self.begin(call, content)
        elif kind == b"H":
            self.port.send(frame(0, b"h"))
        elif kind == b"S" and call in self.commands and content.isdigit():
            self.commands[call].signal(int(content))
        elif call in self.callers:
            self.callers[call].send(frame(call, kind, content))

    def begin(self, call: int, content: bytes) -> None:
        ended = []

        def end() -> None:
            ended.append(call)
            self.commands.pop(call, None)

        command = Command(self.loop, lambda kind, content: self.port.send(frame(call, kind, content)), content, end)
        if not ended:  # a command that cannot start has ended by now
            self.commands[call] = command

    def accept(self) -> None:
        connection, _ = self.listener.accept()
        self.calls += 1
        call = self.calls

        def ended() -> None:
            # A lab-on that has ended takes its command with it. A command that has already ended no longer exists.
            del self.callers[call]
            connection.close()
            self.port.send(frame(call, b"S", str(int(signal.SIGTERM)).encode()))

        self.callers[call] = Stream(
            self.loop,
            connection.fileno(),
            lambda _, kind, content: self.port.send(frame(call, kind, content)),
            ended,
        )

    def lost(self) -> None:
        for call, caller in list(self.callers.items()):
            caller.send(frame(call, b"E", b"lab-on: the other host has ended\n"))
            caller.send(frame(call, b"X", str(LAB_FAILED).encode()))
        self.loop.unregister(self.listener)
        self.listener.close()


def main(words: list[str]) -> int:
    loop = selectors.DefaultSelector()
    peers = [Peer(loop, port, path) for port, path in zip(words[::2], words[1::2])]
    while not all(peer.port.has_ended for peer in peers):
        for key, events in loop.select():
            if key.fd in loop.get_map():  # not ended by what came before
                key.data(events)
    return 0
