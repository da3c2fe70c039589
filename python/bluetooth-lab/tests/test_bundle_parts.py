"""The parts of a failure's record, from recordings that may be cut off. (Tests/LabScripts has the whole.)"""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from bluetooth_lab.bundle.bus import bus_entries, bus_messages, bus_summary
from bluetooth_lab.bundle.capture import EPOCH, MAGIC, USER_LOGGING, capture_notes, capture_records, capture_slice
from bluetooth_lab.bundle.command import Description, new_folder
from bluetooth_lab.bundle.packets import packet_entries
from bluetooth_lab.bundle.timeline import merged, text_of, timeline

START = 1795285375.209250  # 2026-11-21 18:22:55.209250 UTC
HEADER = MAGIC + bytes(8)


def record(kind: int, seconds: float, content: bytes) -> bytes:
    moment = round((START + seconds) * 1e6) + EPOCH
    return struct.pack(">IIIIq", len(content), len(content), kind, 0, moment) + content


def note(program: bytes, text: bytes, seconds: float) -> bytes:
    return record(USER_LOGGING, seconds, bytes([6, len(program) + 1]) + program + b"\0" + text + b"\0")


def test_times_are_in_utc_with_microseconds() -> None:
    assert text_of(START) == "2026-11-21 18:22:55.209250"


def test_entries_of_the_same_time_keep_their_order() -> None:
    first, second = [(2.0, "a", "1"), (1.0, "a", "2")], [(2.0, "b", "3")]
    assert [text for _, _, text in merged([first, second])] == ["2", "1", "3"]
    assert timeline([(0, "long", "x"), (0, "s", "y")]).splitlines()[1].endswith("  s     y")
    assert timeline([]) == ""


def test_a_capture_that_is_just_being_written_has_its_complete_records() -> None:
    capture = HEADER + record(2, 0, b"\3") + record(2, 1, b"\4\5")
    assert [len(list(capture_records(capture[: len(capture) - cut]))) for cut in (0, 1, 2, 26, 27)] == [2, 1, 1, 1, 0]
    assert list(capture_records(HEADER)) == list(capture_records(b"")) == []
    assert list(capture_records(HEADER + b"\xff" * 8 + bytes(16))) == [], "a length beyond the end"


def test_a_slice_has_what_came_since_and_the_controllers_before() -> None:
    controller, early, late = record(0, -9, b"\1"), record(2, -1, b"\2"), record(2, 0, b"\3")
    capture = HEADER + controller + early + late
    assert capture_slice(capture, capture_records(capture), START) == HEADER + controller + late


def test_notes_are_those_of_one_program_since_the_start() -> None:
    capture = HEADER + b"".join(
        [note(b"bluetoothd", b"early", -1), note(b"bluetoothd", b"Exit\n", 1), note(b"other", b"x", 1)]
    )
    broken = record(USER_LOGGING, 2, b"\6") + record(USER_LOGGING, 2, b"\6\3bluetoothd")
    notes = capture_notes(capture_records(capture + broken), "bluetoothd", START)
    assert [text for _, _, text in notes][:1] == ["Exit"]


def test_bus_messages_of_before_and_what_is_no_message_are_left_out() -> None:
    trace = b"""garbage
method call time=1.000000 sender=:1.1 -> destination=a serial=1 path=/; interface=a.b; member=Early
   string "early"
signal time=9.000000 sender=:1.2 -> destination=(null destination) serial=2 path=/p; interface=c.d; member=M
   string "one"

   int32 7
   object path "/two"
error ti"""
    ((moment, lines),) = bus_messages(trace, 5)
    assert (moment, len(lines)) == (9.0, 5)
    assert [text for _, _, text in bus_entries([(moment, lines)])] == [':1.2 signal /p c.d.M "one" "/two"']


@pytest.mark.parametrize(
    ("headline", "text"),
    [
        (
            "method return time=1.0 sender=:1.0 -> destination=:1.4 serial=9 reply_serial=8",
            ":1.0 -> :1.4 method return to 8",
        ),
        ("error time=1.0", "? error"),
    ],
)
def test_a_summary_says_what_the_headline_has(headline: str, text: str) -> None:
    assert bus_summary(headline) == text


def test_packets_with_times_that_are_none_are_left_out() -> None:
    decoded = (
        "> HCI Event: A  #1 [hci0] 2026-99-21 18:22:56.000001\n      B\n> HCI Event: C 2026-11-21 18:22:56.000001\n"
    )
    assert [text for _, _, text in packet_entries(decoded, START)] == ["> HCI Event: C"]
    assert packet_entries("      no headline\n", START) == []


def test_the_timeline_says_what_failed_and_why() -> None:
    decoded = """< HCI Command: Disconnect (0x01|0x0006) plen 3  #1 [hci0] 2026-11-21 18:22:56.000001
        Handle: 1 Address: 00:AA:01:01:00:01 (OUI 00-AA-01)
        Reason: Authentication Failure (0x05)
> HCI Event: Command Status (0x0f) plen 4  #2 [hci0] 2026-11-21 18:22:56.000002
      Disconnect (0x01|0x0006) ncmd 1
        Status: Success (0x00)
> HCI Event: Command Status (0x0f) plen 4  #3 [hci0] 2026-11-21 18:22:56.000003
      LE Start Encryption (0x08|0x0019) ncmd 1
        Status: Command Disallowed (0x0c)
"""
    assert [text for _, _, text in packet_entries(decoded, START)] == [
        "< HCI Command: Disconnect (0x01|0x0006) plen 3 #1 [hci0], Reason: Authentication Failure (0x05)",
        "> HCI Event: Command Status (0x0f) plen 4 #2 [hci0]; Disconnect (0x01|0x0006) ncmd 1",
        "> HCI Event: Command Status (0x0f) plen 4 #3 [hci0]; LE Start Encryption (0x08|0x0019) ncmd 1, "
        "Status: Command Disallowed (0x0c)",
    ]


def test_every_record_has_a_folder_of_its_own_with_a_name_that_a_file_can_have(tmp_path: Path) -> None:
    names = [new_folder(tmp_path, "Suite/a test(x: 1)" + "y" * 200).name for _ in range(3)]
    assert names[0].startswith("Suite-a-test-x--1-y") and len(names[0]) == 100
    assert names[1:] == [f"{names[0]}-2", f"{names[0]}-3"]


DESCRIPTION = {
    "test": "t",
    "start": 1,
    "end": 2.5,
    "busPosition": 3,
    "issues": ["i"],
    "devices": "",
    "entries": [[1.5, "test", "x"]],
}


def test_a_description_may_lack_what_is_missing() -> None:
    test = Description.read(json.dumps(DESCRIPTION))
    assert (test.start, test.entries, test.missing) == (1.0, [(1.5, "test", "x")], [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        json.dumps({**DESCRIPTION, "start": "now"}),
        json.dumps({**DESCRIPTION, "entries": [[1]]}),
        json.dumps({**DESCRIPTION, "issues": None}),
    ],
)
def test_a_description_with_a_mistake_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        Description.read(text)
