"""A page of Playwright's synchronous API, whose chooser of devices is answered as that of a page of `web_bluetooth`."""

from __future__ import annotations

import time
from typing import Any, Callable

from .devtools import DevToolsError, Found, Params, Text

POLL_INTERVAL = 50
"""Milliseconds between two looks; Playwright reports events while it waits, and only then."""


class PlaywrightSession:
    """What `Chooser` needs of a page."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._session = page.context.new_cdp_session(page)

    def call(self, method: str, timeout: float = 0, **params: Any) -> Params:
        """Sends a command and returns its result; how long that may take is up to Playwright."""
        return dict(self._session.send(method, params))

    def on(self, method: str, listener: Callable[[Params], None]) -> None:
        """Has `listener(params)` called for these events."""
        self._session.on(method, listener)

    def wait(self, condition: Callable[[], Found | None], timeout: float, missing: Text) -> Found:
        """See `Connection.wait`."""
        deadline = time.monotonic() + timeout
        while not (value := condition()):
            if time.monotonic() > deadline:
                raise DevToolsError(f"{missing() if callable(missing) else missing}: after {timeout:g} s")
            self._page.wait_for_timeout(POLL_INTERVAL)
        return value
