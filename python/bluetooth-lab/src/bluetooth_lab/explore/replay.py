"""Runs a command again exactly as it ran, and says where the first difference is: lab replay FOLDER."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple, TypeVar

from bluetooth_lab.bundle.capture import MAGIC, capture_records
from bluetooth_lab.explore.command import EXIT_INTERRUPTED
from bluetooth_lab.machine.hardware import choose_accelerator, uml_works
from bluetooth_lab.machine.repeat import FILE, Repeat
from bluetooth_lab.machine.runs import new_run, remove_old, status_of
from bluetooth_lab.messages import EXIT_LAB_FAILED, fail, say
from bluetooth_lab.places import Places

# What is made of the record, or is the host's.
NOT_COMPARED = (FILE, "console.log", "output.log")  # the last one is of lab explore
NOT_COMPARED_KINDS = (".html", ".core")  # a crashed program's memory has the name of the run
TIME = re.compile(r"(?:(\d{10}\.\d{6})|(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}))")
OF_THE_HOST = re.compile(rb"(?<=/runs/)\d{8}-\d{6}-\d+|(?<=[:,=]fd:)\d+")  # in the kernel's command line
LONGEST_SHOWN = 160
END = "(the end)"
Item = TypeVar("Item")


class Difference(NamedTuple):
    """`moment`: in seconds since 1970, if it is known; `first` and `second`: what the two have in its place."""

    moment: float | None
    file: str
    place: str
    first: str
    second: str

    @property
    def text(self) -> str:
        at = f" at {datetime.fromtimestamp(self.moment, timezone.utc):%H:%M:%S.%f}" if self.moment else ""
        return f"{self.file}, {self.place}{at}:\n  - {self.first}\n  + {self.second}"


def replay(folder: Path) -> int:
    """Prints what is different. Gives 0 if nothing is, 1 otherwise."""
    try:
        repeat = Repeat.read(folder)
    except FileNotFoundError:
        fail(f"{folder} has no {FILE}: expected the output folder of a run with --time simulated and --seed")
    except NotADirectoryError:
        fail(f"{folder} is not a folder: expected the output folder of a run with --time simulated and --seed")
    except OSError as error:
        fail(f"cannot read {folder / FILE}: {error.strerror}")
    except ValueError as error:
        fail(f"cannot read {folder / FILE}: {error}")
    check_machine(os.environ)
    out = new_run(Places.of(os.environ).home / "replays")
    try:
        again(repeat, out)
        return show_differences(folder, out)
    except KeyboardInterrupt:
        say("interrupted: nothing is compared")
        return EXIT_INTERRUPTED
    finally:
        remove_old(out.parent)  # only now: the folder may be one of them


def check_machine(environment: Mapping[str, str]) -> None:
    """Ends this process if user-mode Linux is missing, or ruled out by the variables."""
    lab = environment.get("LAB") or "uml"
    if lab != "uml":
        fail(f"replay needs user-mode Linux, which LAB={lab} rules out")
    choose_accelerator({**environment, "LAB": lab, "LAB_CLOCK": ""}, False, uml_works(Places.of(environment)))


def again(repeat: Repeat, out: Path) -> None:
    """Runs it into the folder. Ends this process if the lab fails. Raises KeyboardInterrupt."""
    from bluetooth_lab import hosts
    from bluetooth_lab.machine import command

    environment = repeat.environment(os.environ)
    os.environ.clear()
    os.environ.update(environment)
    try:
        os.chdir(repeat.folder)
    except OSError as error:
        fail(f"cannot enter {repeat.folder}: {error.strerror}")
    options = repeat.options(out)
    if repeat.hosts > 1:
        status = hosts.run(hosts.Options(repeat.hosts, options, hosts.commands_of(repeat.command)))
    else:
        status = command.run(options)
    if status == EXIT_LAB_FAILED and status_of(out) != status:
        raise SystemExit(EXIT_LAB_FAILED)


def show_differences(folder: Path, out: Path) -> int:
    names = {*files_of(folder), *files_of(out)}
    differences = sorted(compare(folder, out), key=lambda difference: difference.moment or float("inf"))
    if not differences:
        say(f"the same again: {len(names)} files are identical")
        return 0
    say(f"{len(differences)} of {len(names)} files differ, first here (-: {folder}, +: {out}):")
    for difference in differences:
        print(difference.text)
    return 1


def files_of(folder: Path) -> list[str]:
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(
        str(path) for path in found if path.name not in NOT_COMPARED and path.suffix not in NOT_COMPARED_KINDS
    )


def compare(first: Path, second: Path) -> Iterator[Difference]:
    """The first difference of each file that differs."""
    names = [files_of(first), files_of(second)]
    for name in sorted({*names[0], *names[1]}):
        if name not in names[0] or name not in names[1]:
            yield Difference(None, name, "the file", *("there" if name in side else "missing" for side in names))
            continue
        contents = comparable(first / name), comparable(second / name)
        if contents[0] != contents[1]:
            yield difference(name, *contents)


def comparable(file: Path) -> bytes:
    """Without the name of the run and the descriptors of the lab's process."""
    return OF_THE_HOST.sub(b"", file.read_bytes())


def difference(name: str, first: bytes, second: bytes) -> Difference:
    if first.startswith(MAGIC) and second.startswith(MAGIC):
        return difference_of_packets(name, first, second)
    index, line, other = first_different(first.split(b"\n"), second.split(b"\n"))
    texts = [END if side is None else side.decode(errors="replace")[:LONGEST_SHOWN] for side in (line, other)]
    moments = [moment for text in texts if (moment := moment_of(text)) is not None]
    return Difference(min(moments, default=None), name, f"line {index + 1}", *texts)


def first_different(first: Sequence[Item], second: Sequence[Item]) -> tuple[int, Item | None, Item | None]:
    """Where two lists differ, and what they have there: None after the end."""
    for index, pair in enumerate(zip_longest(first, second)):
        if pair[0] != pair[1]:
            return index, *pair
    return len(first), None, None


def moment_of(text: str) -> float | None:
    match = TIME.search(text)
    if not match:
        return None
    if match[1]:
        return float(match[1])
    try:
        return datetime.fromisoformat(f"{match[2]}+00:00").timestamp()
    except ValueError:
        return None


def difference_of_packets(name: str, first: bytes, second: bytes) -> Difference:
    index, *records = first_different(list(capture_records(first)), list(capture_records(second)))
    texts = [f"{side.time:.6f} {side.content.hex(' ')[:LONGEST_SHOWN]}" if side else END for side in records]
    moments = [side.time for side in records if side]
    return Difference(min(moments, default=None), name, f"packet {index + 1}", *texts)
