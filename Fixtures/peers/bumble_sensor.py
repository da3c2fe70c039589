#!/usr/bin/env python3
"""A heart-rate sensor made with Bumble: a host stack of its own, which takes the controller from the kernel.

Prints one JSON object a line: ready, written. Ends on SIGINT and SIGTERM.
"""

import argparse
import asyncio
import itertools
import signal

import walk
from bumble.core import UUID, AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from user_channel import open_user_channel


class Location:
    """Where the sensor is worn."""

    def __init__(self):
        self.value = bytes([1])

    def read(self, _):
        return self.value

    def write(self, _, value):
        self.value = bytes(value)
        walk.report("written", value=self.value.hex())


async def serve(options):
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    location = Location()
    measurement = Characteristic(
        UUID(walk.MEASUREMENT), Characteristic.Properties.NOTIFY, Characteristic.Permissions(0), bytes([0, 60])
    )
    worn = Characteristic(
        UUID(walk.LOCATION),
        Characteristic.Properties.READ | Characteristic.Properties.WRITE,
        Characteristic.READABLE | Characteristic.WRITEABLE,
        CharacteristicValue(read=location.read, write=location.write),
    )
    async with await open_user_channel(options.adapter) as transport:
        device = Device.with_hci(options.name, Address("F0:F1:F2:F3:F4:F5"), transport.source, transport.sink)
        device.add_service(Service(UUID(walk.HEART_RATE), [measurement, worn]))
        device.advertising_data = bytes(
            AdvertisingData(
                [
                    (AdvertisingData.FLAGS, bytes([0x06])),
                    (AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes([0x0D, 0x18])),
                    (AdvertisingData.COMPLETE_LOCAL_NAME, options.name.encode()),
                ]
            )
        )
        await device.power_on()
        await device.start_advertising(auto_restart=True)
        walk.report("ready", name=options.name)
        for rate in itertools.cycle(range(60, 100)):
            await device.notify_subscribers(measurement, bytes([0, rate]))
            try:
                await asyncio.wait_for(ended.wait(), 0.5)
                return
            except asyncio.TimeoutError:
                pass


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--adapter", default="hci0", help="controller to use (hci0)")
    parser.add_argument("--name", default="Bumble", help="to advertise (Bumble)")
    asyncio.run(serve(parser.parse_args()))


walk.run(main)
