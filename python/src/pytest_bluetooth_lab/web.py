"""Fixtures for tests of web pages that use Web Bluetooth: Chromium in the lab, and a sensor in its chooser."""

import functools
import http.server
import os
import threading
from pathlib import Path

import pytest

from .browser import Browser, find_browser
from .devtools import DevToolsError, Session
from .page import WebPage

NO_BROWSER = (
    "there is no Chromium or Chrome on PATH, nor in CHROMIUM: on Debian `lab setup --browser` installs Chromium"
)
NO_LAB = "no lab: web_bluetooth needs BlueZ and virtual controllers; run the tests by `lab test` or `pytest --bluetooth-lab`"


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files that may change from one request to the next."""

    extensions_map = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".mjs": "text/javascript; charset=utf-8",
        ".wasm": "application/wasm",
    }

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_):
        pass


class WebBluetooth:
    """A browser for one test, with no permissions and no data of other tests."""

    def __init__(self, browser, root):
        self.root = Path(root)
        """The folder that is served when `open` is given a path and `serve` was not called."""
        self.pages = []
        """The pages that the test has opened."""
        self._browser = browser
        self._context = browser.call("Target.createBrowserContext")["browserContextId"]
        self._servers = []

    @property
    def version(self):
        """Of the browser, such as "Chrome/156.0.8078.79"."""
        return self._browser.version

    def serve(self, folder):
        """Serves a folder on localhost, where Web Bluetooth is allowed, until the test ends. Returns its address."""
        folder = self.root / folder
        if not folder.is_dir():
            raise NotADirectoryError(folder)
        handler = functools.partial(QuietHandler, directory=os.fspath(folder))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, name=f"files of {folder}", daemon=True).start()
        self._servers.append(server)
        return f"http://localhost:{server.server_port}/"

    def open(self, address=""):
        """Opens a page and waits until it has been loaded.

        - address: a path below the served folder, or a whole address, such as that of a development server.
        """
        if not address.startswith(("http:", "https:", "about:", "data:")):
            base = f"http://localhost:{self._servers[-1].server_port}/" if self._servers else self.serve("")
            address = base + address.removeprefix("/")
        target = self._browser.call("Target.createTarget", url="about:blank", browserContextId=self._context)["targetId"]
        identifier = self._browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = WebPage(Session(self._browser.connection, identifier))
        self.pages.append(page)
        page.go(address)
        return page

    def record(self, folder):
        """Writes what the pages look like now, what is in them and what they have said, into the folder."""
        for number, page in enumerate(self.pages, 1):
            start = Path(folder) / f"page-{number}"
            start.with_suffix(".console.txt").write_text("".join(f"{line}\n" for line in page.console), "utf-8")
            try:
                page.screenshot(start.with_suffix(".png"))
                html = page.evaluate("document.documentElement.outerHTML", 10)
                start.with_suffix(".html").write_text(html, "utf-8")
            except (DevToolsError, AssertionError, OSError) as error:
                start.with_suffix(".lost.txt").write_text(f"{error}\n", "utf-8")
        (Path(folder) / "chromium.log").write_text(self._browser.log_text(), "utf-8")

    def close(self):
        """Closes the pages, which ends their connections, and stops serving."""
        for page in self.pages:
            page.session.end()
        try:
            self._browser.call("Target.disposeBrowserContext", browserContextId=self._context)
        except DevToolsError:
            pass  # the browser has ended, or a page had closed the context
        for server in self._servers:
            server.shutdown()
            server.server_close()


@pytest.fixture(scope="session")
def web_browser(tmp_path_factory):
    """The Chromium that all tests of a session share; each test has a context of its own in it."""
    if not os.environ.get("BLUETOOTH_LAB"):
        pytest.skip(NO_LAB)
    program = find_browser()
    if program is None:
        pytest.fail(NO_BROWSER, pytrace=False)
    browser = Browser(program, os.fspath(tmp_path_factory.mktemp("chromium")))
    yield browser
    browser.close()
