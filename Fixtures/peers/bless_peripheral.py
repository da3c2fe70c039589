#!/usr/bin/env python3
"""A heart-rate sensor made with bless, as its documentation recommends: one server, one read and one write function.

Prints one JSON object a line: ready, read, write, burst, error. Ends in order on SIGINT and SIGTERM.
"""

import asyncio
import signal

import burst
from bleak.uuids import normalize_uuid_str
from bless import BlessServer, GATTAttributePermissions, GATTCharacteristicProperties

SERVICE = normalize_uuid_str(burst.HEART_RATE_SERVICE)
MEASUREMENT = normalize_uuid_str(burst.HEART_RATE_MEASUREMENT)
LOCATION = normalize_uuid_str(burst.BODY_SENSOR_LOCATION)
CONTROL_POINT = normalize_uuid_str(burst.HEART_RATE_CONTROL_POINT)

READ = GATTCharacteristicProperties.read
WRITE = GATTCharacteristicProperties.write
COMMAND = GATTCharacteristicProperties.write_without_response
NOTIFY = GATTCharacteristicProperties.notify
READABLE = GATTAttributePermissions.readable
WRITEABLE = GATTAttributePermissions.writeable


async def main():
    options = burst.parse_arguments(__doc__.splitlines()[0], "Bless")
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)

    server = BlessServer(name=options.name, loop=loop, adapter=options.adapter)
    tasks = set()
    sink = burst.SinkCount()

    def read_request(characteristic, **_):
        if characteristic.uuid == burst.SINK_COUNT:
            return bytearray(sink.value())
        if characteristic.uuid == burst.STORE:
            return characteristic.value
        burst.report("read", characteristic=burst.short(characteristic.uuid))
        return characteristic.value

    def write_request(characteristic, value, **_):
        if characteristic.uuid == burst.SINK:
            return sink.add(value)
        if characteristic.uuid == burst.SINK_COUNT:
            return sink.reset()
        characteristic.value = bytearray(value)
        if characteristic.uuid == burst.BURST_CONTROL:
            start(send_burst(*burst.burst_size(value, options)))
        elif characteristic.uuid != burst.STORE:
            burst.report("write", characteristic=burst.short(characteristic.uuid), value=bytes(value).hex())

    def start(coroutine):
        task = loop.create_task(coroutine)
        tasks.add(task)
        task.add_done_callback(ended)

    def ended(task):
        tasks.discard(task)
        if not task.cancelled() and task.exception():
            burst.report("error", type=type(task.exception()).__name__, message=str(task.exception()))
            stop.set()

    def send(uuid, value):
        server.get_characteristic(uuid).value = bytearray(value)
        server.update_value(SERVICE, uuid)

    async def send_burst(count, size):
        await burst.send_burst(
            count, size, options.window, lambda value: send(burst.BURST_DATA, value), server.is_advertising
        )

    async def send_rates():
        async for value in burst.heart_rates(options.interval):
            send(MEASUREMENT, value)

    server.read_request_func = read_request
    server.write_request_func = write_request
    await server.add_new_service(SERVICE)
    for uuid, properties, permissions, value in (
        (MEASUREMENT, NOTIFY, READABLE, None),
        (LOCATION, READ | WRITE, READABLE | WRITEABLE, bytearray([options.location])),
        (CONTROL_POINT, WRITE, WRITEABLE, None),
        (burst.BURST_CONTROL, WRITE, WRITEABLE, None),
        (burst.BURST_DATA, NOTIFY, READABLE, None),
        (burst.STORE, READ | WRITE | COMMAND, READABLE | WRITEABLE, bytearray(20)),
        (burst.SINK, WRITE | COMMAND, WRITEABLE, None),
        (burst.SINK_COUNT, READ | WRITE, READABLE | WRITEABLE, None),
    ):
        await server.add_new_characteristic(SERVICE, uuid, properties, value, permissions)
    await server.start()
    burst.report("ready", name=options.name, adapter=options.adapter)
    start(send_rates())

    await stop.wait()
    for task in list(tasks):
        task.cancel()
    await server.stop()


burst.run(main())
