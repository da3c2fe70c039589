"""Reads a recording, and cuts out the part of a test or run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

SNAPSHOT = "air"
DETAILS = ("packets", "strength")

Members = dict[str, Any]


class Line(NamedTuple):
    """`time` is in seconds since 1970; `text` is the line itself."""

    time: float
    members: Members
    text: str

    @property
    def event(self) -> str:
        return str(self.members["event"])


def lines_of(content: bytes) -> Iterator[Line]:
    """The lines of a recording. What is none, such as a line that was cut, is left out."""
    began = 0.0
    for text in content.decode(errors="replace").splitlines():
        try:
            members = json.loads(text)
            if not isinstance(members, dict) or not isinstance(members.get("event"), str):
                continue
            if members["event"] == SNAPSHOT:
                began = float(members["began_us"])
            yield Line((began + float(members["time_us"])) / 1e6, members, text)
        except (KeyError, TypeError, ValueError):
            continue


def part(lines: Iterable[Line], start: float, end: float) -> list[Line]:
    """What happened from `start` to `end`, after the last lines that say who was where at its start."""
    before: list[Line] = []
    within: list[Line] = []
    for line in lines:
        if line.time > end:
            continue
        if line.time >= start:
            within.append(line)
        elif line.event == SNAPSHOT:
            before = [line]
        elif line.event not in DETAILS:
            before.append(line)
    return [*before, *within] if within else []


def text_of_part(lines: Iterable[Line]) -> bytes:
    return "".join(f"{line.text}\n" for line in lines).encode()
