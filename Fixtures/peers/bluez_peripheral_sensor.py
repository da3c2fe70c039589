#!/usr/bin/env python3
"""A heart-rate sensor made with bluez-peripheral, as its documentation recommends: a Service class with decorators.

Prints one JSON object a line: ready, read, write, burst, error. Ends in order on SIGINT and SIGTERM.
"""

import asyncio
import signal

import burst
from bluez_peripheral.advert import Advertisement
from bluez_peripheral.gatt.characteristic import CharacteristicFlags, characteristic
from bluez_peripheral.gatt.service import Service
from bluez_peripheral.util import Adapter, get_message_bus

HEART_RATE_SENSOR = 0x0340  # appearance
READ = CharacteristicFlags.READ
WRITE = CharacteristicFlags.WRITE
COMMAND = CharacteristicFlags.WRITE_WITHOUT_RESPONSE
NOTIFY = CharacteristicFlags.NOTIFY


class HeartRateService(Service):
    def __init__(self, location, start_burst):
        self.location_value = bytes([location])
        self.store_value = bytes(20)
        self.sink_count_value = burst.SinkCount()
        self.start_burst = start_burst
        super().__init__(burst.HEART_RATE_SERVICE, True)

    @characteristic(burst.HEART_RATE_MEASUREMENT, NOTIFY)
    def measurement(self, options):
        pass

    @characteristic(burst.BODY_SENSOR_LOCATION, READ | WRITE)
    def location(self, options):
        burst.report("read", characteristic=burst.BODY_SENSOR_LOCATION)
        return self.location_value

    @location.setter
    def location(self, value, options):
        self.location_value = bytes(value)
        burst.report("write", characteristic=burst.BODY_SENSOR_LOCATION, value=bytes(value).hex())

    @characteristic(burst.HEART_RATE_CONTROL_POINT, WRITE)
    def control_point(self, options):
        pass

    @control_point.setter
    def control_point(self, value, options):
        burst.report("write", characteristic=burst.HEART_RATE_CONTROL_POINT, value=bytes(value).hex())

    @characteristic(burst.BURST_CONTROL, WRITE)
    def burst_control(self, options):
        pass

    @burst_control.setter
    def burst_control(self, value, options):
        self.start_burst(bytes(value))

    @characteristic(burst.BURST_DATA, NOTIFY)
    def burst_data(self, options):
        pass

    @characteristic(burst.STORE, READ | WRITE | COMMAND)
    def store(self, options):
        return self.store_value

    @store.setter
    def store(self, value, options):
        offset = options.offset
        self.store_value = self.store_value[:offset] + bytes(value)

    @characteristic(burst.SINK, WRITE | COMMAND)
    def sink(self, options):
        pass

    @sink.setter
    def sink(self, value, options):
        self.sink_count_value.add(value)

    @characteristic(burst.SINK_COUNT, READ | WRITE)
    def sink_count(self, options):
        return self.sink_count_value.value()

    @sink_count.setter
    def sink_count(self, value, options):
        self.sink_count_value.reset()


async def main():
    options = burst.parse_arguments(__doc__.splitlines()[0], "BluezPeripheral")
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    tasks = set()

    def start(coroutine):
        task = loop.create_task(coroutine)
        tasks.add(task)
        task.add_done_callback(ended)

    def ended(task):
        tasks.discard(task)
        if not task.cancelled() and task.exception():
            burst.report("error", type=type(task.exception()).__name__, message=str(task.exception()))
            stop.set()

    bus = await get_message_bus()
    path = f"/org/bluez/{options.adapter}"
    adapter = Adapter(bus.get_proxy_object("org.bluez", path, await bus.introspect("org.bluez", path)))

    def start_burst(value):
        count, size = burst.burst_size(value, options)
        start(burst.send_burst(count, size, options.window, service.burst_data.changed, adapter.get_powered))

    async def send_rates():
        async for value in burst.heart_rates(options.interval):
            service.measurement.changed(value)

    service = HeartRateService(options.location, start_burst)
    await service.register(bus, adapter=adapter)
    alias = await adapter.get_alias()
    await adapter.set_alias(options.name)
    advertisement = Advertisement(options.name, [burst.HEART_RATE_SERVICE], HEART_RATE_SENSOR, 0)
    await advertisement.register(bus, adapter)
    burst.report("ready", name=options.name, adapter=options.adapter)
    start(send_rates())

    lost = loop.create_task(bus.wait_for_disconnect())
    done = loop.create_task(stop.wait())
    await asyncio.wait((lost, done), return_when=asyncio.FIRST_COMPLETED)
    for task in list(tasks):
        task.cancel()
    if lost.done():
        await lost  # raises what ended the connection
    await service.unregister()
    await adapter.set_alias(alias)


burst.run(main())
