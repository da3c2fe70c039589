"""Tests with virtual Bluetooth LE sensors, in pytest: see docs/testing-a-python-app.md."""

from .aio import AsyncSensor
from .control import PROTOCOL, ControlConnection, ControlError
from .events import Event
from .lab import Lab, LabError
from .program import Program
from .sensor import Sensor, SensorFactory

__all__ = [
    "PROTOCOL",
    "AsyncSensor",
    "ControlConnection",
    "ControlError",
    "Event",
    "Lab",
    "LabError",
    "Program",
    "Sensor",
    "SensorFactory",
]
