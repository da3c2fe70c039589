"""Chrome's DevTools protocol over the two pipes of --remote-debugging-pipe: JSON messages that end with a zero byte.

A thread reads. What is waited for is waited for on one condition, so that nothing polls but what asks the page itself.
"""

import json
import os
import threading
import time

TIMEOUT = 60.0  # seconds; a browser in software emulation takes its time
LONGEST_MESSAGE = 256 * 1024 * 1024  # bytes; a screenshot of a huge page is far below


class DevToolsError(Exception):
    """The browser has refused a command, has not answered it in time, or has ended."""


class Reply:
    """The answer to one command, which may still be on its way."""

    def __init__(self, connection, method):
        self._connection = connection
        self._method = method
        self.message = None

    def result(self, timeout=TIMEOUT):
        """Waits for the answer. Raises DevToolsError when it is an error, or has not come in time."""
        self._connection.wait(lambda: self.message is not None, timeout, f"no answer to {self._method}")
        if "error" in self.message:
            raise DevToolsError(f"{self._method}: {self.message['error'].get('message', self.message['error'])}")
        return self.message.get("result", {})


class Connection:
    """The connection to one browser."""

    def __init__(self, reader, writer):
        """Takes over both file descriptors."""
        self.ended = False
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._reader = reader
        self._writer = os.fdopen(writer, "wb")
        self._replies = {}
        self._listeners = {}
        self._count = 0
        self._thread = threading.Thread(target=self._read, name="DevTools", daemon=True)
        self._thread.start()

    def send(self, method, params=None, session=None):
        """Sends a command, and does not wait for its answer: that of `result()`."""
        reply = Reply(self, method)
        with self._changed:
            if self.ended:
                raise DevToolsError(f"{method}: the browser has ended")
            self._count += 1
            message = {"id": self._count, "method": method, "params": params or {}}
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

    def on(self, session, method, listener):
        """Has `listener(params)` called for these events, in the thread that reads: it must not wait for anything."""
        with self._changed:
            self._listeners.setdefault((session, method), []).append(listener)

    def forget(self, session):
        """Drops the listeners of a session that has ended."""
        with self._changed:
            self._listeners = {key: value for key, value in self._listeners.items() if key[0] != session}

    def wait(self, condition, timeout, missing):
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

    def close(self):
        """Closes the pipes, at which the browser ends, if it has not done so."""
        try:
            self._writer.close()
        except OSError:
            pass
        self._thread.join(TIMEOUT)

    def _read(self):
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

    def _take(self, text):
        try:
            message = json.loads(text)
        except ValueError:
            return
        if not isinstance(message, dict):
            return
        with self._changed:
            reply = self._replies.pop(message.get("id"), None)
            if reply:
                reply.message = message
            for listener in self._listeners.get((message.get("sessionId"), message.get("method")), ()):
                listener(message.get("params", {}))
            self._changed.notify_all()


class Session:
    """What is said to and heard from one page."""

    def __init__(self, connection, identifier):
        self.connection = connection
        self.identifier = identifier

    def send(self, method, **params):
        """Sends a command, and does not wait for its answer."""
        return self.connection.send(method, params, self.identifier)

    def call(self, method, timeout=TIMEOUT, **params):
        """Sends a command and returns its result."""
        return self.send(method, **params).result(timeout)

    def on(self, method, listener):
        """Has `listener(params)` called for these events, in a thread of its own: it must not wait for anything."""
        self.connection.on(self.identifier, method, listener)

    def wait(self, condition, timeout, missing):
        """See `Connection.wait`."""
        return self.connection.wait(condition, timeout, missing)

    def end(self):
        """Hears no more."""
        self.connection.forget(self.identifier)
