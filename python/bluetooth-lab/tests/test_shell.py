"""The shell of `lab shell`, in a terminal, with stand-ins for the programs."""

from __future__ import annotations

import os
import pty
import re
import select
import time
from collections.abc import Iterator

import pytest

from bluetooth_lab.places import GUEST
from scratch_lab import ScratchLab

# Prints its completions like the programs do; they offer one word.
PROGRAM = """#!/bin/bash
if [[ $1 == --generate-completion-script ]]; then
    echo '_stand_in() { COMPREPLY=(status); }; complete -F _stand_in '"${0##*/}"
else
    echo "${0##*/} got <$*>"
fi
"""
LIMIT = 20  # seconds, on a busy machine


class Shell:
    def __init__(self, scratch: ScratchLab) -> None:
        self.scratch, self.shown = scratch, ""
        self.child, self.terminal = 0, -1

    def start(self, **more: str) -> None:
        path = f"{self.scratch.folder}/bin:{os.environ['PATH']}"
        values = self.scratch.environment(PATH=path, TERM="xterm", **more)
        values = {name: value for name, value in values.items() if name != "NO_COLOR" or name in more}
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(self.scratch.folder)
            os.execve("/bin/bash", ["bash", "--rcfile", str(GUEST / "bashrc"), "-i"], values)

    def close(self) -> None:
        if self.child:
            os.close(self.terminal)
            os.waitpid(self.child, 0)

    def type(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def await_text(self, text: str) -> None:
        """Reads until the text has come, without what sets colours."""
        deadline = time.monotonic() + LIMIT
        while text not in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", "", self.shown):
            left = deadline - time.monotonic()
            has_more = left > 0 and select.select([self.terminal], [], [], left)[0]
            assert has_more, f"no {text!r} in {self.shown!r}"
            self.shown += os.read(self.terminal, 4096).decode(errors="replace")


@pytest.fixture
def shell(scratch: ScratchLab) -> Iterator[Shell]:
    for program in ("dittojay", "bluejay", "lab-bluetoothd"):
        scratch.write(f"bin/{program}", PROGRAM, is_executable=True)
    shell = Shell(scratch)
    yield shell
    shell.close()


def test_it_greets_with_programs_and_what_to_try(shell: Shell, scratch: ScratchLab) -> None:
    shell.start()
    shell.await_text("This is the lab. ")
    shell.await_text("programs     dittojay bluejay")
    shell.await_text("try          dittojay --quiet & bluejay monitor")
    shell.await_text("\nlab:")
    shell.await_text(f"/{scratch.folder.name}")
    shell.type("exit\r")


def test_its_prompt_names_the_host_and_has_no_colour_where_none_is_wanted(shell: Shell) -> None:
    shell.start(LAB_HOST="b", NO_COLOR="1")
    shell.await_text("This is the lab, host b.")
    shell.await_text("\nlab b:")
    shell.type("exit\r")
    assert "\x1b[3" not in shell.shown


def test_tab_completes_the_programs_by_what_they_print(shell: Shell) -> None:
    shell.start()
    for program in ("dittojay", "bluejay"):
        shell.type(f"{program} sta\t\r")
        shell.await_text(f"{program} got <status>")
    shell.type("exit\r")


def test_tab_completes_what_is_in_the_lab_and_files(shell: Shell, scratch: ScratchLab) -> None:
    scratch.write("notes-of-mine.txt", "kept")
    shell.start()
    shell.type("echo; cat not\t\r")
    shell.await_text("\nkept")
    shell.type("lab-bluetoothd kil\t\r")
    shell.await_text("lab-bluetoothd got <kill>")
    shell.type("exit\r")
