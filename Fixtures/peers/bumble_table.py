#!/usr/bin/env python3
"""A central made with Bumble that discovers and reads all attributes of the peripheral that advertises a name.

Prints one JSON object a line: service, with its characteristics; read or refused, with the handle within the service;
disconnected; or error, with exit status 1.
"""

import argparse
import asyncio
import logging

import walk
from bumble.att import ATT_Error
from bumble.core import AdvertisingData
from bumble.device import Device, Peer
from bumble.gatt import Characteristic
from bumble.gatt_client import Client
from bumble.hci import Address
from user_channel import open_user_channel


def name(uuid):
    return uuid.to_hex_str("-").upper()


async def find(device, local_name):
    """The address of the peripheral with a name."""
    found = asyncio.get_running_loop().create_future()

    def on_advertisement(advertisement):
        names = advertisement.data.get_all(AdvertisingData.COMPLETE_LOCAL_NAME)
        if local_name in names and not found.done():
            found.set_result(advertisement.address)

    device.on("advertisement", on_advertisement)
    await device.start_scanning()
    address = await asyncio.wait_for(found, walk.LIMIT)
    await device.stop_scanning()
    return address


async def read(attribute, service):
    place = {"place": attribute.handle - service.handle, "uuid": name(attribute.type)}
    try:
        walk.report("read", **place, value=bytes(await attribute.read_value()).hex())
    except ATT_Error as error:
        walk.report("refused", **place, code=error.error_code)


async def read_everything(peer):
    await peer.discover_services()
    for service in peer.services:
        await service.discover_characteristics()
        characteristics = []
        for characteristic in service.characteristics:
            await characteristic.discover_descriptors()
            descriptors = [name(descriptor.type) for descriptor in characteristic.descriptors]
            characteristics.append([name(characteristic.uuid), int(characteristic.properties), descriptors])
        walk.report("service", uuid=name(service.uuid), characteristics=characteristics)
        for characteristic in service.characteristics:
            if characteristic.properties & Characteristic.Properties.READ:
                await read(characteristic, service)
            for descriptor in characteristic.descriptors:
                await read(descriptor, service)


async def converse(options):
    async with await open_user_channel(options.adapter) as transport:
        device = Device.with_hci("Bumble", Address("F0:F1:F2:F3:F4:F8"), transport.source, transport.sink)
        await device.power_on()
        connection = await device.connect(await find(device, options.name), timeout=walk.LIMIT)
        peer = Peer(connection)
        if options.eatt:
            await connection.pair()
            peer.gatt_client = await Client.connect_eatt(connection)
        else:
            await peer.request_mtu(247)
        await read_everything(peer)
        await connection.disconnect()
        walk.report("disconnected")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--adapter", default="hci1", help="controller to use (hci1)")
    parser.add_argument("--eatt", action="store_true", help="pair, and use an enhanced bearer")
    parser.add_argument("name", help="that the peripheral advertises")
    logging.basicConfig(level="WARNING")
    asyncio.run(converse(parser.parse_args()))


walk.run(main)
