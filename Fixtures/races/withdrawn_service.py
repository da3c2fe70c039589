"""A service goes away between its discovery and a read."""

import asyncio

from bleak.exc import BleakError
from racing import COMMAND, SERIAL, connection, race


async def main(is_racy):
    async with connection() as client:
        await client.write_gatt_char(COMMAND, b"RENEW", response=True)
        try:
            assert await client.read_gatt_char(SERIAL) == b"A-1"
            return
        except BleakError:
            if is_racy:
                raise
    for _ in range(10):  # a connection that sees it again
        await asyncio.sleep(1)
        async with connection() as client:
            if client.services.get_characteristic(SERIAL):
                assert await client.read_gatt_char(SERIAL) == b"A-1"
                return
    raise AssertionError("the service did not come back")


race(main)
