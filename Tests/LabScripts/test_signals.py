"""Whoever has started `./lab` has started the tool that does the work: there is nothing in between."""

import os
import signal
import subprocess

from lab_script import LAB, LabScriptTests

# In the place of the tools' Python.
TOOL = """#!/bin/sh
echo $$ >"$LAB_HOME/tool.new"
mv "$LAB_HOME/tool.new" "$LAB_HOME/tool"
read word <"$LAB_HOME/word"
"""


class Signals(LabScriptTests):
    def setUp(self):
        super().setUp()
        self.write("home/python", TOOL, executable=True)
        os.mkfifo(self.home / "word")

    def test_the_lab_becomes_its_tool(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(number=number):
                # What starts these tests in the background may have Ctrl-C ignored.
                words = ["env", "--default-signal=INT", str(LAB), "status"]
                process = subprocess.Popen(words, env=self.environment(), stdin=subprocess.DEVNULL)
                while not (self.home / "tool").exists():
                    self.assertIsNone(process.poll())
                self.assertEqual((self.home / "tool").read_text(), f"{process.pid}\n")
                process.send_signal(number)
                self.assertEqual(process.wait(20), -number)
                (self.home / "tool").unlink()
