"""The gateway itself: finds a thermometer by its name, and passes on what it measures."""

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Optional

from bleak import BleakClient, BleakScanner
from bleak.backends.characteristic import BleakGATTCharacteristic
from bleak.exc import BleakError

from .temperature import TEMPERATURE, decode_temperature

# bleak may report a connection before all services are on the bus (bleak #1806), or that it has ended when it has just
# begun. The next one is complete.
CONNECTIONS = 5


class ThermometerGone(Exception):
    """The thermometer was not found, or its connection has ended."""


class Gateway:
    """`async with Gateway("Room 12", "hci0") as gateway:`, then its temperatures."""

    def __init__(self, name: str, adapter: Optional[str] = None) -> None:
        self._name = name
        self._options = {"adapter": adapter} if adapter else {}
        self._news: asyncio.Queue[Optional[float]] = asyncio.Queue()
        self._client: Optional[BleakClient] = None

    async def __aenter__(self) -> "Gateway":
        device = await BleakScanner.find_device_by_name(self._name, timeout=60, bluez=self._options)
        if device is None:
            raise ThermometerGone(f"no thermometer {self._name} advertises")
        problem: Optional[BleakError] = None
        for _ in range(CONNECTIONS):
            client = BleakClient(device, self._on_disconnect, bluez=self._options, timeout=60)
            try:
                await client.connect()
                if client.services.get_characteristic(TEMPERATURE):
                    self._client = client
                    return self
                await client.disconnect()
            except BleakError as error:
                problem = error
        raise ThermometerGone(f"no connection to {self._name} with a temperature") from problem

    async def __aexit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self._client:
            await self._client.disconnect()

    def _on_disconnect(self, client: BleakClient) -> None:
        if client is self._client:
            self._news.put_nowait(None)

    def _on_value(self, _: BleakGATTCharacteristic, value: bytearray) -> None:
        self._news.put_nowait(decode_temperature(bytes(value)))

    @property
    def _connected(self) -> BleakClient:
        if self._client is None:
            raise ThermometerGone("the gateway is not connected")
        return self._client

    async def temperature(self) -> float:
        """The present temperature in degrees Celsius."""
        return decode_temperature(bytes(await self._connected.read_gatt_char(TEMPERATURE)))

    async def temperatures(self) -> AsyncIterator[float]:
        """Each temperature that the thermometer reports, until it disconnects."""
        await self._connected.start_notify(TEMPERATURE, self._on_value)
        while (degrees := await self._news.get()) is not None:
            yield degrees
        raise ThermometerGone(f"the thermometer {self._name} is gone")
