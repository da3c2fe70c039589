#!/usr/bin/env python3
"""A central made with Bumble: a host stack of its own, which takes the controller from the kernel by a user channel."""

import asyncio
import logging

import walk
from bumble.core import UUID
from bumble.device import Device, Peer
from bumble.hci import Address
from user_channel import open_user_channel


async def converse(options):
    async with await open_user_channel(options.adapter) as transport:
        device = Device.with_hci("Bumble", Address("F0:F1:F2:F3:F4:F7"), transport.source, transport.sink)
        await device.power_on()
        found = asyncio.get_running_loop().create_future()

        def on_advertisement(advertisement):
            address = advertisement.address.to_string(with_type_qualifier=False)
            if address.upper() == options.address.upper() and not found.done():
                found.set_result(advertisement.address)

        device.on("advertisement", on_advertisement)
        await device.start_scanning()
        address = await asyncio.wait_for(found, walk.LIMIT)
        await device.stop_scanning()
        walk.report("found", address=address.to_string(with_type_qualifier=False))

        connection = await device.connect(address, timeout=walk.LIMIT)
        peer = Peer(connection)
        walk.report("connected", mtu=await peer.request_mtu(247))
        await peer.discover_services()
        walk.report("services", uuids=[str(service.uuid) for service in peer.services])
        for service in peer.services:
            await service.discover_characteristics()
        [location] = peer.get_characteristics_by_uuid(UUID(walk.LOCATION))
        [measurement] = peer.get_characteristics_by_uuid(UUID(walk.MEASUREMENT))
        walk.report("read", value=bytes(await location.read_value()).hex())
        await location.write_value(walk.WRIST, with_response=True)
        walk.report("written")
        walk.report("read", value=bytes(await location.read_value()).hex())

        values = asyncio.Queue()
        await measurement.subscribe(values.put_nowait)
        for _ in range(walk.NOTIFICATIONS):
            value = await asyncio.wait_for(values.get(), walk.LIMIT)
            walk.report("notified", value=bytes(value).hex())
        await connection.disconnect()
        walk.report("disconnected")


def main():
    logging.basicConfig(level="WARNING")
    asyncio.run(converse(walk.arguments(__doc__)))


walk.run(main)
