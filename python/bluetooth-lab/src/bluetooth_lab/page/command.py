"""Makes the page of a record.

FOLDER is what a failed test has left, or a run of `lab run --page`. `--compare` takes that of a test or run that
passed; the page then also shows what is in only one of them.

RECORDING is a file of an air, by `virtual-radio record`, such as air.jsonl of such a folder. Its page is a map.

CAPTURE is one of HCI, made here or elsewhere (page/capture.py).
"""

from __future__ import annotations

import sys
from pathlib import Path

from bluetooth_lab.messages import fail
from bluetooth_lab.page.air import write_air_page
from bluetooth_lab.page.assemble import page
from bluetooth_lab.page.capture import is_capture, write_capture_page
from bluetooth_lab.page.record import read_record

PAGE = "page.html"
PACKET_LOGGER_SUFFIX = ".pklg"


def write_page(folder: Path, target: Path | None = None, compared: Path | None = None) -> Path:
    """Writes the page of a folder's record, and returns its path. Raises OSError if one cannot be read or written."""
    other = read_record(compared) if compared else None
    target = target or folder / PAGE
    target.write_text(page(read_record(folder), other))
    return target


def checked(folder: Path) -> Path:
    if not (folder / "summary.txt").is_file():
        fail(f"no record in {folder}: expected the folder of a failed test or of a run with --page")
    return folder


def make_of_file(file: Path, target: Path | None) -> int:
    try:
        with open(file, "rb") as opened:
            has_packets = file.suffix == PACKET_LOGGER_SUFFIX or is_capture(opened.read(8))
        print(write_capture_page(file, target) if has_packets else write_air_page(file, target))
    except (OSError, ValueError) as error:
        print(f"lab page: {error}", file=sys.stderr)
        return 1
    return 0


def make(record: Path, compared: Path | None, target: Path | None) -> int:
    """Prints the page's path. Ends this process if a folder has no record."""
    if record.is_file():
        return make_of_file(record, target)
    try:
        print(write_page(checked(record), target, checked(compared) if compared else None))
    except OSError as error:
        print(f"lab page: {error}", file=sys.stderr)
        return 1
    return 0
