"""What goes between the caller and the guest."""

from __future__ import annotations

import os
import select
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bluetooth_lab.machine import session as sessions
from bluetooth_lab.machine.frames import FrameReader, begin, frame
from bluetooth_lab.machine.session import Link, Session, last_lines
from bluetooth_lab.machine.streams import Input, Output
from bluetooth_lab.machine.terminal import Terminal

COMMAND = begin("/", None, "", {}, ["true"])


class Guest:
    """The other ends of the ports are in the test's hands."""

    def __init__(self) -> None:
        self.stream, self.agent = socket.socketpair()
        self.control, self.init = socket.socketpair()
        self.reader = FrameReader()
        self.is_dead = False

    @property
    def link(self) -> Link:
        """To a machine that is starting."""
        return Link(self.stream, self.control, lambda: self.is_dead)

    @property
    def persistent_link(self) -> Link:
        """To one that is up."""
        return Link(self.stream, None, lambda: self.is_dead)

    def received(self) -> list[tuple[bytes, bytes]]:
        """What the agent has got."""
        self.agent.setblocking(False)
        try:
            return list(self.reader.add(self.agent.recv(1 << 16)))
        except BlockingIOError:
            return []

    def close(self) -> None:
        for end in (self.stream, self.agent, self.control, self.init):
            end.close()


@pytest.fixture
def guest() -> Iterator[Guest]:
    guest = Guest()
    yield guest
    guest.close()


def new_session(link: Link, folder: Path) -> Session:
    return Session(link, COMMAND, "KVM", Terminal(False), folder, takes_input=False)


@pytest.fixture
def session(guest: Guest, tmp_path: Path, said: list[str]) -> Session:
    return new_session(guest.link, tmp_path)


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


def test_messages_come_in_pieces_and_several_at_once(session: Session, said: list[str]) -> None:
    session.handle_control(b"rea")
    assert not session.started
    session.handle_control(b"dy\nstep bluetooth\nstep oth")
    assert session.started and len(said) == 1


def test_the_command_begins_when_the_machine_is_ready(guest: Guest, session: Session) -> None:
    session.handle_control(b"ready\n")
    guest.agent.sendall(frame(b"O", b"") + frame(b"X", b"3"))
    session.run()
    assert guest.received() == [(b"C", COMMAND[5:]), (b"I", b"")]
    assert (session.status, session.finish()) == (3, 3) and session.has_ended


def test_a_command_that_the_machine_has_already_may_end_before_we_hear_that_it_is_ready(
    guest: Guest, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    output, error = tmp_path / "output", tmp_path / "error"
    session = Session(guest.link, None, "KVM", Terminal(False), tmp_path, copies=[output, error])
    guest.agent.sendall(frame(b"O", b"out") + frame(b"E", b"err") + frame(b"X", b"3"))
    session.run()
    assert (session.status, guest.received()) == (3, [])
    assert (output.read_text(), error.read_text(), *capfd.readouterr()) == ("out", "err", "out", "err")


def test_the_command_begins_when_an_agent_that_is_up_has_answered(guest: Guest, tmp_path: Path) -> None:
    session = new_session(guest.persistent_link, tmp_path)
    # The end of what the last caller was sent, which looks like anything.
    guest.agent.sendall(b"\0\0rest" + frame(b"X", b"9") + frame(b"H", b"another's") + frame(b"H", session.greeting))
    guest.agent.sendall(frame(b"N", b"noted") + frame(b"X", b"4"))
    session.run()
    assert guest.received() == [(b"H", session.greeting), (b"C", COMMAND[5:]), (b"I", b"")]
    assert session.status == 4


def test_an_agent_that_goes_away_is_a_failure(guest: Guest, tmp_path: Path, said: list[str]) -> None:
    session = new_session(guest.persistent_link, tmp_path)
    guest.agent.close()
    session.run()
    assert session.finish() == 125 and said[0].startswith("the virtual machine ended by itself")
    assert not session.has_ended


def test_steps_are_said_with_their_time(clock: Clock, session: Session, said: list[str]) -> None:
    for message, seconds in (("step kernel", 1.5), ("step bluetooth", 0.25), ("step other", 2.0)):
        clock.now += seconds
        session.handle_message(message)
    assert said == ["machine booted (KVM) in 1.5 s", "Bluetooth up in 0.2 s", "other in 2.0 s"]


def test_a_failure_is_said_with_what_the_logs_end_with(session: Session, tmp_path: Path, said: list[str]) -> None:
    (tmp_path / "lab.log").write_text("all is well\n\nbtvirt died\n")
    session.handle_message("fail Bluetooth did not come up")
    assert session.finish() == 125
    assert said[0].startswith("Bluetooth did not come up (logs in ")
    assert said[1:] == ["  lab.log: all is well", "  lab.log: btvirt died"]


def test_a_machine_that_ends_before_the_command_started_may_be_started_again(guest: Guest, session: Session) -> None:
    guest.is_dead = True
    session.run()
    assert session.died_starting and session.finish() == 125


def test_a_machine_that_ends_later_is_a_failure(guest: Guest, session: Session) -> None:
    session.handle_message("ready")
    guest.is_dead = True
    session.run()
    assert not session.died_starting and session.reason == "the virtual machine ended by itself"


def test_what_the_guest_said_last_counts_although_the_machine_has_ended(guest: Guest, session: Session) -> None:
    guest.init.sendall(b"ready\n")
    guest.agent.sendall(frame(b"X", b"7"))
    guest.is_dead = True
    session.run()
    assert (session.status, session.reason) == (7, None)


def test_a_command_that_does_not_start_is_given_up(clock: Clock, guest: Guest, tmp_path: Path, said: list[str]) -> None:
    session = new_session(guest.link, tmp_path)
    clock.now += sessions.BOOT_LIMIT + 1
    session.run()
    assert session.reason == "the command did not start in 180 s"


def test_a_signal_goes_to_the_command_once_though_it_comes_twice(clock: Clock, guest: Guest, session: Session) -> None:
    session.handle_message("ready")
    guest.received()
    session.handle_signal(signal.SIGINT)
    clock.now += 0.1  # the terminal's and our parent's
    session.handle_signal(signal.SIGINT)
    assert guest.received() == [(b"S", b"2")]
    clock.now += sessions.END_LIMIT + 1
    assert session.must_give_up() and session.reason == "the command did not end"


def test_the_third_signal_ends_the_lab(clock: Clock, guest: Guest, session: Session) -> None:
    session.handle_message("ready")
    guest.received()
    for _ in range(3):
        session.handle_signal(signal.SIGTERM)
        clock.now += 1
    assert guest.received() == [(b"S", b"15")] * 2
    assert session.status == 128 + signal.SIGTERM


def test_a_signal_before_the_command_started_ends_the_lab(clock: Clock, guest: Guest, session: Session) -> None:
    session.handle_signal(signal.SIGINT)
    assert (guest.received(), session.status) == ([], 130)


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


@pytest.fixture
def sent() -> list[tuple[bytes, bytes]]:
    return []


def test_input_waits_until_the_command_takes_more(sent: list[tuple[bytes, bytes]]) -> None:
    source, writer = os.pipe()
    poll = select.poll()
    reader = Input(poll, lambda kind, content: sent.append((kind, content)), source)
    os.write(writer, b"one")
    assert poll.poll(0) == []
    reader.begin()
    assert poll.poll(0) == [(source, select.POLLIN)]
    reader.read()
    os.write(writer, b"two")
    assert (sent, poll.poll(0)) == ([(b"I", b"one")], [])
    reader.begin()
    reader.read()
    os.close(writer)
    reader.begin()
    reader.read()
    assert sent[1:] == [(b"I", b"two"), (b"I", b"")]
    os.close(source)
