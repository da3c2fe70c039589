"""A page in the browser, and what a person does with it: looks, clicks, types, and answers the chooser of devices."""

from __future__ import annotations

import base64
import json
import re
import time
from pathlib import Path
from typing import Any, Callable

from .chooser import Chooser
from .devtools import TIMEOUT, Params, Reply, Session

POLL_INTERVAL = 0.1
"""Seconds between two looks at the page."""

MAXIMUM_MESSAGES = 1000
"""Of the console, that are kept."""

# The middle of the first element that the selector finds, once it can be clicked.
PLACE = """(() => {
    const element = document.querySelector(%s);
    if (!element || element.disabled) return null;
    element.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return null;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const top = document.elementFromPoint(x, y);
    return element.contains(top) ? {x, y} : null;
})()"""


class PageError(AssertionError):
    """The page has thrown, or what was waited for has not happened."""


class Evaluation:
    """The value of an expression, which may be a promise that is still open."""

    def __init__(self, reply: Reply, expression: str) -> None:
        self._reply = reply
        self._expression = expression

    def result(self, timeout: float = TIMEOUT) -> Any:
        """Waits for the value. Raises PageError when the page has thrown, or has rejected the promise."""
        answer = self._reply.result(timeout)
        if "exceptionDetails" in answer:
            raise PageError(f"{shortened(self._expression)}: {describe_exception(answer['exceptionDetails'])}")
        return answer["result"].get("value")


class WebPage:
    """A page. What waits takes a timeout in seconds."""

    def __init__(self, session: Session, on_line: Callable[[str], None] = lambda line: None) -> None:
        self.session = session
        self.chooser = Chooser(session)
        self.console: list[str] = []
        """What the page has written to its console, each a line "level: text"."""
        self.errors: list[str] = []
        """Uncaught exceptions, `console.error`, and what the browser reports as an error, such as a missing file."""
        session.on("Runtime.consoleAPICalled", self._on_console)
        session.on("Runtime.exceptionThrown", self._on_exception)
        session.on("Log.entryAdded", self._on_log)
        self._on_line = on_line
        self._loaded: set[tuple[str, str]] = set()
        session.on("Page.lifecycleEvent", lambda event: self._loaded.add((event["loaderId"], event["name"])))
        for domain in ("Page", "Runtime", "Log"):
            session.call(f"{domain}.enable")
        session.call("Page.setLifecycleEventsEnabled", enabled=True)

    def go(self, address: str, timeout: float = TIMEOUT) -> None:
        """Opens an address and waits until the page has been loaded."""
        answer = self.session.call("Page.navigate", timeout, url=address)
        if answer.get("errorText"):
            raise PageError(f"{address}: {answer['errorText']}")
        if loader := answer.get("loaderId"):  # none when only the part after the # has changed
            self.session.wait(lambda: (loader, "load") in self._loaded, timeout, f"{address} has not been loaded")

    def reload(self, timeout: float = TIMEOUT) -> None:
        """Loads the page again. What it was allowed to use it may have to ask for again."""
        self.go(self.evaluate("location.href"), timeout)

    def evaluate(self, expression: str, timeout: float = TIMEOUT) -> Any:
        """The value of a JavaScript expression; that of a promise is waited for. It may do what takes a click."""
        return Evaluation(self._send(expression), expression).result(timeout)

    def begin(self, expression: str) -> Evaluation:
        """The same without waiting, for what asks a person first: `begin("navigator.bluetooth.requestDevice(…)")`, then
        `chooser.select(sensor)`, then `result()` of what this returns."""
        reply = self.chooser.request = self._send(expression)
        return Evaluation(reply, expression)

    def _send(self, expression: str) -> Reply:
        return self.session.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True
        )

    def wait_for(self, expression: str, timeout: float = TIMEOUT) -> Any:
        """Waits until a JavaScript expression is true in the page, and returns its value."""
        deadline = time.monotonic() + timeout
        while not (value := self.evaluate(expression)):
            if time.monotonic() > deadline:
                raise PageError(f"{shortened(expression)} was still {value!r} after {timeout:g} s{self._heard()}")
            time.sleep(POLL_INTERVAL)
        return value

    def text(self, selector: str) -> str | None:
        """The text that an element shows; None if there is no such element."""
        text: str | None = self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? null")
        return text

    def wait_for_text(self, selector: str, wanted: str | re.Pattern[str], timeout: float = TIMEOUT) -> str:
        """Waits until the element shows the text, or what matches the compiled pattern, and returns what it shows."""
        pattern = wanted if isinstance(wanted, re.Pattern) else re.compile(re.escape(wanted))
        deadline = time.monotonic() + timeout
        while not pattern.search(text := self.text(selector) or ""):
            if time.monotonic() > deadline:
                raise PageError(
                    f"{selector} showed {text!r} after {timeout:g} s, not {pattern.pattern!r}{self._heard()}"
                )
            time.sleep(POLL_INTERVAL)
        return text

    def click(self, selector: str, timeout: float = TIMEOUT) -> None:
        """Clicks an element with the mouse, as soon as it is visible, enabled and not covered."""
        self.chooser.request = None  # now it is the click that may ask
        place = self.wait_for(PLACE % json.dumps(selector), timeout)
        for kind in ("mousePressed", "mouseReleased"):
            self.session.call(
                "Input.dispatchMouseEvent", type=kind, x=place["x"], y=place["y"], button="left", clickCount=1
            )

    def type(self, selector: str, text: str, timeout: float = TIMEOUT) -> None:
        """Types a text into an input, replacing its content."""
        self.wait_for(f"Boolean(document.querySelector({json.dumps(selector)}))", timeout)
        self.evaluate(f"(e => {{ e.focus(); e.select?.() }})(document.querySelector({json.dumps(selector)}))")
        self.session.call("Input.insertText", text=text)

    def screenshot(self, path: str | Path | None = None, timeout: float = TIMEOUT) -> bytes:
        """What the page looks like, as the bytes of a PNG, also into a file if it is named."""
        data = base64.b64decode(self.session.call("Page.captureScreenshot", timeout, format="png")["data"])
        if path:
            Path(path).write_bytes(data)
        return data

    def resize(self, width: int, height: int, scale: float = 1) -> None:
        """Gives the page a size in CSS pixels, each of which has `scale` by `scale` pixels in screenshots."""
        self.session.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False
        )

    def _add(self, level: str, text: str) -> None:
        if len(self.console) < MAXIMUM_MESSAGES:
            self.console.append(f"{level}: {text}")
            self._on_line(f"{level}: {text}")
            if level == "error":
                self.errors.append(text)

    def _on_exception(self, event: Params) -> None:
        self._add("error", describe_exception(event["exceptionDetails"]))

    def _on_console(self, event: Params) -> None:
        texts = (str(each.get("value", each.get("description", each["type"]))) for each in event["args"])
        self._add(event["type"], " ".join(texts))

    def _on_log(self, event: Params) -> None:
        entry = event["entry"]
        self._add(entry["level"], " ".join(filter(None, (entry["text"], entry.get("url")))))

    def _heard(self) -> str:
        return "".join(f"\n  console: {line}" for line in self.console[-10:])


def shortened(expression: str) -> str:
    """The expression in one line that is not too long for a message."""
    line = " ".join(expression.split())
    return line if len(line) <= 120 else line[:119] + "…"


def describe_exception(details: Params) -> str:
    """What was thrown, as the page's console would show it."""
    thrown = details.get("exception", {})
    return str(thrown.get("description") or thrown.get("value", details.get("text", "an exception")))
