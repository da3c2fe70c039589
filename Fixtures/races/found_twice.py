"""A scan reports the device once more while it is being stopped."""

import asyncio

from bleak import BleakClient, BleakScanner
from racing import NAME, keep_log, race

# Seconds, for what else can be found meanwhile: the sensor advertises every 1.28 s.
SCAN = 1.22


async def main(is_racy):
    connections = []
    scanner = None

    async def connect(device):
        await asyncio.sleep(SCAN)
        await asyncio.to_thread(keep_log)
        await scanner.stop()
        async with BleakClient(device, bluez={"adapter": "hci1"}) as client:
            assert client.is_connected

    def on_found(device, advertisement):
        if advertisement.local_name == NAME and (is_racy or not connections):
            connections.append(asyncio.ensure_future(connect(device)))

    scanner = BleakScanner(on_found, bluez={"adapter": "hci1"})
    await scanner.start()
    while not connections:
        await asyncio.sleep(0.01)
    await asyncio.gather(*connections)
    assert len(connections) == 1, f"{len(connections)} connections were begun"


race(main)
