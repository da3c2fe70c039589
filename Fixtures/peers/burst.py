"""What the two Python peripherals have in common: their characteristics' UUIDs and the burst of notifications.

A burst lets a test or a benchmark count what arrives: COUNT notifications of SIZE bytes on BURST_DATA, each beginning
with its number (0, 1, …; 32 bits, little-endian) and filled up with the number's lowest byte. Writing to BURST_CONTROL
starts one: one byte of any value for the count and size of the command line, or six bytes: the count (32 bits) and the
size (16 bits), little-endian.
"""

import argparse
import asyncio
import json
import random
import struct
import sys
import time

HEART_RATE_SERVICE = "180D"
HEART_RATE_MEASUREMENT = "2A37"
BODY_SENSOR_LOCATION = "2A38"
HEART_RATE_CONTROL_POINT = "2A39"
BURST_CONTROL = "3f0c0001-7d1e-4f58-8f6a-5b1f0c9a2e10"
BURST_DATA = "3f0c0002-7d1e-4f58-8f6a-5b1f0c9a2e10"
STORE = "3f0c0003-7d1e-4f58-8f6a-5b1f0c9a2e10"  # keeps what is written, with or without response, up to 512 bytes
SINK = "025d0002-f26a-4eb9-a53f-f1b453d5e20b"  # counts what is written, as dittojay's lab profile does
SINK_COUNT = "025d0003-f26a-4eb9-a53f-f1b453d5e20b"  # writes and bytes so far, 64 bits each; a write sets both to 0


def report(event, **values):
    """One JSON object a line, for the program that started this one."""
    print(json.dumps({"event": event, "time": round(time.time(), 4), **values}), flush=True)


def short(uuid):
    """2A38 for 00002a38-0000-1000-8000-00805f9b34fb; others as they are."""
    head, _, tail = uuid.lower().partition("-")
    return head[4:].upper() if head.startswith("0000") and tail == "0000-1000-8000-00805f9b34fb" else uuid


def parse_arguments(description, name):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--adapter", default="hci0", help="controller to serve on (hci0)")
    parser.add_argument("--name", default=name, help=f"name to advertise ({name})")
    parser.add_argument("--interval", type=float, default=1.0, help="seconds between heart rates (1)")
    parser.add_argument("--location", type=int, default=1, help="first body sensor location, 0 to 255 (1, the chest)")
    parser.add_argument("--burst", type=int, default=1000, metavar="N", help="notifications in a burst (1000)")
    parser.add_argument("--size", type=int, default=20, metavar="BYTES", help="bytes in each of them (20)")
    parser.add_argument(
        "--window",
        type=int,
        default=50,
        metavar="N",
        help="ask bluetoothd for something after every N notifications of a burst and await the answer, because these "
        "libraries take a full bus socket for a lost bus (50; 0: never)",
    )
    return parser.parse_args()


def burst_size(data, options):
    """The count and size that a write to BURST_CONTROL asks for."""
    if len(data) >= 6:
        return struct.unpack_from("<IH", data)
    return options.burst, options.size


class SinkCount:
    """What has arrived at SINK."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.writes = self.size = 0

    def add(self, value):
        self.writes += 1
        self.size += len(value)

    def value(self):
        return struct.pack("<QQ", self.writes, self.size)


async def send_burst(count, size, window, send, round_trip):
    """Sends a burst by `send(value)`; `round_trip()` is awaited after each `window` of values."""
    began = time.monotonic()
    for number in range(count):
        send(struct.pack("<I", number).ljust(size, bytes([number & 0xFF]))[: max(size, 4)])
        await asyncio.sleep(0)  # the library writes to the bus in the event loop
        if window and number % window == window - 1:
            await round_trip()
    await round_trip()
    report("burst", count=count, size=size, seconds=round(time.monotonic() - began, 4))


async def heart_rates(interval):
    """Heart Rate Measurement values (flags 0, 8-bit rate), one each `interval` seconds."""
    rate = 70
    while True:
        await asyncio.sleep(interval)
        rate = min(120, max(50, rate + random.randint(-2, 2)))
        yield bytes([0, rate])


def run(main):
    try:
        asyncio.run(main)
    except KeyboardInterrupt:
        pass
    except Exception as error:  # what these libraries raise is not one family
        report("error", type=type(error).__name__, message=str(error))
        sys.exit(1)
