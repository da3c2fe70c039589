"""Measures what bluejay and bleak do for a value and a request, on this machine and not in the lab.

A bus of their own has a bluetoothd that is a script (`bus-peer`), so that no Bluetooth is needed: what is measured is
the processor time of the central, in native code, which the lab's emulated processor cannot show. Prints a Markdown
table of medians, and in how many rounds each central was ahead of bleak.
"""

import argparse
import asyncio
import contextlib
import os
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from bluetooth_lab.places import ROOT
from repository.bench.command import rotated
from repository.bench.programs import STORE, Builds, Program, central, cpu_of, listen_step, repository_tool
from repository.bench.table import Sample

REFERENCE = "bleak"
SIZES = (20, 180)
VALUE = bytes(range(20)).hex()
ROWS = {
    **{f"cpu {size}": f"CPU µs per signal, {size} bytes" for size in SIZES},
    **{
        f"{request} {key}": f"{request}, {text}"
        for request in ("read", "write")
        for key, text in (("cpu", "CPU µs"), ("p50", "p50, µs"))
    },
}
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
</busconfig>
"""


@contextlib.asynccontextmanager
async def bus_with_peer() -> AsyncIterator[None]:
    """The system bus of this process, and of those that it starts, is one that only they see."""
    with tempfile.TemporaryDirectory() as folder:
        socket, settings, log = (Path(folder) / name for name in ("bus", "bus.conf", "log"))
        settings.write_text(BUS.format(socket=socket))
        before = os.environ.get("DBUS_SYSTEM_BUS_ADDRESS")
        os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={socket}"
        processes = []
        try:
            with log.open("w") as errors:
                pipe = asyncio.subprocess.PIPE
                command = ["dbus-daemon", f"--config-file={settings}", "--nofork", "--print-address"]
                for words in (command, repository_tool("bus-peer")):
                    process = await asyncio.create_subprocess_exec(*words, stdout=pipe, stderr=errors)
                    processes.append(process)
                    assert process.stdout
                    if not await asyncio.wait_for(process.stdout.readline(), 30):
                        raise RuntimeError(f"{words[0]} ended: {log.read_text().strip()}")
            yield
        finally:
            for process in reversed(processes):
                if process.returncode is None:
                    process.terminate()
                await process.wait()
            if before is None:
                del os.environ["DBUS_SYSTEM_BUS_ADDRESS"]
            else:
                os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = before


async def run(name: str, options: argparse.Namespace) -> Sample:
    """One run of a central."""
    sample: Sample = {}
    client = await Program.start(central(name, Builds(options.programs, options.before)), sys.stderr)
    try:
        await client.event("connected")
        for size in SIZES:
            client.send(listen_step(options.signals, size))
            await client.event("subscribed")
            began = cpu_of(client.pid)
            arrived = (await client.event("listened"))["count"]
            if arrived != options.signals:
                raise RuntimeError(f"{name}: {arrived} of {options.signals} signals arrived")
            sample[f"cpu {size}"] = 1000 * (cpu_of(client.pid) - began) / arrived
        for request, step in (("read", f"read {STORE}"), ("write", f"write {STORE} {VALUE}")):
            began = cpu_of(client.pid)
            client.send(f"{step} {options.requests}")
            times = await client.event(request)
            sample[f"{request} cpu"] = 1000 * (cpu_of(client.pid) - began) / options.requests
            sample[f"{request} p50"] = 1000 * times["p50"]
    finally:
        await client.end()
    return sample


def table(samples: dict[str, list[Sample]]) -> str:
    names = list(samples)
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    for key, text in ROWS.items():
        cells = []
        for name in names:
            values, theirs = ([run[key] for run in samples[of]] for of in (name, REFERENCE))
            ahead = sum(value <= other for value, other in zip(values, theirs, strict=True))
            note = "" if name == REFERENCE else f" (ahead in {ahead} of {len(values)})"
            cells.append(f"{statistics.median(values):.1f}{note}")
        lines.append(f"| {text} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


async def measure(options: argparse.Namespace) -> None:
    names = ["bluejay", REFERENCE, *(["bluejay-before"] if options.before else [])]
    samples: dict[str, list[Sample]] = {name: [] for name in names}
    async with bus_with_peer():
        for number in range(options.runs):
            for name in order(names, number):
                samples[name].append(await run(name, options))
    print(table(samples))


def order(names: Sequence[str], number: int) -> Sequence[str]:
    """Each order comes once in as many rounds as there are orders of two or three."""
    return rotated(names if number % 2 == 0 else names[::-1], number // 2)


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-bus", description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="rounds; the table has the medians; default: 5")
    parser.add_argument("--signals", type=int, default=5000, help="of each size; default: 5000")
    parser.add_argument("--requests", type=int, default=1000, help="reads, and writes with response; default: 1000")
    parser.add_argument(
        "--programs",
        type=Path,
        default=ROOT / ".build-release" / "release",
        help="the folder of CentralBench; default: that in which ./lab bench builds it",
    )
    parser.add_argument("--before", type=Path, help="that of an earlier build: bluejay-before")
    options = parser.parse_args(words)
    if min(options.runs, options.signals, options.requests) < 1:
        parser.error("--runs, --signals and --requests take numbers from 1 on")
    return options


def main(words: list[str]) -> int:
    options = parse(words)
    try:
        asyncio.run(measure(options))
    except (RuntimeError, TimeoutError, asyncio.TimeoutError, OSError) as error:
        sys.exit(f"bench-bus: {error or type(error).__name__}")
    return 0
