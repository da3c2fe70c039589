#!/usr/bin/env python3
"""What `bluejay measure` does, by bleak: `bleak_client.py [--sockets] --adapter hci1 DEVICE`, the steps on standard input.

  listen CHARACTERISTIC COUNT [CONTROL HEX]   until COUNT values came; CONTROL: write HEX to it when subscribed
  read CHARACTERISTIC TIMES
  write CHARACTERISTIC HEX TIMES
  flood SINK HEX TIMES COUNTER                without response, until COUNTER says that all have arrived

One JSON object a line says how long each took. bleak is used as its documentation shows, with its defaults.
"""

import argparse
import asyncio
import json
import math
import sys
import time

from bleak import BleakClient, BleakScanner
from bleak.uuids import normalize_uuid_str

PATIENCE = 10.0  # seconds without a value after which the rest counts as lost


def tell(event, began=None, **values):
    if began is not None:
        values["seconds"] = round(time.perf_counter() - began, 6)
    print(json.dumps({"event": event, **values}), flush=True)


def percentile(values, share):
    """In ms; the same rule as the bluejay command's: the latency that a share of the requests did not exceed."""
    return round(1000 * sorted(values)[min(max(math.ceil(len(values) * share), 1), len(values)) - 1], 3)


class Arrivals:
    """Counts values that begin with their number, as they come."""

    def __init__(self, count):
        self.count = count
        self.received = self.breaks = 0
        self.first = self.last = 0.0
        self.previous = None
        self.all_here = asyncio.Event()

    def add(self, _, value):
        self.last = time.perf_counter()
        if not self.received:
            self.first = self.last
        self.received += 1
        number = int.from_bytes(value[:4], "little")
        if self.previous is not None and number != self.previous + 1:
            self.breaks += 1
        self.previous = number
        if self.received == self.count:
            self.all_here.set()

    async def wait(self):
        before = -1
        while self.received != before and self.received < self.count:
            before = self.received
            try:
                await asyncio.wait_for(self.all_here.wait(), PATIENCE)
            except asyncio.TimeoutError:
                pass


class Session:
    def __init__(self, client, sockets):
        self.client = client
        self.notify_options = {"bluez": {"use_start_notify": False}} if sockets else {}

    def find(self, uuid):
        return self.client.services.get_characteristic(normalize_uuid_str(uuid))

    async def listen(self, uuid, count, control=None, value=None):
        arrivals = Arrivals(int(count))
        await self.client.start_notify(self.find(uuid), arrivals.add, **self.notify_options)
        tell("subscribed")
        if control:
            await self.client.write_gatt_char(self.find(control), bytes.fromhex(value), response=True)
        await arrivals.wait()
        tell("listened", count=arrivals.received, breaks=arrivals.breaks,
             seconds=round(arrivals.last - arrivals.first, 6))
        await self.client.stop_notify(self.find(uuid))

    async def time(self, event, count, action):
        took = []
        whole = time.perf_counter()
        for _ in range(int(count)):
            began = time.perf_counter()
            await action()
            took.append(time.perf_counter() - began)
        tell(event, whole, count=len(took), p50=percentile(took, 0.5), p99=percentile(took, 0.99))

    async def read(self, uuid, count):
        characteristic = self.find(uuid)
        await self.time("read", count, lambda: self.client.read_gatt_char(characteristic))

    async def write(self, uuid, value, count):
        characteristic, data = self.find(uuid), bytes.fromhex(value)
        await self.time("write", count, lambda: self.client.write_gatt_char(characteristic, data, response=True))

    async def flood(self, sink, value, count, counter):
        sink, counter, data = self.find(sink), self.find(counter), bytes.fromhex(value)
        await self.client.write_gatt_char(counter, b"\0", response=True)
        began = time.perf_counter()
        for _ in range(int(count)):
            await self.client.write_gatt_char(sink, data, response=False)
        deadline = time.perf_counter() + PATIENCE
        arrived = 0
        while arrived < int(count) and time.perf_counter() < deadline:
            arrived = int.from_bytes((await self.client.read_gatt_char(counter))[:8], "little")
        tell("flood", began, count=arrived)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--adapter", default="hci1")
    parser.add_argument("--sockets", action="store_true", help="take notifications by AcquireNotify")
    parser.add_argument("device")
    options = parser.parse_args()

    began = time.perf_counter()
    device = await BleakScanner.find_device_by_name(options.device, timeout=30, bluez={"adapter": options.adapter})
    if not device:
        raise TimeoutError(f"{options.device} was not found")
    tell("found", began)
    began = time.perf_counter()
    async with BleakClient(device, timeout=30, bluez={"adapter": options.adapter}) as client:
        tell("connected", began)
        session = Session(client, options.sockets)
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            verb, *words = line.split()
            await getattr(session, verb)(*words)


asyncio.run(main())
