#!/usr/bin/env python3
"""Runs commands on two machines of the lab that only the virtual radio joins, and comes back when they have ended.

Usage: hosts.py [--controllers N] [--capture FILE] [--out FOLDER] [--bluez FOLDER] --host a -- COMMAND [ARG…] --host b -- COMMAND [ARG…]

Each machine is a machine.py of its own. Host a has the radio: the controllers of host b are handed over to it by virtio
ports, which are the two ends of a socket pair here (guest/radio_link.c). One more such port carries what lab-on runs.

A host without a command waits for what lab-on asks of it. With two commands, the lab ends when that of host b has ended,
or when one has failed; the other one is then interrupted, as Ctrl-C does it.
"""

import argparse
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import machine

HOSTS = ("a", "b")
DECISIVE = "b"  # its command's end is the lab's, when both have one
MOST_CONTROLLERS = 8  # on each host: btvirt makes 16
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
PATIENCE = 30  # seconds for an interrupted command to end


def split_commands(words):
    """The options, and each host's command: what follows `--host NAME --`, up to the next of these."""
    starts = [
        index
        for index in range(len(words) - 2)
        if words[index] == "--host" and words[index + 2] == "--" and words[index + 1] in HOSTS
    ]
    options = words[: starts[0]] if starts else words
    commands = {}
    for start, end in zip(starts, starts[1:] + [len(words)]):
        host, command = words[start + 1], words[start + 3 : end]
        if not command:
            machine.fail(f"what shall run on host {host}? --host {host} -- COMMAND [ARG…]")
        if host in commands:
            machine.fail(f"host {host} has two commands; let a script run both")
        commands[host] = command
    return options, commands


def parse(words):
    words, commands = split_commands(words)
    parser = argparse.ArgumentParser(prog="lab run --hosts 2", add_help=False)
    parser.add_argument("--controllers", type=int, default=1)
    parser.add_argument("--capture")
    parser.add_argument("--out")
    parser.add_argument("--bluez")
    options, rest = parser.parse_known_args(words)
    if rest or not commands:
        machine.fail("with --hosts 2: ./lab run [OPTION…] --host a -- COMMAND [ARG…] --host b -- COMMAND [ARG…]")
    if not 1 <= options.controllers <= MOST_CONTROLLERS:
        machine.fail(f"--controllers takes 1 to {MOST_CONTROLLERS} with two hosts: btvirt makes no more than 16 in all")
    return options, commands


def capture_file(file, host):
    """sensor.btsnoop becomes sensor-a.btsnoop and sensor-b.btsnoop."""
    path = Path(file)
    return str(path.with_name(f"{path.stem}-{host}{path.suffix}"))


class Hosts:
    def __init__(self, options, commands, out):
        self.commands = commands
        self.processes = {}
        self.statuses = {}
        self.was_asked_to_end = set()
        self.deadline = None
        self.last_signal = 0.0
        self.wake, self.waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(self.waker, warn_on_full_buffer=False)
        for number in SIGNALS:
            signal.signal(number, self.on_signal)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        joined = ["peer"] + [f"radio{index}" for index in range(options.controllers)]
        pairs = {name: socket.socketpair() for name in joined}
        for side, host in enumerate(HOSTS):
            ends = {name: pair[side].fileno() for name, pair in pairs.items()}
            self.processes[host] = self.start(host, options, out, ends)
        for pair in pairs.values():
            for end in pair:
                end.close()

    def start(self, host, options, out, ends):
        command = [sys.executable, str(machine.HERE / "machine.py"), "--host", host]
        command += ["--controllers", str(options.controllers), "--out", str(out / host)]
        if options.capture:
            command += ["--capture", capture_file(options.capture, host)]
        if options.bluez:
            command += ["--bluez", options.bluez]
        if len(self.commands) > 1:
            command += ["--prefix", f"{host}| "]
        for name, end in ends.items():
            command += ["--joined", f"{name}={end}"]
        # Two commands cannot share the input; and a terminal is of use to one that is alone.
        alone = len(self.commands) == 1 and host in self.commands
        return subprocess.Popen(
            command + ["--"] + self.commands.get(host, ["sleep", "infinity"]),
            stdin=None if alone else subprocess.DEVNULL,
            pass_fds=list(ends.values()),
        )

    def on_signal(self, number, _frame):
        # The terminal tells our children too; they take two signals in so short a time for one.
        for host in self.running():
            self.processes[host].send_signal(number)

    def running(self):
        return [host for host in HOSTS if host not in self.statuses]

    def run(self):
        while self.running():
            left = None if self.deadline is None else max(self.deadline - time.monotonic(), 0)
            if select.select([self.wake], [], [], left)[0]:
                os.read(self.wake, 4096)
            for host in self.running():
                status = self.processes[host].poll()
                if status is not None:
                    self.ended(host, status if status >= 0 else 128 - status)
            if self.deadline is not None and time.monotonic() > self.deadline:
                self.deadline = None
                for host in self.running():
                    self.processes[host].send_signal(signal.SIGTERM)

    def ended(self, host, status):
        asked = (128 + signal.SIGINT, 128 + signal.SIGTERM)
        self.statuses[host] = 0 if host in self.was_asked_to_end and status in asked else status
        is_last = host == DECISIVE or DECISIVE not in self.commands
        if status == 0 and not is_last:
            return
        for other in self.running():
            self.was_asked_to_end.add(other)
            self.processes[other].send_signal(signal.SIGINT)
            self.deadline = time.monotonic() + PATIENCE

    def status(self):
        """That of the command whose end was the lab's, unless it is 0 and another one failed."""
        return self.statuses[DECISIVE] or self.statuses["a"]


def main():
    options, commands = parse(sys.argv[1:])
    _, out = machine.prepare_folders(options.out)
    hosts = Hosts(options, commands, out)
    hosts.run()
    return hosts.status()


if __name__ == "__main__":
    sys.exit(main())
