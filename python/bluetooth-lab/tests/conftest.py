"""What the tests of the tools share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_bluetooth_lab.browser import Browser, find_browser
from pytest_bluetooth_lab.devtools import Session
from pytest_bluetooth_lab.page import WebPage

from browser_pages import Open
from scratch_lab import scratch as scratch  # a fixture


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the lab says, a text for each line."""
    lines: list[str] = []
    for module in ("messages", "machine.session"):
        monkeypatch.setattr(f"bluetooth_lab.{module}.say", lines.append)
    return lines


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = find_browser()
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("no browser: ./lab setup --browser installs Chromium")
        pytest.skip("no browser")
    browser = Browser(program, os.fspath(tmp_path_factory.mktemp("browser")))
    yield browser
    browser.close()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    """Opens a page from its file, and waits until it shows its record."""
    sessions: list[Session] = []

    def open_page(file: Path) -> WebPage:
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        identifier = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        sessions.append(Session(browser.connection, identifier))
        page = WebPage(sessions[-1])
        page.resize(1280, 800)
        page.go(file.as_uri())
        page.wait_for("document.documentElement.dataset.ready")
        assert page.errors == []
        return page

    yield open_page
    for session in sessions:
        session.call("Page.close")
        session.end()
