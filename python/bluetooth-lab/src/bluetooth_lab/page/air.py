"""The page of an air: a map on which devices move, links with their strengths, and packets over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bluetooth_lab.air.lanes import lane
from bluetooth_lab.air.recording import lines_of, part, text_of_part
from bluetooth_lab.bundle.recording import AIR
from bluetooth_lab.page.assemble import embedded, filled
from bluetooth_lab.page.record import Record, summary_of


def air_page(recording: Path) -> str:
    """The page of a recording. Beside a record's summary it has that one's title and times. Raises ValueError if
    there is nothing in the recording, and OSError if it cannot be read."""
    about: dict[str, Any] = {"title": f"Air of {recording.stem}"}
    summary = recording.with_name("summary.txt")
    if recording.name == AIR.name and summary.is_file():
        about = summary_of(summary.read_text(errors="replace"))
    lines = list(lines_of(recording.read_bytes()))
    start, end = about.get("start", 0.0), about.get("end", float("inf"))
    kept = part(lines, start, end)
    if not kept:
        raise ValueError(f"no air recording in {recording}; virtual-radio record writes one")
    files = {"air.jsonl": text_of_part(kept), "lanes.jsonl": "".join(lane(kept, start)).encode()}
    return filled("air", "air-main.js", str(about["title"]), embedded("this", Record(about, files)))


def write_air_page(recording: Path, target: Path | None = None) -> Path:
    """Writes the page, beside the recording if it is not said where, and returns its path."""
    target = target or recording.with_suffix(".html")
    target.write_text(air_page(recording))
    return target
