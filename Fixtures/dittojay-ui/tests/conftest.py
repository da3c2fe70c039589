"""dittojay's page: the program that serves it, and Chromium that shows it."""

import json
from collections.abc import Callable, Iterator

import pytest
from pytest_bluetooth_lab.lab import Lab
from pytest_bluetooth_lab.page import WebPage
from pytest_bluetooth_lab.sensor import Sensor

Show = Callable[..., WebPage]


@pytest.fixture
def serve(bluetooth_lab: Lab) -> Callable[..., str]:
    """`serve(sensor, …)`: starts `dittojay ui` for these sensors, and returns the address of its page."""

    def start(*sensors: Sensor) -> str:
        sockets = [word for sensor in sensors for word in ("--socket", sensor.socket)]
        program = bluetooth_lab.start("dittojay", "ui", "--json", *sockets)
        return str(json.loads(program.wait_line('"url"'))["url"])

    return start


@pytest.fixture
def page(sensor: Sensor, serve: Callable[..., str], web_bluetooth) -> Iterator[WebPage]:
    """The page of the test's sensor. Nothing of it may have failed at the end."""
    page = web_bluetooth.open(serve(sensor))
    page.wait_for("document.documentElement.dataset.ready")
    yield page
    assert page.errors == []


@pytest.fixture
def central(bluetooth_lab: Lab):
    """`central(words of bluejay, …)`: starts bluejay on the central's controller."""
    return lambda *words: bluetooth_lab.start("bluejay", *words)
