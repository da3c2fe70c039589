"""Chromium for one test of a web page that uses Web Bluetooth: files on localhost, pages, and what is left of them."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Callable

from .browser import Browser, find_browser
from .devtools import DevToolsError, Session
from .files import FileServer
from .page import WebPage

NO_BROWSER = "there is neither Chromium nor Chrome, on PATH or in $CHROMIUM: `lab setup --browser` installs Chromium"
RECORD_LIMIT = 20.0
"""Seconds that a page may take to show itself when its test has failed."""


class SharedBrowser:
    """The Chromium that all tests of a session share; another one when it has ended."""

    def __init__(self, make_folder: Callable[[], Path]) -> None:
        self._make_folder = make_folder
        self._browser: Browser | None = None

    def get(self) -> Browser:
        if self._browser is None or self._browser.connection.ended:
            self.close()
            program = find_browser()
            if program is None:
                raise DevToolsError(NO_BROWSER)
            self._browser = Browser(program, os.fspath(self._make_folder()))
        return self._browser

    def close(self) -> None:
        if self._browser is not None:
            self._browser.close()
            self._browser = None


class WebBluetooth:
    """A browser for one test, with no permissions and no data of other tests."""

    def __init__(self, browser: Browser, root: Path, on_line: Callable[[str, str], None]) -> None:
        self.root = root
        """The folder that paths are in."""
        self.pages: list[WebPage] = []
        """The pages that the test has opened."""
        self._browser = browser
        self._on_line = on_line
        self._context: str = browser.call("Target.createBrowserContext")["browserContextId"]
        self._servers: list[FileServer] = []

    @property
    def version(self) -> str:
        """Of the browser, such as "Chrome/156.0.8078.79"."""
        return self._browser.version

    def serve(self, folder: str | Path) -> str:
        """Serves a folder on localhost, where Web Bluetooth is allowed, until the test ends. Returns its address,
        against which `open` then resolves paths."""
        server = FileServer(self.root / folder)
        self._servers.append(server)
        return server.address

    def open(self, address: str = "") -> WebPage:
        """Opens a page and waits until it has been loaded.

        `address`: a path in the served folder, or a whole address, such as that of a development server."""
        if not address.startswith(("http:", "https:", "about:", "data:")):
            base = self._servers[-1].address if self._servers else self.serve("")
            address = base + address.lstrip("/")
        call = self._browser.call
        target = call("Target.createTarget", url="about:blank", browserContextId=self._context)["targetId"]
        identifier = call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        source = f"page {len(self.pages) + 1}"
        page = WebPage(Session(self._browser.connection, identifier), lambda line: self._on_line(source, line))
        self.pages.append(page)
        page.go(address)
        return page

    def record(self) -> dict[str, bytes]:
        """What the pages look like now, what is in them and what they have said: files by their names."""
        files = {"chromium.log": self._browser.log_text().encode()}
        for number, page in enumerate(self.pages, 1):
            files[f"page-{number}.console.txt"] = "".join(f"{line}\n" for line in page.console).encode()
            try:
                files[f"page-{number}.png"] = page.screenshot(timeout=RECORD_LIMIT)
                html = page.evaluate("document.documentElement.outerHTML", RECORD_LIMIT)
                files[f"page-{number}.html"] = str(html).encode()
            except (DevToolsError, AssertionError) as error:
                files[f"page-{number}.lost.txt"] = f"{error}\n".encode()
        return files

    def close(self) -> None:
        """Closes the pages, which ends their connections, and stops serving."""
        for page in self.pages:
            page.session.end()
        with contextlib.suppress(DevToolsError):  # the browser has ended
            self._browser.call("Target.disposeBrowserContext", browserContextId=self._context)
        for server in self._servers:
            server.close()
