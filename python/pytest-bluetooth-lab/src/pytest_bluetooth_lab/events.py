"""The events of a sensor, and waiting for them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Event:
    """Something that has happened to a sensor; docs/control-protocol.md lists the kinds and what each has."""

    kind: str
    """Such as `subscribed` or `written`."""
    members: dict[str, Any]
    """All that the event has, by its names in the protocol."""
    line: str
    """The event as dittojay has written it."""

    @classmethod
    def parse(cls, line: str) -> Event | None:
        """The event of a line; None when there is none in it."""
        try:
            members = json.loads(line)
        except ValueError:
            return None
        if not isinstance(members, dict) or not isinstance(members.get("event"), str):
            return None
        return cls(members["event"], members, line)

    @property
    def time(self) -> str:
        """When, in UTC: `2026-01-31T14:05:09.042Z`."""
        return str(self.members.get("time", ""))

    @property
    def peripheral(self) -> str | None:
        """Which sensor, if several were started together: its controller's name."""
        return self.members.get("peripheral")

    @property
    def central(self) -> str | None:
        """The address of the central that did it."""
        return self.members.get("central")

    @property
    def service(self) -> str | None:
        """The service's name in the profile."""
        return self.members.get("service")

    @property
    def characteristic(self) -> str | None:
        """The characteristic's name in the profile."""
        return self.members.get("characteristic")

    @property
    def value(self) -> bytes | None:
        """What was read, written or sent."""
        text = self.members.get("value")
        return bytes.fromhex(text) if isinstance(text, str) else None

    @property
    def message(self) -> str | None:
        """More, in words."""
        return self.members.get("message")

    def has(self, *words: str) -> bool:
        """Whether each of these texts is in the event's line."""
        return all(word in self.line for word in words)
