"""Chromium without a window, with Web Bluetooth, controlled over DevTools."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from typing import Any

from .devtools import TIMEOUT, Connection, DevToolsError, Params

PROGRAMS = ("chromium", "google-chrome", "google-chrome-stable", "chromium-browser")
# On Linux Web Bluetooth is behind these. Root, as which everything in the lab runs, has no sandbox.
WEB_BLUETOOTH_ARGUMENTS = (
    "--enable-features=WebBluetooth",
    "--enable-experimental-web-platform-features",
    "--no-sandbox",
)
# Nothing that a test does not need: each of these asks the network or takes seconds in software emulation.
QUIET_ARGUMENTS = (
    "--headless=new",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-sync",
    "--mute-audio",
    "--password-store=basic",
    "--window-size=1000,800",
)
START_LIMIT = 180.0
"""Seconds: of a browser that is not in the cache yet, in software emulation."""

LONGEST_LOG = 20_000
"""In characters: what an error shows."""


def find_browser() -> str | None:
    """The path of Chromium or Chrome: CHROMIUM, or the first that is on PATH. None if there is none."""
    chosen = os.environ.get("CHROMIUM")
    if chosen:
        return shutil.which(chosen)
    # Ubuntu's package is a script that asks for a snap, which the lab has not.
    found = (shutil.which(name) for name in PROGRAMS)
    return next((path for path in found if path and not is_snap(path)), None)


def is_snap(path: str) -> bool:
    """Whether it is a snap, or the script that Ubuntu has in its place."""
    real = os.path.realpath(path)
    if real.startswith("/snap/") or os.path.basename(real) == "snap":
        return True
    with open(real, "rb") as file:
        start = file.read(4096)
    return start.startswith(b"#!") and b"/snap/bin" in start


class Browser:
    """A Chromium that runs until `close`."""

    def __init__(self, program: str, folder: str, arguments: Sequence[str] = ()) -> None:
        """`folder` is for its profile and its log."""
        self.log = os.path.join(folder, "chromium.log")
        command = [program, *WEB_BLUETOOTH_ARGUMENTS, *QUIET_ARGUMENTS, *arguments, "--remote-debugging-pipe"]
        command += [f"--user-data-dir={os.path.join(folder, 'profile')}", "about:blank"]
        its_input, writer = os.pipe()
        reader, its_output = os.pipe()
        try:
            with open(self.log, "wb") as log:
                self._process = subprocess.Popen(
                    # The descriptors that the browser expects are 3 and 4.
                    ["sh", "-c", 'exec "$@" 3<&0 4>&1 </dev/null >&2', "sh", *command],
                    stdin=its_input,
                    stdout=its_output,
                    stderr=log,
                    start_new_session=True,
                )
        except OSError:
            os.close(writer)
            os.close(reader)
            raise
        finally:
            os.close(its_input)
            os.close(its_output)
        self.connection = Connection(reader, writer)
        try:
            self.version: str = self.call("Browser.getVersion", START_LIMIT)["product"]
        except DevToolsError as error:
            self.close()
            raise DevToolsError(f"{program} does not start: {error}\n{self.log_text()}") from error

    def call(self, method: str, timeout: float = TIMEOUT, **params: Any) -> Params:
        """A command to the browser as a whole."""
        return self.connection.send(method, params).result(timeout)

    def log_text(self) -> str:
        """The end of what the browser has logged."""
        try:
            with open(self.log, encoding="utf-8", errors="replace") as file:
                return file.read()[-LONGEST_LOG:]
        except OSError:
            return ""

    def close(self) -> None:
        """Ends the browser and all of its processes."""
        try:
            self.connection.send("Browser.close")
            self._process.wait(20)
        except (DevToolsError, subprocess.TimeoutExpired):
            pass
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self.connection.close()
