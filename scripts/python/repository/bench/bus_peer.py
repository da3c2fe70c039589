"""A bluetoothd for `bench-bus`: on the system bus, one adapter and one device, whose values come as D-Bus signals.

It does what a central needs, without Bluetooth, so that what is measured is the central and the bus. When it is on the
bus it prints "ready".
"""

import asyncio
import struct
from typing import Any

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from repository.bench.programs import BURST_REQUEST, CLIENT, CONTROL, DATA, NAME, SINK, SINK_COUNT, STORE

ADAPTER = f"/org/bluez/{CLIENT}"
DEVICE = f"{ADAPTER}/dev_00_AA_01_00_00_00"
SERVICE = f"{DEVICE}/service0010"
CONTROL_PATH = f"{SERVICE}/char0011"
BURST = f"{SERVICE}/char0013"
PROPERTIES, OBJECTS = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"
REPORT_TIME = 0.1  # seconds from the start of a scan until the device is seen
SIGNALS_AT_ONCE = 4  # what wakes a central together
PAUSE = 0.0005  # seconds between these
SIGNALS_ON_THE_WAY = 50  # before the bus is asked whether it has them

Properties = dict[str, Variant]


def characteristic(uuid: str, *flags: str) -> dict[str, Properties]:
    return {
        "org.bluez.GattCharacteristic1": {
            "UUID": Variant("s", uuid.lower()),
            "Service": Variant("o", SERVICE),
            "Value": Variant("ay", b""),
            "Notifying": Variant("b", False),
            "Flags": Variant("as", list(flags)),
            "MTU": Variant("q", 517),
        }
    }


def objects() -> dict[str, dict[str, Properties]]:
    """By path and interface."""
    return {
        "/org/bluez": {"org.bluez.AgentManager1": {}},
        ADAPTER: {
            "org.bluez.Adapter1": {
                "Address": Variant("s", "00:AA:01:01:00:01"),
                "AddressType": Variant("s", "public"),
                "Name": Variant("s", CLIENT),
                "Alias": Variant("s", CLIENT),
                "Powered": Variant("b", True),
                "Discovering": Variant("b", False),
                "Modalias": Variant("s", "usb:v1D6Bp0246d0542"),  # 5.66
                "UUIDs": Variant("as", []),
            }
        },
        DEVICE: {
            "org.bluez.Device1": {
                "Address": Variant("s", "00:AA:01:00:00:00"),
                "AddressType": Variant("s", "public"),
                "Name": Variant("s", NAME),
                "Alias": Variant("s", NAME),
                "Adapter": Variant("o", ADAPTER),
                "Connected": Variant("b", False),
                "ServicesResolved": Variant("b", False),
                "Paired": Variant("b", False),
                "Trusted": Variant("b", False),
                "Blocked": Variant("b", False),
                "RSSI": Variant("n", -60),
                "UUIDs": Variant("as", []),
            }
        },
        SERVICE: {
            "org.bluez.GattService1": {
                "UUID": Variant("s", CONTROL.lower()),
                "Device": Variant("o", DEVICE),
                "Primary": Variant("b", True),
                "Includes": Variant("ao", []),
            }
        },
        CONTROL_PATH: characteristic(CONTROL, "write"),
        BURST: characteristic(DATA, "notify"),
        f"{SERVICE}/char0016": characteristic(STORE, "read", "write"),
        f"{SERVICE}/char0019": characteristic(SINK, "write-without-response"),
        f"{SERVICE}/char001b": characteristic(SINK_COUNT, "read", "write"),
    }


class Bluetoothd:
    def __init__(self, bus: MessageBus) -> None:
        self.bus = bus
        self.objects = objects()
        self.tasks: set[asyncio.Task[None]] = set()
        bus.add_message_handler(self.handle)

    def change(self, path: str, interface: str, **values: Any) -> None:
        properties = self.objects[path][interface]
        changed = {name: Variant(properties[name].signature, value) for name, value in values.items()}
        properties.update(changed)
        arguments = [interface, changed, []]
        self.bus.send(Message.new_signal(path, PROPERTIES, "PropertiesChanged", "sa{sv}as", arguments))

    def handle(self, message: Message) -> Message | bool:
        if message.message_type is not MessageType.METHOD_CALL:
            return False
        path, arguments = message.path or "", message.body
        interfaces = self.objects.get(path, {})
        match message.member:
            case "GetManagedObjects" if message.interface == OBJECTS:
                return Message.new_method_return(message, "a{oa{sa{sv}}}", [self.objects])
            case "GetAll" if message.interface == PROPERTIES:
                return Message.new_method_return(message, "a{sv}", [interfaces.get(arguments[0], {})])
            case "ReadValue":
                return Message.new_method_return(message, "ay", [bytes(20)])
            case "StartDiscovery" | "StopDiscovery":
                self.change(ADAPTER, "org.bluez.Adapter1", Discovering=message.member == "StartDiscovery")
                if message.member == "StartDiscovery":
                    asyncio.get_running_loop().call_later(REPORT_TIME, self.report)
            case "Connect" | "Disconnect":
                is_up = message.member == "Connect"
                self.change(DEVICE, "org.bluez.Device1", Connected=is_up, ServicesResolved=is_up)
            case "StartNotify" | "StopNotify":
                self.change(path, next(iter(interfaces)), Notifying=message.member == "StartNotify")
            case "WriteValue" if path == CONTROL_PATH:
                self.begin_burst(arguments[0])
            case "WriteValue" | "SetDiscoveryFilter" | "RegisterAgent" | "UnregisterAgent" | "RequestDefaultAgent":
                pass
            case _:
                return Message.new_error(message, "org.freedesktop.DBus.Error.UnknownMethod", f"no {message.member}")
        return Message.new_method_return(message)

    def report(self) -> None:
        """What bluetoothd reports of a device that advertises."""
        self.change(DEVICE, "org.bluez.Device1", RSSI=-60)

    def begin_burst(self, request: bytes) -> None:
        task = asyncio.create_task(self.burst(*struct.unpack(BURST_REQUEST, request)))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def burst(self, count: int, size: int) -> None:
        await asyncio.sleep(0.1)  # the central learns first that it has subscribed
        for number in range(count):
            value = number.to_bytes(4, "little") + bytes(size - 4)
            self.change(BURST, "org.bluez.GattCharacteristic1", Value=value)
            if number % SIGNALS_ON_THE_WAY == SIGNALS_ON_THE_WAY - 1:
                # A full socket is taken for a lost bus by dbus-fast.
                await self.bus.call(Message("org.freedesktop.DBus", "/", "org.freedesktop.DBus.Peer", "Ping"))
            elif number % SIGNALS_AT_ONCE == SIGNALS_AT_ONCE - 1:
                await asyncio.sleep(PAUSE)


async def serve() -> None:
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    Bluetoothd(bus)
    await bus.request_name("org.bluez")
    print("ready", flush=True)
    await bus.wait_for_disconnect()  # type: ignore[no-untyped-call]


def main(words: list[str]) -> int:
    if words:
        raise SystemExit("usage: bus-peer")
    asyncio.run(serve())
    return 0
