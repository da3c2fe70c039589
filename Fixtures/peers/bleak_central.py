#!/usr/bin/env python3
"""A central made with bleak, as its documentation recommends: finds a peripheral, connects, and takes steps in order.

Prints one JSON object a line. Exit status 1 and {"event": "error"} when a step failed.

  bleak_central.py [OPTIONS] scan                     what is found until --timeout (of --service, if given)
  bleak_central.py [OPTIONS] services DEVICE          connect and list services and characteristics
  bleak_central.py [OPTIONS] read DEVICE CHAR [-n N]
  bleak_central.py [OPTIONS] write DEVICE CHAR HEX [-n N] [--no-response]
  bleak_central.py [OPTIONS] listen DEVICE CHAR [-n N]    N notifications
  bleak_central.py [OPTIONS] run DEVICE STEP…         several steps on one connection, STEP being one of
                                                      services
                                                      read:CHAR[*N]
                                                      write:CHAR=HEX[*N], command:CHAR=HEX[*N] (without response)
                                                      listen:CHAR[*N][@CONTROL=HEX] (then write HEX to CONTROL)
                                                      pair, wait:SECONDS

DEVICE is a name or an address; CHAR a UUID, short or long.
"""

import argparse
import asyncio
import json
import sys
import time
from itertools import pairwise

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError
from bleak.uuids import normalize_uuid_str

CHARACTERISTIC_STEPS = ("read:", "write:", "command:", "listen:")


def report(event, **values):
    print(json.dumps({"event": event, "time": round(time.time(), 4), **values}), flush=True)


def split_step(text):
    """read:2A38*5 -> ("2A38", None, 5); write:2A38=02 -> ("2A38", b"\x02", 1)"""
    text, _, count = text.partition("*")
    uuid, _, data = text.partition("=")
    return normalize_uuid_str(uuid), bytes.fromhex(data), int(count or 1)


def is_wanted(device, advertisement, wanted):
    names = (advertisement.local_name, device.name, device.address)
    return wanted.lower() in (name.lower() for name in names if name)


async def find(options):
    """Restarts the scan until the device is there: a scan's first reports may be lost, and virtual controllers report
    an advertiser only once in each scan."""
    began = time.monotonic()
    while (left := options.timeout - (time.monotonic() - began)) > 0:
        device = await BleakScanner.find_device_by_filter(
            lambda device, advertisement: is_wanted(device, advertisement, options.device),
            timeout=min(options.slice, left),
            service_uuids=[normalize_uuid_str(options.service)] if options.service else None,
            bluez={"adapter": options.adapter},
        )
        if device:
            report("found", name=device.name, address=device.address, seconds=round(time.monotonic() - began, 4))
            return device
    raise TimeoutError(f"{options.device} was not found in {options.timeout:g} s")


async def scan(options):
    seen = {}
    began = time.monotonic()
    while (left := options.timeout - (time.monotonic() - began)) > 0:
        found = await BleakScanner.discover(
            timeout=min(options.slice, left),
            return_adv=True,
            service_uuids=[normalize_uuid_str(options.service)] if options.service else None,
            bluez={"adapter": options.adapter},
        )
        for device, advertisement in found.values():
            if device.address not in seen:
                seen[device.address] = device
                report(
                    "found",
                    name=advertisement.local_name or device.name,
                    address=device.address,
                    services=advertisement.service_uuids,
                    rssi=advertisement.rssi,
                )
    if not seen:
        raise TimeoutError("nothing was found")


class Session:
    def __init__(self, client, options):
        self.client = client
        self.options = options

    async def take(self, step):
        verb, _, rest = step.partition(":")
        await getattr(self, verb)(rest)

    async def services(self, _):
        for service in self.client.services:
            report(
                "service",
                uuid=service.uuid,
                characteristics=[
                    {
                        "uuid": each.uuid,
                        "properties": each.properties,
                        "descriptors": [d.uuid for d in each.descriptors],
                    }
                    for each in service.characteristics
                ],
            )

    def characteristic(self, uuid):
        found = self.client.services.get_characteristic(uuid)
        if found is None:
            raise BleakError(f"the device has no characteristic {uuid}")
        return found

    async def read(self, rest):
        uuid, _, count = split_step(rest)
        characteristic = self.characteristic(uuid)
        for _ in range(count):
            began = time.perf_counter()
            value = await self.client.read_gatt_char(characteristic)
            report("read", characteristic=uuid, value=bytes(value).hex(), seconds=round(time.perf_counter() - began, 6))

    async def write(self, rest, response=True):
        uuid, data, count = split_step(rest)
        characteristic = self.characteristic(uuid)
        took = []
        whole = time.perf_counter()
        for _ in range(count):
            began = time.perf_counter()
            await self.client.write_gatt_char(characteristic, data, response=response)
            took.append(round(time.perf_counter() - began, 6))
        report(
            "write",
            characteristic=uuid,
            value=data.hex(),
            response=response,
            count=count,
            each=took,
            seconds=round(time.perf_counter() - whole, 6),
        )

    async def command(self, rest):
        await self.write(rest, response=False)

    async def listen(self, rest):
        what, _, control = rest.partition("@")
        uuid, _, count = split_step(what)
        characteristic = self.characteristic(uuid)
        values, enough, quiet = [], asyncio.Event(), asyncio.Event()

        def on_value(_, value):
            values.append((time.perf_counter(), bytes(value)))
            quiet.set()
            if count <= 20 and len(values) <= count:  # more may come before the end of the subscription
                report("notify", characteristic=uuid, value=bytes(value).hex())
            if len(values) >= count:
                enough.set()

        await self.client.start_notify(characteristic, on_value, bluez={"use_start_notify": not self.options.acquire})
        report("subscribed", characteristic=uuid)
        if control:
            control_uuid, data, _ = split_step(control)
            await self.client.write_gatt_char(control_uuid, data, response=True)
        lost = None
        try:
            while not enough.is_set():
                quiet.clear()
                await asyncio.wait_for(quiet.wait(), self.options.quiet)
        except asyncio.TimeoutError:
            lost = f"after {len(values)} of {count} notifications none came for {self.options.quiet:g} s"
        await self.client.stop_notify(characteristic)
        numbers = [int.from_bytes(value[:4], "little") for _, value in values]
        span = values[-1][0] - values[0][0] if values else 0
        report(
            "listened",
            characteristic=uuid,
            count=len(values),
            seconds=round(span, 4),
            breaks=sum(1 for one, next in pairwise(numbers) if next != one + 1),
        )
        if lost:
            raise TimeoutError(lost)

    async def pair(self, _):
        await self.client.pair()
        report("paired")

    async def wait(self, rest):
        await asyncio.sleep(float(rest))


def wanted(steps):
    """The characteristics that the steps name."""
    names = [step.partition(":")[2].partition("@")[0] for step in steps if step.startswith(CHARACTERISTIC_STEPS)]
    return [split_step(name)[0] for name in names]


async def connect(client, options, characteristics):
    """Again while something is missing: bluetoothd may say that it has connected before it shows the connection, which
    bleak then takes for one that has ended, and that it has found all services before it shows them
    (docs/bluez-limits.md)."""
    began = time.monotonic()
    while True:
        is_late = time.monotonic() - began > options.timeout
        try:
            await client.connect()
        except BleakError as error:
            if is_late or "device disconnected" not in str(error):
                raise
            continue
        if is_late or all(map(client.services.get_characteristic, characteristics)):
            return
        await client.disconnect()


async def converse(options, steps):
    device = await find(options)
    began = time.monotonic()
    client = BleakClient(
        device,
        timeout=options.timeout,
        bluez={"adapter": options.adapter},
        disconnected_callback=lambda _: report("disconnected"),
    )
    await connect(client, options, wanted(steps))
    try:
        report("connected", address=device.address, seconds=round(time.monotonic() - began, 4))
        session = Session(client, options)
        for step in steps:
            await session.take(step)
    finally:
        await client.disconnect()


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adapter", default="hci1", help="controller to use (hci1)")
    parser.add_argument("--timeout", type=float, default=30, help="seconds to find, and to connect to, a device (30)")
    parser.add_argument("--slice", type=float, default=2, help="seconds after which the scan is restarted (2)")
    parser.add_argument("--quiet", type=float, default=15, help="seconds without a notification that end a listen (15)")
    parser.add_argument("--service", help="find only what advertises this service")
    parser.add_argument("--acquire", action="store_true", help="subscribe by AcquireNotify, not by StartNotify")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("scan")
    for verb in ("services", "read", "write", "listen", "run"):
        one = verbs.add_parser(verb)
        one.add_argument("device")
        if verb in ("read", "write", "listen"):
            one.add_argument("characteristic")
            one.add_argument("-n", type=int, default=1)
        if verb == "write":
            one.add_argument("value")
            one.add_argument("--no-response", action="store_true")
        if verb == "run":
            one.add_argument("steps", nargs="+")
    return parser.parse_args()


def steps_of(options):
    if options.verb == "services":
        return ["services"]
    if options.verb in ("read", "listen"):
        return [f"{options.verb}:{options.characteristic}*{options.n}"]
    if options.verb == "write":
        verb = "command" if options.no_response else "write"
        return [f"{verb}:{options.characteristic}={options.value}*{options.n}"]
    return options.steps


def main():
    options = parse()
    try:
        asyncio.run(scan(options) if options.verb == "scan" else converse(options, steps_of(options)))
    except Exception as error:  # bleak passes on what its backend raises
        report("error", type=type(error).__name__, message=str(error))
        sys.exit(1)


main()
