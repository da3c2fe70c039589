"""A virtual Bluetooth LE peripheral under test: dittojay, driven by its control protocol."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

from .control import PROTOCOL, ControlConnection, ControlError, Value, value_text
from .events import Event
from .program import Program, ProgramError

if TYPE_CHECKING:
    from .aio import AsyncSensor
    from .lab import Lab

START_LIMIT = 120.0
"""Seconds: in software emulation on a busy machine the start alone took more than 20."""

SensorFactory = Callable[..., "Sensor"]
"""What the fixture `start_sensor` is: it takes what the marker `sensor` takes."""

SensorsFactory = Callable[..., "list[Sensor]"]
"""What the fixture `start_sensors` is: it takes how many, and then what the marker `sensor` takes."""


class Services:
    """The services of a sensor's profile: published and withdrawn while centrals are connected."""

    def __init__(self, sensor: Sensor) -> None:
        self._sensor = sensor

    def add(self, name: str | None = None) -> None:
        """Publishes a service that was removed, by its name or UUID; without one, all that are not published."""
        self._change("add-service", name)

    def remove(self, name: str | None = None) -> None:
        """Withdraws a service, by its name or UUID; without one, all of them."""
        self._change("remove-service", name)

    def _change(self, command: str, name: str | None) -> None:
        self._sensor.request(command, service=name, all=True if name is None else None)

    @property
    def published(self) -> list[str]:
        """The names of those that a central can find at the moment."""
        return [service["name"] for service in self._sensor.status()["services"] if service["isPublished"]]


class SensorProcess:
    """A dittojay with one sensor, or several, which share its output and its control socket."""

    def __init__(self, lab: Lab, adapters: Sequence[str], profile: str | None, options: Sequence[str]) -> None:
        self._folder = tempfile.mkdtemp(prefix="sensor-")
        self.socket = f"{self._folder}/control"
        words = ["dittojay", "run", "--json", *(word for adapter in adapters for word in ("--adapter", adapter))]
        if len(adapters) > 1:
            words += ["--count", str(len(adapters))]
        words += ["--socket", self.socket, *(["--profile", profile] if profile else [])]
        self.program: Program = lab.start(*words, *options)
        self._parsed: list[Event] = []
        self._parsed_lines = 0
        self._control: ControlConnection | None = None
        self.sensors: list[Sensor] = []
        """In the order of their adapters."""
        several = len(adapters) > 1
        try:
            self.sensors = [Sensor(self, adapter, adapter if several else None) for adapter in adapters]
            for sensor in self.sensors:
                sensor.wait("advertising", timeout=START_LIMIT)
            self._control = ControlConnection(self.socket)
            protocol = self.request("version")["protocol"]
            if protocol != PROTOCOL:
                raise ControlError(f"dittojay's control protocol has version {protocol}, this package knows {PROTOCOL}")
            for sensor in self.sensors:
                sensor.is_ready()
        except BaseException:
            # Why it did not start is said already.
            with contextlib.suppress(ProgramError):
                self.stop()
            raise

    @property
    def events(self) -> list[Event]:
        """Those of all of its sensors."""
        lines = self.program.lines
        for line in lines[self._parsed_lines :]:
            event = Event.parse(line)
            if event:
                self._parsed.append(event)
        self._parsed_lines = len(lines)
        return self._parsed

    def request(self, command: str, **members: Any) -> dict[str, Any]:
        if self._control is None:
            raise ControlError(f"{self.program.command} does not run")
        return self._control.request(command, **members)

    def stop(self) -> None:
        """Ends it with all of its sensors, unless it has ended already; an error if it does not end well."""
        if self._control is not None:
            self._control.close()
            self._control = None
        try:
            status = self.program.stop()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)
        if status != 0:
            raise ProgramError(f"dittojay ended with {status}:\n{self.program.transcript}")


class Sensor:
    """A peripheral that advertises; `lab.start_sensor`, the fixtures and the marker make it."""

    name: str
    """The name that it advertises."""
    address: str
    """Its controller's address: `00:AA:01:00:00:00`."""

    def __init__(self, process: SensorProcess, adapter: str, peripheral: str | None) -> None:
        self.adapter = adapter
        """The controller that it is on: `hci0`."""
        self.services = Services(self)
        self._process = process
        self._peripheral = peripheral
        self.socket = process.socket
        """The path of its control socket."""
        self.process: Program = process.program
        """The program, with all that it prints. Sensors that were started together share it."""

    def is_ready(self) -> None:
        """Notes what is known of it when it advertises."""
        status = self.status()
        self.name, self.address = status["name"], status["address"]

    def __repr__(self) -> str:
        return f"<Sensor {getattr(self, 'name', '?')} on {self.adapter}>"

    @property
    def aio(self) -> AsyncSensor:
        """The same for `await`."""
        from .aio import AsyncSensor

        return AsyncSensor(self)

    # Events

    @property
    def events(self) -> list[Event]:
        """All events from its start on."""
        return [event for event in self._process.events if event.peripheral == self._peripheral]

    @property
    def position(self) -> int:
        """The number of events so far: later ones begin there."""
        return len(self.events)

    def find(self, event: str, words: Sequence[str], since: int, count: int) -> Event | None:
        """The event that `wait` waits for, if it is there."""
        found = [each for each in self.events[since:] if each.kind == event and each.has(*words)]
        return found[count - 1] if len(found) >= count else None

    def wait(self, event: str, *words: str, since: int = 0, count: int = 1, timeout: float = 30) -> Event:
        """Waits for an event, such as `subscribed` or `written`, among those since the sensor's start and later ones.

        `words`: what else the event must have, such as a characteristic's name.
        `since`: how many events to leave out, a `position` of an earlier moment.
        `count`: that many of them, and the last of these is returned."""
        what = self.description(event, words, count)
        self.process.wait_for(lambda: self.find(event, words, since, count) is not None, what, timeout)
        found = self.find(event, words, since, count)
        assert found is not None
        return found

    @staticmethod
    def description(event: str, words: Sequence[str], count: int) -> str:
        """What is waited for, for messages."""
        times = f", {count} times" if count > 1 else ""
        return f'the event "{" ".join([event, *words])}"{times}'

    # Commands

    def request(self, command: str, **members: Any) -> dict[str, Any]:
        """Makes a request of the control protocol; members that are None are left out. Returns the answer."""
        return self._process.request(command, peripheral=self._peripheral, **members)

    def status(self) -> dict[str, Any]:
        """Its centrals, services, counts and more, as docs/control-protocol.md has it."""
        status = self.request("status")["status"]
        return dict(status)

    def chirp(self, value: Value = b"") -> int:
        """Notifies a value on the chirp characteristic; returns how many centrals have subscribed."""
        return int(self.request("chirp", value=value_text(value))["subscribers"])

    def set(self, characteristic: str, value: Value) -> None:
        """Sets a characteristic's value, which reads return."""
        self.request("set", characteristic=characteristic, value=value_text(value))

    def send(self, characteristic: str, value: Value) -> int:
        """Notifies or indicates a value; returns how many centrals have subscribed."""
        return int(self.request("send", characteristic=characteristic, value=value_text(value))["subscribers"])

    def burst(self, count: int, size: int = 20, rate: float | None = None) -> dict[str, Any]:
        """Sends many numbered notifications on the chirp characteristic; returns when all are handed over."""
        return self.request("burst", count=count, size=size, rate=rate)

    def fault(
        self,
        characteristic: str,
        on: str,
        action: str,
        *,
        error: object | None = None,
        seconds: float | None = None,
        count: int | None = None,
        value: Value | None = None,
        size: int | None = None,
        after: int | None = None,
        nth: int | None = None,
        times: int | None = None,
        chance: float | None = None,
    ) -> None:
        """Injects a fault into a characteristic: `fault("temperature", "read", "error", error=0x80, times=1)`.

        `on` is read, write, notify or subscribe; `action` no-answer, error (with `error`, a number or a name),
        disconnect, delay (with `seconds`), flood (with `count` and perhaps `value`), drop, duplicate or resize (with
        `size` in bytes). It skips the first `after` occurrences, then happens on each `nth`, `times` times, with a
        `chance` in percent."""
        self.request(
            "add-fault",
            characteristic=characteristic,
            on=on,
            action=action,
            error=None if error is None else str(error),
            seconds=seconds,
            count=count,
            value=None if value is None else value_text(value),
            size=size,
            after=after,
            nth=nth,
            times=times,
            chance=chance,
        )

    def clear_faults(self, characteristic: str | None = None) -> None:
        """Clears injected faults, of one characteristic or of all."""
        self.request("clear-faults", characteristic=characteristic)

    def disconnect(self, central: str | None = None) -> list[str]:
        """Ends the connection of a central, or of all; returns their addresses."""
        return list(self.request("disconnect", central=central)["disconnected"])

    def advertise(self, is_on: bool) -> None:
        """Stops or resumes advertising; links stay up."""
        self.request("advertise", state="on" if is_on else "off")

    def power(self, is_on: bool) -> None:
        """Its controller is on, or off."""
        self.request("power", state="on" if is_on else "off")

    def passkey(self, digits: str) -> None:
        """Enters the six digits that a central shows while it pairs, after the event `passkey-requested`."""
        self.request("passkey", passkey=digits)

    def confirm(self, is_same: bool) -> None:
        """A central that pairs shows the digits of the event `comparison-requested`, or others, and is refused."""
        self.request("confirm", state="yes" if is_same else "no")

    def silence(self, seconds: float) -> None:
        """Meanwhile it sends nothing, and requests wait for their answers."""
        self.request("silence", seconds=seconds)

    # Its end

    def stop(self) -> None:
        """Ends it, unless it has ended already; an error if it does not end well. Those that were started together with
        it go on."""
        if self._peripheral is None or self.process.has_ended:
            return self._process.stop()
        if not any(event.kind == "ended" for event in self.events):
            self.request("quit")
            self.wait("ended")
        if all(any(event.kind == "ended" for event in sensor.events) for sensor in self._process.sensors):
            self._process.stop()


def profile_argument(profile: str, folders: Sequence[Path]) -> str:
    """A profile's name, or the path of its file, which is looked for in these folders."""
    if "/" not in profile and not profile.endswith((".yaml", ".yml")):
        return profile
    for folder in folders:
        path = folder / profile
        if path.is_file():
            return str(path)
    places = ", ".join(str(folder) for folder in folders)
    raise FileNotFoundError(f"no profile {profile} in {places}")


def option_words(options: dict[str, Any]) -> list[str]:
    """`rate_format="u16"` as `--rate-format u16`; True is an option without a value, None and False are none."""
    words: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(str(value))
    return words
