"""Reads the folder of a record: of a failed test (bluetooth_lab.bundle), or of a run (guest/recorded)."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from bluetooth_lab.air.lanes import lane
from bluetooth_lab.air.recording import lines_of
from bluetooth_lab.bundle.recording import AIR, content_of

TIMED = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6})  (.*)")
SOURCE = re.compile(r"((?:\S| (?! ))+)(?:  |$)")
SPAN = re.compile(r"from (\S+ \S+) to (\S+ \S+) UTC")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
LOGS = ("app.log", "kernel.log")
COPIED = ("hci.btsnoop", "bus.log", "lanes.jsonl")

Line = tuple[int, str, str]  # microseconds since 1970, the source, the text


class Record(NamedTuple):
    """`about` is what the page says above all; `files` are its other files."""

    about: dict[str, Any]
    files: dict[str, bytes]


def microseconds(text: str) -> int:
    """Of a time in UTC."""
    moment = datetime.fromisoformat(text + "+00:00")
    return int(moment.replace(microsecond=0).timestamp()) * 1_000_000 + moment.microsecond


def timed_lines(text: str) -> list[Line]:
    """The lines of `app.log`, whose sources are in a column as wide as the longest of them."""
    matches = [match for line in text.splitlines() if (match := TIMED.match(line))]
    sources = [SOURCE.match(match[2]) for match in matches]
    width = max((len(source[1]) for source in sources if source), default=0)
    lines: list[Line] = []
    for match in matches:
        try:
            lines.append((microseconds(match[1]), match[2][:width].rstrip(), plain(match[2][width + 2 :])))
        except ValueError:  # such as the 99th of a month
            continue
    return lines


def plain(text: str) -> str:
    """Without the colours that programs print."""
    return COLOUR.sub("", text)


def summary_of(text: str) -> dict[str, Any]:
    """What a failed test's `summary.txt` says: its title, its times, its issues and the devices."""
    lines = text.splitlines()
    title, _, status = (lines[0] if lines else "").rpartition(" ")
    span = SPAN.match(lines[1]) if len(lines) > 1 else None
    about: dict[str, Any] = {"title": title, "status": status}
    if span:
        about["start"], about["end"] = (microseconds(moment) / 1e6 for moment in span.groups())
    parts = "\n".join(lines[2:]).strip("\n").split("\n\nhci", 1)
    about["issues"] = parts[0].strip("\n")
    about["devices"] = f"hci{parts[1]}" if len(parts) > 1 else ""
    return about


def read_record(folder: Path) -> Record:
    """Raises FileNotFoundError if the folder has no record."""
    summary = folder / "summary.txt"
    about = summary_of(summary.read_text(errors="replace"))
    about["folder"] = folder.name
    lines = [line for name in LOGS for line in timed_lines(content_of(folder / name).decode(errors="replace"))]
    lines.sort(key=lambda line: line[0])
    files = {name: content for name in COPIED if (content := content_of(folder / name))}
    air = list(lines_of(content_of(folder / AIR.name)))
    if air:
        lanes = "".join(lane(air, about.get("start", 0.0)))
        files["lanes.jsonl"] = files.get("lanes.jsonl", b"") + lanes.encode()
    text = "".join(f"{time}\t{source}\t{line}\n" for time, source, line in lines)
    return Record(about, {**files, "lines.log": text.encode()})
