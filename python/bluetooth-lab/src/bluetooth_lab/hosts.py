"""Runs commands on several machines of the lab that only the virtual radio joins, and ends when they have ended.

Each machine is a process of its own (machine.command). Host a has the radio: the controllers of the other hosts are
handed over to them by virtio ports, which are the two ends of a socket pair here. Between any two hosts one more such
port carries what lab-on runs.

A host without a command waits for what lab-on asks of it. The lab ends when the command of the last host that has one
has ended, or when any has failed; the others are then interrupted, as by Ctrl-C."""

from __future__ import annotations

import itertools
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import NamedTuple, Protocol

from bluetooth_lab.command_line.commands import BY_NAME
from bluetooth_lab.command_line.options import HOSTS_BY_NAME
from bluetooth_lab.command_line.parsing import Line, UsageError, parse_line
from bluetooth_lab.machine import options as machine_options
from bluetooth_lab.machine.calendar import Calendar
from bluetooth_lab.machine.hardware import Clock
from bluetooth_lab.machine.processor import take_processor
from bluetooth_lab.machine.repeat import Repeat
from bluetooth_lab.machine.runs import STATUS, prepare_folders, status_of, write_status
from bluetooth_lab.messages import fail, say, shown_path
from bluetooth_lab.places import GUEST, Places, child_command

NAMES = HOSTS_BY_NAME
MAXIMUM_CONTROLLERS = 16  # of all hosts: each takes a port of host a
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
INTERRUPTED = (128 + signal.SIGINT, 128 + signal.SIGTERM)
STAY_UP = GUEST / "stay-up"
PATIENCE = 30  # seconds for an interrupted command to end
DEFAULT_SEED = "1"  # as the radio's


class Options(NamedTuple):
    """What was asked for, the commands by their hosts; `machine`: what is alike for all of them."""

    hosts: int
    machine: machine_options.Options
    commands: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, line: Line) -> Options:
        """Raises UsageError."""
        hosts = int(line.value("--hosts") or 2)
        options = cls(hosts, machine_options.Options.of(line, ()), commands_of(line.rest))
        if not options.commands or not set(options.commands) <= set(options.names):
            example = " ".join(f"--host {name} -- COMMAND [ARG…]" for name in options.names[:2])
            raise UsageError(f"with --hosts {hosts}: lab {line.command.name} [OPTION…] {example}{' …' * (hosts > 2)}")
        maximum = MAXIMUM_CONTROLLERS // hosts
        if options.controllers > maximum:
            raise UsageError(
                f"too many controllers: {options.controllers} (limit {maximum} with {hosts} hosts, "
                f"{MAXIMUM_CONTROLLERS} in all)"
            )
        return options

    @property
    def names(self) -> str:
        """A letter for each host."""
        return NAMES[: self.hosts]

    @property
    def controllers(self) -> int:
        """Of each host."""
        return self.machine.controllers or 1


def commands_of(words: Sequence[str]) -> dict[str, Sequence[str]]:
    """Each host's command: what follows `--host NAME --`, up to the next of these. None if that is not how they
    begin. Raises UsageError."""
    starts = [
        index
        for index in range(len(words) - 2)
        if words[index] == "--host" and words[index + 2] == "--" and words[index + 1] in NAMES
    ]
    if starts[:1] != [0]:
        return {}
    commands: dict[str, Sequence[str]] = {}
    for start, end in zip(starts, [*starts[1:], len(words)]):
        host, command = words[start + 1], words[start + 3 : end]
        if not command:
            raise UsageError(f"no command to run on host {host}: --host {host} -- COMMAND [ARG…]")
        if host in commands:
            raise UsageError(f"host {host} has two commands; run both from a script")
        commands[host] = command
    return commands


def file_of_host(file: str, host: str) -> str:
    """sensor.btsnoop becomes sensor-a.btsnoop and sensor-b.btsnoop."""
    if file == os.devnull:
        return file
    path = Path(file)
    return str(path.with_name(f"{path.stem}-{host}{path.suffix}"))


def host_command(
    host: str, options: Options, out: Path, ends: Mapping[str, int], session: int | None = None
) -> list[str]:
    """What runs the machine of a host; `ends`: its descriptors of the ports that join it with others; `session`: the
    other end of its command's line, if that is among them."""
    machine = options.machine
    command = [*child_command("machine"), "--this-host", host, "--all-hosts", options.names]
    command += ["--controllers", str(options.controllers), "--out", str(out / host)]
    if machine.capture:
        command += ["--capture", file_of_host(machine.capture, host)]
    if machine.page:
        command += ["--page", file_of_host(machine.page, host)]
    if machine.air_page and host == options.names[0]:  # which has the radio
        command += ["--air-page", machine.air_page]
    if machine.bluez:
        command += ["--bluez", machine.bluez]
    if len(options.commands) > 1:
        command += ["--prefix", f"{host}| "]
    for name, end in ends.items():
        command += ["--joined", f"{name}={end}"]
    if session is not None:
        command += ["--session", str(session)]
    words = options.commands.get(host)
    if words is None:
        return [*command, "--", "sleep", "infinity"]
    return [*command, "--", *([] if host == max(options.commands) else [str(STAY_UP)]), *words]


def join(hosts: str, controllers: int) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """What joins the hosts: of each of two ends the host, and the name that the port has there.

    The controllers that host a hands over are numbered through, and those that a host takes each for itself."""
    pairs = [((one, f"peer-{other}"), (other, f"peer-{one}")) for one, other in itertools.combinations(hosts, 2)]
    taken = [(host, f"radio{index}") for host in hosts[1:] for index in range(controllers)]
    return pairs + [((hosts[0], f"radio{number}"), end) for number, end in enumerate(taken)]


def start_machines(options: Options, out: Path, calendar: Calendar | None) -> dict[str, subprocess.Popen[bytes]]:
    """All machines, joined by their ports; with simulated time also by the calendar."""
    ends: dict[str, dict[str, socket.socket]] = {host: {} for host in options.names}
    sessions: dict[str, socket.socket] = {}
    if calendar:
        for host in options.names:
            ports, sessions[host] = calendar.add(host)
            ends[host].update(ports)
    for (one, name), (other, others_name) in join(options.names, options.controllers):
        pair = calendar.join(one, other) if calendar else socket.socketpair()
        ends[one][name], ends[other][others_name] = pair
    processes = {}
    for host in options.names:
        numbers = {name: end.fileno() for name, end in ends[host].items()}
        session = sessions.get(host)
        # Several commands cannot share the input; and a terminal is of use to one that is alone.
        is_alone = list(options.commands) == [host] and not calendar
        processes[host] = subprocess.Popen(
            host_command(host, options, out, numbers, session.fileno() if session else None),
            stdin=None if is_alone else subprocess.DEVNULL,
            pass_fds=[*numbers.values(), *([session.fileno()] if session else [])],
        )
    for end in (*(end for ports in ends.values() for end in ports.values()), *sessions.values()):
        end.close()
    return processes


class Process(Protocol):
    """A machine's process as Hosts needs it (subprocess.Popen)."""

    def poll(self) -> int | None: ...

    def send_signal(self, sig: int) -> None: ...


class Hosts:
    """All machines until the lab ends: which command's end is the lab's, and what its exit status is."""

    def __init__(self, commands: Mapping[str, Sequence[str]], is_simulated: bool = False) -> None:
        self.decisive = max(commands)
        self.calendar = Calendar(self.to_interrupt) if is_simulated else None
        self.processes: dict[str, Process] = {}
        self.statuses: dict[str, int] = {}
        self.was_asked_to_end: set[str] = set()
        self.deadline: float | None = None
        self.is_interrupted = False
        self.killed: list[str] = []  # hosts
        self.wake, self.waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def install_signals(self) -> None:
        signal.set_wakeup_fd(self.waker, warn_on_full_buffer=False)
        for number in SIGNALS:
            signal.signal(number, self.on_signal)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.is_interrupted = True
        # A terminal sends it to our children, too; they take two in so short a time for one.
        for host in self.running():
            self.processes[host].send_signal(number)

    def running(self) -> list[str]:
        return [host for host in self.processes if host not in self.statuses]

    def run(self) -> None:
        while self.running():
            left = None if self.deadline is None else max(self.deadline - time.monotonic(), 0)
            if select.select([self.wake], [], [], left)[0]:
                os.read(self.wake, 4096)
            for host in self.running():
                status = self.processes[host].poll()
                if status is not None:
                    if status < 0:
                        self.killed.append(host)
                    self.ended(host, status if status >= 0 else 128 - status)
            if self.deadline is not None and time.monotonic() > self.deadline:
                for host in self.running():
                    self.processes[host].send_signal(signal.SIGTERM)

    def ended(self, host: str, status: int) -> None:
        self.statuses[host] = 0 if host in self.was_asked_to_end and status in INTERRUPTED else status
        for other in self.to_interrupt(host, status):
            self.processes[other].send_signal(signal.SIGINT)
        if self.was_asked_to_end:
            self.deadline = time.monotonic() + PATIENCE

    def to_interrupt(self, host: str, status: int) -> list[str]:
        """The other hosts if the lab ends with this command, but each only once: the calendar asks before."""
        if status == 0 and host != self.decisive:
            return []
        ended = {host, *self.statuses, *self.was_asked_to_end}
        others = [name for name in self.processes if name not in ended]
        self.was_asked_to_end.update(others)
        return others

    def status(self) -> int:
        """That of the command whose end was the lab's, unless it is 0 and another one failed."""
        return self.statuses[self.deciding()]

    def deciding(self) -> str:
        """The host whose status that is."""
        hosts = [self.decisive, *self.statuses]
        return next((host for host in hosts if self.statuses[host]), self.decisive)


def main(words: list[str]) -> int:
    """For the lab's own tools: with the words of `lab run`."""
    try:
        return run(Options.of(parse_line(BY_NAME["run"], words)))
    except UsageError as error:
        fail(str(error))


def run(options: Options) -> int:
    is_simulated = os.environ.get("LAB_CLOCK") == Clock.SIMULATED.value
    _, out = prepare_folders(Places.of(os.environ).home, options.machine.out)
    if is_simulated:
        os.environ.setdefault("LAB_SEED", DEFAULT_SEED)
        take_processor()  # the machines take turns, as the processes of each do
        words = [word for host, command in options.commands.items() for word in ("--host", host, "--", *command)]
        (out / STATUS).unlink(missing_ok=True)  # of another run into this folder
        Repeat.of(options.machine, words, os.environ, options.hosts).write(out)
    hosts = Hosts(options.commands, is_simulated)
    hosts.install_signals()
    hosts.processes.update(start_machines(options, out, hosts.calendar))
    if hosts.calendar:
        hosts.calendar.begin()
    hosts.run()
    status = hosts.status()
    if is_simulated and status_of(out / hosts.deciding()) == status:
        write_status(out, status)
    if options.machine.is_repetition:
        if hosts.is_interrupted:
            raise KeyboardInterrupt
        if hosts.killed:
            fail(f"the machine of host {hosts.killed[0]} was killed")
    elif is_simulated and status:
        say(f"seed {os.environ['LAB_SEED']}; to run it again: lab replay {shown_path(out)}")
    return status
