"""What goes over a port between the caller and the agent in the guest (guest/agent), which runs one command at a time
for each port.

A frame is a letter, the length of the content in four bytes (the highest first), and the content:

| from the caller | | from the agent | |
|---|---|---|---|
| `H` | a greeting: any bytes | `H` | the same bytes |
| `C` | begin a command (`begin`) | `O`, `E` | what it wrote to standard output and error |
| `I` | input; empty at its end. The next one may come after `R` | `R` | the input has been taken |
| `S` | send it a signal, by its number | `N` | a note: a line for the caller |
| `W` | the terminal's rows and columns | `X` | its exit status; the next command may begin |
| `L` | the caller has disconnected, from `relay`: a serial line does not show it | | |

When the caller closes its end, the command is ended.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence

DISCONNECTED = b"L"
HEADER = struct.Struct("!cI")
MAXIMUM_CONTENT = 1 << 20

KILL_LEFTOVERS = "k"  # end what the command has left behind, when it has ended
FRESH_FILES = "f"  # look at the host's files as they are now


def frame(kind: bytes, content: bytes = b"") -> bytes:
    return HEADER.pack(kind, len(content)) + content


def begin(
    folder: str, size: tuple[int, int] | None, flags: str, variables: Mapping[str, str], words: Sequence[str]
) -> bytes:
    """The frame that begins a command. `size`: the terminal's rows and columns, if it has one."""
    rows, columns = size or (0, 0)
    named = [f"{name}={value}" for name, value in variables.items()]
    texts = [folder, f"{rows} {columns}", flags, str(len(named)), *named, *words]
    return frame(b"C", b"".join(text.encode(errors="surrogateescape") + b"\0" for text in texts))


class FrameReader:
    """Finds the frames in what has come."""

    def __init__(self) -> None:
        self.rest = b""

    def add(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The kind and the content of each frame that is complete now."""
        self.rest += data
        while len(self.rest) >= HEADER.size:
            kind, length = HEADER.unpack_from(self.rest)
            end = HEADER.size + length
            if len(self.rest) < end:
                return
            content = self.rest[HEADER.size : end]
            self.rest = self.rest[end:]
            yield kind, content
