"""A value is sent before the program has subscribed again, when it had to connect again."""

import asyncio

from racing import MESSAGE, connection, leave, race


async def main(is_racy):
    gone = asyncio.Event()
    async with connection(disconnected_callback=lambda _: gone.set()) as client:
        await leave(client)
        await asyncio.wait_for(gone.wait(), 5)
    async with connection() as client:  # the sensor sends a message soon after this (after_reconnect.yaml)
        messages = asyncio.Queue()
        await client.start_notify(MESSAGE, lambda _, data: messages.put_nowait(bytes(data)))
        if not is_racy:
            messages.put_nowait(bytes(await client.read_gatt_char(MESSAGE)))
        while await asyncio.wait_for(messages.get(), 5) != b"news":
            pass


race(main, "after_reconnect.yaml")
