"""QEMU's monitor, by its protocol QMP."""

from __future__ import annotations

import json
import socket
from typing import Any

LIMIT = 60  # seconds for an answer, on a busy machine


class Monitor:
    """Raises OSError if QEMU refuses a command, does not answer or has ended."""

    def __init__(self) -> None:
        self.ours, self.theirs = socket.socketpair()
        self.ours.settimeout(LIMIT)
        self.lines = self.ours.makefile("r", encoding="utf-8")
        self.is_open = False

    def options(self) -> list[str]:
        """For QEMU, which inherits `theirs`."""
        chardev = f"socket,id=lab-monitor,fd={self.theirs.fileno()}"
        return ["-chardev", chardev, "-mon", "chardev=lab-monitor,mode=control"]

    def perform(self, command: str, **arguments: object) -> Any:
        """What it returns."""
        if not self.is_open:
            self.is_open = True
            self.perform("qmp_capabilities")
        message = {"execute": command, "arguments": {name.replace("_", "-"): arguments[name] for name in arguments}}
        self.ours.sendall(json.dumps(message).encode() + b"\n")
        while True:
            answer = self.next()
            if "error" in answer:
                raise OSError(f"{command}: {answer['error'].get('desc')}")
            if "return" in answer:
                return answer["return"]

    def next(self) -> dict[str, Any]:
        """The greeting, an event or an answer."""
        line = self.lines.readline()
        if not line:
            raise OSError("QEMU has ended")
        try:
            answer = json.loads(line)
        except ValueError as error:
            raise OSError(f"not an answer of QEMU's: {line.strip()[:80]}") from error
        return answer if isinstance(answer, dict) else {}

    def close(self) -> None:
        self.lines.close()
        self.ours.close()
        self.theirs.close()
