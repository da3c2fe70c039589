#!/usr/bin/env python3
"""A heart-rate sensor made with bluez-peripheral whose location wants a pairing with a passkey.

Prints one JSON object a line: ready. Ends on SIGINT and SIGTERM.
"""

import asyncio
import signal

import burst
from bluez_peripheral.advert import Advertisement
from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
from bluez_peripheral.gatt.service import Service
from bluez_peripheral.util import Adapter, get_message_bus

HEART_RATE_SENSOR = 0x0340  # appearance


class HeartRateService(Service):
    def __init__(self):
        super().__init__(burst.HEART_RATE_SERVICE, True)

    @characteristic(burst.BODY_SENSOR_LOCATION, CharacteristicFlags.ENCRYPT_AUTHENTICATED_READ)
    def location(self, _):
        return bytes([1])


async def main():
    options = burst.parse_arguments(__doc__.splitlines()[0], "Locked")
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    bus = await get_message_bus()
    path = f"/org/bluez/{options.adapter}"
    adapter = Adapter(bus.get_proxy_object("org.bluez", path, await bus.introspect("org.bluez", path)))
    service = HeartRateService()
    await service.register(bus, adapter=adapter)
    await Advertisement(options.name, [burst.HEART_RATE_SERVICE], HEART_RATE_SENSOR, 0).register(bus, adapter)
    burst.report("ready", name=options.name, adapter=options.adapter)
    await stop.wait()
    await service.unregister()


burst.run(main())
