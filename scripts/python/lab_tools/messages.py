"""What the lab says on standard error, one line at a time, and how it fails."""

import os
import sys
from typing import NoReturn

EXIT_LAB_FAILED = 125

_host = ""


def name_host(host: str) -> None:
    """From now on, lines begin with the name of one of several hosts."""
    global _host
    _host = host


def say(text: str) -> None:
    """Writes a line. In one piece, because several machines may share standard error."""
    os.write(2, f"lab: {_host and _host + ': '}{text}\n".encode())


def fail(text: str) -> NoReturn:
    """Ends this process with the exit status of the lab's own failures."""
    say(text)
    sys.exit(EXIT_LAB_FAILED)


def write_all(descriptor: int, data: bytes) -> None:
    """Writes all of it, unless nobody reads any more."""
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except BrokenPipeError:
        pass
