"""The page with a sensor: what a person sees, and what the sensor sees of it."""

import re

import pytest
from pytest_bluetooth_lab.devtools import DevToolsError

SOME_RATE = re.compile(r"^\d{2,3}$")
SOME_VALUES = re.compile(r"([3-9]|\d\d) values")


@pytest.fixture
def app(web_bluetooth):
    return web_bluetooth.open("index.html")


@pytest.fixture
def connected_app(app, sensor):
    app.click("#connect")
    app.chooser.select(sensor)
    app.wait_for_text("#status", "Connected")
    return app


def next_value(app):
    """Waits for one more value than there are."""
    before = app.text("#count")
    app.wait_for(f"document.querySelector('#count').innerText !== {before!r}")


def test_shows_the_heart_rate_of_the_chosen_sensor(connected_app, sensor):
    sensor.wait("subscribed", "heart-rate-measurement")
    connected_app.wait_for_text("#rate", SOME_RATE)
    connected_app.wait_for_text("#location", "chest")
    connected_app.wait_for_text("#count", SOME_VALUES)
    assert connected_app.text("#sensor") == sensor.name
    assert connected_app.evaluate("document.querySelectorAll('#plot .line').length") == 1
    assert connected_app.errors == []


def test_says_so_when_no_sensor_is_chosen_and_asks_again(app, sensor):
    app.click("#connect")
    app.chooser.cancel()
    app.wait_for_text("#error", "No sensor was chosen")
    assert app.text("#status") == "Not connected"
    app.click("#connect")
    app.chooser.select(sensor)
    app.wait_for_text("#status", "Connected")
    assert not app.text("#error")


def test_connects_again_when_the_sensor_ends_the_connection(connected_app, sensor):
    next_value(connected_app)
    begin = sensor.position
    sensor.disconnect()
    connected_app.wait_for_text("#status", "Reconnecting")
    sensor.wait("subscribed", "heart-rate-measurement", since=begin)
    connected_app.wait_for_text("#status", "Connected")
    next_value(connected_app)


def test_says_so_when_the_service_is_gone_and_uses_it_when_it_is_back(connected_app, sensor):
    next_value(connected_app)
    sensor.services.remove("heart-rate")
    connected_app.wait_for_text("#error", "no longer offers a heart rate")
    assert connected_app.text("#status") == "No heart rate"
    sensor.services.add("heart-rate")
    connected_app.wait_for_text("#status", "Connected")
    next_value(connected_app)
    assert not connected_app.text("#error")


def test_says_so_when_a_value_is_no_heart_rate(connected_app, sensor):
    next_value(connected_app)
    sensor.send("heart-rate-measurement", b"\x01\x48")  # it says that the rate has two bytes
    connected_app.wait_for_text("#error", "no heart rate")
    next_value(connected_app)
    assert connected_app.errors == []


def test_a_script_writes_to_the_sensor(connected_app, sensor):
    connected_app.evaluate("""navigator.bluetooth.getDevices()
        .then(([device]) => device.gatt.getPrimaryService('heart_rate'))
        .then(service => service.getCharacteristic('body_sensor_location'))
        .then(location => location.writeValueWithResponse(new Uint8Array([2])))""")
    sensor.wait("written", "body-sensor-location")


def test_disconnects_and_does_not_come_back(connected_app, sensor):
    begin = sensor.position
    connected_app.click("#disconnect")
    connected_app.wait_for_text("#status", "Not connected")
    sensor.wait("disconnected", since=begin)
    assert connected_app.text("#rate") == "\N{EN DASH}"
    assert not [event for event in sensor.events[begin:] if event.kind == "connected"]


def test_does_not_find_a_sensor_that_is_switched_off(app, sensor):
    sensor.stop()
    app.click("#connect")
    with pytest.raises(DevToolsError, match=f"{sensor.name}.* is not in the chooser"):
        app.chooser.select(sensor, timeout=10)
    app.chooser.cancel()
