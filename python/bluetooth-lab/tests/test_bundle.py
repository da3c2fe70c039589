"""A failure's record: its parts, from recordings that may be cut off, and all that lab-bundle makes of them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from bluetooth_lab.bundle.bus import bus_entries, bus_messages, bus_summary
from bluetooth_lab.bundle.capture import capture_notes, capture_records, capture_slice
from bluetooth_lab.bundle.command import Description, new_folder
from bluetooth_lab.bundle.packets import packet_entries
from bluetooth_lab.bundle.timeline import merged, text_of, timeline
from bluetooth_lab.places import GUEST
from captures import COMMAND, HEADER, NEW_INDEX, START, USER_LOGGING, note, record
from scratch_lab import ScratchLab


def test_times_are_in_utc_with_microseconds() -> None:
    assert text_of(START) == "2026-11-21 18:22:55.209250"


def test_entries_of_the_same_time_keep_their_order() -> None:
    first, second = [(2.0, "a", "1"), (1.0, "a", "2")], [(2.0, "b", "3")]
    assert [text for _, _, text in merged([first, second])] == ["2", "1", "3"]
    assert timeline([(0, "long", "x"), (0, "s", "y")]).splitlines()[1].endswith("  s     y")
    assert timeline([]) == ""


def test_a_capture_that_is_just_being_written_has_its_complete_records() -> None:
    capture = HEADER + record(COMMAND, 0, b"\3") + record(COMMAND, 1, b"\4\5")
    assert [len(list(capture_records(capture[: len(capture) - cut]))) for cut in (0, 1, 2, 26, 27)] == [2, 1, 1, 1, 0]
    assert list(capture_records(HEADER)) == list(capture_records(b"")) == []
    assert list(capture_records(HEADER + b"\xff" * 8 + bytes(16))) == [], "a length beyond the end"


def test_a_slice_has_what_came_since_and_the_controllers_before() -> None:
    controller, early, late = record(NEW_INDEX, -9, b"\1"), record(COMMAND, -1, b"\2"), record(COMMAND, 0, b"\3")
    capture = HEADER + controller + early + late
    assert capture_slice(capture, capture_records(capture), START) == HEADER + controller + late


def test_notes_are_those_of_one_program_since_the_start() -> None:
    capture = HEADER + note("bluetoothd", "early", -1) + note("bluetoothd", "Exit\n", 1) + note("other", "x", 1)
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


# The whole

BUS = """\
method call time=1795285375.000000 sender=:1.4 -> destination=org.bluez serial=7 path=/; interface=a.b; member=Early
   string "early"
method call time=1795285375.300001 sender=:1.4 -> destination=org.bluez serial=8 path=/org/bluez/hci1; \
interface=org.bluez.Adapter1; member=RemoveDevice
   object path "/org/bluez/hci1/dev_00"
error time=1795285375.300002 sender=:1.0 -> destination=:1.4 error_name=org.bluez.Error.Failed reply_serial=8
   string "No"
signal time=1795285375.300003 sender=:1.0 -> destination=(null destination) serial=9 path=/a; interface=c.d; member=E
   array [
   ]
"""

BTMON = """\
Bluetooth monitor ver 5.66
= bluetoothd: Terminating                            2026-11-21 18:22:55.209250
= New Index: 00:AA:.. (Primary,Virtual,hci1)  [hci1] 2026-11-21 18:22:51.821670
> HCI Event: Command Complete (0x0e) plen 4  #1 [hci0] 2026-11-21 18:22:56.000001
      LE Set Advertise Enable (0x08|0x000a) ncmd 1
        Status: Success (0x00)
> HCI Event: Number of Completed Packets (0x13) plen 5  #2 [hci0] 2026-11-21 18:22:56.000001
        Num handles: 1
> ACL Data RX: Handle 42 flags 0x02 dlen 9   #2 [hci1] 2026-11-21 18:22:56.000002
      ATT: Handle Value Notification (0x1b) len 4
        Handle: 0x0010
          Data: 0648
"""

CONTROLLER = record(NEW_INDEX, -20, b"\1")
EARLY = record(COMMAND, -1, b"\2") + note("bluetoothd", "early", -5)
LATE = record(COMMAND, 0, b"\3") + note("bluetoothd", "Exit\n", 100)


class Recordings:
    """What was recorded until a test ended; the capture is being written."""

    def __init__(self, scratch: ScratchLab) -> None:
        self.scratch, self.folder = scratch, scratch.folder
        scratch.write("bin/btmon", '#!/bin/sh\ncat "$FOLDER/btmon.txt"\n', is_executable=True)
        scratch.write("btmon.txt", BTMON)
        scratch.write("run/record/bus.log", BUS)
        (self.folder / "run/record/hci.btsnoop").write_bytes(HEADER + CONTROLLER + EARLY + LATE + b"\xff" * 30)
        scratch.write("run/printed", "1795285375.100000 before\n1795285375.400000 a line\nno time\n")
        scratch.write("bluetoothd.log", "bluetoothd[1]: with a time\ncrashed\n")

    def bundle(self, **more: object) -> Path:
        """The folder that lab-bundle makes of them."""
        description = {
            "test": "test_a.test_b[x/y]",
            "start": START,
            "end": START + 2,
            "busPosition": 0,
            "issues": ["a.py:1: it failed"],
            "devices": "hci0, powered: true",
            "entries": [[START + 0.5, "test", "a note"], [START + 9, "test", "later"]],
            **more,
        }
        variables = {
            "LAB_RUN": f"{self.folder}/run",
            "LAB_TESTS_LOG": f"{self.folder}/run/printed",
            "LAB_RECORD": "0",
            "LAB_OUT": str(self.folder),
            "FOLDER": str(self.folder),
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
        }
        command = (GUEST / "bin/lab-bundle", self.folder / "out")
        result = self.scratch.run(*command, variables=variables, text=json.dumps(description))
        assert result.returncode == 0, result.stderr
        return Path(result.stdout.strip())


@pytest.fixture
def recordings(scratch: ScratchLab) -> Recordings:
    return Recordings(scratch)


def test_a_bundle_has_all_its_files_in_a_folder_of_its_own(recordings: Recordings) -> None:
    folder = recordings.bundle()
    names = "page.html summary.txt timeline.txt hci.btsnoop hci.txt bus.log bluetoothd.log app.log"
    assert sorted(path.name for path in folder.iterdir()) == sorted(names.split())
    assert folder == recordings.folder / "out/failures/test_a.test_b-x-y-"
    assert recordings.bundle() == recordings.folder / "out/failures/test_a.test_b-x-y--2"
    assert (folder / "summary.txt").read_text().splitlines() == [
        "test_a.test_b[x/y] failed",
        "from 2026-11-21 18:22:55.209250 to 2026-11-21 18:22:57.209250 UTC",
        "",
        "a.py:1: it failed",
        "",
        "hci0, powered: true",
    ]


def test_a_test_without_issues_has_passed(recordings: Recordings) -> None:
    folder = recordings.bundle(issues=[])
    assert folder == recordings.folder / "out/passed/test_a.test_b-x-y-"
    assert (folder / "summary.txt").read_text().startswith("test_a.test_b[x/y] passed\n")
    assert "passed</title>" in (folder / "page.html").read_text()


def test_its_capture_keeps_the_controllers_that_were_there_before(recordings: Recordings) -> None:
    assert (recordings.bundle() / "hci.btsnoop").read_bytes() == HEADER + CONTROLLER + LATE


def test_its_bus_log_begins_with_the_test(recordings: Recordings) -> None:
    text = (recordings.bundle() / "bus.log").read_text()
    assert text.startswith("2026-11-21 18:22:55.300001  method call time=1795285375.300001")
    assert text.endswith("   array [\n   ]\n")
    assert "early" not in text
    later = recordings.bundle(busPosition=BUS.index("error time"))
    assert (later / "bus.log").read_text().startswith("2026-11-21 18:22:55.300002")


def test_its_timeline_has_all_in_the_order_of_time(recordings: Recordings) -> None:
    assert [line[17:] for line in (recordings.bundle() / "timeline.txt").read_text().splitlines()] == [
        "55.209350  bluetoothd  Exit",
        "55.300001  bus         :1.4 -> org.bluez method call /org/bluez/hci1 org.bluez.Adapter1.RemoveDevice "
        'serial 8 "/org/bluez/hci1/dev_00"',
        '55.300002  bus         :1.0 -> :1.4 error org.bluez.Error.Failed to 8 "No"',
        "55.300003  bus         :1.0 signal /a c.d.E",
        "55.400000  output      a line",
        "55.709250  test        a note",
        "56.000001  hci         > HCI Event: Command Complete (0x0e) plen 4 #1 [hci0]; "
        "LE Set Advertise Enable (0x08|0x000a) ncmd 1",
        "56.000002  hci         > ACL Data RX: Handle 42 flags 0x02 dlen 9 #2 [hci1]; "
        "ATT: Handle Value Notification (0x1b) len 4, Handle: 0x0010, Data: 0648",
    ]


def test_other_output_of_bluetoothd_is_kept(recordings: Recordings) -> None:
    text = (recordings.bundle() / "bluetoothd.log").read_text()
    assert text.endswith("bluetoothd  Exit\n\nother output, since the lab's start:\ncrashed\n")


def test_without_recordings_there_is_the_rest(recordings: Recordings) -> None:
    for file in ("bus.log", "hci.btsnoop"):
        (recordings.folder / "run/record" / file).unlink()
    folder = recordings.bundle()
    assert not (folder / "hci.btsnoop").exists()
    assert len((folder / "timeline.txt").read_text().splitlines()) == 2
