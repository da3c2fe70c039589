#!/usr/bin/env python3
"""Runs suites of tests on several machines of the lab side by side: a machine that is through with one takes the next.

Usage: suites.py --machines N --out FOLDER [OPTION OF machine.py…] --suite NAME… -- COMMAND [ARG…]

COMMAND (guest/run-suites) reads the name of a suite from its standard input, runs it, and asks for the next one by a line
on its standard output: "lab-suites: next", with "NAME STATUS" behind it after each suite. Every line is passed on
after the machine's number, but for these. FOLDER/statuses gets a line "NAME STATUS MACHINE" for each suite that ended; the output of
machine K is in FOLDER/K, and FOLDER/failures links to the records of all failed tests.
"""

import argparse
import os
import selectors
import signal
import subprocess
import sys
from pathlib import Path

import machine

ASK = "lab-suites: next"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def parse(words):
    parser = argparse.ArgumentParser(prog="suites.py", add_help=False)
    parser.add_argument("--machines", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--suite", action="append", default=[])
    split = words.index("--")
    options, passed_on = parser.parse_known_args(words[:split])
    options.passed_on, options.command = passed_on, words[split + 1 :]
    return options


class Runner:
    """One machine, and what it prints."""

    def __init__(self, number, options):
        self.number = number
        self.rest = b""
        self.suite = None
        command = [sys.executable, str(machine.HERE / "machine.py"), *options.passed_on]
        command += ["--out", str(options.out / str(number)), "--prefix", f"{number}| ", "--", *options.command]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def lines(self):
        """The lines that have come; None when there will be no more."""
        data = os.read(self.process.stdout.fileno(), 65536)
        if not data:
            return None
        *lines, self.rest = (self.rest + data).split(b"\n")
        return lines

    def give(self, suite):
        """The next suite, or none any more."""
        self.suite = suite
        try:
            if suite is None:
                self.process.stdin.close()
            else:
                self.process.stdin.write(f"{suite}\n".encode())
                self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the machine has ended; so does its output


class Suites:
    def __init__(self, options):
        self.waiting = list(options.suite)
        self.statuses = options.out / "statuses"
        self.statuses.write_text("")
        self.selector = selectors.DefaultSelector()
        self.interrupted = False
        for number in SIGNALS:
            signal.signal(number, self.on_signal)
        self.runners = [Runner(number + 1, options) for number in range(options.machines)]
        for runner in self.runners:
            self.selector.register(runner.process.stdout, selectors.EVENT_READ, runner)

    def on_signal(self, number, _frame):
        self.interrupted = True
        for runner in self.runners:
            if runner.process.poll() is None:
                runner.process.send_signal(number)

    def run(self):
        while self.selector.get_map():
            for key, _ in self.selector.select():
                lines = key.data.lines()
                if lines is None:
                    self.selector.unregister(key.fileobj)
                for line in lines or []:
                    self.take(key.data, line)
        statuses = [runner.process.wait() for runner in self.runners]
        return max(status if status >= 0 else 128 - status for status in statuses)

    def take(self, runner, line):
        prefix = f"{runner.number}| {ASK}".encode()
        if not line.startswith(prefix):
            machine.write_all(1, line + b"\n")
            return
        words = line.removeprefix(prefix).decode().split()
        if len(words) == 2:
            with self.statuses.open("a") as file:
                file.write(f"{words[0]} {words[1]} {runner.number}\n")
        runner.give(self.waiting.pop(0) if self.waiting and not self.interrupted else None)


def link_failures(out):
    """The records of failed tests of all machines, in one folder as they are with one machine."""
    for folder in sorted(out.glob("*/failures/*")):
        link = out / "failures" / folder.name
        link.parent.mkdir(exist_ok=True)
        if not link.exists():
            link.symlink_to(Path("..") / folder.relative_to(out))


def main():
    options = parse(sys.argv[1:])
    _, options.out = machine.prepare_folders(options.out)
    status = Suites(options).run()
    link_failures(options.out)
    return status


if __name__ == "__main__":
    sys.exit(main())
