"""Tests with virtual Bluetooth LE sensors, in pytest: see docs/testing-a-python-app.md."""

from .aio import AsyncSensor
from .control import PROTOCOL, ControlConnection, ControlError
from .events import Event
from .lab import Lab, LabError
from .program import Program
from .radio import AsyncRadio, Radio, RadioError, RadioEvent
from .sensor import Sensor, SensorFactory, SensorsFactory

__all__ = [
    "PROTOCOL",
    "AsyncRadio",
    "AsyncSensor",
    "ControlConnection",
    "ControlError",
    "Event",
    "Lab",
    "LabError",
    "Program",
    "Radio",
    "RadioError",
    "RadioEvent",
    "Sensor",
    "SensorFactory",
    "SensorsFactory",
]
