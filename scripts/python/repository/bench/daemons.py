"""bluetoothd and the system bus, as far as the bench needs them."""

import asyncio
import time
from typing import Any

from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus

from repository.bench.programs import pid_of

BUS = "org.freedesktop.DBus"


class Daemons:
    """`advertising` is set once an advertisement of the server's controller is active, since `advertised_at`."""

    def __init__(self, server: str) -> None:
        self.server = server
        self.advertising = asyncio.Event()
        self.advertised_at = 0.0
        self.pids: dict[str, int] = {}

    async def open(self) -> None:
        self.bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
        self.bus.add_message_handler(self.heard)
        rule = (
            f"type='signal',interface='org.freedesktop.DBus.Properties',path='/org/bluez/{self.server}',"
            "arg0='org.bluez.LEAdvertisingManager1'"
        )
        await self.call(BUS, "/org/freedesktop/DBus", BUS, "AddMatch", "s", rule)
        self.pids = {name: pid_of(name) for name in ("bluetoothd", "dbus-daemon")}

    def heard(self, message: Message) -> None:
        if message.member == "PropertiesChanged" and message.message_type == MessageType.SIGNAL:
            instances = message.body[1].get("ActiveInstances")
            if instances and instances.value > 0:
                self.advertised_at = time.monotonic()
                self.advertising.set()

    async def call(
        self, name: str, path: str, interface: str, member: str, signature: str = "", *body: object
    ) -> list[Any]:
        reply = await self.bus.call(
            Message(
                destination=name, path=path, interface=interface, member=member, signature=signature, body=list(body)
            )
        )
        if reply is None or reply.message_type == MessageType.ERROR:
            raise RuntimeError(f"{member} of {path}: {reply and reply.body}")
        return list(reply.body)

    async def forget_devices(self) -> None:
        """So that every run finds and connects for the first time."""
        (objects,) = await self.call("org.bluez", "/", f"{BUS}.ObjectManager", "GetManagedObjects")
        for path, interfaces in objects.items():
            if "org.bluez.Device1" in interfaces:
                adapter = interfaces["org.bluez.Device1"]["Adapter"].value
                await self.call("org.bluez", adapter, "org.bluez.Adapter1", "RemoveDevice", "o", path)
