"""The bench's rows, as a Markdown table and against the bar.

usage: bench-table bench.json      prints those of an earlier bench
"""

import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

PROCESSES = ("central", "peripheral", "bluetoothd", "dbus-daemon")
# A run gives a number for each row; so do the medians of a pair's runs, its column.
Sample = dict[str, float]
Samples = dict[str, list[Sample]]  # by the pair
Columns = Mapping[str, Mapping[str, float]]
# key, text, digits, what is better
ROWS: list[tuple[str, str, int, str]] = [
    *(
        row
        for size in (20, 180)
        for row in (
            (f"rate {size}", f"notifications/s, {size} bytes", 0, "more"),
            (f"lost {size}", f"lost, worst run, {size} bytes", 0, "none"),
            (f"breaks {size}", f"out of order, worst run, {size} bytes", 0, "none"),
            *(
                (f"cpu {process} {size}", f"CPU ms per 1,000, {process}, {size} bytes", 1, "less")
                for process in PROCESSES
            ),
        )
    ),
    ("read p50", "read, p50, ms", 2, "less"),
    ("read p99", "read, p99, ms", 2, "less"),
    ("write p50", "write, p50, ms", 2, "less"),
    ("write p99", "write, p99, ms", 2, "less"),
    ("commands", "writes without response/s", 0, "more"),
    ("commands lost", "lost of these, worst run", 0, "none"),
    ("start", "start to advertising, ms", 0, "less"),
    ("found", "scan to found, ms", 0, "less"),
    ("ready", "connect to ready, ms", 0, "less"),
    ("memory central", "peak memory, central, MB", 1, "less"),
    ("memory peripheral", "peak memory, peripheral, MB", 1, "less"),
    ("own memory central", "memory of its own, central, MB", 1, "less"),
    ("own memory peripheral", "memory of its own, peripheral, MB", 1, "less"),
]
OURS = ("dittojay+bluejay", "dittojay+bluejay-sockets")
PERIPHERAL_ONLY = ("start", "memory peripheral", "own memory peripheral")
CENTRAL_ONLY = ("found", "memory central", "own memory central")


def medians(samples: Samples) -> dict[str, Sample]:
    return {
        pair: {row: statistics.median(run[row] for run in runs) for row in runs[0]}
        for pair, runs in samples.items()
        if runs
    }


def summary(samples: Samples) -> str:
    """All that a bench prints."""
    # A loss counts even if most runs had none.
    worst = {
        pair: {key: max(run[key] for run in runs) for key, _, _, better in ROWS if better == "none"}
        for pair, runs in samples.items()
        if runs
    }
    columns = {pair: {**column, **worst[pair]} for pair, column in medians(samples).items()}
    runs = ", ".join(f"{pair} {len(samples[pair])}" for pair in samples)
    return "\n".join([markdown(columns), f"Runs: {runs}.", "", *verdicts(columns)])


def markdown(columns: Columns) -> str:
    lines = ["| | " + " | ".join(pair.replace("+", " + ") for pair in columns) + " |", "|---|" + "---:|" * len(columns)]
    for key, text, digits, _ in ROWS:
        lines.append(f"| {text} | " + " | ".join(f"{column[key]:,.{digits}f}" for column in columns.values()) + " |")
    return "\n".join(lines) + "\n"


def factor(key: str) -> float:
    """How much of theirs ours may be: a quarter of the CPU and half of the memory of the program in its place."""
    if key.startswith(("cpu central", "cpu peripheral")):
        return 0.25
    return 0.5 if "memory" in key else 1


def is_comparable(key: str, pair: str) -> bool:
    """Only a pair with another program in the role that the row is about is a measure for ours."""
    peripheral, central = pair.split("+")
    if key in PERIPHERAL_ONLY or key.startswith("cpu peripheral"):
        return peripheral != "dittojay"
    if key in CENTRAL_ONLY or key.startswith("cpu central"):
        return not central.startswith("bluejay")
    return pair not in OURS


def verdicts(columns: Columns) -> list[str]:
    """The rows in which ours are not where they should be, a line each."""
    lines = [line for ours in OURS if ours in columns for line in verdict(ours, columns)]
    return ["Behind, or not far enough ahead:", "", *lines] if lines else ["Nothing is behind."]


def verdict(name: str, columns: Columns) -> list[str]:
    ours, lines = columns[name], []
    for key, text, digits, better in ROWS:
        if better == "none":
            if ours[key]:
                lines.append(f"- {name}, {text}: {ours[key]:.0f}")
            continue
        for pair, column in columns.items():
            if not is_comparable(key, pair):
                continue
            limit = column[key] * factor(key)
            if (ours[key] <= limit) if better == "more" else (ours[key] >= limit):
                bar = "" if factor(key) == 1 else f", and the bar is {factor(key):g} of it"
                lines.append(f"- {name}, {text}: {ours[key]:,.{digits}f}; {pair} has {column[key]:,.{digits}f}{bar}")
    return lines


def main(words: Sequence[str]) -> int:
    (file,) = words
    print(summary(json.loads(Path(file).read_text())["samples"]))
    return 0
