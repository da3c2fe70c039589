"""What needs no Bluetooth runs everywhere."""

import pytest

from gateway import decode_temperature


def test_a_temperature_has_two_bytes():
    assert decode_temperature(b"\xce\xff") == -0.5
    with pytest.raises(ValueError, match="2 bytes"):
        decode_temperature(b"\x01")
