"""The window in which a person chooses a Bluetooth device for a web page; without a window, DevTools answers for him."""

from .devtools import TIMEOUT


class Chooser:
    """Answers a page's requests for a device, one after another.

    It works on every session with `call`, `on` and `wait`, so that pages of other tools can have it, too.
    """

    def __init__(self, session):
        self._session = session
        self._prompt = None
        self._answered = set()
        session.on("DeviceAccess.deviceRequestPrompted", self._on_prompt)
        session.call("DeviceAccess.enable")

    @property
    def is_open(self):
        """Whether the page waits for an answer."""
        return self._prompt is not None

    @property
    def devices(self):
        """What the chooser shows so far: names by address. It fills while the browser scans."""
        return {} if self._prompt is None else {each["id"]: each["name"] for each in self._prompt["devices"]}

    def wait_until_open(self, timeout=TIMEOUT):
        """Waits until the page has asked for a device."""
        self._session.wait(lambda: self._prompt, timeout, "the page has not asked for a Bluetooth device")

    def select(self, device, timeout=TIMEOUT):
        """Waits until the page asks for a device and this one is found, and chooses it.

        - device: a sensor (by its address), or an address, or a name that the chooser shows.
        """
        wanted = str(getattr(device, "address", device)).casefold()
        self.wait_until_open(timeout)

        def find():
            for address, name in self.devices.items():
                if wanted in (address.casefold(), name.casefold()):
                    return address
            return None

        def missing():
            shown = ", ".join(f'"{name}" {address}' for address, name in self.devices.items())
            return f"{device} is not in the chooser, which shows {shown or 'no device'}"

        address = self._session.wait(find, timeout, missing)
        self._answer("DeviceAccess.selectPrompt", deviceId=address)

    def cancel(self, timeout=TIMEOUT):
        """Waits until the page asks for a device, and refuses it: the page's promise is rejected with NotFoundError."""
        self.wait_until_open(timeout)
        self._answer("DeviceAccess.cancelPrompt")

    def _answer(self, method, **params):
        prompt, self._prompt = self._prompt, None
        self._answered.add(prompt["id"])
        self._session.call(method, id=prompt["id"], **params)

    def _on_prompt(self, event):
        # Comes again with each device that is found, and once more when the answer is on its way already.
        if event["id"] not in self._answered:
            self._prompt = event
