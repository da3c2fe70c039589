"""The tools that the lab's scripts and its other tools start, by name. What users start is `command_line`."""

from __future__ import annotations

import importlib
import os
import signal
import traceback

from bluetooth_lab.messages import EXIT_LAB_FAILED, say
from bluetooth_lab.places import PARENT

TOOLS = {
    "machine": "bluetooth_lab.machine.command",
    "persistent": "bluetooth_lab.machine.persistent_commands",
    "hosts": "bluetooth_lab.hosts",
    "count-tests": "bluetooth_lab.testing.counting",
    "unpack-kernel": "bluetooth_lab.kernel",
    "bundle": "bluetooth_lab.bundle.command",
    "peer": "bluetooth_lab.peer",
    "download": "bluetooth_lab.download",
}
COMMAND_LINE = "bluetooth_lab.command_line.main"


def end_with(parent: int) -> None:
    """Has the kernel send SIGTERM to this process when its parent's thread that has started it is gone."""
    import ctypes

    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:  # it was faster
        os.kill(os.getpid(), signal.SIGTERM)


def main(words: list[str]) -> int:
    """Runs a tool with the words that follow its name, or else the lab's command line."""
    if words and words[0].startswith(PARENT):
        end_with(int(words[0].removeprefix(PARENT)))
        words = words[1:]
    module, rest = (TOOLS[words[0]], words[1:]) if words and words[0] in TOOLS else (COMMAND_LINE, words)
    try:
        status: int = importlib.import_module(module).main(rest)
    except Exception as error:  # Python's exit status for it, 1, would be the command's
        return failed(error)
    return status


def failed(error: Exception) -> int:
    """The exit status. An error of the system, such as a full disk, needs no traceback."""
    if isinstance(error, OSError):
        place = traceback.extract_tb(error.__traceback__)[-1]
        say(f"{error} ({os.path.basename(place.filename)}, line {place.lineno})")
    else:
        traceback.print_exception(type(error), error, error.__traceback__)
    return EXIT_LAB_FAILED
