#!/usr/bin/env python3
"""A central made with SimplePyBLE, as its examples are."""

import os
import queue
import sys

import simplepyble
import walk


def main():
    options = walk.arguments(__doc__)
    adapters = {adapter.identifier(): adapter for adapter in simplepyble.Adapter.get_adapters()}
    adapter = adapters[options.adapter]
    found = queue.Queue()
    adapter.set_callback_on_scan_found(found.put)
    adapter.set_callback_on_scan_updated(found.put)
    adapter.scan_start()
    while (peripheral := found.get(timeout=walk.LIMIT)).address().upper() != options.address.upper():
        pass
    adapter.scan_stop()
    walk.report("found", name=peripheral.identifier(), address=peripheral.address())

    peripheral.connect()
    walk.report("connected", mtu=peripheral.mtu())
    walk.report("services", uuids=[service.uuid() for service in peripheral.services()])
    walk.report("read", value=bytes(peripheral.read(walk.HEART_RATE, walk.LOCATION)).hex())
    peripheral.write_request(walk.HEART_RATE, walk.LOCATION, walk.WRIST)
    walk.report("written")
    walk.report("read", value=bytes(peripheral.read(walk.HEART_RATE, walk.LOCATION)).hex())

    values = queue.Queue()
    peripheral.notify(walk.HEART_RATE, walk.MEASUREMENT, lambda value: values.put(bytes(value)))
    for _ in range(walk.NOTIFICATIONS):
        walk.report("notified", value=values.get(timeout=walk.LIMIT).hex())
    peripheral.unsubscribe(walk.HEART_RATE, walk.MEASUREMENT)
    peripheral.disconnect()
    walk.report("disconnected")


walk.run(main)
# SimplePyBLE 1.2.0 crashes when the interpreter takes its callbacks down.
sys.stdout.flush()
os._exit(0)
