"""One simulated time for several machines in user-mode Linux, and what they send to each other in it.

Each kernel is joined to the calendar by a socket (time-travel=ext, linux/include/uapi/linux/um_timetravel.h): it asks
to run at a moment, waits, and is told to run. One machine runs at a time, the one whose moment is first. What it writes
to a line that leads to another machine arrives there LATENCY later. Before that none of the others can have sent it
anything, so it runs on without asking as far as LATENCY after the moment of the first of them.

The end of a command is the end of the lab, or not, at a moment of that time, too. So what happens depends on nothing
but the machines, and is the same again with the same seed.
"""

from __future__ import annotations

import contextlib
import heapq
import select
import signal
import socket
import struct
import threading
from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

from bluetooth_lab.machine.frames import FrameReader, frame

LATENCY = 1_000_000  # nanoseconds: that of a controller on USB
NEVER = (1 << 63) - 1
MESSAGE = struct.Struct("=IIQ")  # what it is, its number, a time in nanoseconds
MOST = 1 << 16  # bytes at a time


class Message(IntEnum):
    ACK = 0
    START = 1
    REQUEST = 2
    WAIT = 3
    GET = 4
    UPDATE = 5
    RUN = 6
    FREE_UNTIL = 7
    GET_TOD = 8
    RUN_WITH_INPUT = 0x100  # setup/uml/together.patch


class Ended(Exception):
    """A machine is gone."""


class Line:
    """One way of a line: from a machine, to another one or to who started it."""

    def __init__(self, source: socket.socket, sink: socket.socket, target: Member | None) -> None:
        self.source, self.sink, self.target = source, sink, target
        self.waiting = bytearray()

    def read(self) -> bytes:
        """What is there now."""
        data = bytearray()
        with contextlib.suppress(OSError):
            while part := self.source.recv(MOST, socket.MSG_DONTWAIT):
                data += part
        return bytes(data)

    def write(self) -> bool:
        """What has arrived, as far as there is room. False if there was too little."""
        try:
            while self.waiting:
                del self.waiting[: self.sink.send(self.waiting, socket.MSG_DONTWAIT)]
        except BlockingIOError:
            return False
        except OSError:  # the machine has ended
            self.waiting.clear()
        return True


class Session:
    """The line of a machine's command. `ours` leads to who started it."""

    def __init__(self, line: Line, ours: socket.socket, back: Line) -> None:
        self.line, self.ours, self.back = line, ours, back
        self.frames = FrameReader()

    def statuses(self, data: bytes) -> list[int]:
        """The exit statuses in what the machine has written."""
        return [int(content) for kind, content in self.frames.add(data) if kind == b"X"]

    def pass_on(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            self.ours.sendall(data)


class Member:
    """A machine. `moment`: when it wants to run; `now`: the last moment that is known of it; `arrivals`: what comes to
    it, each with its moment and a number."""

    def __init__(self, name: str, calendar: socket.socket, session: Session) -> None:
        self.name, self.calendar, self.session = name, calendar, session
        self.lines: list[Line] = []
        self.arrivals: list[tuple[int, int, Line, bytes]] = []
        self.moment = self.now = 0
        self.free_until = 0
        self.is_waiting = False
        self.number = 0

    def next(self) -> int:
        return min(self.moment, self.arrivals[0][0]) if self.arrivals else self.moment

    def send(self, what: Message, time: int, number: int | None = None) -> None:
        if number is None:
            self.number = number = self.number + 1 & 0xFFFFFFFF
        try:
            self.calendar.sendall(MESSAGE.pack(what, number, time))
        except OSError:
            raise Ended from None

    def receive(self) -> tuple[int, int, int]:
        try:
            data = self.calendar.recv(MESSAGE.size, socket.MSG_WAITALL)
        except OSError:
            data = b""
        if len(data) < MESSAGE.size:
            raise Ended
        what, number, time = MESSAGE.unpack(data)
        return what, number, time


class Ends(NamedTuple):
    """What the process that starts a machine gets: descriptors by the names of ports, and its own end of the session's
    line. They are closed by `close`."""

    ports: dict[str, socket.socket]
    session: socket.socket

    def close(self) -> None:
        for end in (*self.ports.values(), self.session):
            end.close()


class Calendar:
    """`ended` says by a host's name and its command's exit status which other hosts' commands are to be interrupted."""

    def __init__(self, ended: Callable[[str, int], list[str]]) -> None:
        self.ended = ended
        self.members: dict[str, Member] = {}
        self.count = 0

    # Before it begins

    def add(self, name: str) -> Ends:
        """One more machine."""
        (theirs, calendar), (machine, line), (starter, ours) = (socket.socketpair() for _ in range(3))
        member = Member(name, calendar, Session(Line(line, ours, None), ours, Line(ours, line, None)))
        member.session.back.target = member
        self.members[name] = member
        return Ends({"calendar": theirs, "session0": machine}, starter)

    def join(self, one: str, other: str) -> tuple[socket.socket, socket.socket]:
        """A line between two machines: the ends for them."""
        (theirs, first), (others, second) = socket.socketpair(), socket.socketpair()
        self.members[one].lines.append(Line(first, second, self.members[other]))
        self.members[other].lines.append(Line(second, first, self.members[one]))
        return theirs, others

    def begin(self) -> None:
        """Goes on until all machines have ended, in a thread of its own."""
        threading.Thread(target=self.run, daemon=True).start()

    # The time

    def run(self) -> None:
        try:
            self.go_on()
        finally:  # a kernel whose calendar is gone ends
            for member in list(self.members.values()):
                self.remove(member)

    def go_on(self) -> None:
        while self.members:
            for member in list(self.members.values()):
                try:
                    self.follow(member)
                except Ended:
                    self.remove(member)
            self.take_signals()
            # The first one of those with the same moment, by name.
            if self.members:
                with contextlib.suppress(Ended):  # noticed when it is followed
                    self.let_run(min(self.members.values(), key=Member.next))

    def remove(self, member: Member) -> None:
        del self.members[member.name]
        self.take(member, member.session.line)
        member.calendar.close()
        for end in (member.session.ours, member.session.line.source, *(line.source for line in member.lines)):
            end.close()

    def follow(self, member: Member) -> None:
        """Until it waits. Raises Ended."""
        lines = {line.source.fileno(): line for line in (*member.lines, member.session.line)}
        poll = select.poll()
        for end in (member.calendar.fileno(), *lines):
            poll.register(end, select.POLLIN)
        while not member.is_waiting:
            # A machine waits for room where it writes.
            ready = [end for end, _ in poll.poll()]
            if member.calendar.fileno() in ready:
                self.answer(member)
                continue
            for end in ready:
                if not self.take(member, lines[end]):
                    poll.unregister(end)

    def answer(self, member: Member) -> None:
        what, number, time = member.receive()
        if what == Message.ACK:
            return
        # What it has written before was of the moment before.
        for line in (*member.lines, member.session.line):
            self.take(member, line)
        if what == Message.REQUEST:
            member.moment = time
        elif what == Message.WAIT:
            member.is_waiting = True
        elif what == Message.UPDATE:
            member.now = time
            # An answer to what it writes now can come then.
            if time + 2 * LATENCY < member.free_until:
                member.free_until = time + 2 * LATENCY
                member.send(Message.FREE_UNTIL, member.free_until)
        member.send(Message.ACK, member.now, number)

    def take(self, member: Member, line: Line) -> bool:
        """What it has written. False if there was nothing."""
        data = line.read()
        if line.target is not None and data:
            self.arrive(line, data, member.now + LATENCY)
        elif data:
            for status in member.session.statuses(data):
                self.interrupt(self.ended(member.name, status), member.now + LATENCY)
            member.session.pass_on(data)
        return bool(data)

    def arrive(self, line: Line, data: bytes, moment: int) -> None:
        self.count += 1
        if line.target is not None:
            heapq.heappush(line.target.arrivals, (moment, self.count, line, data))

    def interrupt(self, names: list[str], moment: int) -> None:
        for name in names:
            if name in self.members:
                line = self.members[name].session.back
                self.arrive(line, frame(b"S", str(int(signal.SIGINT)).encode()), moment)

    def take_signals(self) -> None:
        """Of our callers, who come at any moment."""
        for member in self.members.values():
            line = member.session.back
            if data := line.read():
                self.arrive(line, data, member.moment)

    def let_run(self, member: Member) -> None:
        moment = member.next()
        has_input = False
        while member.arrivals and member.arrivals[0][0] <= moment:
            _, _, line, data = heapq.heappop(member.arrivals)
            line.waiting += data
            has_input = True
            if not line.write():
                self.arrive(line, b"", moment + LATENCY)
        others = [other.next() + LATENCY for other in self.members.values() if other is not member]
        own = [member.arrivals[0][0]] if member.arrivals else []
        member.now, member.moment, member.is_waiting = moment, NEVER, False
        member.free_until = min([*others, *own, NEVER])
        member.send(Message.FREE_UNTIL, member.free_until)
        member.send(Message.RUN_WITH_INPUT if has_input else Message.RUN, moment)
