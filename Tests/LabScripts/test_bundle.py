"""lab-bundle: what it makes of recordings."""

import json
import os
import struct
import subprocess

from lab_script import LIBRARY, LabScriptTests

START = 1795285375.209250  # 2026-11-21 18:22:55.209250 UTC
EPOCH = 0x00E03AB44A676000 - 946_684_800_000_000
HEADER = b"btsnoop\0" + bytes([0, 0, 0, 1, 0, 0, 0x07, 0xD1])
NEW_INDEX, COMMAND, USER_LOGGING = 0, 2, 13

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


def record(kind, after, content):
    moment = 1_795_285_375_209_250 + after + EPOCH
    return struct.pack(">IIIIq", len(content), len(content), kind, 0, moment) + content


def note(program, text, after):
    name = program.encode() + b"\0"
    return record(USER_LOGGING, after, bytes([6, len(name)]) + name + text.encode() + b"\0")


class Bundle(LabScriptTests):
    def setUp(self):
        super().setUp()
        self.write("btmon.txt", BTMON)
        self.write("bin/btmon", '#!/bin/sh\ncat "$FOLDER/btmon.txt"\n', executable=True)
        self.write("run/record/bus.log", BUS)
        self.controller, early = record(NEW_INDEX, -20, b"\1"), record(COMMAND, -1, b"\2")
        self.late = record(COMMAND, 0, b"\3") + note("bluetoothd", "Exit\n", 100)
        (self.folder / "run/record/hci.btsnoop").write_bytes(
            HEADER + self.controller + early + note("bluetoothd", "early", -5) + self.late + b"\xff" * 30
        )
        self.write("run/printed", "1795285375.100000 before\n1795285375.400000 a line\nno time\n")
        self.write("bluetoothd.log", "bluetoothd[1]: with a time\ncrashed\n")

    def bundle(self, **more):
        """The files of the bundle, by their names."""
        description = {
            "test": "test_a.test_b[x/y]",
            "start": START,
            "end": START + 2,
            "busPosition": 0,
            "issues": ["a.py:1: it failed"],
            "devices": "hci0, powered: true",
            "entries": [[START + 0.5, "test", "a note"], [START + 9, "test", "later"]],
        } | more
        environment = {
            "FOLDER": self.folder,
            "LAB_RUN": self.folder / "run",
            "LAB_TESTS_LOG": self.folder / "run/printed",
            "LAB_RECORD": "0",
            "LAB_OUT": self.folder,
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
        }
        result = subprocess.run(
            [LIBRARY / "guest/bin/lab-bundle", self.folder / "out"],
            input=json.dumps(description),
            env=self.environment(**environment),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        self.path = result.stdout.strip()
        return {path.name: path.read_bytes() for path in (self.folder / "out/failures").joinpath(self.path).iterdir()}

    def test_it_has_the_files_of_every_bundle(self):
        files = self.bundle()
        names = "page.html summary.txt timeline.txt hci.btsnoop hci.txt bus.log bluetoothd.log app.log"
        self.assertEqual(sorted(files), sorted(names.split()))
        self.assertTrue(self.path.endswith("/out/failures/test_a.test_b-x-y-"))
        self.bundle()
        self.assertTrue(self.path.endswith("/test_a.test_b-x-y--2"), "another one has a folder of its own")
        self.assertEqual(
            files["summary.txt"].decode().splitlines(),
            [
                "test_a.test_b[x/y] failed",
                "from 2026-11-21 18:22:55.209250 to 2026-11-21 18:22:57.209250 UTC",
                "",
                "a.py:1: it failed",
                "",
                "hci0, powered: true",
            ],
        )

    def test_a_test_without_issues_has_passed(self):
        files = self.bundle(issues=[])
        self.assertTrue(self.path.endswith("/out/passed/test_a.test_b-x-y-"))
        self.assertTrue(files["summary.txt"].startswith(b"test_a.test_b[x/y] passed\n"))
        self.assertIn(b"passed</title>", files["page.html"])

    def test_the_capture_keeps_the_controllers_that_were_there_before(self):
        self.assertEqual(self.bundle()["hci.btsnoop"], HEADER + self.controller + self.late)

    def test_the_bus_log_begins_with_the_test(self):
        text = self.bundle()["bus.log"].decode()
        self.assertTrue(text.startswith("2026-11-21 18:22:55.300001  method call time=1795285375.300001"))
        self.assertTrue(text.endswith("   array [\n   ]\n"))
        self.assertNotIn("early", text)
        position = BUS.index("error time")
        self.assertTrue(self.bundle(busPosition=position)["bus.log"].decode().startswith("2026-11-21 18:22:55.300002"))

    def test_the_timeline_has_it_all_in_the_order_of_time(self):
        lines = [line[17:] for line in self.bundle()["timeline.txt"].decode().splitlines()]
        self.assertEqual(
            lines,
            [
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
            ],
        )

    def test_other_output_of_bluetoothd_is_kept(self):
        text = self.bundle()["bluetoothd.log"].decode()
        self.assertTrue(text.endswith("bluetoothd  Exit\n\nother output, since the lab's start:\ncrashed\n"), text)

    def test_without_recordings_there_is_the_rest(self):
        for file in ("bus.log", "hci.btsnoop"):
            (self.folder / "run/record" / file).unlink()
        files = self.bundle()
        self.assertNotIn("hci.btsnoop", files)
        self.assertEqual(len(files["timeline.txt"].splitlines()), 2)
