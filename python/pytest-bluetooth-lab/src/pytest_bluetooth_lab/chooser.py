"""The chooser of Bluetooth devices that a web page opens, answered over DevTools instead of by a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Protocol

from .devtools import TIMEOUT, DevToolsError, Found, Params, Reply, Text

if TYPE_CHECKING:
    from .sensor import Sensor


class ChooserSession(Protocol):
    """What a chooser needs of the connection to a page."""

    def call(self, method: str, timeout: float = ..., **params: Any) -> Params: ...
    def on(self, method: str, listener: Callable[[Params], None]) -> None: ...
    def wait(self, condition: Callable[[], Found | None], timeout: float, missing: Text) -> Found: ...


class Chooser:
    """Answers a page's requests for a device, one after another.

    It works on every session with `call`, `on` and `wait`, so that pages of other tools can have it, too.
    """

    def __init__(self, session: ChooserSession) -> None:
        self._session = session
        self._prompt: Params | None = None
        self._answered: set[str] = set()
        self.request: Reply | None = None
        """What was begun last in the page, and may have asked for a device."""
        session.on("DeviceAccess.deviceRequestPrompted", self._on_prompt)
        session.call("DeviceAccess.enable")

    @property
    def is_open(self) -> bool:
        """Whether the page waits for an answer."""
        return self._prompt is not None

    @property
    def devices(self) -> dict[str, str]:
        """What the chooser shows so far: names by address. It fills while the browser scans."""
        return {} if self._prompt is None else {each["id"]: each["name"] for each in self._prompt["devices"]}

    def wait_until_open(self, timeout: float = TIMEOUT) -> None:
        """Waits until the page has asked for a device."""

        def refusal() -> str | None:
            message = self.request.message if self.request else None
            details = (message or {}).get("result", {}).get("exceptionDetails")
            return None if details is None else str(details.get("exception", {}).get("description", "an exception"))

        self._session.wait(lambda: self._prompt or refusal(), timeout, "the page has not asked for a Bluetooth device")
        if self._prompt is None:
            raise DevToolsError(f"the page has not asked for a Bluetooth device: {refusal()}")

    def select(self, device: Sensor | str, timeout: float = TIMEOUT) -> None:
        """Waits until the page asks for a device and this one is found, and chooses it.

        - device: a sensor (by its address), or an address, or a name that the chooser shows.
        """
        wanted = str(getattr(device, "address", device)).casefold()
        self.wait_until_open(timeout)

        def find() -> str | None:
            for address, name in self.devices.items():
                if wanted in (address.casefold(), name.casefold()):
                    return address
            return None

        def missing() -> str:
            shown = ", ".join(f'"{name}" {address}' for address, name in self.devices.items())
            return f"{device} is not in the chooser, which shows {shown or 'no device'}"

        address = self._session.wait(find, timeout, missing)
        self._answer("DeviceAccess.selectPrompt", deviceId=address)

    def cancel(self, timeout: float = TIMEOUT) -> None:
        """Waits until the page asks for a device, and refuses it: the page's promise is rejected with NotFoundError."""
        self.wait_until_open(timeout)
        self._answer("DeviceAccess.cancelPrompt")

    def _answer(self, method: str, **params: Any) -> None:
        prompt, self._prompt = self._prompt, None
        assert prompt is not None
        self._answered.add(prompt["id"])
        self._session.call(method, id=prompt["id"], **params)

    def _on_prompt(self, event: Params) -> None:
        # Comes again with each device that is found, and once more when the answer is on its way already.
        if event["id"] not in self._answered:
            self._prompt = event
