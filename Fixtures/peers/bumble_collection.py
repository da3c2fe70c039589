#!/usr/bin/env python3
"""A peripheral made with Bumble that has one of everything that a profile file can say of a device.

Prints one JSON object a line: ready. Ends on SIGINT and SIGTERM.
"""

import argparse
import asyncio
import signal

import walk
from bumble.att import ATT_Error
from bumble.core import UUID, AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, CharacteristicValue, Descriptor, Service
from bumble.hci import Address
from user_channel import open_user_channel

READ = Characteristic.Properties.READ
WRITE = Characteristic.Properties.WRITE
COMMAND = Characteristic.Properties.WRITE_WITHOUT_RESPONSE
NOTIFY = Characteristic.Properties.NOTIFY
INDICATE = Characteristic.Properties.INDICATE
READABLE = Characteristic.READABLE
WRITEABLE = Characteristic.WRITEABLE
ENCRYPTED = Characteristic.READ_REQUIRES_ENCRYPTION
NOTHING = Characteristic.Permissions(0)
APPLICATION_ERROR = 0x85


def refuse(_):
    raise ATT_Error(APPLICATION_ERROR)


def descriptor(uuid, value):
    return Descriptor(UUID(uuid), Descriptor.READABLE, value)


def services():
    long_uuid = "F1000031-0000-4000-8000-000000000000"
    yield Service(
        UUID(0xAAA0),
        [
            Characteristic(
                UUID(long_uuid),
                READ | NOTIFY | INDICATE,
                READABLE,
                bytes(range(200)),
                [
                    descriptor(0x2901, "At the wìndow".encode()),
                    descriptor(0x2904, bytes([14, 0xFE, 0x2F, 0x27, 1, 0, 0])),
                ],
            ),
            Characteristic(UUID(0xAAA1), READ, READABLE, b""),
            Characteristic(UUID(0xAAA2), READ | WRITE, READABLE | ENCRYPTED | WRITEABLE, b"secret"),
            Characteristic(UUID(0xAAA3), READ, READABLE, CharacteristicValue(read=refuse)),
            Characteristic(UUID(0xAAA4), COMMAND, WRITEABLE, b""),
            Characteristic(UUID(0xAAA5), READ, READABLE, bytes([0, 1])),
            Characteristic(UUID(0xAAA5), READ, READABLE, bytes(512)),
        ],
    )
    # Two of a kind.
    for level in (50, 51):
        battery = Characteristic(UUID(0x2A19), READ | NOTIFY, READABLE, bytes([level]))
        yield Service(UUID("F1000030-0000-4000-8000-000000000000"), [battery])
    maker = Characteristic(UUID(0x2A29), READ, READABLE, b"ACME")
    identity = Characteristic(UUID(0x2A50), READ, READABLE, bytes(range(1, 8)))
    yield Service(UUID(0x180A), [maker, identity])


async def serve(options):
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    async with await open_user_channel(options.adapter) as transport:
        device = Device.with_hci(options.name, Address("F0:F1:F2:F3:F4:F6"), transport.source, transport.sink)
        for service in services():
            device.add_service(service)
        device.advertising_data = bytes(
            AdvertisingData(
                [
                    (AdvertisingData.FLAGS, bytes([0x06])),
                    (AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes([0xA0, 0xAA])),
                    (AdvertisingData.APPEARANCE, bytes([0x40, 0x03])),
                    (AdvertisingData.MANUFACTURER_SPECIFIC_DATA, bytes([0xFF, 0xFF, 1])),
                    (AdvertisingData.SERVICE_DATA_16_BIT_UUID, bytes([0x0F, 0x18, 100])),
                ]
            )
        )
        device.scan_response_data = bytes(
            AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, options.name.encode())])
        )
        await device.power_on()
        await device.start_advertising(auto_restart=True)
        walk.report("ready", name=options.name)
        await ended.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--adapter", default="hci0", help="controller to use (hci0)")
    parser.add_argument("--name", default="Collection", help="to advertise (Collection)")
    asyncio.run(serve(parser.parse_args()))


walk.run(main)
