"""A service is found while those that are there are asked for, and is reported both ways."""

import asyncio

from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus
from racing import COMMAND, SERIAL, connection, race

CHARACTERISTIC = "org.bluez.GattCharacteristic1"
OBJECTS = "org.freedesktop.DBus.ObjectManager"
BUS = "org.freedesktop.DBus"


async def call(bus, destination, path, interface, member, **arguments):
    reply = await bus.call(Message(destination, path, interface, member, **arguments))
    assert reply.message_type is MessageType.METHOD_RETURN, reply.body
    return reply.body


class Characteristics:
    """Those with the UUID, as they come and go."""

    def __init__(self, bus, is_racy):
        self.bus, self.is_racy = bus, is_racy
        self.found = []
        self.removed, self.added = asyncio.Event(), asyncio.Event()
        bus.add_message_handler(self.take)

    def take(self, message):
        if message.member == "InterfacesRemoved" and CHARACTERISTIC in message.body[1]:
            self.removed.set()
        elif message.member == "InterfacesAdded":
            self.add(*message.body)

    def add(self, path, interfaces):
        uuid = interfaces.get(CHARACTERISTIC, {}).get("UUID")
        if uuid and uuid.value == SERIAL and (self.is_racy or path not in self.found):
            self.found.append(path)
            self.added.set()

    async def listen(self):
        rule = f"type='signal',sender='org.bluez',interface='{OBJECTS}'"
        await call(self.bus, BUS, "/org/freedesktop/DBus", BUS, "AddMatch", signature="s", body=[rule])

    async def ask(self):
        (objects,) = await call(self.bus, "org.bluez", "/", OBJECTS, "GetManagedObjects")
        for path, interfaces in objects.items():
            if path.startswith("/org/bluez/hci1/"):
                self.add(path, interfaces)


async def main(is_racy):
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    characteristics = Characteristics(bus, is_racy)
    async with connection() as client:
        await characteristics.listen()
        await client.write_gatt_char(COMMAND, b"REPLACE", response=True)
        await asyncio.wait_for(characteristics.removed.wait(), 10)
        await characteristics.ask()
        await asyncio.wait_for(characteristics.added.wait(), 10)
    assert len(characteristics.found) == 1, f"found: {', '.join(characteristics.found)}"


race(main)
