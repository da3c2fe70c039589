#!/usr/bin/env python3
"""Measures dittojay and bluejay, and bless, bluez-peripheral and bleak in their places, in the lab.

To be run by `./lab bench`. Prints a Markdown table of medians; $LAB_OUT/bench.json has every sample. docs/benchmarks.md
says what each row means.
"""

import argparse
import asyncio
import json
import os
import platform
import struct
import sys
import time
from pathlib import Path

from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus

from table import medians, summary

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / "Fixtures" / "peers"
NAME = "Bench"
SERVER, CLIENT = "hci0", "hci1"
SIZES = (20, 180)
VALUE = bytes(range(20)).hex()
PATIENCE = 120  # seconds for one step
START_PATIENCE = 30  # seconds until a peripheral must advertise

# The characteristics of all peripherals: sensor.yaml, and burst.py of the peers.
CONTROL, DATA, STORE = (f"3F0C000{number}-7D1E-4F58-8F6A-5B1F0C9A2E10" for number in (1, 2, 3))
SINK, SINK_COUNT = (f"025D000{number}-F26A-4EB9-A53F-F1B453D5E20B" for number in (2, 3))
PAIRS = "dittojay+bluejay,dittojay+bluejay-sockets,dittojay+bleak,bless+bluejay,bluez-peripheral+bluejay"


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


class Daemons:
    """bluetoothd and the system bus, as far as the bench needs them."""

    async def open(self):
        self.bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
        self.advertising = asyncio.Event()
        self.bus.add_message_handler(self.heard)
        await self.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", "s",
                        f"type='signal',interface='org.freedesktop.DBus.Properties',path='/org/bluez/{SERVER}',"
                        "arg0='org.bluez.LEAdvertisingManager1'")
        self.pids = {name: self.pid_of(name) for name in ("bluetoothd", "dbus-daemon")}

    def heard(self, message):
        if message.member == "PropertiesChanged" and message.message_type == MessageType.SIGNAL:
            instances = message.body[1].get("ActiveInstances")
            if instances and instances.value > 0:
                self.advertised_at = time.monotonic()
                self.advertising.set()

    async def call(self, name, path, interface, member, signature="", *body):
        reply = await self.bus.call(Message(destination=name, path=path, interface=interface, member=member,
                                            signature=signature, body=list(body)))
        if reply.message_type == MessageType.ERROR:
            raise RuntimeError(f"{member} of {path}: {reply.body}")
        return reply.body

    async def forget_devices(self):
        """So that every run finds and connects for the first time."""
        (objects,) = await self.call("org.bluez", "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        for path, interfaces in objects.items():
            if "org.bluez.Device1" in interfaces:
                adapter = interfaces["org.bluez.Device1"]["Adapter"].value
                await self.call("org.bluez", adapter, "org.bluez.Adapter1", "RemoveDevice", "o", path)

    @staticmethod
    def pid_of(name):
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if (entry / "comm").read_text().strip() == name:
                    return int(entry.name)
            except OSError:
                pass
        raise RuntimeError(f"{name} does not run")


class Program:
    """A measured process whose output is JSON lines."""

    def __init__(self, process, log):
        self.process = process
        self.pid = process.pid
        self.log = log

    @classmethod
    async def start(cls, command, log):
        log.write(f"$ {' '.join(command)}\n")
        log.flush()
        return cls(await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=log,
            limit=1 << 20), log)

    async def event(self, *wanted):
        async with asyncio.timeout(PATIENCE):
            while line := await self.process.stdout.readline():
                self.log.write(line.decode())
                event = json.loads(line)
                if "error" in event or event.get("event") == "error":
                    raise RuntimeError(f"process {self.pid}: {line.decode().strip()}")
                if event.get("event") in wanted:
                    return event
        raise RuntimeError(f"process {self.pid} ended before it said {' or '.join(wanted)}")

    def tell(self, line):
        self.process.stdin.write(line.encode() + b"\n")

    def cpu(self):
        return cpu_of(self.pid)

    def memory(self, field):
        """A field of /proc/PID/status in MB."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) / 1024
        raise RuntimeError(f"no {field}")

    async def end(self):
        if self.process.returncode is None:
            self.process.stdin.close()
            try:
                async with asyncio.timeout(3):
                    await self.process.wait()
            except TimeoutError:
                self.process.terminate()
        try:
            async with asyncio.timeout(15):
                await self.process.communicate()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()


def cpu_of(pid):
    """Milliseconds of processor that all threads of a process have used, from its CPU clock (clock_getcpuclockid)."""
    return time.clock_gettime_ns((~pid << 3) | 2) / 1e6


class Dittojay:
    def __init__(self, options):
        self.socket = f"/tmp/bench-{os.getpid()}.sock"  # $LAB_OUT is the host's, where no socket can be
        self.command = [options.dittojay, "--adapter", SERVER, "--name", NAME, "--quiet",
                        "--profile", str(ROOT / "scripts/bench/sensor.yaml"), "--socket", self.socket]

    async def is_ready(self, program):
        pass  # it prints nothing, and advertises last

    def listen(self, count, size):
        return f"listen {DATA} {count}"

    async def start_burst(self, count, size):
        self.reader, self.writer = await asyncio.open_unix_connection(self.socket)
        request = json.dumps({"command": "burst", "count": count, "size": size}).encode() + b"\n"
        # bluetoothd answers the subscribing central before dittojay has heard of it.
        for _ in range(100):
            self.writer.write(request)
            self.answer = asyncio.ensure_future(self.reader.readline())
            await asyncio.wait((self.answer,), timeout=0.3)
            if not self.answer.done() or b"nobody" not in self.answer.result():
                return
            await asyncio.sleep(0.02)

    async def end_burst(self):
        async with asyncio.timeout(PATIENCE):
            reply = json.loads(await self.answer)
        self.writer.close()
        if "error" in reply:
            raise RuntimeError(f"dittojay: {reply}")


class Peer:
    def __init__(self, script):
        self.command = [sys.executable, str(PEERS / script), "--adapter", SERVER, "--name", NAME]

    async def is_ready(self, program):
        await program.event("ready")
        # Nobody reads the rest of its output, which stays far below what a pipe takes.

    def listen(self, count, size):
        return f"listen {DATA} {count} {CONTROL} {struct.pack('<IH', count, size).hex()}"

    async def start_burst(self, count, size):
        pass  # the central has been told to write to the control characteristic

    async def end_burst(self):
        pass


class Bench:
    def __init__(self, options, out):
        self.options = options
        self.daemons = Daemons()
        self.log = open(out / "bench.log", "w", buffering=1)

    def peripheral(self, name):
        if name == "dittojay":
            return Dittojay(self.options)
        return Peer({"bless": "bless_peripheral.py", "bluez-peripheral": "bluez_peripheral_sensor.py"}[name])

    def central(self, name):
        name, _, way = name.partition("-")
        sockets = ["--sockets"] if way == "sockets" else []
        if name == "bluejay":
            return [self.options.bluejay, "measure", *sockets, "--adapter", CLIENT, NAME]
        return [sys.executable, str(ROOT / "scripts/bench/bleak_client.py"), *sockets, "--adapter", CLIENT, NAME]

    async def run(self, pair):
        """One run of a pair: {row: number}."""
        peripheral_name, central_name = pair.split("+")
        sample = {}
        await self.daemons.forget_devices()
        self.daemons.advertising.clear()
        kind = self.peripheral(peripheral_name)
        began = time.monotonic()
        peripheral = await Program.start(kind.command, self.log)
        central = None
        try:
            async with asyncio.timeout(START_PATIENCE):
                await self.daemons.advertising.wait()
            sample["start"] = 1000 * (self.daemons.advertised_at - began)
            await kind.is_ready(peripheral)
            central = await Program.start(self.central(central_name), self.log)
            sample["found"] = 1000 * (await central.event("found"))["seconds"]
            sample["ready"] = 1000 * (await central.event("connected"))["seconds"]
            for size in SIZES:
                await self.burst(sample, kind, peripheral, central, size)
            for verb, words in (("read", ""), ("write", f" {VALUE}")):
                central.tell(f"{verb} {STORE}{words} {self.options.requests}")
                answer = await central.event(verb)
                sample[f"{verb} p50"], sample[f"{verb} p99"] = answer["p50"], answer["p99"]
            count = self.options.commands
            central.tell(f"flood {SINK} {VALUE} {count} {SINK_COUNT}")
            answer = await central.event("flood")
            sample["commands"] = answer["count"] / answer["seconds"]
            sample["commands lost"] = count - answer["count"]
            for role, program in (("central", central), ("peripheral", peripheral)):
                sample[f"memory {role}"] = program.memory("VmHWM")
                sample[f"own memory {role}"] = program.memory("RssAnon")
        finally:
            if central:
                await central.end()
            await peripheral.end()
        return sample

    async def burst(self, sample, kind, peripheral, central, size):
        count = self.options.notifications
        processes = {"central": central.pid, "peripheral": peripheral.pid, **self.daemons.pids}
        central.tell(kind.listen(count, size))
        await central.event("subscribed")
        before = {name: cpu_of(pid) for name, pid in processes.items()}
        await kind.start_burst(count, size)
        answer = await central.event("listened")
        after = {name: cpu_of(pid) for name, pid in processes.items()}
        await kind.end_burst()
        received = answer["count"]
        sample[f"rate {size}"] = (received - 1) / answer["seconds"] if received > 1 else 0
        sample[f"lost {size}"] = count - received
        sample[f"breaks {size}"] = answer["breaks"]
        for name in processes:
            sample[f"cpu {name} {size}"] = 1000 * (after[name] - before[name]) / max(received, 1)


def keep(file, options, samples, failures):
    file.write_text(json.dumps({
        "machine": {"cpus": os.cpu_count(), "kernel": platform.release(), "arch": platform.machine()},
        "options": {name: str(value) for name, value in vars(options).items()},
        "medians": medians(samples), "samples": samples, "failures": failures,
    }, indent=1))


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each pair; the table has the medians (5)")
    parser.add_argument("--quick", action="store_true", help="one short run of each pair, to see whether all works")
    parser.add_argument("--notifications", type=int, default=5000, help="in a burst (5000)")
    parser.add_argument("--requests", type=int, default=300, help="reads, and writes with response (300)")
    parser.add_argument("--commands", type=int, default=1000, help="writes without response (1000)")
    parser.add_argument("--pairs", default=PAIRS, help=f"PERIPHERAL+CENTRAL, with commas between ({PAIRS})")
    parser.add_argument("--programs", type=Path, help="the folder of dittojay and bluejay; without it PATH decides")
    options = parser.parse_args()
    if options.quick:
        options.runs, options.notifications, options.requests, options.commands = 1, 500, 50, 200
    for name in ("dittojay", "bluejay"):
        setattr(options, name, str(options.programs / name) if options.programs else name)
    if os.environ.get("BLUETOOTH_LAB") != "1":
        sys.exit("bench: to be run in the lab: ./lab bench")

    out = Path(os.environ["LAB_OUT"])
    bench = Bench(options, out)
    await bench.daemons.open()
    pairs = options.pairs.split(",")
    samples, failures = {pair: [] for pair in pairs}, []
    # Pairs take turns, so that what else the machine does falls on all of them alike.
    for number in range(options.runs):
        for pair in pairs:
            began = time.monotonic()
            try:
                samples[pair].append(await bench.run(pair))
                say(f"{pair}, run {number + 1} of {options.runs}: {time.monotonic() - began:.0f} s")
            except (RuntimeError, TimeoutError, OSError) as error:
                failures.append({"pair": pair, "run": number + 1, "error": str(error) or type(error).__name__})
                say(f"{pair}, run {number + 1} of {options.runs} failed: {failures[-1]['error']}")
            # After each run, so that a bench that is ended early has measured something.
            keep(out / "bench.json", options, samples, failures)
    print(summary(samples))
    if failures:
        print(f"\n{len(failures)} runs failed; bench.json and bench.log tell which.")
    sys.exit(1 if failures else 0)


asyncio.run(main())
