"""A service goes away between its discovery and a read."""

import asyncio
from contextlib import suppress

from bleak.exc import BleakError
from racing import COMMAND, SERIAL, connection, look_round, race

FAILED = (BleakError, asyncio.TimeoutError)


async def read_serial(client):
    """bluetoothd does not always answer a call about what it is removing."""
    assert await asyncio.wait_for(client.read_gatt_char(SERIAL), 5) == b"A-1"


async def main(is_racy):
    async with connection() as client:
        await client.write_gatt_char(COMMAND, b"RENEW", response=True)
        try:
            await look_round(client)
            return await read_serial(client)
        except FAILED:
            if is_racy:
                raise
    for _ in range(10):  # until a connection has it again
        await asyncio.sleep(1)
        with suppress(*FAILED):
            async with connection() as client:
                return await read_serial(client)
    raise AssertionError("the service did not come back")


race(main)
