"""guest/recorded and lab-bundle run: the record of a whole run, for its page."""

import os
import struct
import subprocess

from lab_script import LIBRARY, LabScriptTests

START = 1795285375.209250  # 2026-11-21 18:22:55.209250 UTC
EPOCH = 0x00E03AB44A676000 - 946_684_800_000_000
HEADER = b"btsnoop\0" + bytes([0, 0, 0, 1, 0, 0, 0x07, 0xD1])
NEW_INDEX, COMMAND = 0, 2
BUS = """\
signal time=1795285374.000000 sender=:1.0 -> destination=(null destination) serial=1 path=/; interface=a.b; member=Early
signal time=1795285376.000000 sender=:1.0 -> destination=(null destination) serial=2 path=/; interface=a.b; member=Late
"""


def record(kind, after, content):
    moment = 1_795_285_375_209_250 + after + EPOCH
    return struct.pack(">IIIIq", len(content), len(content), kind, 0, moment) + content


class Recorded(LabScriptTests):
    def run_script(self, *words):
        environment = self.environment(
            LAB_RUN=str(self.folder / "run"),
            LAB_OUT=str(self.folder),
            LAB_RECORD="0",
            FOLDER=str(self.folder),
            PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}",
        )
        return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False)

    def test_a_command_runs_between_the_recorders_start_and_the_keeping_of_its_record(self):
        for program in ("lab-record", "lab-bundle"):
            text = f'#!/bin/sh\necho "{program} $*" >>"$FOLDER/calls"\n'
            self.write(f"bin/{program}", text, executable=True)
        command = ["sh", "-c", 'echo printed; echo "the command" >>"$FOLDER/calls"; exit 7']
        result = self.run_script(LIBRARY / "guest/recorded", self.folder / "kept", *command)
        self.assertEqual((result.returncode, result.stdout), (7, "printed\n"))
        first, second, third = (self.folder / "calls").read_text().splitlines()
        self.assertEqual((first, second), ("lab-record start", "the command"))
        self.assertRegex(third, rf"lab-bundle run {self.folder}/kept \d+\.\d{{6}} 7 sh -c ")

    def test_without_recorders_nothing_runs(self):
        self.write("bin/lab-record", "#!/bin/sh\nexit 1\n", executable=True)
        result = self.run_script(LIBRARY / "guest/recorded", self.folder / "kept", "echo", "ran")
        self.assertEqual((result.returncode, result.stdout), (125, ""))

    def test_a_record_has_what_came_since_the_start(self):
        self.write("run/record/bus.log", BUS)
        self.write("run/record/output-7.log", "1795285374.000000 early\n1795285376.000000 late\n")
        controller, early, late = record(NEW_INDEX, -9, b"\1"), record(COMMAND, -1, b"\2"), record(COMMAND, 0, b"\3")
        (self.folder / "run/record/hci.btsnoop").write_bytes(HEADER + controller + early + late)
        bundle = LIBRARY / "guest/bin/lab-bundle"
        result = self.run_script(bundle, "run", self.folder / "kept", str(START), "3", "make", "a test")
        self.assertEqual(result.returncode, 0, result.stderr)
        kept = self.folder / "kept"
        self.assertEqual((kept / "hci.btsnoop").read_bytes(), HEADER + controller + late)
        self.assertIn("Late", (kept / "bus.log").read_text())
        self.assertNotIn("Early", (kept / "bus.log").read_text())
        self.assertEqual((kept / "app.log").read_text(), "2026-11-21 18:22:56.000000  command  late\n")
        title, span, _, issue = (kept / "summary.txt").read_text().splitlines()
        self.assertEqual((title, issue), ("make 'a test' failed", "make ended with exit status 3"))
        self.assertTrue(span.startswith("from 2026-11-21 18:22:55.209250 to "))
        made = self.lab("page", kept, "--out", self.folder / "run.html")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("<title>make &#x27;a test&#x27; failed</title>", (self.folder / "run.html").read_text())
