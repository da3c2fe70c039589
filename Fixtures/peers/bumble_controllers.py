"""Controllers of Bumble that hear each other: `bumble_controllers.py TRANSPORT…`, one for each of its transports.

Their public addresses are 00:AA:01:00:00:00, 00:AA:01:01:00:01, and so on.
"""

import asyncio
import sys

from bumble.controller import Controller
from bumble.link import LocalLink
from bumble.transport import open_transport


async def run(names: list[str]) -> None:
    link = LocalLink()
    for number, name in enumerate(names):
        transport = await open_transport(name)
        address = f"00:AA:01:{number:02X}:00:{number:02X}"
        Controller(
            f"C{number}", host_source=transport.source, host_sink=transport.sink, link=link, public_address=address
        )
    await asyncio.get_running_loop().create_future()


asyncio.run(run(sys.argv[1:]))
