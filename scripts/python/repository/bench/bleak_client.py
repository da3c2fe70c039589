"""As Tests/CentralBench, by bleak: `bleak-client [--sockets] --adapter hci1 DEVICE`, the steps on standard input.

  listen CHARACTERISTIC COUNT [CONTROL HEX]   until COUNT values came; CONTROL: write HEX to it when subscribed
  read CHARACTERISTIC TIMES
  write CHARACTERISTIC HEX TIMES
  flood SINK HEX TIMES COUNTER                without response, until COUNTER says that all have arrived

One JSON object a line reports how long each took. bleak is used as its documentation shows, with its defaults.
"""

import argparse
import asyncio
import contextlib
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from bleak import BleakClient, BleakScanner
from bleak.uuids import normalize_uuid_str

from repository.bench.measures import Arrivals, percentile
from repository.bench.programs import CONTROL, DATA, SINK, SINK_COUNT, STORE

Step = Callable[..., Awaitable[None]]

PATIENCE = 10.0  # seconds without a value after which the rest counts as lost


def report(event: str, began: float | None = None, **values: float) -> None:
    if began is not None:
        values["seconds"] = round(time.perf_counter() - began, 6)
    print(json.dumps({"event": event, **values}), flush=True)


class Session:
    """One connection; its methods are the steps."""

    def __init__(self, client: BleakClient, sockets: bool) -> None:
        self.client = client
        self.notify_options: dict[str, Any] = {"bluez": {"use_start_notify": False}} if sockets else {}

    def find(self, uuid: str) -> Any:
        return self.client.services.get_characteristic(normalize_uuid_str(uuid))

    async def listen(self, uuid: str, count: str, control: str | None = None, value: str = "") -> None:
        arrivals, all_here = Arrivals(int(count)), asyncio.Event()

        def add(_: object, data: bytearray) -> None:
            arrivals.add(data, time.perf_counter())
            if arrivals.are_complete:
                all_here.set()

        await self.client.start_notify(self.find(uuid), add, **self.notify_options)
        report("subscribed")
        if control:
            await self.client.write_gatt_char(self.find(control), bytes.fromhex(value), response=True)
        before = -1
        while arrivals.received != before and not arrivals.are_complete:
            before = arrivals.received
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(all_here.wait(), PATIENCE)
        report("listened", count=arrivals.received, breaks=arrivals.breaks, seconds=arrivals.seconds)
        await self.client.stop_notify(self.find(uuid))

    async def time(self, event: str, count: str, action: Callable[[], Awaitable[object]]) -> None:
        took = []
        whole = time.perf_counter()
        for _ in range(int(count)):
            began = time.perf_counter()
            await action()
            took.append(time.perf_counter() - began)
        report(event, whole, count=len(took), p50=percentile(took, 0.5), p99=percentile(took, 0.99))

    async def read(self, uuid: str, count: str) -> None:
        characteristic = self.find(uuid)
        await self.time("read", count, lambda: self.client.read_gatt_char(characteristic))

    async def write(self, uuid: str, value: str, count: str) -> None:
        characteristic, data = self.find(uuid), bytes.fromhex(value)
        await self.time("write", count, lambda: self.client.write_gatt_char(characteristic, data, response=True))

    async def flood(self, sink: str, value: str, count: str, counter: str) -> None:
        to, from_, data = self.find(sink), self.find(counter), bytes.fromhex(value)
        await self.client.write_gatt_char(from_, b"\0", response=True)
        began = time.perf_counter()
        for _ in range(int(count)):
            await self.client.write_gatt_char(to, data, response=False)
        deadline = time.perf_counter() + PATIENCE
        arrived = 0
        while arrived < int(count) and time.perf_counter() < deadline:
            arrived = int.from_bytes((await self.client.read_gatt_char(from_))[:8], "little")
        report("flood", began, count=arrived)


async def measure(options: argparse.Namespace) -> None:
    began = time.perf_counter()
    bluez: Any = {"adapter": options.adapter}
    device = await BleakScanner.find_device_by_name(options.device, timeout=30, bluez=bluez)
    if not device:
        raise TimeoutError(f"{options.device} was not found")
    report("found", began)
    while not await measure_connection(BleakClient(device, timeout=30, bluez=bluez), options):
        pass


async def measure_connection(client: BleakClient, options: argparse.Namespace) -> bool:
    """Connects and takes the steps. False if bleak does not know all services, which bluetoothd may report too late for
    it (bleak #1806)."""
    began = time.perf_counter()
    async with client:
        if not all(client.services.get_characteristic(uuid) for uuid in (CONTROL, DATA, STORE, SINK, SINK_COUNT)):
            return False
        report("connected", began)
        session = Session(client, options.sockets)
        steps: dict[str, Step] = {
            "listen": session.listen,
            "read": session.read,
            "write": session.write,
            "flood": session.flood,
        }
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            verb, *words = line.split()
            await steps[verb](*words)
    return True


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bleak-client")
    parser.add_argument("--adapter", default="hci1")
    parser.add_argument("--sockets", action="store_true", help="take notifications by AcquireNotify")
    parser.add_argument("device")
    asyncio.run(measure(parser.parse_args(words)))
    return 0
