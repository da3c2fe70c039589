"""The page with a sensor: what a person sees, and what the sensor sees of it."""

import re

import pytest
from pytest_bluetooth_lab.devtools import DevToolsError

SOME_RATE = re.compile(r"^\d{2,3}$")
SOME_VALUES = re.compile(r"[3-9] values")


@pytest.fixture
def page(web_bluetooth):
    return web_bluetooth.open("index.html")


@pytest.fixture
def connected_page(page, sensor):
    page.click("#connect")
    page.chooser.select(sensor)
    page.wait_for_text("#status", "Connected")
    return page


def next_value(page):
    """Waits for one more value than there are."""
    before = page.text("#count")
    page.wait_for(f"document.querySelector('#count').innerText !== {before!r}")


def test_shows_the_heart_rate_of_the_chosen_sensor(connected_page, sensor):
    sensor.wait("subscribed", "heart-rate-measurement")
    connected_page.wait_for_text("#rate", SOME_RATE)
    connected_page.wait_for_text("#location", "chest")
    connected_page.wait_for_text("#count", SOME_VALUES)
    assert connected_page.text("#sensor") == sensor.name
    assert connected_page.evaluate("document.querySelectorAll('#plot .line').length") == 1
    assert connected_page.errors == []


def test_says_so_when_no_sensor_is_chosen_and_asks_again(page, sensor):
    page.click("#connect")
    page.chooser.cancel()
    page.wait_for_text("#error", "No sensor was chosen")
    assert page.text("#status") == "Not connected"
    page.click("#connect")
    page.chooser.select(sensor)
    page.wait_for_text("#status", "Connected")
    assert not page.text("#error")


def test_connects_again_when_the_sensor_ends_the_connection(connected_page, sensor):
    next_value(connected_page)
    begin = sensor.position
    sensor.disconnect()
    connected_page.wait_for_text("#status", "Reconnecting")
    sensor.wait("subscribed", "heart-rate-measurement", since=begin)
    connected_page.wait_for_text("#status", "Connected")
    next_value(connected_page)


def test_says_so_when_the_service_is_gone_and_uses_it_when_it_is_back(connected_page, sensor):
    next_value(connected_page)
    sensor.services.remove("heart-rate")
    connected_page.wait_for_text("#error", "no longer offers a heart rate")
    assert connected_page.text("#status") == "No heart rate"
    sensor.services.add("heart-rate")
    connected_page.wait_for_text("#status", "Connected")
    next_value(connected_page)
    assert not connected_page.text("#error")


def test_says_so_when_a_value_is_no_heart_rate(connected_page, sensor):
    next_value(connected_page)
    sensor.send("heart-rate-measurement", b"\x01\x48")  # it says that the rate has two bytes
    connected_page.wait_for_text("#error", "no heart rate")
    next_value(connected_page)
    assert connected_page.errors == []


def test_a_script_asks_for_the_sensor_and_writes(page, sensor):
    filters = "{filters: [{services: ['heart_rate']}]}"
    name = page.begin(f"navigator.bluetooth.requestDevice({filters}).then(device => (window.device = device).name)")
    page.chooser.select(sensor)
    assert name.result() == sensor.name
    page.evaluate("""device.gatt.connect()
        .then(server => server.getPrimaryService('heart_rate'))
        .then(service => service.getCharacteristic('body_sensor_location'))
        .then(location => location.writeValueWithResponse(new Uint8Array([2])))""")
    sensor.wait("written", "body-sensor-location")


def test_disconnects_and_does_not_come_back(connected_page, sensor):
    begin = sensor.position
    connected_page.click("#disconnect")
    connected_page.wait_for_text("#status", "Not connected")
    sensor.wait("disconnected", since=begin)
    assert connected_page.text("#rate") == "\N{EN DASH}"
    assert not [event for event in sensor.events[begin:] if event.kind == "connected"]


def test_does_not_find_a_sensor_that_is_switched_off(page, sensor):
    sensor.stop()
    page.click("#connect")
    with pytest.raises(DevToolsError, match=f"{sensor.name}.* is not in the chooser"):
        page.chooser.select(sensor, timeout=10)
    page.chooser.cancel()
