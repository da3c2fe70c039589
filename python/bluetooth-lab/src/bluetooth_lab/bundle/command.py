"""Writes what happened during a test into a folder below OUTPUT/failures, or OUTPUT/passed if it has no issues, and
prints its path.

usage: lab-bundle OUTPUT <DESCRIPTION
       lab-bundle note TEXT           writes a note between the packets of the capture
       lab-bundle crashes START       prints the backtraces of programs that have crashed since START
       lab-bundle crashes --keep OUTPUT
                                      keeps those that no failed test has kept, and notes them for the caller
       lab-bundle run FOLDER START STATUS COMMAND [ARG…]
                                      keeps what was recorded since START, when COMMAND has ended (guest/recorded)

For test runners in any language. `lab-record start` must have been called before the test. DESCRIPTION is a JSON
object:

  test          its name
  start, end    in seconds since 1970, by the machine's clock
  busPosition   how long the recorder's bus.log was at the start, in bytes
  issues        texts: what was wrong
  devices       a text: what bluetoothd knew of the devices at the end
  entries       [time, source, text]: what the test and the programs that it started have printed, and its notes
  missing       names of the records whose last moments may be missing; default: none
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bluetooth_lab.air.lanes import entries as air_entries
from bluetooth_lab.air.recording import Line, lines_of, part, text_of_part
from bluetooth_lab.bundle.bus import bus_entries, bus_messages, bus_text
from bluetooth_lab.bundle.capture import MAGIC, capture_notes, capture_records, capture_slice
from bluetooth_lab.bundle.crashes import MAXIMUM_CRASHES, Crash, crashes, description, keep, keep_all
from bluetooth_lab.bundle.kernel import kernel_entries
from bluetooth_lab.bundle.packets import packet_entries
from bluetooth_lab.bundle.recording import AIR, BUS_TRACE, CAPTURE, RECORD, catch_up, content_of, write_note
from bluetooth_lab.bundle.timeline import Entry, merged, text_of, timeline
from bluetooth_lab.page.command import write_page

LONGEST_NAME = 100
DECODING_LIMIT = 120  # seconds


class Description(NamedTuple):
    """What the usage lists."""

    test: str
    start: float
    end: float
    bus_position: int
    issues: list[str]
    devices: str
    entries: list[Entry]
    missing: list[str]

    @classmethod
    def read(cls, text: str) -> Description:
        """Raises ValueError if the text is not what the usage says."""
        try:
            values: dict[str, Any] = json.loads(text)
            return cls(
                str(values["test"]),
                float(values["start"]),
                float(values["end"]),
                int(values["busPosition"]),
                [str(issue) for issue in values["issues"]],
                str(values["devices"]),
                [(float(time), str(source), str(entry)) for time, source, entry in values["entries"]],
                [str(name) for name in values.get("missing", [])],
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{type(error).__name__}: {error}") from error


def printed_entries(start: float) -> Iterator[Entry]:
    """The lines that the tests' process has printed since the start. guest/run-tests keeps them, each after its
    time."""
    file = os.environ.get("LAB_TESTS_LOG")
    return timed_lines(content_of(file), start, "output") if file else iter(())


def timed_lines(content: bytes, start: float, source: str) -> Iterator[Entry]:
    for line in content.decode(errors="replace").splitlines():
        moment, _, text = line.partition(" ")
        if re.fullmatch(r"\d+\.\d{6}", moment) and float(moment) >= start:
            yield float(moment), source, text


def untimed_output() -> str:
    """What bluetoothd printed other than its log, such as the end of one that crashed."""
    text = content_of(logs_folder() / "bluetoothd.log").decode(errors="replace")
    lines = [line for line in text.splitlines() if line and not line.startswith("bluetoothd[")]
    return "\nother output, since the lab's start:\n" + "\n".join(lines) + "\n" if lines else ""


def logs_folder() -> Path:
    """Where the machine has its own logs."""
    return Path(os.environ.get("LAB_LOGS") or os.environ.get("LAB_OUT", "/nowhere"))


def new_folder(parent: Path, test: str) -> Path:
    name = "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in test)[:LONGEST_NAME]
    number = 1
    while True:
        folder = parent / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir(parents=True)
            return folder
        except FileExistsError:
            number += 1


def decode(folder: Path) -> str:
    """What btmon shows of the folder's capture; as much as it shows in time."""
    with open(folder / "hci.txt", "wb") as file:
        try:
            subprocess.run(
                ["btmon", "-T", "-C", "120", "-r", "hci.btsnoop"],
                cwd=folder,
                env={**os.environ, "TZ": "UTC"},
                stdout=file,
                stderr=subprocess.STDOUT,
                timeout=DECODING_LIMIT,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            file.write(f"{error}\n".encode())
    return (folder / "hci.txt").read_text(errors="replace")


def write_bundle(output: Path, test: Description) -> Path:
    missing = [*test.missing, *catch_up()]
    start = test.start
    has_failed = bool(test.issues)
    folder = new_folder(output / ("failures" if has_failed else "passed"), test.test)
    crashed = crashes(start)
    sources = [test.entries, list(printed_entries(start)), [crash.entry for crash in crashed]]
    (folder / "app.log").write_text(timeline(merged(sources)))
    sources.append(keep_kernel_log(folder, start))

    messages = bus_messages(content_of(BUS_TRACE, test.bus_position), start)
    (folder / "bus.log").write_bytes(bus_text(messages))
    sources.append(list(bus_entries(messages)))

    capture = content_of(CAPTURE)
    if capture.startswith(MAGIC):
        records = list(capture_records(capture))
        (folder / "hci.btsnoop").write_bytes(capture_slice(capture, records, start))
        sources.append(packet_entries(decode(folder), start))
        log = list(capture_notes(records, "bluetoothd", start))
        (folder / "bluetoothd.log").write_text(timeline(log) + untimed_output())
        sources.append(log)

    sources.append(air_entries(keep_air(folder, start, test.end), start))

    # What comes after the end is this collecting.
    entries = [entry for entry in merged(sources) if entry[0] <= test.end]
    (folder / "timeline.txt").write_text(timeline(entries))
    late = f"\nThe last moments may be missing in: {', '.join(missing)}\n" if missing else ""
    summary = [
        f"{test.test} {'failed' if has_failed else 'passed'}",
        f"from {text_of(start)} to {text_of(test.end)} UTC",
        late,
    ]
    texts = [keep_crash(crash, folder, test.issues) for crash in crashed[:MAXIMUM_CRASHES]]
    texts += [crash.headline for crash in crashed[MAXIMUM_CRASHES:]]
    (folder / "summary.txt").write_text("\n".join([*summary, *test.issues, *texts, "", test.devices, ""]))
    write_page(folder)
    return folder


def keep_air(folder: Path, start: float, end: float) -> list[Line]:
    """What the radio has recorded, if it has."""
    lines = part(lines_of(content_of(AIR)), start, end)
    if lines:
        (folder / AIR.name).write_bytes(text_of_part(lines))
    return lines


def keep_kernel_log(folder: Path, start: float) -> list[Entry]:
    entries = kernel_entries(start)
    if entries:
        (folder / "kernel.log").write_text(timeline(entries))
    return entries


def keep_crash(crash: Crash, folder: Path, issues: list[str]) -> str:
    """Keeps it, and returns what the summary says of it: little if an issue has its backtrace already."""
    try:
        text = keep(crash, folder)
    except OSError as error:
        text = f"{crash.headline}, and nothing of it could be kept: {error}"
    is_known = any(crash.headline in issue for issue in issues)
    return f"{crash.headline}: see {crash.name}.txt" if is_known else text


def keep_run(folder: Path, start: float, status: int, command: list[str]) -> None:
    """Keeps what was recorded during a command. The host makes its page."""
    end = time.time()  # what comes after it is this collecting
    missing = catch_up()
    folder.mkdir(parents=True, exist_ok=True)
    capture = content_of(CAPTURE)
    (folder / CAPTURE.name).write_bytes(capture_slice(capture, capture_records(capture), start))
    (folder / BUS_TRACE.name).write_bytes(bus_text(bus_messages(content_of(BUS_TRACE), start)))
    keep_air(folder, start, end)
    keep_kernel_log(folder, start)
    lines = [list(timed_lines(content_of(file), start, "command")) for file in RECORD.glob("output-*.log")]
    lines.append([crash.entry for crash in crashes(start)])
    (folder / "app.log").write_text(timeline(merged(lines)))
    late = [f"The last moments may be missing in: {', '.join(missing)}"] if missing else []
    issues = [f"{command[0]} ended with exit status {status}"] if status else []
    # The title is a line, which scripts as a word of the command are not.
    title = f"{' '.join(shlex.join(command).split())} {'failed' if status else 'passed'}"
    span = f"from {text_of(start)} to {text_of(end)} UTC"
    (folder / "summary.txt").write_text("\n".join([title, span, "", *issues, *late, ""]))


def main(words: list[str]) -> int:
    if words[:1] == ["note"] and len(words) == 2:
        return 0 if write_note(words[1]) else 1
    if words[:1] == ["crashes"] and len(words) == 2:
        print("\n".join(description(crash) for crash in crashes(float(words[1]))[:MAXIMUM_CRASHES]), end="")
        return 0
    if words[:2] == ["crashes", "--keep"] and len(words) == 3:
        keep_all(Path(words[2]))
        return 0
    if words[:1] == ["run"] and len(words) > 4:
        keep_run(Path(words[1]), float(words[2]), int(words[3]), words[4:])
        return 0
    if len(words) != 1 or words[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        test = Description.read(sys.stdin.read())
    except ValueError as error:
        print(f"lab-bundle: the description cannot be used: {error}", file=sys.stderr)
        return 2
    print(write_bundle(Path(words[0]), test))
    return 0
