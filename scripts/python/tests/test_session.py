"""What goes between the caller and the guest."""

import os
import select
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lab_tools.machine import session as sessions
from lab_tools.machine.qemu import PORTS
from lab_tools.machine.session import Session, last_lines
from lab_tools.machine.streams import Input, Output
from lab_tools.machine.terminal import Terminal


class Guest:
    """The other ends of the ports are in the test's hands."""

    def __init__(self) -> None:
        pairs = {name: socket.socketpair() for name in PORTS}
        self.ours = {name: pair[0] for name, pair in pairs.items()}
        self.theirs = {name: pair[1] for name, pair in pairs.items()}
        self.sent: list[str] = []
        self.is_dead = False

    def has_ended(self) -> bool:
        return self.is_dead

    def send(self, message: str) -> None:
        self.sent.append(message)

    def close(self) -> None:
        for end in (*self.ours.values(), *self.theirs.values()):
            end.close()


@pytest.fixture
def guest() -> Iterator[Guest]:
    guest = Guest()
    yield guest
    guest.close()


@pytest.fixture
def session(guest: Guest, tmp_path: Path, said: list[str]) -> Session:
    return Session(guest, "KVM", Terminal(False), tmp_path)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(sessions, "time", clock)
    return clock


def test_messages_come_in_pieces_and_several_at_once(session: Session) -> None:
    session.handle_control(b"star")
    assert not session.started
    session.handle_control(b"ted\nexit 3\nnote he")
    assert session.started and session.status == 3
    assert session.finish() == 3


def test_steps_are_said_with_their_time(clock: Clock, session: Session, said: list[str]) -> None:
    for message, seconds in (("step kernel", 1.5), ("step bluetooth", 0.25), ("step other", 2.0)):
        clock.now += seconds
        session.handle_message(message)
    assert said == ["machine booted (KVM) in 1.5 s", "Bluetooth up in 0.2 s", "other in 2.0 s"]


def test_a_failure_is_said_with_what_the_logs_end_with(session: Session, tmp_path: Path, said: list[str]) -> None:
    (tmp_path / "lab.log").write_text("all is well\n\nbtvirt died\n")
    session.handle_message("fail Bluetooth did not come up")
    session.handle_message("exit 125")
    assert session.finish() == 125
    assert said[0].startswith("Bluetooth did not come up (logs in ")
    assert said[1:] == ["  lab.log: all is well", "  lab.log: btvirt died"]


def test_a_machine_that_ends_before_the_command_started_may_be_started_again(guest: Guest, session: Session) -> None:
    guest.is_dead = True
    session.run()
    assert session.died_starting and session.finish() == 125


def test_a_machine_that_ends_later_is_a_failure(guest: Guest, session: Session) -> None:
    guest.theirs["control"].sendall(b"started\n")
    guest.is_dead = True
    session.run()
    assert not session.died_starting and session.reason == "the virtual machine ended by itself"


def test_what_the_guest_said_last_counts_although_the_machine_has_ended(guest: Guest, session: Session) -> None:
    guest.theirs["control"].sendall(b"started\nexit 7\n")
    guest.is_dead = True
    session.run()
    assert (session.status, session.reason) == (7, None)


def test_a_command_that_does_not_start_is_given_up(clock: Clock, guest: Guest, tmp_path: Path, said: list[str]) -> None:
    session = Session(guest, "KVM", Terminal(False), tmp_path)
    clock.now += sessions.BOOT_LIMIT + 1
    session.run()
    assert session.reason == "the command did not start in 180 s"


def test_a_signal_goes_to_the_command_once_though_it_comes_twice(clock: Clock, guest: Guest, session: Session) -> None:
    session.handle_message("started")
    session.handle_signal(signal.SIGINT)
    clock.now += 0.1  # the terminal's and our parent's
    session.handle_signal(signal.SIGINT)
    assert guest.sent == ["signal INT"]
    clock.now += sessions.END_LIMIT + 1
    assert session.must_give_up() and session.reason == "the command did not end"


def test_the_third_signal_ends_the_lab(clock: Clock, guest: Guest, session: Session) -> None:
    session.handle_message("started")
    for _ in range(3):
        session.handle_signal(signal.SIGTERM)
        clock.now += 1
    assert guest.sent == ["signal TERM"] * 2
    assert session.status == 128 + signal.SIGTERM


def test_a_signal_before_the_command_started_ends_the_lab(clock: Clock, guest: Guest, session: Session) -> None:
    session.handle_signal(signal.SIGINT)
    assert (guest.sent, session.status) == ([], 130)


def test_logs_are_shown_without_what_every_start_says(tmp_path: Path) -> None:
    file = tmp_path / "console.log"
    file.write_text("[    0.000000] Linux\n\n" + "".join(f"line {number}\n" for number in range(9)))
    assert last_lines(file) == [f"line {number}" for number in range(3, 9)]
    assert last_lines(tmp_path / "none") == []


Read = Callable[[], bytes]


@pytest.fixture
def pipe() -> Iterator[tuple[int, Read]]:
    """The writing end, and what has arrived."""
    reader, writer = os.pipe2(os.O_NONBLOCK)

    def read() -> bytes:
        try:
            return os.read(reader, 4096)
        except BlockingIOError:
            return b""

    yield writer, read
    os.close(reader)
    os.close(writer)


def test_output_without_a_prefix_is_passed_on_as_it_comes(pipe: tuple[int, Read]) -> None:
    output = Output(pipe[0], "")
    output.add(b"no line end")
    assert pipe[1]() == b"no line end"
    output.end()
    assert pipe[1]() == b""


def test_output_with_a_prefix_is_whole_lines(pipe: tuple[int, Read]) -> None:
    output = Output(pipe[0], "a| ")
    output.add(b"one\ntw")
    assert pipe[1]() == b"a| one\n"
    output.add(b"o\n\nlast")
    assert pipe[1]() == b"a| two\na| \n"
    output.end()
    assert pipe[1]() == b"a| last\n"


def test_input_waits_for_a_guest_that_does_not_read(guest: Guest) -> None:
    source, writer = os.pipe()
    target = guest.ours["stdin"]
    poll = select.poll()
    reader = Input(poll, target, False, source)
    reader.begin()
    while True:  # until the guest takes no more
        os.write(writer, b"x" * 4096)
        reader.read()
        if reader.pending:
            break
    os.write(writer, b"more")
    assert source not in [descriptor for descriptor, _ in poll.poll(0)], "read although the guest takes nothing"
    while reader.pending:
        guest.theirs["stdin"].recv(1 << 20)
        reader.flush()
    assert source in [descriptor for descriptor, _ in poll.poll(0)]
    os.close(writer)
    os.close(source)


def test_the_end_of_the_input_reaches_the_guest(guest: Guest) -> None:
    source, writer = os.pipe()
    reader = Input(select.poll(), guest.ours["stdin"], False, source)
    reader.begin()
    os.write(writer, b"all")
    reader.read()
    os.close(writer)
    reader.read()
    assert guest.theirs["stdin"].recv(100) == b"all"
    assert guest.theirs["stdin"].recv(100) == b""
    os.close(source)
