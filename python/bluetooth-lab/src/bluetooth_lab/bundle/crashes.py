"""Programs that have crashed in the machine: their core files, which the kernel writes into its memory (guest/boot.c),
and the backtraces that gdb makes of them."""

from __future__ import annotations

import os
import re
import signal
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.bundle.timeline import Entry

RUN = Path(os.environ.get("LAB_RUN") or "/run/lab")
CORES = RUN / "cores"
NOTES = RUN / "notes"  # the agent passes them on when the command has ended
# As core_pattern has it: the thread's name, the process's number, the signal and the time in seconds.
NAME = re.compile(r"(.+)\.(\d+)\.(\d+)\.\d+")
GDB_LIMIT = 120  # seconds, in an emulated machine
FRAMES = 48
MAXIMUM_CRASHES = (
    3  # with a backtrace, of a test or a run: what crashes again and again must not hold up its end for long
)
LONGEST_TEXT = 16_000  # characters of a backtrace
COMPRESSED_FROM = 1 << 20  # bytes
MAXIMUM_KEPT = 32 << 20
LEVEL = 1  # of compression: what is empty is most of it
# Of what gdb prints before the threads.
SHOWN = ("Core was generated", "Program terminated")
NOTE_SEGMENT, VALUES_NOTE, FILES_NOTE, PROGRAM_HEADERS = 4, 6, 0x46494C45, 3  # PT_NOTE, NT_AUXV, NT_FILE, AT_PHDR


class Crash(NamedTuple):
    """`time`: when its core was complete, since 1970."""

    program: str
    process: int
    number: int
    time: float
    core: Path

    @property
    def signal(self) -> str:
        try:
            return signal.Signals(self.number).name
        except ValueError:
            return f"signal {self.number}"

    @property
    def headline(self) -> str:
        """`bluetoothd (324) crashed: SIGSEGV`"""
        return f"{self.program} ({self.process}) crashed: {self.signal}"

    @property
    def name(self) -> str:
        """Of its files."""
        program = "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in self.program)
        return f"crash-{program}-{self.process}"

    @property
    def entry(self) -> Entry:
        return self.time, f"{self.program}[{self.process}]", f"crashed: {self.signal}"


def crashes(start: float = 0) -> list[Crash]:
    """Those since `start`, in their order."""
    found = []
    for core in CORES.glob("*"):
        match = NAME.fullmatch(core.name)
        try:
            moment = core.stat().st_mtime
        except OSError:  # another one has just kept it
            continue
        if match and moment >= start:
            # The kernel's name is that of a thread.
            program = Path(program_of(core) or match[1]).name
            found.append(Crash(program, int(match[2]), int(match[3]), moment, core))
    return sorted(found, key=lambda crash: crash.time)


def notes_of(core: bytes) -> Iterator[tuple[int, bytes]]:
    """The kind and the content of each note in the begin of a core file, of a machine with 64 bits (elf(5))."""
    if core[:5] != b"\x7fELF\x02":
        return
    order = "<" if core[5] == 1 else ">"
    (offset,) = struct.unpack_from(f"{order}Q", core, 32)
    size, count = struct.unpack_from(f"{order}HH", core, 54)
    for index in range(count):
        kind, _, start, _, _, length = struct.unpack_from(f"{order}IIQQQQ", core, offset + index * size)
        position, stop = start, start + length
        while kind == NOTE_SEGMENT and position + 12 <= stop:
            name, content, note = struct.unpack_from(f"{order}III", core, position)
            position += 12 + (name + 3 & ~3)
            yield note, core[position : position + content]
            position += content + 3 & ~3


def program_of(core: Path) -> str | None:
    """The path of the program: of the files in its memory the one that has its table of segments."""
    try:
        with open(core, "rb") as file:
            notes = dict(notes_of(file.read(COMPRESSED_FROM)))
        values = dict(struct.iter_unpack("=QQ", notes[VALUES_NOTE]))
        files = notes[FILES_NOTE]
        (count,) = struct.unpack_from("=Q", files)
        names = files[16 + 24 * count :].split(b"\0")
        for index in range(count):
            start, stop, _ = struct.unpack_from("=QQQ", files, 16 + 24 * index)
            if start <= values[PROGRAM_HEADERS] < stop:
                return os.fsdecode(names[index])
    except (OSError, struct.error, KeyError, IndexError):
        pass  # the core is incomplete, or of a machine with 32 bits
    return None


def backtrace(crash: Crash) -> str:
    """What gdb shows of all threads, or why it shows nothing. It is kept beside the core: gdb may take long."""
    kept = RUN / "backtraces" / f"{crash.core.name}.txt"
    try:
        return kept.read_text(errors="replace")
    except OSError:
        text = made_backtrace(crash)
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(text)
    return text


def made_backtrace(crash: Crash) -> str:
    program = program_of(crash.core)
    words = ["gdb", "-nx", "-batch", "-ex", f"thread apply all -ascending backtrace {FRAMES}"]
    environment = {**os.environ, "DEBUGINFOD_URLS": "", "LC_ALL": "C.UTF-8"}
    try:
        done = subprocess.run(
            [*words, *([program] if program else []), str(crash.core)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            timeout=GDB_LIMIT,
            check=False,
        )
    except FileNotFoundError:
        return f"no gdb on this machine; where there is one: gdb {program or 'PROGRAM'} {crash.name}.core\n"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"gdb did not show the backtrace: {error}\n"
    text = shown(done.stdout.decode(errors="replace"))
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}\n(the rest is left out)\n"


def shown(text: str) -> str:
    """The threads, each with its frames, and how the program ended; all if gdb shows no threads."""
    begin, separator, threads = text.partition("\nThread ")
    if not separator:
        return text
    lines = [line for line in begin.splitlines() if line.startswith(SHOWN)]
    threads = "\n".join(line for line in threads.splitlines() if line)
    return "\n".join([*lines, f"Thread {threads}", ""])


def description(crash: Crash) -> str:
    """The headline and the backtrace."""
    return f"{crash.headline}\n{backtrace(crash)}"


def keep_core(crash: Crash, folder: Path) -> str:
    """Moves the core into a folder, compressed if it is large, unless it is too large even so. Returns what became of
    it."""
    try:
        with open(crash.core, "rb") as file:
            content = file.read()
        ending = "core"
        if len(content) > COMPRESSED_FROM:
            # With the header of gzip.
            packer = zlib.compressobj(LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
            content, ending = packer.compress(content) + packer.flush(), "core.gz"
        is_kept = len(content) <= MAXIMUM_KEPT
        if is_kept:
            (folder / f"{crash.name}.{ending}").write_bytes(content)
        crash.core.unlink()
    except OSError as error:
        return f"its core could not be kept: {error}"
    if not is_kept:
        return f"its core is not kept: it has more than {MAXIMUM_KEPT >> 20} MB"
    return f"its core is {crash.name}.{ending}"


def keep(crash: Crash, folder: Path) -> str:
    """Writes `crash-PROGRAM-NUMBER.txt` and the core into a folder. Returns the text."""
    text = description(crash)
    text += keep_core(crash, folder) + "\n"
    (folder / f"{crash.name}.txt").write_text(text)
    return text


def keep_all(output: Path) -> None:
    """Keeps what no failed test has kept in the folder `crashes` of a run's output, and notes it for the caller."""
    folder = output / "crashes"
    found = crashes()
    for crash in found[:MAXIMUM_CRASHES]:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            keep(crash, folder)
        except OSError as error:
            print(f"lab-bundle: {crash.headline}, but nothing could be kept: {error}", file=sys.stderr)
            continue
        note(f"{crash.headline}; its backtrace is in {folder / crash.name}.txt")
    for crash in found[MAXIMUM_CRASHES:]:
        crash.core.unlink(missing_ok=True)
        note(f"{crash.headline}; its core is not kept")


def note(text: str) -> None:
    with open(NOTES, "a", encoding="utf-8") as notes:
        notes.write(f"{text}\n")
