"""The answer to a command comes before the program listens to it."""

import asyncio

from racing import ANSWER, COMMAND, connection, look_round, race


async def main(is_racy):
    async with connection() as client:
        answers = asyncio.Queue()

        async def listen():
            await client.start_notify(ANSWER, lambda _, data: answers.put_nowait(data))

        if not is_racy:
            await listen()
        await client.write_gatt_char(COMMAND, b"PING", response=True)
        await look_round(client)
        if is_racy:
            await listen()
        assert await asyncio.wait_for(answers.get(), 5) == b"PONG"


race(main)
