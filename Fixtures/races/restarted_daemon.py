"""bluetoothd restarts, and its adapter is on later than the program expects."""

import asyncio

from bleak import BleakScanner
from racing import race

LONG_ENOUGH = 0.18  # seconds: what it takes, and some more


async def bluetoothd(action):
    return await asyncio.create_subprocess_exec("lab-bluetoothd", action)


async def scan():
    async with BleakScanner(bluez={"adapter": "hci1"}):
        pass


async def main(is_racy):
    await (await bluetoothd("stop")).wait()
    start = await bluetoothd("start")
    try:
        if is_racy:
            await asyncio.sleep(LONG_ENOUGH)
        else:
            # Not until a scan succeeds: bleak 3.1.0 may never see an adapter that appears while it begins (README.md).
            await start.wait()
        await scan()
    finally:
        await start.wait()


race(main)
