"""The first value comes while start_notify has not returned yet."""

import asyncio

from racing import GREETING, connection, race


async def main(is_racy):
    async with connection() as client:
        loop = asyncio.get_running_loop()
        greeting = None if is_racy else loop.create_future()

        def on_value(_, data):
            if greeting is not None and not greeting.done():
                greeting.set_result(data)

        await client.start_notify(GREETING, on_value)
        if is_racy:
            greeting = loop.create_future()
        assert await asyncio.wait_for(greeting, 5) == b"HELLO"


race(main)
