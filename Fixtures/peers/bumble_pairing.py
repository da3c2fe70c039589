#!/usr/bin/env python3
"""A lock made with Bumble, or a central that opens one, which pairs with a passkey or by comparison.

Prints one JSON object a line: ready, show, compare, enter, paired, failed, read. A line on standard input answers: six
digits, yes or no. The lock ends on SIGINT and SIGTERM, the central when it has read the secret, or failed.
"""

import argparse
import asyncio
import signal
import sys

import walk
from bumble.core import UUID, AdvertisingData, ProtocolError
from bumble.device import Device, Peer
from bumble.gatt import Characteristic, Service
from bumble.hci import Address
from bumble.pairing import PairingConfig, PairingDelegate
from user_channel import open_user_channel

SERVICE = "A0000001-0000-4000-8000-000000000001"
SECRET = "A0000002-0000-4000-8000-000000000001"
CAPABILITIES = {
    "none": PairingDelegate.NO_OUTPUT_NO_INPUT,
    "display": PairingDelegate.DISPLAY_OUTPUT_ONLY,
    "yes-no": PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    "keyboard": PairingDelegate.KEYBOARD_INPUT_ONLY,
    "keyboard-display": PairingDelegate.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT,
}


class Conversation(PairingDelegate):
    """Asks on standard output, and reads the answers from standard input."""

    def __init__(self, options, answers):
        super().__init__(CAPABILITIES[options.io])
        self.passkey = options.passkey
        self.answers = answers

    async def answer(self):
        return (await self.answers.readline()).decode().strip()

    async def compare_numbers(self, number, digits):
        walk.report("compare", passkey=f"{number:06}")
        return await self.answer() == "yes"

    async def get_number(self):
        walk.report("enter")
        return int(await self.answer())

    async def generate_passkey(self):
        return await super().generate_passkey() if self.passkey is None else self.passkey

    async def display_number(self, number, digits):
        walk.report("show", passkey=f"{number:06}")


async def standard_input():
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


def watch(connection):
    connection.on("pairing", lambda keys: walk.report("paired", authenticated=bool(connection.authenticated)))
    connection.on("pairing_failure", lambda reason: walk.report("failed", reason=int(reason)))


async def serve(device):
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    permissions = Characteristic.READABLE | Characteristic.READ_REQUIRES_AUTHENTICATION
    secret = Characteristic(UUID(SECRET), Characteristic.Properties.READ, permissions, b"open")
    device.add_service(Service(UUID(SERVICE), [secret]))
    device.advertising_data = bytes(
        AdvertisingData(
            [
                (AdvertisingData.FLAGS, bytes([0x06])),
                (AdvertisingData.COMPLETE_LOCAL_NAME, device.name.encode()),
            ]
        )
    )
    device.on("connection", watch)
    await device.power_on()
    await device.start_advertising(auto_restart=True)
    walk.report("ready")
    await ended.wait()


async def open_lock(device, address):
    await device.power_on()
    connection = await device.connect(Address(address, Address.PUBLIC_DEVICE_ADDRESS), timeout=walk.LIMIT)
    watch(connection)
    try:
        await connection.pair()
    except ProtocolError:
        # Reported already.
        return
    peer = Peer(connection)
    await peer.discover_services()
    for service in peer.services:
        await service.discover_characteristics()
    [secret] = peer.get_characteristics_by_uuid(UUID(SECRET))
    walk.report("read", value=bytes(await secret.read_value()).hex())
    await connection.disconnect()


async def run(options):
    answers = await standard_input()
    async with await open_user_channel(options.adapter) as transport:
        device = Device.with_hci("Bumble", Address("F0:F1:F2:F3:F4:F5"), transport.source, transport.sink)
        device.pairing_config_factory = lambda _: PairingConfig(delegate=Conversation(options, answers))
        await (open_lock(device, options.address) if options.address else serve(device))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--adapter", default="hci0", help="controller to use (hci0)")
    parser.add_argument("--io", choices=CAPABILITIES, default="display", help="what its user can do (display)")
    parser.add_argument("--passkey", type=int, help="to be shown; default: any")
    parser.add_argument("address", nargs="?", help="of the lock to be opened; default: be a lock")
    asyncio.run(run(parser.parse_args()))


walk.run(main)
