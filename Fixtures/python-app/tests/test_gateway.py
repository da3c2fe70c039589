"""The gateway with a thermometer that is virtual, through a BlueZ that is not: `pytest --bluetooth-lab`."""

import asyncio
import os

import pytest

from gateway import Gateway, ThermometerGone

pytestmark = pytest.mark.sensor("thermometer.yaml")


@pytest.fixture
async def gateway(sensor, central_adapter):
    async with Gateway(sensor.name, central_adapter) as gateway:
        yield gateway


async def test_the_temperature_is_read(gateway, sensor):
    assert await gateway.temperature() == 21.5
    await sensor.aio.set("temperature", "i16:-50")
    # Some tests make this one fail, to see what it leaves behind.
    assert await gateway.temperature() == (99 if os.environ.get("FAIL_ON_PURPOSE") else -0.5)
    await sensor.aio.wait("read", "temperature", count=2)


async def test_each_value_is_passed_on(gateway, sensor):
    temperatures = gateway.temperatures()
    first = anext_of(temperatures)
    await sensor.aio.wait("subscribed", "temperature")
    assert await sensor.aio.send("temperature", "i16:2210") == 1
    assert await first == 22.1


async def test_the_loss_of_the_thermometer_is_reported(gateway, sensor):
    temperatures = gateway.temperatures()
    first = anext_of(temperatures)
    await sensor.aio.wait("subscribed")
    assert await sensor.aio.disconnect() != []
    with pytest.raises(ThermometerGone):
        await first


async def test_a_thermometer_that_refuses_is_an_error(gateway, sensor):
    await sensor.aio.fault("temperature", "read", "error", error=0x80, times=1)
    with pytest.raises(Exception, match=r"0x80|ATT error"):
        await gateway.temperature()
    assert await gateway.temperature() == 21.5


def anext_of(values):
    """Starts to wait for the next value."""
    return asyncio.ensure_future(values.__anext__())
