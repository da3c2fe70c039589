"""Runs suites of tests on several machines of the lab side by side: a machine that has finished one takes the next.

usage: suites --machines N --out FOLDER [--first K --rounds N [--until-failure]] [OPTION OF machine…]
              --suite NAME… -- COMMAND [ARG…]

COMMAND (guest/run-suites) reads the name of a suite from its standard input, runs it, and asks for the next one by a
line on its standard output: "lab-suites: next", followed by "NAME STATUS" after each suite. Every other line is passed
on after the machine's number. FOLDER/statuses gets a line "NAME STATUS MACHINE" for each suite that ended; the output
of machine K is in FOLDER/K, and FOLDER/failures links to the records of all failed tests.

With --rounds, the suites run N times, with NAME.NUMBER in place of NAME, where NUMBER is the round's, from --first on.
With --until-failure, nothing more is begun after a suite that has failed."""

from __future__ import annotations

import argparse
import os
import selectors
import signal
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import FrameType
from typing import NamedTuple, Protocol

from bluetooth_lab.machine.runs import prepare_folders
from bluetooth_lab.messages import write_all
from bluetooth_lab.places import Places, child_command

ASK = "lab-suites: next"
NOTHING_FAILED = ("0", "69")  # the exit statuses of Swift Testing; 69: no test matches
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Options(NamedTuple):
    """`passed_on`: options for each of the machines."""

    machines: int
    out: Path
    suite: list[str]
    first: int
    rounds: int | None
    until_failure: bool
    passed_on: list[str]
    command: list[str]

    def tokens(self) -> list[str]:
        """What the machines are given, one after the other."""
        if self.rounds is None:
            return self.suite
        numbers = range(self.first, self.first + self.rounds)
        return [f"{suite}.{number}" for number in numbers for suite in self.suite]


def parse(words: Sequence[str]) -> Options:
    parser = argparse.ArgumentParser(prog="suites", add_help=False)
    parser.add_argument("--machines", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--suite", action="append", default=[])
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--until-failure", action="store_true")
    words = list(words)
    split = words.index("--") if "--" in words else len(words)
    known, passed_on = parser.parse_known_args(words[:split])
    if split + 1 >= len(words):
        parser.error("a command is needed after --")
    return Options(passed_on=passed_on, command=words[split + 1 :], **vars(known))


class Taker(Protocol):
    """A machine as Distribution needs it."""

    @property
    def number(self) -> int: ...

    def give(self, suite: str | None) -> None: ...


class Distribution:
    """Which suites wait, and what became of those that have ended."""

    def __init__(self, tokens: Iterable[str], statuses: Path, until_failure: bool = False) -> None:
        self.waiting = list(tokens)
        self.statuses = statuses
        self.until_failure = until_failure
        self.statuses.write_text("")
        self.is_interrupted = False

    def take(self, machine: Taker, line: bytes) -> bytes | None:
        """Answers a machine that asks for a suite; returns any other line of its output, to be passed on."""
        prefix = f"{machine.number}| {ASK}".encode()
        if not line.startswith(prefix):
            return line
        words = line.removeprefix(prefix).decode(errors="replace").split()
        if len(words) == 2:
            with self.statuses.open("a") as file:
                file.write(f"{words[0]} {words[1]} {machine.number}\n")
            if self.until_failure and words[1] not in NOTHING_FAILED:
                self.is_interrupted = True
        machine.give(self.waiting.pop(0) if self.waiting and not self.is_interrupted else None)
        return None


class Runner:
    """One machine, and what it prints."""

    def __init__(self, number: int, options: Options) -> None:
        self.number = number
        self.rest = b""
        command = [*child_command("machine"), *options.passed_on]
        command += ["--out", str(options.out / str(number)), "--prefix", f"{number}| ", "--", *options.command]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        assert self.process.stdin and self.process.stdout
        self.input, self.output = self.process.stdin, self.process.stdout

    def lines(self) -> list[bytes] | None:
        """The lines that have come; None when there will be no more."""
        data = os.read(self.output.fileno(), 65536)
        if not data:
            return None
        *lines, self.rest = (self.rest + data).split(b"\n")
        return lines

    def give(self, suite: str | None) -> None:
        """The next suite; None when there are no more."""
        if suite is None:
            self.input.close()
        else:
            write_all(self.input.fileno(), f"{suite}\n".encode())  # if the machine has ended, so has its output


class Suites:
    """All machines until they have ended."""

    def __init__(self, options: Options) -> None:
        self.distribution = Distribution(options.tokens(), options.out / "statuses", options.until_failure)
        self.selector = selectors.DefaultSelector()
        self.runners: list[Runner] = []
        for number in SIGNALS:
            signal.signal(number, self.on_signal)
        for index in range(options.machines):
            runner = Runner(index + 1, options)
            self.runners.append(runner)
            self.selector.register(runner.output, selectors.EVENT_READ, runner)

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.distribution.is_interrupted = True
        for runner in self.runners:
            if runner.process.poll() is None:
                runner.process.send_signal(number)

    def run(self) -> int:
        """The highest exit status of a machine."""
        while self.selector.get_map():
            for key, _ in self.selector.select():
                runner: Runner = key.data
                lines = runner.lines()
                if lines is None:
                    self.selector.unregister(key.fileobj)
                for line in lines or []:
                    rest = self.distribution.take(runner, line)
                    if rest is not None:
                        write_all(1, rest + b"\n")
        statuses = [runner.process.wait() for runner in self.runners]
        return max(status if status >= 0 else 128 - status for status in statuses)


def link_failures(out: Path) -> None:
    """The records of failed tests of all machines, in one folder as they are with one machine."""
    for folder in sorted(out.glob("*/failures/*")):
        link = out / "failures" / folder.name
        link.parent.mkdir(exist_ok=True)
        if not link.exists():
            link.symlink_to(Path("..") / folder.relative_to(out))


def main(words: list[str]) -> int:
    options = parse(words)
    _, out = prepare_folders(Places.of(os.environ).home, options.out)
    options = options._replace(out=out)
    status = Suites(options).run()
    link_failures(out)
    return status
