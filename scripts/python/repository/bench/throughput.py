"""Measures how many notifications of dittojay bluejay gets in real air, beside what the events of a connection allow.

To be run in the lab; prints a Markdown table. Notifications are as long as one packet carries.

    ./lab run --fresh --time simulated --air real -- python3 -B scripts/python bench-throughput

With --record each burst is sent twice, the second time while virtual-radio records the air, and the table has what
that costs.
"""

import argparse
import asyncio
import itertools
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

from repository.bench import hci
from repository.bench.programs import CLIENT, Builds, Dittojay, Program, central, cpu_of, pid_of

PHYS = {"1M": 1, "2M": 2}
UNIT = 1250  # µs, of intervals
BETWEEN = 150  # µs from packet to packet
HEADERS = 7  # bytes of L2CAP and ATT in the packet of a notification
LONGEST = 251


class Setting(NamedTuple):
    """Of a connection: its PHY, interval in 1.25 ms, and the longest packets' payload in bytes."""

    phy: str
    interval: int
    length: int

    @property
    def size(self) -> int:
        """Of a notification that fills a packet, in bytes."""
        return self.length - HEADERS


class Burst(NamedTuple):
    """Its results; `cpu`: µs of virtual-radio's CPU for each notification."""

    sent: int
    received: int
    seconds: float
    cpu: float


def air_time(phy: str, payload: int) -> int:
    """µs of a packet, with preamble, access address, header and check. (Core Specification, Vol 6 Part B, 2.1)"""
    return (10 + payload) * 8 if phy == "1M" else (11 + payload) * 4


def exchange(setting: Setting) -> int:
    """µs of a packet with a notification and an empty one, and the pauses after them."""
    return air_time(setting.phy, setting.length) + air_time(setting.phy, 0) + 2 * BETWEEN


def allowed(setting: Setting) -> float:
    """kbit/s of notifications: each event has as many exchanges as are over before the next one begins."""
    interval = setting.interval * UNIT
    return interval // exchange(setting) * setting.size * 8 * 1000 / interval


def measured(setting: Setting, burst: Burst) -> float:
    """kbit/s, from the first notification to the last."""
    return (burst.received - 1) * setting.size * 8 / 1000 / burst.seconds if burst.received > 1 else 0


def table(rows: Sequence[tuple[Setting, list[Burst]]]) -> str:
    titles = ["PHY", "packet, bytes", "interval, ms", "allowed, kbit/s"]
    titles += ["bluejay, kbit/s", "of it, %", "lost", "radio, µs"]
    if any(len(bursts) > 1 for _, bursts in rows):
        titles += ["recorded: bluejay, kbit/s", "lost", "radio, µs"]
    lines = ["| " + " | ".join(titles) + " |", "|---" + "|---:" * (len(titles) - 1) + "|"]
    for setting, bursts in rows:
        most = allowed(setting)
        cells = [setting.phy, str(setting.length), f"{setting.interval * UNIT / 1000:g}", f"{most:,.1f}"]
        for place, burst in enumerate(bursts):
            rate = measured(setting, burst)
            cells += [f"{rate:,.1f}", *([f"{100 * rate / most:.1f}"] if place == 0 else [])]
            cells += [str(burst.sent - burst.received), f"{burst.cpu:.0f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def settings(options: argparse.Namespace) -> list[Setting]:
    """In an order that seldom changes the packets' length."""
    return [
        Setting(phy, interval, length)
        for length, phy, interval in itertools.product(options.lengths, options.phys, options.intervals)
    ]


class Connection:
    """Between dittojay and bluejay, with what it is changed to."""

    def __init__(self) -> None:
        self.controller = hci.Controller(int(CLIENT.removeprefix("hci")))
        self.handle = self.length = 0

    def has_begun(self) -> None:
        """Waits for the connection, and for the packets' length that the kernel has asked for."""
        event = self.controller.wait(hci.CONNECTED, hci.ENHANCED_CONNECTED)
        self.handle = int.from_bytes(event[:2], "little")
        self.length = int.from_bytes(self.controller.wait(hci.LENGTH_CHANGED)[6:8], "little")

    def change(self, setting: Setting) -> None:
        if self.length != setting.length:
            self.controller.perform(hci.set_data_length(self.handle, setting.length), hci.LENGTH_CHANGED)
            self.length = setting.length
        self.controller.perform(hci.set_phy(self.handle, PHYS[setting.phy]), hci.PHY_UPDATED)
        event = self.controller.perform(hci.connection_update(self.handle, setting.interval), hci.UPDATED)
        interval = int.from_bytes(event[2:4], "little")
        if interval != setting.interval:
            raise RuntimeError(f"the connection has an interval of {interval} and not {setting.interval}")


async def burst(kind: Dittojay, client: Program, setting: Setting, seconds: float, radio: int) -> Burst:
    """As many notifications as take so long."""
    count = max(int(allowed(setting) * seconds * 1000 / 8 / setting.size), 2)
    client.send(kind.listen(count, setting.size))
    await client.event("subscribed")
    before = cpu_of(radio)
    await kind.start_burst(count, setting.size)
    answer = await client.event("listened")
    cpu = 1000 * (cpu_of(radio) - before) / max(answer["count"], 1)
    await kind.end_burst()
    return Burst(count, answer["count"], answer["seconds"], cpu)


async def record(file: Path, *options: str) -> None:
    process = await asyncio.create_subprocess_exec("virtual-radio", "record", str(file), *options)
    if await process.wait():
        raise RuntimeError("virtual-radio does not record")


async def measure(options: argparse.Namespace, log: TextIO) -> list[tuple[Setting, list[Burst]]]:
    builds = Builds(options.programs)
    kind = Dittojay(builds.program("dittojay", is_before=False))
    radio = pid_of("virtual-radio")
    rows = []
    connection = Connection()
    server = await Program.start(kind.command, log)
    client = await Program.start(central("bluejay-sockets", builds), log)
    try:
        await asyncio.to_thread(connection.has_begun)
        await client.event("connected")
        for setting in settings(options):
            await asyncio.to_thread(connection.change, setting)
            bursts = [await burst(kind, client, setting, options.seconds, radio)]
            if options.record:
                with tempfile.NamedTemporaryFile(dir="/run", suffix=".jsonl") as file:
                    await record(Path(file.name))
                    bursts.append(await burst(kind, client, setting, options.seconds, radio))
                    await record(Path(file.name), "--end")
            rows.append((setting, bursts))
    finally:
        await client.end()
        await server.end()
        connection.controller.close()
    return rows


def numbers(word: str) -> list[int]:
    return [int(part) for part in word.split(",")]


def phys(word: str) -> list[str]:
    if unknown := set(word.split(",")) - set(PHYS):
        raise argparse.ArgumentTypeError(f"no PHY {min(unknown)}: there are {', '.join(PHYS)}")
    return word.split(",")


def parse(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-throughput", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--programs", type=Path, help="the folder of dittojay and CentralBench; default: those on PATH")
    parser.add_argument("--phys", type=phys, default=list(PHYS), help="default: 1M,2M")
    parser.add_argument("--intervals", type=numbers, default=[6, 24, 40], help="in 1.25 ms; default: 6,24,40")
    parser.add_argument("--lengths", type=numbers, default=[LONGEST, 27], help="of packets, in bytes; default: 251,27")
    parser.add_argument("--seconds", type=float, default=20, help="of each burst; default: 20")
    parser.add_argument("--record", action="store_true", help="each burst again, while the air is recorded")
    options = parser.parse_args(words)
    if not all(27 <= length <= LONGEST for length in options.lengths):
        parser.error(f"--lengths takes numbers from 27 to {LONGEST}")
    for setting in settings(options):
        if not 6 <= setting.interval <= 3200 or allowed(setting) == 0:
            parser.error(f"--intervals: no packet of {setting.length} bytes fits into {setting.interval}")
    return options


def main(words: list[str]) -> int:
    options = parse(words)
    if os.environ.get("BLUETOOTH_LAB") != "1":
        sys.exit("bench-throughput: this runs in the lab: ./lab run --air real -- …")
    with open(Path(os.environ["LAB_OUT"]) / "bench.log", "w", buffering=1) as log:
        print(table(asyncio.run(measure(options, log))))
    return 0
