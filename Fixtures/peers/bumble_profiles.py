#!/usr/bin/env python3
"""A central made with Bumble that reads all that a peripheral has, and decodes it by Bumble's profile clients.

Prints one JSON object a line: found, with what is advertised; services; read or refused; decoded; disconnected; or
error, with exit status 1.
"""

import asyncio
import logging

import walk
from bumble.att import ATT_Error
from bumble.device import Device, Peer
from bumble.gatt import Characteristic
from bumble.hci import Address
from bumble.profiles.battery_service import BatteryServiceProxy
from bumble.profiles.device_information_service import DeviceInformationServiceProxy
from bumble.profiles.heart_rate_service import HeartRateServiceProxy
from user_channel import open_user_channel


def name(uuid):
    return uuid.to_hex_str("-").upper()


async def find(device, address):
    """What the peripheral advertises; its address is of its own kind, public or random."""
    found = asyncio.get_running_loop().create_future()

    def on_advertisement(advertisement):
        if advertisement.address.to_string(with_type_qualifier=False).upper() == address and not found.done():
            found.set_result(advertisement)

    device.on("advertisement", on_advertisement)
    await device.start_scanning()
    advertisement = await asyncio.wait_for(found, walk.LIMIT)
    await device.stop_scanning()
    walk.report("found", data=bytes(advertisement.data).hex())
    return advertisement.address


async def read_everything(peer):
    await peer.discover_services()
    for service in peer.services:
        await service.discover_characteristics()
    for service in peer.services:
        uuids = [name(characteristic.uuid) for characteristic in service.characteristics]
        walk.report("service", uuid=name(service.uuid), characteristics=uuids)
    for service in peer.services:
        for characteristic in service.characteristics:
            if not characteristic.properties & Characteristic.Properties.READ:
                continue
            place = {"service": name(service.uuid), "characteristic": name(characteristic.uuid)}
            try:
                walk.report("read", **place, value=bytes(await characteristic.read_value()).hex())
            except ATT_Error as error:
                walk.report("refused", **place, code=error.error_code)


async def notified(characteristic):
    """The next value of a characteristic, decoded."""
    values = asyncio.Queue()
    await characteristic.subscribe(values.put_nowait)
    return await asyncio.wait_for(values.get(), walk.LIMIT)


async def decode(peer):
    if client := peer.create_service_proxy(BatteryServiceProxy):
        walk.report("decoded", level=await client.battery_level.read_value())
    if client := peer.create_service_proxy(HeartRateServiceProxy):
        measurement = await notified(client.heart_rate_measurement)
        walk.report("decoded", rate=measurement.heart_rate, intervals=measurement.rr_intervals)
        location = await client.body_sensor_location.read_value()
        walk.report("decoded", location=location.name)
    for service in peer.get_services_by_uuid(DeviceInformationServiceProxy.SERVICE_CLASS.UUID):
        client = DeviceInformationServiceProxy(service)
        # bluetoothd's own has no strings.
        if client.manufacturer_name:
            walk.report("decoded", manufacturer=await client.manufacturer_name.read_value())


async def converse(options):
    async with await open_user_channel(options.adapter) as transport:
        device = Device.with_hci("Bumble", Address("F0:F1:F2:F3:F4:F5"), transport.source, transport.sink)
        await device.power_on()
        address = await find(device, options.address.upper())
        connection = await device.connect(address, timeout=walk.LIMIT)
        peer = Peer(connection)
        await peer.request_mtu(247)
        await read_everything(peer)
        await decode(peer)
        await connection.disconnect()
        walk.report("disconnected")


def main():
    logging.basicConfig(level="WARNING")
    asyncio.run(converse(walk.arguments(__doc__.splitlines()[0])))


walk.run(main)
