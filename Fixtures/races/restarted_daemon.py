"""bluetoothd restarts, and its adapter is on later than the program expects."""

import asyncio
import subprocess

from bleak import BleakScanner
from bleak.exc import BleakError
from racing import race

LONG_ENOUGH = 0.5  # seconds


async def main(is_racy):
    restart = await asyncio.create_subprocess_exec("lab-bluetoothd", "restart", stdout=subprocess.DEVNULL)
    await restart.wait()
    if is_racy:
        await asyncio.sleep(LONG_ENOUGH)
        await scan()
        return
    for _ in range(50):
        try:
            return await scan()
        except BleakError:
            await asyncio.sleep(0.2)


async def scan():
    async with BleakScanner(bluez={"adapter": "hci1"}):
        pass


race(main)
