"""Measures dittojay and bluejay, and bless, bluez-peripheral and bleak in their places, in the lab.

To be run by `./lab bench`. Prints a Markdown table of medians; $LAB_OUT/bench.json has every sample. docs/benchmarks.md
says what each row means.
"""

import argparse
import asyncio
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from repository.bench.daemons import Daemons
from repository.bench.programs import (
    SERVER,
    SINK,
    SINK_COUNT,
    STORE,
    Builds,
    Peripheral,
    Program,
    central,
    cpu_of,
    peripheral,
)
from repository.bench.table import Sample, Samples, medians, summary

SIZES = (20, 180)
VALUE = bytes(range(20)).hex()
START_PATIENCE = 30  # seconds until a peripheral must advertise
PAIRS = "dittojay+bluejay,dittojay+bluejay-sockets,dittojay+bleak,bless+bluejay,bluez-peripheral+bluejay"
QUICK = {"runs": 1, "notifications": 500, "requests": 50, "commands": 200}

Failure = dict[str, Any]


def say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


class Bench:
    def __init__(self, options: argparse.Namespace, log: TextIO) -> None:
        self.options = options
        self.builds = Builds(options.programs, options.before)
        self.daemons = Daemons(SERVER)
        self.log = log

    async def run(self, pair: str) -> Sample:
        """One run of a pair."""
        peripheral_name, central_name = pair.split("+")
        sample: Sample = {}
        await self.daemons.forget_devices()
        self.daemons.advertising.clear()
        kind = peripheral(peripheral_name, self.builds)
        began = time.monotonic()
        server = await Program.start(kind.command, self.log)
        client = None
        try:
            await asyncio.wait_for(self.daemons.advertising.wait(), START_PATIENCE)
            sample["start"] = 1000 * (self.daemons.advertised_at - began)
            await kind.is_ready(server)
            client = await Program.start(central(central_name, self.builds), self.log)
            sample["found"] = 1000 * (await client.event("found"))["seconds"]
            sample["ready"] = 1000 * (await client.event("connected"))["seconds"]
            for size in SIZES:
                await self.burst(sample, kind, server, client, size)
            await self.requests(sample, client)
            await self.flood(sample, client)
            for role, program in (("central", client), ("peripheral", server)):
                sample[f"memory {role}"] = program.memory("VmHWM")
                sample[f"own memory {role}"] = program.memory("RssAnon")
        finally:
            if client:
                await client.end()
            await server.end()
        return sample

    async def burst(self, sample: Sample, kind: Peripheral, server: Program, client: Program, size: int) -> None:
        """Notifications as fast as they go."""
        count = self.options.notifications
        processes = {"central": client.pid, "peripheral": server.pid, **self.daemons.pids}
        client.send(kind.listen(count, size))
        await client.event("subscribed")
        before = {name: cpu_of(pid) for name, pid in processes.items()}
        await kind.start_burst(count, size)
        answer = await client.event("listened")
        after = {name: cpu_of(pid) for name, pid in processes.items()}
        await kind.end_burst()
        received = answer["count"]
        sample[f"rate {size}"] = (received - 1) / answer["seconds"] if received > 1 else 0
        sample[f"lost {size}"] = count - received
        sample[f"breaks {size}"] = answer["breaks"]
        for name in processes:
            sample[f"cpu {name} {size}"] = 1000 * (after[name] - before[name]) / max(received, 1)

    async def requests(self, sample: Sample, client: Program) -> None:
        """Writes with response, then reads of what was written, one after the other."""
        for verb, words in (("write", f" {VALUE}"), ("read", "")):
            client.send(f"{verb} {STORE}{words} {self.options.requests}")
            answer = await client.event(verb)
            sample[f"{verb} p50"], sample[f"{verb} p99"] = answer["p50"], answer["p99"]

    async def flood(self, sample: Sample, client: Program) -> None:
        """Writes without response."""
        count = self.options.commands
        client.send(f"flood {SINK} {VALUE} {count} {SINK_COUNT}")
        answer = await client.event("flood")
        sample["commands"] = answer["count"] / answer["seconds"]
        sample["commands lost"] = count - answer["count"]


def rotated(pairs: Sequence[str], round_number: int) -> list[str]:
    """The pairs in the order of a round: each round begins with another one, so that none always follows the same."""
    start = round_number % len(pairs)
    return [*pairs[start:], *pairs[:start]]


def keep(file: Path, options: argparse.Namespace, samples: Samples, failures: list[Failure]) -> None:
    content = {
        "machine": {"cpus": os.cpu_count(), "kernel": platform.release(), "arch": platform.machine()},
        "options": {name: str(value) for name, value in vars(options).items()},
        "medians": medians(samples),
        "samples": samples,
        "failures": failures,
    }
    file.write_text(json.dumps(content, indent=1))


def parse(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="lab bench --", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each pair; the table has the medians; default: 5")
    parser.add_argument("--quick", action="store_true", help="one short run of each pair, to see whether all works")
    parser.add_argument("--notifications", type=int, default=5000, help="in a burst; default: 5000")
    parser.add_argument("--requests", type=int, default=300, help="reads, and writes with response; default: 300")
    parser.add_argument("--commands", type=int, default=1000, help="writes without response; default: 1000")
    parser.add_argument("--pairs", default=PAIRS, help=f"PERIPHERAL+CENTRAL, separated by commas; default: {PAIRS}")
    parser.add_argument("--programs", type=Path, help="the folder of dittojay and CentralBench; default: those on PATH")
    parser.add_argument("--before", type=Path, help="that of an earlier build: dittojay-before and bluejay-before")
    options = parser.parse_args(words)
    if options.quick:
        vars(options).update(QUICK)
    for pair in options.pairs.split(","):
        try:
            server, client = pair.split("+")
            peripheral(server, Builds(options.programs, options.before))
            central(client, Builds(options.programs, options.before))
        except ValueError as error:
            parser.error(f"--pairs: {pair}: {error}")
    return options


async def measure(options: argparse.Namespace, out: Path, log: TextIO) -> int:
    bench = Bench(options, log)
    await bench.daemons.open()
    pairs = options.pairs.split(",")
    samples: Samples = {pair: [] for pair in pairs}
    failures: list[Failure] = []
    # Pairs take turns, so that what else the machine does falls on all of them alike.
    for number in range(options.runs):
        for pair in rotated(pairs, number):
            began = time.monotonic()
            try:
                samples[pair].append(await bench.run(pair))
                say(f"{pair}, run {number + 1} of {options.runs}: {time.monotonic() - began:.0f} s")
            except (RuntimeError, TimeoutError, asyncio.TimeoutError, OSError) as error:
                failures.append({"pair": pair, "run": number + 1, "error": str(error) or type(error).__name__})
                say(f"{pair}, run {number + 1} of {options.runs} failed: {failures[-1]['error']}")
            # After each run, so that a bench that is ended early has measured something.
            keep(out / "bench.json", options, samples, failures)
    print(summary(samples))
    if failures:
        print(f"\n{len(failures)} runs failed; bench.json and bench.log say which.")
    return 1 if failures else 0


def main(words: list[str]) -> int:
    options = parse(words)
    if os.environ.get("BLUETOOTH_LAB") != "1":
        sys.exit("bench: this runs in the lab: ./lab bench")
    out = Path(os.environ["LAB_OUT"])
    with open(out / "bench.log", "w", buffering=1) as log:
        return asyncio.run(measure(options, out, log))
