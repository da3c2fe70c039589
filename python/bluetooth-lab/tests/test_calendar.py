"""One simulated time for several machines: when each runs, and when what one writes comes to another. The kernels are
played here."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from bluetooth_lab.machine.calendar import LATENCY, MESSAGE, MOST, NEVER, Calendar, Message
from bluetooth_lab.machine.frames import FrameReader, frame

MS = 1_000_000
LIMIT = 10  # seconds by the real clock: a test that hangs has failed


class Kernel:
    """As user-mode Linux does it: it asks, and waits for the answer. `runs` is told each moment at which it runs."""

    def __init__(self, calendar: socket.socket, session: socket.socket) -> None:
        self.calendar, self.session = calendar, session
        for end in (calendar, session):
            end.settimeout(LIMIT)
        self.number = 0
        self.free_until = 0

    def ask(self, what: Message, time: int = 0) -> None:
        self.number += 1
        self.calendar.sendall(MESSAGE.pack(what, self.number, time))
        while True:
            answer, number, time = self.receive()
            if answer == Message.ACK:
                assert number == self.number
                return
            assert answer == Message.FREE_UNTIL
            self.free_until = time

    def receive(self) -> tuple[Message, int, int]:
        data = self.calendar.recv(MESSAGE.size, socket.MSG_WAITALL)
        what, number, time = MESSAGE.unpack(data)
        if what != Message.ACK:
            self.calendar.sendall(MESSAGE.pack(Message.ACK, number, 0))
        return Message(what), number, time

    def wait(self, until: int) -> tuple[Message, int]:
        """With what and when it runs next."""
        self.ask(Message.REQUEST, until)
        self.ask(Message.WAIT)
        while True:
            what, _, time = self.receive()
            if what == Message.FREE_UNTIL:
                self.free_until = time
            elif what in (Message.RUN, Message.RUN_WITH_INPUT):
                return what, time

    def end(self) -> None:
        for end in (self.calendar, self.session):
            end.close()


class Two:
    """Machines a and b, joined by a line, as the tests play them: each in a thread."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []
        self.calendar = Calendar(self.ended)
        (ports, self.starter_a), (others, self.starter_b) = self.calendar.add("a"), self.calendar.add("b")
        self.line_a, self.line_b = self.calendar.join("a", "b")
        self.a, self.b = (Kernel(ends["calendar"], ends["session0"]) for ends in (ports, others))
        for end in (self.line_a, self.line_b, self.starter_a, self.starter_b):
            end.settimeout(LIMIT)

    def ended(self, name: str, status: int) -> list[str]:
        self.asked.append((name, status))
        return ["a"] if name == "b" else []

    def play(self, a: Callable[[], object], b: Callable[[], object]) -> tuple[object, object]:
        results: dict[str, object] = {}
        threads = [
            threading.Thread(target=lambda: results.update(a=a()), daemon=True),
            threading.Thread(target=lambda: results.update(b=b()), daemon=True),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT)
        return results.get("a"), results.get("b")


@pytest.fixture
def two() -> Iterator[Two]:
    machines = Two()
    machines.calendar.begin()
    yield machines
    machines.a.end()
    machines.b.end()


@contextmanager
def ended(kernel: Kernel) -> Iterator[None]:
    yield
    kernel.end()


def test_the_first_moment_is_the_first_to_run(two: Two) -> None:
    order: list[tuple[str, int]] = []

    def play(name: str, kernel: Kernel, steps: list[int]) -> None:
        with ended(kernel):
            for step in steps:
                order.append((name, kernel.wait(step)[1]))

    two.play(lambda: play("a", two.a, [3 * MS, 9 * MS]), lambda: play("b", two.b, [2 * MS, 6 * MS]))
    assert order == [("b", 2 * MS), ("a", 3 * MS), ("b", 6 * MS), ("a", 9 * MS)]


def test_a_machine_runs_on_as_far_as_nothing_can_come_to_it(two: Two) -> None:
    def a() -> int:
        with ended(two.a):
            two.a.wait(3 * MS)
            return two.a.free_until

    def b() -> None:
        with ended(two.b):
            two.b.wait(7 * MS)

    assert two.play(a, b)[0] == 7 * MS + LATENCY


def test_what_one_writes_comes_to_the_other_after_the_latency_although_that_one_wanted_to_sleep(two: Two) -> None:
    def a() -> int:
        with ended(two.a):
            two.a.wait(2 * MS)
            two.a.ask(Message.UPDATE, 2 * MS + 500)
            two.line_a.sendall(b"hello")
            two.a.ask(Message.UPDATE, 2 * MS + 700)
            two.line_a.sendall(b" world")
            limit = two.a.free_until
            two.a.wait(NEVER)
            return limit

    def b() -> list[object]:
        with ended(two.b):
            first = two.b.wait(3600 * 1000 * MS)
            read = [two.line_b.recv(MOST)]
            second = two.b.wait(3600 * 1000 * MS)
            read.append(two.line_b.recv(MOST))
            return [first, second, *read]

    limit, seen = two.play(a, b)
    assert seen == [
        (Message.RUN_WITH_INPUT, 2 * MS + 500 + LATENCY),
        (Message.RUN_WITH_INPUT, 2 * MS + 700 + LATENCY),
        *(b"hello", b" world"),
    ]
    assert limit == 2 * MS + 500 + 2 * LATENCY, "an answer may come then"


def test_more_than_fits_into_a_line_comes_in_order(two: Two) -> None:
    content = bytes(range(256)) * 8192

    def a() -> None:
        with ended(two.a):
            two.a.wait(2 * MS)
            two.a.ask(Message.UPDATE, 2 * MS)
            two.line_a.sendall(content)
            two.a.wait(NEVER)

    def b() -> bytes:
        with ended(two.b):
            read = b""
            while len(read) < len(content):
                assert two.b.wait(NEVER)[0] == Message.RUN_WITH_INPUT
                two.line_b.setblocking(False)
                try:
                    while part := two.line_b.recv(MOST):
                        read += part
                except BlockingIOError:
                    pass
            return read

    assert two.play(a, b)[1] == content


def test_the_end_of_a_command_interrupts_others_at_a_moment_of_their_time(two: Two) -> None:
    def a() -> object:
        with ended(two.a):
            moment = two.a.wait(3600 * 1000 * MS)
            return moment, list(FrameReader().add(two.a.session.recv(MOST)))

    def b() -> None:
        with ended(two.b):
            two.b.wait(5 * MS)
            two.b.ask(Message.UPDATE, 5 * MS)
            two.b.session.sendall(frame(b"O", b"done\n") + frame(b"X", b"3"))
            two.b.wait(NEVER)

    seen = two.play(a, b)[0]
    assert seen == ((Message.RUN_WITH_INPUT, 5 * MS + LATENCY), [(b"S", b"2")])
    assert two.asked == [("b", 3)]
    assert two.starter_b.recv(MOST) == frame(b"O", b"done\n") + frame(b"X", b"3")


def test_the_last_words_of_a_machine_are_passed_on_and_the_others_go_on(two: Two) -> None:
    def a() -> None:
        two.a.session.sendall(frame(b"O", b"last"))
        two.a.end()

    def b() -> int:
        with ended(two.b):
            two.b.wait(5 * MS)
            return two.b.wait(6 * MS)[1]

    assert two.play(a, b)[1] == 6 * MS
    assert two.starter_a.recv(MOST) == frame(b"O", b"last")


def test_machines_do_not_wait_for_a_calendar_that_has_failed(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    monkeypatch.setattr(two.calendar, "ended", lambda name, status: 1 / 0)

    def a() -> bool:
        with ended(two.a):
            two.a.ask(Message.REQUEST, NEVER)
            two.a.ask(Message.WAIT)
            return two.a.calendar.recv(MESSAGE.size) == b""

    def b() -> None:
        with ended(two.b):
            two.b.wait(5 * MS)
            two.b.session.sendall(frame(b"X", b"0"))
            two.b.calendar.sendall(MESSAGE.pack(Message.WAIT, 1, 0))
            two.b.calendar.recv(MESSAGE.size)

    assert two.play(a, b)[0] is True


def test_a_signal_of_a_caller_comes_when_the_machine_runs_next(two: Two) -> None:
    two.starter_b.sendall(frame(b"S", b"15"))

    def a() -> None:
        two.a.end()

    def b() -> object:
        with ended(two.b):
            return two.b.wait(4 * MS), list(FrameReader().add(two.b.session.recv(MOST)))

    assert two.play(a, b)[1] == ((Message.RUN_WITH_INPUT, 4 * MS), [(b"S", b"15")])
