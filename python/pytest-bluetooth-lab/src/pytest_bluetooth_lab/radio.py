"""The lab's virtual radio in a test: device positions, disturbances, and events in the air.

`docs/radio.md` has the words: those of the program virtual-radio, which carries them out."""

from __future__ import annotations

import asyncio
import json
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .program import Program

if TYPE_CHECKING:
    from .lab import Lab

COMMAND_LIMIT = 60  # seconds
LINKS_LIMIT = 60  # seconds: the longest supervision timeout is 32 (Core Specification, Vol 6 Part B, 4.5.2)


class RadioError(Exception):
    """The radio refuses, a scene has mistakes, or the lab has no virtual radio. The message says why."""


class RadioEvent(NamedTuple):
    """Something that has happened in the air."""

    kind: str
    """Such as `link-end`."""
    time: float
    """In seconds since the radio began."""
    members: dict[str, Any]
    """What it is about, such as `device`, `peer` and `reason`."""


class Radio:
    """The radio, for one test. What the test has changed ends with it."""

    def __init__(self, lab: Lab, folders: Sequence[Path] = ()) -> None:
        self._lab = lab
        self._folders = folders
        self._observer: Program | None = None
        self._start = 0.0
        self.is_changed = False
        """Whether the air differs from its initial state."""

    @property
    def aio(self) -> AsyncRadio:
        """The same for `await` in asyncio."""
        return AsyncRadio(self)

    # Changes. A device is a controller (`hci0`), a name of the scene, one of a crowd (`phones-17`), or an address.

    def move(self, device: str, x: float, y: float, *, over: float = 0) -> None:
        """Moves a device, in metres. `over`: for how many seconds it is on the way; the call returns at once."""
        self.run("move", device, _number(x), _number(y), *(["--over", _span(over)] if over > 0 else []))

    def body(self, device: str, loss: float) -> None:
        """Weakens all that a device sends and receives, in dB."""
        self.run("body", device, _number(loss))

    def rssi(self, first: str, second: str, strength: float | None) -> None:
        """Sets how strongly two devices hear each other, in dBm; None: as their distance has it."""
        self.run("rssi", first, second, "auto" if strength is None else _number(strength))

    def loss(self, first: str, second: str, percent: float) -> None:
        """Loses a part of what two devices send to each other. Ideal air loses only advertising."""
        self.run("loss", first, second, _number(percent))

    def block(self, first: str, second: str) -> None:
        """Lets nothing pass between two devices. A link between them ends after its supervision timeout."""
        self.run("block", first, second)

    def unblock(self, first: str, second: str) -> None:
        """Lets pass again what `block` has blocked."""
        self.run("unblock", first, second)

    def jam(
        self,
        name: str,
        x: float,
        y: float,
        *,
        power: float | None = None,
        duty: float | None = None,
        radius: float | None = None,
        loss: float | None = None,
        seconds: float | None = None,
    ) -> None:
        """Disturbs those around a place, in metres, until `unjam`, or for so many seconds.

        `power`: noise that is so strong at one metre, in dBm, for `duty` percent of the packets, in real air; or
        `radius`, in metres, and `loss`: in it so many percent of what others would receive are lost."""
        limits = {"--power": power, "--duty": duty, "--radius": radius, "--loss": loss}
        words = [word for name, value in limits.items() if value is not None for word in (name, _number(value))]
        self.run("jam", name, _number(x), _number(y), *words, *(["--for", _span(seconds)] if seconds else []))

    def unjam(self, name: str) -> None:
        self.run("unjam", name)

    def scene(self, scene: str, *, waits: bool = False) -> None:
        """Plays a scene: a file's path, from the test's folder on, or the text of one in YAML, which has lines or a
        colon and a space.

        `waits`: its time begins with `begin`. It cannot have another kind of air while there are links."""
        options = ["--hold"] if waits else []
        if not is_text(scene):
            self.run("scene", str(_found(scene, self._folders)), *options)
            return
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", prefix="scene-") as file:
            file.write(scene)
            file.flush()
            self.run("scene", file.name, *options)

    def begin(self) -> None:
        """Begins the time of a scene that waits for it."""
        self.run("begin")

    def run(self, *words: str) -> list[str]:
        """Runs any command of virtual-radio, such as `run("phantom", "add", "beacon", "3", "4")`; returns its lines."""
        self._observe()
        self.is_changed = True
        return self._send(*words)

    # What there is

    def status(self) -> dict[str, Any]:
        """Device positions and links: `devices` with `name`, `at_m`, …; `links` with `central`,
        `peripheral` and `rssi_dbm`; `air`, `time_ms`, `phantoms`, `jammers`."""
        status: dict[str, Any] = json.loads(self._send("status", "--json")[0])
        return status

    @property
    def events(self) -> list[RadioEvent]:
        """All of this test until now, from its first use of the radio on."""
        observer = self._observe()
        found = [_event(line) for line in observer.lines]
        return [event for event in found if event and event.time >= self._start]

    @property
    def position(self) -> int:
        """The number of events so far: later ones begin there."""
        return len(self.events) if self._observer else 0

    def find(self, kind: str, words: Sequence[str], since: int) -> RadioEvent | None:
        for event in self.events[since:]:
            values = [str(value) for value in event.members.values()]
            if event.kind == kind and all(str(word) in values for word in words):
                return event
        return None

    def wait(self, kind: str, *words: str, since: int = 0, timeout: float = 60) -> RadioEvent:
        """Waits for an event, such as `wait("link-end", "supervision timeout")`, among those of the test.

        `words`: what it has among its members. `since`: how many events to leave out."""
        observer = self._observe()
        what = f'"{" ".join([kind, *words])}" in the air'
        found: list[RadioEvent] = []

        def check() -> bool:
            event = self.find(kind, words, since)
            if event:
                found.append(event)
            return bool(found)

        observer.wait_for(check, what, timeout)
        return found[0]

    # Its begin and end

    def prepare(self, scene: str) -> None:
        """Plays a test's scene, whose time then waits for `begin`."""
        self._wait_until_no_links()
        self.scene(scene, waits=True)

    def restore(self) -> None:
        """Makes everything as it was when the lab began, if the test has changed anything."""
        if self._observer is not None:
            self._observer.stop()
            self._observer = None
        if not self.is_changed:
            return
        self._lab.reset()
        self._wait_until_no_links()
        self._send("reset")
        self.is_changed = False

    def _wait_until_no_links(self) -> None:
        """Another kind of air cannot come while there are any."""
        deadline = time.monotonic() + LINKS_LIMIT
        while self.status()["links"]:
            if time.monotonic() > deadline:
                raise RadioError(f"links still exist after {LINKS_LIMIT} s")

    def _observe(self) -> Program:
        """Follows the events. Those of other tests are left out by their times."""
        if self._observer is None:
            self._start = self.status()["time_ms"] / 1000
            self._observer = self._lab.start("virtual-radio", "events", "--follow", "--json")
        return self._observer

    def _send(self, *words: str) -> list[str]:
        command = " ".join(["virtual-radio", *words])
        try:
            done = subprocess.run(
                ["virtual-radio", *words], capture_output=True, text=True, timeout=COMMAND_LIMIT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise RadioError(f"{command}: {error}") from error
        if done.returncode == 0:
            return done.stdout.splitlines()
        reason = done.stderr.replace("virtual-radio: ", "").strip()
        if done.returncode in (1, 64):
            raise RadioError(f"{command}: {reason}")
        raise RadioError(f"the lab has no virtual radio that can be asked: {reason}")


class AsyncRadio:
    """As `Radio`, which has the descriptions: `await radio.aio.wait("link-end")`."""

    def __init__(self, radio: Radio) -> None:
        self._radio = radio

    async def move(self, device: str, x: float, y: float, *, over: float = 0) -> None:
        await asyncio.to_thread(lambda: self._radio.move(device, x, y, over=over))

    async def body(self, device: str, loss: float) -> None:
        await asyncio.to_thread(self._radio.body, device, loss)

    async def rssi(self, first: str, second: str, strength: float | None) -> None:
        await asyncio.to_thread(self._radio.rssi, first, second, strength)

    async def loss(self, first: str, second: str, percent: float) -> None:
        await asyncio.to_thread(self._radio.loss, first, second, percent)

    async def block(self, first: str, second: str) -> None:
        await asyncio.to_thread(self._radio.block, first, second)

    async def unblock(self, first: str, second: str) -> None:
        await asyncio.to_thread(self._radio.unblock, first, second)

    async def jam(self, name: str, x: float, y: float, **values: float | None) -> None:
        await asyncio.to_thread(lambda: self._radio.jam(name, x, y, **values))

    async def unjam(self, name: str) -> None:
        await asyncio.to_thread(self._radio.unjam, name)

    async def scene(self, scene: str, *, waits: bool = False) -> None:
        await asyncio.to_thread(lambda: self._radio.scene(scene, waits=waits))

    async def begin(self) -> None:
        await asyncio.to_thread(self._radio.begin)

    async def run(self, *words: str) -> list[str]:
        return await asyncio.to_thread(self._radio.run, *words)

    async def status(self) -> dict[str, Any]:
        return await asyncio.to_thread(self._radio.status)

    async def wait(self, kind: str, *words: str, since: int = 0, timeout: float = 60) -> RadioEvent:
        return await asyncio.to_thread(lambda: self._radio.wait(kind, *words, since=since, timeout=timeout))


def is_text(scene: str) -> bool:
    """Whether it is a scene itself, and not the path of one."""
    return "\n" in scene or ": " in scene


def _found(path: str, folders: Sequence[Path]) -> Path:
    for folder in folders:
        if (folder / path).is_file():
            return folder / path
    places = ", ".join(str(folder) for folder in folders)
    raise FileNotFoundError(f"no scene {path} in {places}")


def _event(line: str) -> RadioEvent | None:
    try:
        members: dict[str, Any] = json.loads(line)
        return RadioEvent(str(members.pop("event")), members.pop("time_ms") / 1000, members)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None  # such as the last words of the program


def _number(value: float) -> str:
    return f"{value:g}" if abs(value) < 1e5 else f"{value:.3f}"


def _span(seconds: float) -> str:
    return f"{round(seconds * 1000)}ms"
