"""The part of the plugin for web pages: its fixtures, the controllers of such tests, and their failure bundles."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, Callable

import pytest

from .chooser import Chooser
from .lab import Lab, controller, is_in_lab
from .web import SharedBrowser, WebBluetooth

_adapters_key = pytest.StashKey[pytest.MonkeyPatch]()
_web_key = pytest.StashKey["tuple[WebBluetooth, Lab]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(
        "web_bluetooth_root",
        "the folder that web_bluetooth serves, from the folder of pytest's settings on",
        default=".",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    # A browser on Linux takes the first controller, whatever its options say. So the sensor has the second.
    names = getattr(item, "fixturenames", ())
    if is_in_lab() and ("web_bluetooth" in names or "bluetooth_chooser" in names):
        patch = item.stash[_adapters_key] = pytest.MonkeyPatch()
        patch.setenv("BLUETOOTH_ADAPTER", controller(0))
        patch.setenv("DITTOJAY_ADAPTER", controller(1))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    patch = item.stash.get(_adapters_key, None)
    if patch:
        patch.undo()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    if report.failed and report.when != "teardown" and _web_key in item.stash:
        web, lab = item.stash[_web_key]
        lab.attachments.update(web.record())
        for number, page in enumerate(web.pages, 1):
            report.sections.append((f"console of page {number}", "\n".join(page.console)))


@pytest.fixture(scope="session")
def _web_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedBrowser]:
    browser = SharedBrowser(lambda: tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()


@pytest.fixture
def web_bluetooth(
    request: pytest.FixtureRequest, bluetooth_lab: Lab, _web_browser: SharedBrowser
) -> Iterator[WebBluetooth]:
    """Chromium with Web Bluetooth, on the first controller; the test's sensor is on the second."""
    ini = request.config.inipath
    root = (ini.parent if ini else request.config.rootpath) / str(request.config.getini("web_bluetooth_root"))
    web = WebBluetooth(_web_browser.get(), root, bluetooth_lab.record.add)
    request.node.stash[_web_key] = (web, bluetooth_lab)
    yield web
    web.close()


@pytest.fixture
def bluetooth_chooser(bluetooth_lab: Lab) -> Callable[[Any], Chooser]:
    """`bluetooth_chooser(page)`: the chooser of devices of a page of Playwright's synchronous API."""
    from .playwright import PlaywrightSession

    return lambda page: Chooser(PlaywrightSession(page))
