"""Chrome's DevTools protocol over the two pipes of --remote-debugging-pipe: JSON messages that end with a zero byte.

A thread reads. What is waited for is waited for on one condition, so that nothing polls but what asks the page itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from typing import Any, Callable, TypeVar, Union

TIMEOUT = 60.0
"""Seconds: a browser in software emulation takes its time."""

LONGEST_MESSAGE = 256 * 1024 * 1024
"""In bytes: a screenshot of a huge page is far below."""

Params = dict[str, Any]
Listener = Callable[[Params], None]
Text = Union[str, Callable[[], str]]
Found = TypeVar("Found")


class DevToolsError(Exception):
    """The browser has refused a command, has not answered it in time, or has ended."""


class Reply:
    """The answer to one command, which may still be on its way."""

    def __init__(self, connection: Connection, method: str) -> None:
        self._connection = connection
        self._method = method
        self.message: Params | None = None

    def result(self, timeout: float = TIMEOUT) -> Params:
        """Waits for the answer. Raises DevToolsError when it is an error, or has not come in time."""
        message = self._connection.wait(lambda: self.message, timeout, f"no answer to {self._method}")
        if "error" in message:
            raise DevToolsError(f"{self._method}: {message['error'].get('message', message['error'])}")
        return dict(message.get("result", {}))


class Connection:
    """The connection to one browser."""

    def __init__(self, reader: int, writer: int) -> None:
        """Takes over both file descriptors."""
        self.ended = False
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._reader = reader
        self._writer = os.fdopen(writer, "wb")
        self._replies: dict[int, Reply] = {}
        self._listeners: dict[tuple[str | None, str], list[Listener]] = {}
        self._count = 0
        self._thread = threading.Thread(target=self._read, name="DevTools", daemon=True)
        self._thread.start()

    def send(self, method: str, params: Params | None = None, session: str | None = None) -> Reply:
        """Sends a command, and does not wait for its answer: that of `result()`."""
        reply = Reply(self, method)
        with self._changed:
            if self.ended:
                raise DevToolsError(f"{method}: the browser has ended")
            self._count += 1
            message: Params = {"id": self._count, "method": method, "params": params or {}}
            self._replies[self._count] = reply
        if session:
            message["sessionId"] = session
        try:
            with self._writing:
                self._writer.write(json.dumps(message).encode() + b"\0")
                self._writer.flush()
        except (OSError, ValueError) as error:
            raise DevToolsError(f"{method}: the browser has ended") from error
        return reply

    def on(self, session: str, method: str, listener: Listener) -> None:
        """Has `listener(params)` called for these events, in the thread that reads: it must not wait for anything."""
        with self._changed:
            self._listeners.setdefault((session, method), []).append(listener)

    def forget(self, session: str) -> None:
        """Drops the listeners of a session that has ended."""
        with self._changed:
            self._listeners = {key: value for key, value in self._listeners.items() if key[0] != session}

    def wait(self, condition: Callable[[], Found | None], timeout: float, missing: Text) -> Found:
        """Waits until `condition()` is true, and returns its value; it is asked whenever something has come in.

        Raises DevToolsError with the text `missing()`, or `missing`, when that takes longer than `timeout` seconds.
        """
        deadline = time.monotonic() + timeout
        with self._changed:
            while not (value := condition()):
                left = deadline - time.monotonic()
                if self.ended or left <= 0:
                    text = missing() if callable(missing) else missing
                    why = "the browser has ended" if self.ended else f"after {timeout:g} s"
                    raise DevToolsError(f"{text}: {why}")
                self._changed.wait(left)
            return value

    def close(self) -> None:
        """Closes the pipes, at which the browser ends, if it has not done so."""
        with contextlib.suppress(OSError):
            self._writer.close()
        self._thread.join(TIMEOUT)

    def _read(self) -> None:
        rest = b""
        while True:
            try:
                data = os.read(self._reader, 1 << 18)
            except OSError:
                data = b""
            if not data or len(rest) > LONGEST_MESSAGE:
                break
            *messages, rest = (rest + data).split(b"\0")
            for message in messages:
                self._take(message)
        os.close(self._reader)
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def _take(self, text: bytes) -> None:
        try:
            message = json.loads(text)
        except ValueError:
            return
        if not isinstance(message, dict):
            return
        with self._changed:
            reply = self._replies.pop(message.get("id", 0), None)
            if reply:
                reply.message = message
            for listener in self._listeners.get((message.get("sessionId"), message.get("method", "")), ()):
                listener(message.get("params", {}))
            self._changed.notify_all()


class Session:
    """What is said to and heard from one page."""

    def __init__(self, connection: Connection, identifier: str) -> None:
        self.connection = connection
        self.identifier = identifier

    def send(self, method: str, **params: Any) -> Reply:
        """Sends a command, and does not wait for its answer."""
        return self.connection.send(method, params, self.identifier)

    def call(self, method: str, timeout: float = TIMEOUT, **params: Any) -> Params:
        """Sends a command and returns its result."""
        return self.send(method, **params).result(timeout)

    def on(self, method: str, listener: Listener) -> None:
        """Has `listener(params)` called for these events, in a thread of its own: it must not wait for anything."""
        self.connection.on(self.identifier, method, listener)

    def wait(self, condition: Callable[[], Found | None], timeout: float, missing: Text) -> Found:
        """See `Connection.wait`."""
        return self.connection.wait(condition, timeout, missing)

    def end(self) -> None:
        """Hears no more."""
        self.connection.forget(self.identifier)
