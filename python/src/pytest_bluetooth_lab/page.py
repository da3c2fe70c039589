"""A page in the browser, and what a person does with it: looks, clicks, types, and answers the chooser of devices."""

import base64
import json
import re
import time
from pathlib import Path

from .chooser import Chooser
from .devtools import TIMEOUT, DevToolsError

POLL_INTERVAL = 0.1  # seconds between two looks at the page
MOST_MESSAGES = 1000  # of the console that are kept

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

    def __init__(self, reply, expression):
        self._reply = reply
        self._expression = expression

    def result(self, timeout=TIMEOUT):
        """Waits for the value. Raises PageError when the page has thrown, or has rejected the promise."""
        answer = self._reply.result(timeout)
        if "exceptionDetails" in answer:
            raise PageError(f"{shortened(self._expression)}: {describe_exception(answer['exceptionDetails'])}")
        return answer["result"].get("value")


class WebPage:
    """A page. What waits takes a timeout in seconds."""

    def __init__(self, session, address):
        self.session = session
        self.chooser = Chooser(session)
        self.console = []
        """What the page has written to its console, each a line "level: text"."""
        self.errors = []
        """Uncaught exceptions, `console.error`, and what the browser reports as an error, such as a missing file."""
        for method, listener in (
            ("Runtime.consoleAPICalled", self._on_console),
            ("Runtime.exceptionThrown", lambda event: self._add("error", describe_exception(event["exceptionDetails"]))),
            ("Log.entryAdded", self._on_log),
        ):
            session.on(method, listener)
        self._loaded = set()
        session.on("Page.lifecycleEvent", lambda event: self._loaded.add((event.get("loaderId"), event.get("name"))))
        for domain in ("Page", "Runtime", "Log"):
            session.call(f"{domain}.enable")
        session.call("Page.setLifecycleEventsEnabled", enabled=True)
        if address:
            self.go(address)

    def go(self, address, timeout=TIMEOUT):
        """Opens an address and waits until the page has been loaded."""
        answer = self.session.call("Page.navigate", timeout, url=address)
        if answer.get("errorText"):
            raise PageError(f"{address}: {answer['errorText']}")
        if loader := answer.get("loaderId"):  # none when only the part after the # has changed
            self.session.wait(lambda: (loader, "load") in self._loaded, timeout, f"{address} has not been loaded")

    def reload(self, timeout=TIMEOUT):
        """Loads the page again. What it was allowed to use it may have to ask for again."""
        self.go(self.evaluate("location.href"), timeout)

    def evaluate(self, expression, timeout=TIMEOUT):
        """The value of a JavaScript expression; that of a promise is waited for. It may do what needs a person's click."""
        return self.begin(expression).result(timeout)

    def begin(self, expression):
        """The same without waiting, for what asks a person first: `begin("navigator.bluetooth.requestDevice(…)")`, then
        `chooser.select(sensor)`, then `result()` of what this returns."""
        reply = self.session.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True
        )
        return Evaluation(reply, expression)

    def wait_for(self, expression, timeout=TIMEOUT):
        """Waits until a JavaScript expression is true in the page, and returns its value."""
        deadline = time.monotonic() + timeout
        while not (value := self.evaluate(expression)):
            if time.monotonic() > deadline:
                raise PageError(f"{shortened(expression)} was still {value!r} after {timeout:g} s{self._heard()}")
            time.sleep(POLL_INTERVAL)
        return value

    def text(self, selector):
        """The text that an element shows; None if there is no such element."""
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? null")

    def wait_for_text(self, selector, wanted, timeout=TIMEOUT):
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

    def click(self, selector, timeout=TIMEOUT):
        """Clicks an element with the mouse, as soon as it is visible, enabled and not covered."""
        place = self.wait_for(PLACE % json.dumps(selector), timeout)
        for kind in ("mousePressed", "mouseReleased"):
            self.session.call(
                "Input.dispatchMouseEvent", type=kind, x=place["x"], y=place["y"], button="left", clickCount=1
            )

    def type(self, selector, text, timeout=TIMEOUT):
        """Types a text into an input, in the place of what it has."""
        self.wait_for(f"document.querySelector({json.dumps(selector)})", timeout)
        self.evaluate(f"(e => {{ e.focus(); e.select?.() }})(document.querySelector({json.dumps(selector)}))")
        self.session.call("Input.insertText", text=text)

    def screenshot(self, path=None):
        """What the page looks like, as the bytes of a PNG, also into a file if it is named."""
        data = base64.b64decode(self.session.call("Page.captureScreenshot", format="png")["data"])
        if path:
            Path(path).write_bytes(data)
        return data

    def resize(self, width, height, scale=1):
        """Gives the page a size in CSS pixels, each of which has `scale` by `scale` pixels in screenshots."""
        self.session.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False
        )

    def _add(self, level, text):
        if len(self.console) < MOST_MESSAGES:
            self.console.append(f"{level}: {text}")
            if level == "error":
                self.errors.append(text)

    def _on_console(self, event):
        texts = (str(each.get("value", each.get("description", each["type"]))) for each in event["args"])
        self._add(event["type"], " ".join(texts))

    def _on_log(self, event):
        entry = event["entry"]
        self._add(entry["level"], " ".join(filter(None, (entry["text"], entry.get("url")))))

    def _heard(self):
        return "".join(f"\n  console: {line}" for line in self.console[-10:])


def shortened(expression):
    """The expression in one line that is not too long for a message."""
    line = " ".join(expression.split())
    return line if len(line) <= 120 else line[:119] + "…"


def describe_exception(details):
    """What was thrown, as the page's console would show it."""
    thrown = details.get("exception", {})
    return thrown.get("description") or str(thrown.get("value", details.get("text", "an exception")))


__all__ = ["DevToolsError", "Evaluation", "PageError", "WebPage"]
