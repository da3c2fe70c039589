"""What the lab says on standard error, one line at a time, and how it fails."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import NoReturn

EXIT_LAB_FAILED = 125

# Controls, the separators of lines and paragraphs, the controls of bidirectional text, and what no encoding has.
ACTING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

_host = ""


def name_host(host: str) -> None:
    """Makes lines begin with the name of one of several hosts."""
    global _host
    _host = host


def shown(text: str) -> str:
    """Text from outside, such as the name of a test or a file, on its way to a terminal: what would do more than be
    shown there is written as an escape."""
    return ACTING.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def shown_path(path: Path) -> str:
    """Relative where that is shorter to type: below the current folder."""
    path, current = Path(os.path.abspath(path)), Path.cwd()
    return str(path.relative_to(current) if path.is_relative_to(current) else path)


def say(text: str) -> None:
    """Writes a line. In one piece, because several machines may share standard error."""
    os.write(2, f"lab: {_host and _host + ': '}{text}\n".encode(errors="backslashreplace"))


def fail(text: str) -> NoReturn:
    """Ends this process with the exit status of the lab's own failures."""
    say(text)
    sys.exit(EXIT_LAB_FAILED)


def write_all(descriptor: int, data: bytes) -> None:
    """Writes all of it, unless the reader is gone."""
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except BrokenPipeError:
        pass
