"""The decoding of values, in the browser, without Bluetooth."""

import pytest


@pytest.fixture
def call(web_bluetooth):
    page = web_bluetooth.open("index.html")

    def call(function, value):
        data = f"new DataView(new Uint8Array({list(value)}).buffer)"
        return page.evaluate(f"import('./heart-rate.js').then(module => module.{function}({data}))")

    return call


def measurement(rate, contact=None, energy=None, intervals=()):
    return {"rate": rate, "contact": contact, "energy": energy, "intervals": list(intervals)}


def test_decodes_measurements(call):
    expected = {
        "00 48": measurement(72),
        "01 2C 01": measurement(300),
        "04 48": measurement(72, contact=False),
        "06 48": measurement(72, contact=True),
        "08 48 02 01": measurement(72, energy=258),
        "10 48 00 04 00 02": measurement(72, intervals=[1, 0.5]),
        "1F 48 00 05 00 00 03": measurement(72, contact=True, energy=5, intervals=[0.75]),
    }
    for value, wanted in expected.items():
        assert call("parseMeasurement", bytes.fromhex(value)) == wanted, value


def test_refuses_measurements_that_are_too_short(call):
    for value in ("", "00", "01 48", "08 48 01"):
        with pytest.raises(AssertionError, match="RangeError"):
            call("parseMeasurement", bytes.fromhex(value))


def test_names_where_the_sensor_is_worn(call):
    names = {"00": "other", "01": "chest", "06": "foot", "07": "unknown", "": "unknown"}
    assert {value: call("parseLocation", bytes.fromhex(value)) for value in names} == names
