"""The device disconnects before the program waits for that."""

import asyncio

from racing import connection, keep_log, leave, race


async def main(is_racy):
    gone = None if is_racy else asyncio.Event()

    def on_disconnect(_):
        if gone is not None:
            gone.set()

    async with connection(disconnected_callback=on_disconnect) as client:
        await leave(client)
        await asyncio.to_thread(keep_log)
        if is_racy:
            gone = asyncio.Event()
        await asyncio.wait_for(gone.wait(), 5)


race(main)
