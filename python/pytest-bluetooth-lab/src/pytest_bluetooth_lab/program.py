"""Programs under test, with all that they print, line by line."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Callable

from .record import Record

Listener = Callable[[], None]


class ProgramError(AssertionError):
    """A program did not do what was waited for. The message has what it did instead."""


def let_programs_be_interrupted() -> None:
    """Makes programs that are started later end as by Ctrl-C.

    They inherit that the tests ignore SIGINT, and shells start what runs in the background like that; what is handled
    here is not inherited. To be called on the main thread."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)


class Program:
    """A program that runs beside the test. What it prints is in the record of a failed test."""

    def __init__(
        self,
        command: Sequence[str],
        record: Record,
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        self.command = " ".join(command)
        self._lines: list[str] = []
        self._changed = threading.Condition()
        self._listeners: list[Listener] = []
        self._open = 2
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
            cwd=cwd,
            start_new_session=True,  # Ctrl-C is for the tests, which then end this in order
        )
        self._source = f"{os.path.basename(command[0])}[{self._process.pid}]"
        self._record = record
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                threading.Thread(target=self._collect, args=(pipe,), daemon=True).start()

    def _collect(self, pipe: IO[bytes]) -> None:
        for line in pipe:
            text = line.decode(errors="replace").rstrip("\r\n")
            self._record.add(self._source, text)
            with self._changed:
                self._lines.append(text)
            self._tell()
        pipe.close()
        with self._changed:
            self._open -= 1
        self._tell()

    def _tell(self) -> None:
        with self._changed:
            self._changed.notify_all()
            listeners = list(self._listeners)
        for listener in listeners:
            listener()

    def add_listener(self, listener: Listener) -> None:
        """Calls `listener`, on some thread, whenever a line has come or the output has ended."""
        with self._changed:
            self._listeners.append(listener)

    def remove_listener(self, listener: Listener) -> None:
        with self._changed:
            self._listeners.remove(listener)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def lines(self) -> list[str]:
        """All lines until now, of standard output and standard error, in the order of their arrival."""
        with self._changed:
            return list(self._lines)

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will come."""
        with self._changed:
            return self._open == 0 and self._process.poll() is not None

    @property
    def transcript(self) -> str:
        """Everything that was printed, for messages."""
        return "\n    ".join([self.command, *self.lines])

    def wait_for(self, condition: Callable[[], bool], what: str, timeout: float) -> None:
        """Waits until a condition on its output holds; an error says what was waited for."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while not condition():
                left = deadline - time.monotonic()
                if self._open == 0:
                    raise ProgramError(f"{self.command} ended without {what}:\n{self.transcript}")
                if left <= 0:
                    raise ProgramError(f"no sign of {what} within {timeout:g} s:\n{self.transcript}")
                self._changed.wait(min(left, 1))

    def wait_line(self, text: str, *, since: int = 0, timeout: float = 30) -> str:
        """Waits for a line that contains `text`, among those that have come and those that come.

        `since`: how many lines to leave out."""
        found: list[str] = []

        def check() -> bool:
            found.extend(line for line in self._lines[since:] if text in line)
            return bool(found)

        self.wait_for(check, f'a line with "{text}"', timeout)
        return found[0]

    def type(self, line: str) -> None:
        """Types a line."""
        if self._process.stdin is not None:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def wait(self, timeout: float = 30) -> int:
        """Waits for the end. A program that was killed by a signal has the signal's number, negated."""
        deadline = time.monotonic() + timeout
        try:
            status = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise ProgramError(f"it did not end within {timeout:g} s:\n{self.transcript}") from None
        with self._changed:
            # What it has left running may hold its output open.
            self._changed.wait_for(lambda: self._open == 0, max(0.0, min(5.0, deadline - time.monotonic())))
        return status

    def stop(self, timeout: float = 30) -> int:
        """Asks it to end, as Ctrl-C does, and waits for it; kills it when it does not."""
        if self.is_running:
            self.signal(signal.SIGINT)
        try:
            return self.wait(timeout)
        except ProgramError:
            self._process.kill()
            self._process.wait()
            raise
        finally:
            if self._process.stdin is not None:
                with contextlib.suppress(OSError):
                    self._process.stdin.close()
