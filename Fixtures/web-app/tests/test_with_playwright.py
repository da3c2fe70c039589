"""The same page in a browser that Playwright drives, with the chooser answered by the lab's plugin."""

from pathlib import Path

import pytest
from pytest_bluetooth_lab.browser import WEB_BLUETOOTH_ARGUMENTS, find_browser
from pytest_bluetooth_lab.files import FileServer

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("pytest_playwright")

LIMIT = 90_000  # milliseconds: Playwright's 30 s are short for software emulation


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {
        **browser_type_launch_args,
        "executable_path": find_browser(),
        "args": list(WEB_BLUETOOTH_ARGUMENTS),
        "timeout": 2 * LIMIT,
    }


@pytest.fixture
def site():
    with FileServer(Path(__file__).parent.parent / "site") as server:
        yield server.address


def test_playwright_clicks_and_the_plugin_chooses(sensor, bluetooth_chooser, page, site):
    page.set_default_timeout(LIMIT)
    chooser = bluetooth_chooser(page)
    page.goto(site)
    page.click("#connect")
    chooser.select(sensor)
    playwright.expect(page.locator("#status")).to_have_text("Connected", timeout=LIMIT)
    playwright.expect(page.locator("#sensor")).to_have_text(sensor.name)
    sensor.wait("subscribed", "heart-rate-measurement")
    page.click("#disconnect")
    sensor.wait("disconnected")
