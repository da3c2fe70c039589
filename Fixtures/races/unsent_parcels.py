"""A task that writes is cancelled after a time that is usually enough."""

import asyncio

from racing import NUMBER, PARCELS, RECEIVED, connection, race

COUNT = 6
LONG_ENOUGH = 0.06  # seconds: what the writes take, and some more


async def send(client):
    for number in range(COUNT):
        await client.write_gatt_char(PARCELS, bytes([number]), response=False)


async def main(is_racy):
    async with connection() as client:
        sending = asyncio.create_task(send(client))
        if is_racy:
            await asyncio.sleep(LONG_ENOUGH)
            sending.cancel()
        else:
            await sending
            await client.read_gatt_char(NUMBER)  # is answered after all of them
    async with connection() as client:
        received = int.from_bytes((await client.read_gatt_char(RECEIVED))[:8], "little")
        assert received == COUNT, f"{received} of {COUNT} parcels were received"


race(main)
