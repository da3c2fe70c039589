"""bluetoothd restarts, and its adapter is on later than the program expects."""

import asyncio

from bleak import BleakScanner
from bleak.exc import BleakError
from racing import race

LONG_ENOUGH = 0.18  # seconds: what it takes, and some more


async def bluetoothd(action):
    return await asyncio.create_subprocess_exec("lab-bluetoothd", action)


async def scan():
    async with BleakScanner(bluez={"adapter": "hci1"}):
        pass


async def scan_when_possible():
    while True:
        try:
            return await scan()
        except BleakError:
            await asyncio.sleep(0.2)


async def main(is_racy):
    await (await bluetoothd("stop")).wait()
    start = await bluetoothd("start")
    try:
        if is_racy:
            await asyncio.sleep(LONG_ENOUGH)
            await scan()
        else:
            await scan_when_possible()
    finally:
        await start.wait()


race(main)
