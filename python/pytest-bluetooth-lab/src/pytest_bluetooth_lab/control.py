"""dittojay's control protocol, as docs/control-protocol.md has it: a JSON object a line over a Unix socket."""

from __future__ import annotations

import json
import socket
import threading
from typing import Any, Union

PROTOCOL = 1
"""The version of the protocol that this package is made for."""

MAXIMUM_REPLY = 1 << 24
"""In bytes: no answer of dittojay's is as long."""

Value = Union[str, bytes, bytearray, memoryview]
"""Bytes as they are, or a text as on dittojay's command line: `hello`, `hex:0A0B`, `u16:1`."""


class ControlError(Exception):
    """dittojay has refused a request, or cannot be reached."""


def value_text(value: Value) -> str:
    """A value as the protocol has it."""
    return value if isinstance(value, str) else "hex:" + bytes(value).hex()


class ControlConnection:
    """A connection to a running dittojay. Its requests are answered one after another; any thread may make one."""

    def __init__(self, path: str, timeout: float = 60) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._rest = b""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        try:
            self._socket.connect(path)
        except OSError as error:
            self._socket.close()
            raise ControlError(f"no dittojay answers at {path}: {error.strerror or error}") from error

    def request(self, command: str, **members: Any) -> dict[str, Any]:
        """Makes a request and returns its answer. Members that are None are left out."""
        content = {"command": command, **{name: value for name, value in members.items() if value is not None}}
        with self._lock:
            try:
                self._socket.sendall(json.dumps(content).encode() + b"\n")
                line = self._read_line()
            except OSError as error:
                self.close()  # a late answer would be taken for the next one's
                raise ControlError(f"dittojay at {self.path} does not answer {command!r}: {error}") from error
        try:
            reply = json.loads(line)
        except ValueError:
            reply = None
        if not isinstance(reply, dict):
            raise ControlError(f"the answer to {command!r} is not dittojay's: {line[:200]!r}")
        if reply.get("ok") is not True:
            raise ControlError(str(reply.get("error", "dittojay has refused the request")))
        return reply

    def _read_line(self) -> bytes:
        while b"\n" not in self._rest:
            data = self._socket.recv(65536)
            if not data:
                raise ConnectionError("it has closed the connection")
            self._rest += data
            if len(self._rest) > MAXIMUM_REPLY:
                raise ConnectionError("the answer is too long")
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def close(self) -> None:
        self._socket.close()
