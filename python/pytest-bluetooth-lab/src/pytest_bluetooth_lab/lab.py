"""The lab that the tests run in: virtual controllers, a system bus and bluetoothd."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import bluez
from .notes import write_note
from .program import Program, ProgramError
from .radio import Radio, RadioError
from .record import Record
from .sensor import Sensor, SensorProcess, option_words, profile_argument

SKIP_REASON = "no lab: `pytest --bluetooth-lab` brings one up"


class LabError(Exception):
    """The lab does not have what a test needs, or does not do what it should."""


def is_in_lab() -> bool:
    return os.environ.get("BLUETOOTH_LAB") == "1"


def controller(number: int) -> str:
    """The name of the lab's controller of this number, from 0. The lab's come after those of a machine's own."""
    return f"hci{int(os.environ.get('LAB_FIRST_CONTROLLER') or 0) + number}"


def central_adapter() -> str:
    """The controller for the program under test, the lab's second one."""
    return os.environ.get("BLUETOOTH_ADAPTER") or controller(1)


def sensor_adapter() -> str:
    """The controller for the first sensor, the lab's first one."""
    return os.environ.get("DITTOJAY_ADAPTER") or controller(0)


class Lab:
    """The lab, for one test."""

    def __init__(self, record: Record, folders: Sequence[Path] = ()) -> None:
        self.controllers = [controller(number) for number in range(int(os.environ.get("LAB_CONTROLLERS") or 2))]
        """Their names: `hci0`, `hci1`, …"""
        self.output = Path(os.environ.get("LAB_OUT") or ".")
        """What is put here is kept when the lab ends."""
        self.record = record
        self.sensors: list[Sensor] = []
        """Those of the test, in the order of their start."""
        self.attachments: dict[str, bytes] = {}
        """Files that are kept with the record of the test when it fails, by their names."""
        self._folders = [*folders, Path.cwd()]
        self.radio = Radio(self, self._folders)
        """The air: device positions, links and disturbances."""
        self._programs: list[Program] = []

    @property
    def central_adapter(self) -> str:
        return central_adapter()

    @property
    def sensor_adapter(self) -> str:
        return sensor_adapter()

    def note(self, text: str) -> None:
        """Notes something in the record of the test: in `app.log`, in `timeline.txt`, and between the packets."""
        self.record.add("test", text)
        write_note(text)

    def start(self, *command: str, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> Program:
        """Starts a program. What it prints is in the record of the test, at whose end it is stopped."""
        try:
            program = Program(command, self.record, env=env, cwd=cwd)
        except FileNotFoundError as error:
            raise LabError(f"{command[0]} is not in this lab") from error
        self._programs.append(program)
        return program

    def reset(self) -> None:
        """The state in which the lab starts: bluetoothd runs, the controllers are on, and no device is known to them.

        bluetoothd otherwise keeps what it knows of a device's services, by the address."""
        try:
            bluez.reset(self.controllers)
        except bluez.BusError:
            self.bluetoothd("start")
            bluez.reset(self.controllers)

    def bluetoothd(self, action: str) -> None:
        """Does something to the lab's bluetoothd: start, stop, kill or restart."""
        # It gives up by itself: after 10 s to end, and 60 s until the controllers are powered.
        done = subprocess.run(["lab-bluetoothd", action], capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise LabError(f"lab-bluetoothd {action} failed: {done.stdout}{done.stderr}")

    def power(self, adapter: str, is_on: bool) -> None:
        """Switches a controller on or off; the latter ends its connections."""
        bluez.set_powered(adapter, is_on)

    # Sensors

    def start_sensor(
        self, profile: str | None = None, *words: str, adapter: str | None = None, **options: Any
    ) -> Sensor:
        """Starts a sensor and waits until it advertises.

        `profile`: one of dittojay's own, or a file's path, from the test's folder on; the heart-rate sensor without.
        `words`, `options`: further options of `dittojay run`, as words, or as in `rate=20`.
        `adapter`: the controller; without, one that has no sensor yet and is not the central's."""
        if not self.sensors:
            self.reset()
        adapters = [adapter] if adapter else self._free_adapters(1)
        return self._start(adapters, profile, words, options)[0]

    def start_sensors(self, count: int, profile: str | None = None, *words: str, **options: Any) -> list[Sensor]:
        """Starts `count` sensors of one profile in one process, each on a controller of its own, and waits until all
        advertise.

        What they are is as for `start_sensor`; `{n}` in a `name` is the number of each, and from `seed` each has its
        own."""
        if count < 1:
            raise LabError(f"invalid number of sensors {count}; at least 1 is required")
        if not self.sensors:
            self.reset()
        return self._start(self._free_adapters(count), profile, words, options)

    def _start(
        self, adapters: Sequence[str], profile: str | None, words: Sequence[str], options: dict[str, Any]
    ) -> list[Sensor]:
        path = None if profile is None else profile_argument(profile, self._folders)
        process = SensorProcess(self, adapters, path, [*words, *option_words(options)])
        self.sensors += process.sensors
        return process.sensors

    def _free_adapters(self, count: int) -> list[str]:
        taken = {sensor.adapter for sensor in self.sensors} | {central_adapter()}
        free = [name for name in dict.fromkeys([sensor_adapter(), *self.controllers]) if name not in taken]
        if len(free) >= count:
            return free[:count]
        total = len(self.sensors) + count
        raise LabError(
            f"{total} sensors need {total + 1} controllers, and the lab has {len(self.controllers)}: "
            f"bluetooth_lab_controllers = {total + 1} in pytest's settings, or --controllers {total + 1} of the lab"
        )

    def stop(self) -> list[str]:
        """Ends what the test has started; returns what was wrong with it."""
        problems: list[str] = []
        for sensor in reversed(self.sensors):
            try:
                sensor.stop()
            except ProgramError as error:
                problems.append(str(error))
        try:
            self.radio.restore()
        except (RadioError, ProgramError, LabError, bluez.BusError) as error:
            problems.append(str(error))
        for program in reversed(self._programs):
            try:
                program.stop()
            except ProgramError as error:
                problems.append(str(error))
        self._programs = []
        self.sensors = []
        return problems


def start_recording() -> None:
    """Starts the lab's recorders, if they do not run; what they have of a test is cut out when it has failed."""
    if os.environ.get("LAB_RECORD") == "0":
        return
    begin = time.monotonic()
    done = subprocess.run(["lab-record", "start"], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise LabError(f"nothing is recorded, after {time.monotonic() - begin:.0f} s: {done.stdout}{done.stderr}")
