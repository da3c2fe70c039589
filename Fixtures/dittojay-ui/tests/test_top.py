"""dittojay top in a terminal."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import pytest

LIMIT = 60  # seconds
STYLES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    """A terminal of its own with a program in it."""

    def __init__(self, *command, kind="xterm"):
        self.descriptor, self.inside = pty.openpty()
        self.resize(100, 30)
        self.before = termios.tcgetattr(self.inside)
        self.process = subprocess.Popen(
            command,
            stdin=self.inside,
            stdout=self.inside,
            stderr=self.inside,
            env={**os.environ, "TERM": kind},
            start_new_session=True,
        )
        self.text = ""

    def resize(self, width, height):
        fcntl.ioctl(self.inside, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def wait(self, condition):
        """Waits until the last picture, as a list of lines, is as it should be."""
        deadline = time.monotonic() + LIMIT
        while True:
            pictures = self.text.split("\x1b[H")
            lines = STYLES.sub("", pictures[-2] if len(pictures) > 2 else "").replace("\r", "").split("\n")
            if condition(lines):
                return lines
            assert time.monotonic() < deadline, lines
            if select.select([self.descriptor], [], [], 1)[0]:
                self.text += os.read(self.descriptor, 1 << 16).decode(errors="replace")

    def end(self):
        status = self.process.wait(LIMIT)
        while select.select([self.descriptor], [], [], 0.2)[0]:
            self.text += os.read(self.descriptor, 1 << 16).decode(errors="replace")
        assert termios.tcgetattr(self.inside) == self.before
        return status


@pytest.mark.parametrize("key", ["q", "\x03", signal.SIGTERM])
def test_it_shows_the_sensor_and_leaves_the_terminal_as_it_was(sensor, central, key):
    terminal = Terminal("dittojay", "top", "--socket", sensor.socket)
    terminal.wait(lambda lines: any("advertising" in line for line in lines) and len(lines) == 30)
    central("monitor", "--json")
    terminal.wait(lambda lines: any("bpm" in line and "1.0/s" in line for line in lines))
    terminal.wait(lambda lines: any("MTU 517  -59 dBm" in line for line in lines))
    terminal.wait(lambda lines: any("subscribed heart-rate-measurement" in line for line in lines))
    terminal.resize(60, 12)
    terminal.process.send_signal(signal.SIGWINCH)
    terminal.wait(lambda lines: len(lines) == 12 and all(len(line) <= 60 for line in lines))
    if isinstance(key, str):
        os.write(terminal.descriptor, key.encode())
    else:
        terminal.process.send_signal(key)
    assert terminal.end() == 0
    assert terminal.text.endswith("\x1b[?25h\x1b[?1049l")


def test_without_a_terminal_that_can_be_drawn_on_it_says_so(bluetooth_lab):
    done = subprocess.run(["dittojay", "top"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 1 and done.stderr.startswith("dittojay: top needs a terminal")
    terminal = Terminal("dittojay", "top", kind="dumb")
    assert terminal.end() == 1
    assert 'TERM is "dumb"' in terminal.text and "\x1b" not in terminal.text
