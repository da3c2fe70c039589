"""The gateway in a hallway, in which somebody carries the thermometer away."""

import asyncio

import pytest

from gateway import Gateway, ThermometerGone

HALLWAY = """
air: real
seed: 3
path-loss: {at-1-m: -59 dBm, exponent: 2.2, deviation: 2 dB}
devices:
  thermometer: {controller: hci0, at: [0 m, 0 m]}
  gateway: {controller: hci1, at: [2 m, 0 m]}
"""


@pytest.mark.scene(HALLWAY)
@pytest.mark.sensor("thermometer.yaml")
async def test_a_thermometer_out_of_range_is_lost_and_found_again(sensor, radio, central_adapter):
    async with Gateway(sensor.name, central_adapter) as gateway:
        first = asyncio.ensure_future(gateway.temperatures().__anext__())
        await sensor.aio.wait("subscribed", "temperature")
        await radio.aio.move("thermometer", 300, 0, over=10)
        with pytest.raises(ThermometerGone):
            await first
        await radio.aio.wait("out-of-range", "thermometer")
        await radio.aio.wait("link-end", "supervision timeout")
    await radio.aio.move("thermometer", 1, 0)
    async with Gateway(sensor.name, central_adapter) as gateway:
        assert await gateway.temperature() == 21.5
