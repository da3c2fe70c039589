"""The shell of `lab shell`, in a terminal, with stand-ins for the programs."""

import os
import pty
import re
import select
import time

from lab_script import LIBRARY, LabScriptTests

# Prints its completions like the programs do; they offer one word.
PROGRAM = """#!/bin/bash
if [[ $1 == --generate-completion-script ]]; then
    echo '_stand_in() { COMPREPLY=(status); }; complete -F _stand_in '"${0##*/}"
else
    echo "${0##*/} got <$*>"
fi
"""
LIMIT = 20


class Shell(LabScriptTests):
    def setUp(self):
        super().setUp()
        for program in ("dittojay", "bluejay", "lab-bluetoothd"):
            self.write(f"bin/{program}", PROGRAM, executable=True)
        self.shown = ""

    def start(self, **more):
        values = self.environment(PATH=f"{self.folder}/bin:{os.environ['PATH']}", TERM="xterm", **more)
        values = {name: value for name, value in values.items() if name != "NO_COLOR" or name in more}
        child, self.terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execve(
                "/bin/bash",
                ["bash", "--rcfile", str(LIBRARY / "guest/bashrc"), "-i"],
                values,
            )
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.close, self.terminal)

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def await_text(self, text):
        """Reads until the text has come, without what sets colours."""
        deadline = time.monotonic() + LIMIT
        while text not in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", "", self.shown):
            left = deadline - time.monotonic()
            self.assertTrue(
                left > 0 and select.select([self.terminal], [], [], left)[0], f"no {text!r} in {self.shown!r}"
            )
            self.shown += os.read(self.terminal, 4096).decode(errors="replace")

    def test_it_greets_with_programs_and_what_to_try(self):
        self.start()
        self.await_text("This is the lab. ")
        self.await_text("programs     dittojay bluejay")
        self.await_text("try          dittojay --quiet & bluejay monitor")
        self.await_text("\nlab:")
        self.await_text(f"/{self.folder.name}")
        self.type("exit\r")

    def test_its_prompt_names_the_host(self):
        self.start(LAB_HOST="b", NO_COLOR="1")
        self.await_text("This is the lab, host b.")
        self.await_text("\nlab b:")
        self.type("exit\r")
        self.assertNotIn("\x1b[3", self.shown, "coloured in spite of NO_COLOR")

    def test_tab_completes_the_programs_by_what_they_print(self):
        self.start()
        for program in ("dittojay", "bluejay"):
            self.type(f"{program} sta\t\r")
            self.await_text(f"{program} got <status>")
        self.type("exit\r")

    def test_tab_completes_what_is_in_the_lab_and_files(self):
        self.write("notes-of-mine.txt", "kept")
        self.start()
        self.type("echo; cat not\t\r")
        self.await_text("\nkept")
        self.type("lab-bluetoothd kil\t\r")
        self.await_text("lab-bluetoothd got <kill>")
        self.type("exit\r")
