"""What the races in Python share. Each is a program with a mistake about the order of events, and its corrected twin:

python NAME.py racy|fixed     in the lab; exit status 0 if all went as the program expects
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError
from bleak.uuids import normalize_uuid_str

FOLDER = Path(__file__).parent
NAME = "Racer"
COMMAND, ANSWER, NUMBER, GREETING, MESSAGE, PARCELS, RECEIVED = (normalize_uuid_str(f"fff{n}") for n in range(1, 8))
SERIAL = normalize_uuid_str("ffe1")
LIMIT = 60  # seconds


@contextmanager
def sensor(scenario=None):
    words = ["dittojay", "--quiet", "--profile", str(FOLDER / "sensor.yaml")]
    if scenario:
        words += ["--scenario", str(FOLDER / scenario)]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        process.wait()


async def find(adapter):
    device = await BleakScanner.find_device_by_name(NAME, timeout=30, bluez={"adapter": adapter})
    if device is None:
        raise TimeoutError(f"{NAME} was not found")
    return device


async def connect(adapter, options):
    """With all services: bluetoothd may say that it has found all before programs see them (bleak #1806), and may
    not report a connection that begins soon after another (docs/bluez-limits.md): then this tries again."""
    while True:
        client = BleakClient(await find(adapter), bluez={"adapter": adapter}, **options)
        with suppress(BleakError):
            await client.connect()
            if client.services.get_characteristic(RECEIVED):
                return client
        with suppress(BleakError):
            await client.disconnect()


@asynccontextmanager
async def connection(adapter="hci1", **options):
    client = await connect(adapter, options)
    try:
        yield client
    finally:
        await client.disconnect()


async def leave(client):
    """Makes the sensor disconnect, which it may do before its answer to this has been sent."""
    with suppress(BleakError, asyncio.TimeoutError):
        await asyncio.wait_for(client.write_gatt_char(COMMAND, b"LEAVE", response=True), 5)


def keep_log():
    """Writes something, which takes a while."""
    with tempfile.TemporaryFile(buffering=0) as file:
        for number in range(1000):
            file.write(b"%d\n" % number)


async def look_round(client):
    """Reads what else there is, which takes a while."""
    for characteristic in (NUMBER, MESSAGE, RECEIVED):
        await client.read_gatt_char(characteristic)


def is_racy():
    if sys.argv[1:2] not in (["racy"], ["fixed"]):
        sys.exit(f"usage: {sys.argv[0]} racy|fixed")
    return sys.argv[1] == "racy"


def race(main, scenario=None):
    """Runs `main(is_racy)` beside the sensor."""
    os.environ.pop("BLUETOOTH_ADAPTER", None)
    with sensor(scenario):
        asyncio.run(asyncio.wait_for(main(is_racy()), LIMIT))
