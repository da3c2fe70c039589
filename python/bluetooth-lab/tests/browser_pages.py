"""Pages from files in Chromium, for tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pytest_bluetooth_lab.page import WebPage

Open = Callable[[Path], WebPage]


def press(page: WebPage, key: str, text: str = "") -> None:
    page.session.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
    page.session.call("Input.dispatchKeyEvent", type="keyUp", key=key)
