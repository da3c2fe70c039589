#!/usr/bin/env python3
"""A central made with bluepy, as its documentation shows: it goes to the kernel, past bluetoothd."""

import queue
import time

import walk
from bluepy.btle import DefaultDelegate, Peripheral, Scanner


class Values(DefaultDelegate):
    def __init__(self):
        super().__init__()
        self.queue = queue.Queue()

    def handleNotification(self, handle, data):
        self.queue.put(data)


def find(number, wanted):
    end = time.monotonic() + walk.LIMIT
    while time.monotonic() < end:
        for entry in Scanner(number).scan(2):
            if entry.addr.upper() == wanted.upper():
                return entry
    raise TimeoutError(f"{wanted} was not found")


def main():
    options = walk.arguments(__doc__)
    number = int(options.adapter.removeprefix("hci"))
    entry = find(number, options.address)
    walk.report("found", name=entry.getValueText(9), address=entry.addr)
    peripheral = Peripheral(entry)
    walk.report("connected")
    walk.report("services", uuids=[str(service.uuid) for service in peripheral.getServices()])
    [location] = peripheral.getCharacteristics(uuid=walk.LOCATION)
    [measurement] = peripheral.getCharacteristics(uuid=walk.MEASUREMENT)
    walk.report("read", value=location.read().hex())
    location.write(walk.WRIST, withResponse=True)
    walk.report("written")
    walk.report("read", value=location.read().hex())

    values = Values()
    peripheral.withDelegate(values)
    [configuration] = measurement.getDescriptors(0x2902)
    configuration.write(b"\x01\x00", withResponse=True)
    for _ in range(walk.NOTIFICATIONS):
        end = time.monotonic() + walk.LIMIT
        while values.queue.empty() and time.monotonic() < end:
            peripheral.waitForNotifications(1)
        walk.report("notified", value=values.queue.get_nowait().hex())
    peripheral.disconnect()
    walk.report("disconnected")


walk.run(main)
