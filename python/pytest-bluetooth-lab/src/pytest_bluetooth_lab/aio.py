"""The calls of a sensor for `await`, on asyncio: nothing else waits meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from .control import Value
from .events import Event
from .program import ProgramError
from .sensor import Sensor


class AsyncServices:
    """As `Services`."""

    def __init__(self, sensor: Sensor) -> None:
        self._sensor = sensor

    async def add(self, name: str | None = None) -> None:
        await asyncio.to_thread(self._sensor.services.add, name)

    async def remove(self, name: str | None = None) -> None:
        await asyncio.to_thread(self._sensor.services.remove, name)


class AsyncSensor:
    """As `Sensor`, which has the descriptions: `await sensor.aio.wait("subscribed")`."""

    def __init__(self, sensor: Sensor) -> None:
        self._sensor = sensor
        self.services = AsyncServices(sensor)

    async def wait(self, event: str, *words: str, since: int = 0, count: int = 1, timeout: float = 30) -> Event:
        sensor = self._sensor
        loop = asyncio.get_running_loop()
        news = asyncio.Event()

        def listener() -> None:
            # Nobody waits once the loop has ended.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(news.set)

        async def look() -> Event:
            while True:
                news.clear()
                has_ended = sensor.process.has_ended
                found = sensor.find(event, words, since, count)
                if found:
                    return found
                if has_ended:
                    what = sensor.description(event, words, count)
                    raise ProgramError(f"dittojay ended without {what}:\n{sensor.process.transcript}")
                # The end of the program may come after that of its output, and has no listener.
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(news.wait(), 1)

        sensor.process.add_listener(listener)
        try:
            return await asyncio.wait_for(look(), timeout)
        except asyncio.TimeoutError:
            what = sensor.description(event, words, count)
            raise ProgramError(f"no sign of {what} within {timeout:g} s:\n{sensor.process.transcript}") from None
        finally:
            sensor.process.remove_listener(listener)

    async def request(self, command: str, **members: Any) -> dict[str, Any]:
        return await asyncio.to_thread(lambda: self._sensor.request(command, **members))

    async def status(self) -> dict[str, Any]:
        return await asyncio.to_thread(self._sensor.status)

    async def chirp(self, value: Value = b"") -> int:
        return await asyncio.to_thread(self._sensor.chirp, value)

    async def set(self, characteristic: str, value: Value) -> None:
        await asyncio.to_thread(self._sensor.set, characteristic, value)

    async def send(self, characteristic: str, value: Value) -> int:
        return await asyncio.to_thread(self._sensor.send, characteristic, value)

    async def burst(self, count: int, size: int = 20, rate: float | None = None) -> dict[str, Any]:
        return await asyncio.to_thread(self._sensor.burst, count, size, rate)

    async def fault(self, characteristic: str, on: str, action: str, **details: Any) -> None:
        await asyncio.to_thread(lambda: self._sensor.fault(characteristic, on, action, **details))

    async def clear_faults(self, characteristic: str | None = None) -> None:
        await asyncio.to_thread(self._sensor.clear_faults, characteristic)

    async def disconnect(self, central: str | None = None) -> list[str]:
        return await asyncio.to_thread(self._sensor.disconnect, central)

    async def advertise(self, is_on: bool) -> None:
        await asyncio.to_thread(self._sensor.advertise, is_on)

    async def power(self, is_on: bool) -> None:
        await asyncio.to_thread(self._sensor.power, is_on)

    async def passkey(self, digits: str) -> None:
        await asyncio.to_thread(self._sensor.passkey, digits)

    async def confirm(self, is_same: bool) -> None:
        await asyncio.to_thread(self._sensor.confirm, is_same)

    async def silence(self, seconds: float) -> None:
        await asyncio.to_thread(self._sensor.silence, seconds)
