"""The caller's terminal."""

from __future__ import annotations

import fcntl
import struct
import termios
import tty

DEFAULT_SIZE = (24, 80)


def terminal_size() -> tuple[int, int]:
    """Rows and columns."""
    rows, columns, _, _ = struct.unpack("4H", fcntl.ioctl(1, termios.TIOCGWINSZ, b"\0" * 8))
    return rows or DEFAULT_SIZE[0], columns or DEFAULT_SIZE[1]


class Terminal:
    """The caller's terminal in raw mode, so that every key goes to the command; restored on exit."""

    def __init__(self, is_used: bool) -> None:
        self.is_used = is_used
        self.saved: list[int | list[bytes | int]] | None = None

    def enter(self) -> None:
        if self.is_used and self.saved is None:
            self.saved = termios.tcgetattr(0)
            tty.setraw(0)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.saved is not None:
            termios.tcsetattr(0, termios.TCSADRAIN, self.saved)
            self.saved = None
