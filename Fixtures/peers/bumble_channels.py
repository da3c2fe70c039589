#!/usr/bin/env python3
"""L2CAP channels with Bumble: a host stack of its own, which takes the controller from the kernel.

As a peripheral (serve) it sends back what comes on a channel, and ends on SIGINT and SIGTERM. As a central (ADDRESS) it
opens a channel that does so, sends bytes and compares what comes back. Prints one JSON object a line: ready, opened,
closed; or opened, echoed, disconnected.
"""

import argparse
import asyncio
import random
import signal

import walk
from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.hci import Address
from bumble.l2cap import LeCreditBasedChannelSpec
from user_channel import open_user_channel

# Small ones, so that credits run out again and again, and a piece takes several packets.
CREDITS, MTU, MPS = 8, 512, 128


class Echo:
    """What happens on a channel that a central has opened."""

    def __init__(self, channel):
        self.channel = channel
        self.count = 0
        channel.sink = self.receive
        channel.on("close", self.closed)
        walk.report("opened", mtu=channel.peer_mtu, mps=channel.peer_mps)

    def receive(self, data):
        self.count += len(data)
        self.channel.write(data)

    def closed(self):
        walk.report("closed", count=self.count)


async def serve(device, options):
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    spec = LeCreditBasedChannelSpec(psm=options.psm, max_credits=CREDITS, mtu=MTU, mps=MPS)
    device.create_l2cap_server(spec, handler=Echo)
    name = (AdvertisingData.COMPLETE_LOCAL_NAME, b"Bumble")
    device.advertising_data = bytes(AdvertisingData([(AdvertisingData.FLAGS, bytes([0x06])), name]))
    await device.start_advertising(auto_restart=True)
    walk.report("ready")
    await ended.wait()


async def send(device, options):
    connection = await device.connect(Address(options.address, Address.PUBLIC_DEVICE_ADDRESS), timeout=walk.LIMIT)
    spec = LeCreditBasedChannelSpec(psm=options.psm, max_credits=CREDITS, mtu=MTU, mps=MPS)
    channel = await connection.create_l2cap_channel(spec)
    walk.report("opened", mtu=channel.peer_mtu, mps=channel.peer_mps)
    sent = random.Random(options.seed).randbytes(options.count)
    back = bytearray()
    complete = asyncio.Event()

    def receive(data):
        back.extend(data)
        if len(back) >= len(sent):
            complete.set()

    channel.sink = receive
    for start in range(0, len(sent), MTU):
        channel.write(sent[start : start + MTU])
        await channel.drain()
    await asyncio.wait_for(complete.wait(), walk.LIMIT)
    walk.report("echoed", same=bytes(back) == sent, count=len(back))
    await channel.disconnect()
    await connection.disconnect()
    walk.report("disconnected")


async def begin(options):
    async with await open_user_channel(options.adapter) as transport:
        device = Device.with_hci("Bumble", Address("F0:F1:F2:F3:F4:F5"), transport.source, transport.sink)
        await device.power_on()
        await (serve if options.address == "serve" else send)(device, options)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--adapter", default="hci0", help="controller to use (hci0)")
    parser.add_argument("--psm", type=int, default=0x80, help="number of the channel (128)")
    parser.add_argument("--count", type=int, default=100_000, help="bytes to send (100000)")
    parser.add_argument("--seed", type=int, default=7, help="what the bytes follow from (7)")
    parser.add_argument("address", help="of a peripheral, or serve to be one")
    asyncio.run(begin(parser.parse_args()))


walk.run(main)
