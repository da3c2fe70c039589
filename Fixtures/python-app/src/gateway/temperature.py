"""The characteristic Temperature of the Environmental Sensing Service."""

TEMPERATURE = "00002a6e-0000-1000-8000-00805f9b34fb"


def decode_temperature(value: bytes) -> float:
    """Degrees Celsius: a signed 16-bit number of hundredths."""
    if len(value) != 2:
        raise ValueError(f"a temperature has 2 bytes, not {len(value)}")
    return int.from_bytes(value, "little", signed=True) / 100
