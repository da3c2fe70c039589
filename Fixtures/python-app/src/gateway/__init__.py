"""Passes the values of a Bluetooth thermometer on."""

from .gateway import Gateway, ThermometerGone
from .temperature import decode_temperature

__all__ = ["Gateway", "ThermometerGone", "decode_temperature"]
