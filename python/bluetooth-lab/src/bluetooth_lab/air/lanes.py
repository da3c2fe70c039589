"""A recording as the lane `radio` of a record's page, in the form of its `lanes.jsonl`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from bluetooth_lab.air.recording import SNAPSHOT, Line, Members
from bluetooth_lab.bundle.timeline import Entry

LANE = "radio"
CONTROLLER = re.compile(r"(?:\w/)?hci(\d+)$")
NAMING = ("central", "peripheral", "device", "peer", "from", "to")  # members that are names of devices
REST = ("event", "time_us")


class Names:
    """The addresses and controllers of devices, as the last `air` has them."""

    def __init__(self) -> None:
        self.addresses: dict[str, str] = {}
        self.controllers: dict[str, int] = {}

    def learn(self, members: Members) -> None:
        for device in [*members.get("devices", []), *members.get("phantoms", [])]:
            name = str(device.get("name"))
            self.addresses[name] = str(device.get("address"))
            match = CONTROLLER.match(str(device.get("controller", "")))
            if match:
                self.controllers[name] = int(match[1])


def named(members: Members) -> list[str]:
    """The devices that an event is about."""
    found = [members[key] for key in NAMING if isinstance(members.get(key), str)]
    return [*found, *(str(name) for name in members.get("between", []))]


def place(value: Any) -> str:
    return "(" + ", ".join(f"{float(part):g}" for part in value) + ") m"


def number(value: Any) -> str:
    return f"{float(value):g}".replace("-", "−")


def between(members: Members) -> str:
    return " and ".join(str(name) for name in members.get("between", []))


def link_end(members: Members) -> str:
    reason = f"{members['text']} (0x{int(members['reason']):02X})"
    return f"link ends for {members['device']}, with {members['peer']}: {reason}"


def move(members: Members) -> str:
    origin = f" from {place(members['from'])}" if "from" in members else ""
    over = f" in {number(members['over_ms'] / 1000)} s" if "over_ms" in members else ""
    return f"{members['device']} moves{origin} to {place(members['to'])}{over}"


def strength(members: Members) -> str:
    value = f"{number(members['strength_dbm'])} dBm" if "strength_dbm" in members else "by distance"
    return f"strength between {between(members)}: {value}"


def packets(members: Members) -> str:
    count = int(members["count"])
    what = "empty packet" if members["kind"] == "data" and not members["bytes"] else f"{members['kind']} packet"
    text = f"{members['from']} → {members['to']}: {count} {what}{'' if count == 1 else 's'}"
    if members["fate"] != "received":
        return f"{text} {members['fate']}"
    if members["bytes"]:
        text += f", {members['bytes']} bytes"
    return f"{text}, {number(round(members['rssi_dbm'], 1))} dBm"


TEXTS: Mapping[str, Callable[[Members], str]] = {
    "packets": packets,
    "strength": lambda it: f"{it['central']} ↔ {it['peripheral']}: {number(it['rssi_dbm'])} dBm",
    "link-begin": lambda it: f"link begins: {it['central']} → {it['peripheral']}",
    "link-end": link_end,
    "out-of-range": lambda it: f"{it['central']} and {it['peripheral']} are out of range",
    "in-range": lambda it: f"{it['central']} and {it['peripheral']} are in range again",
    "move": move,
    "body": lambda it: f"a body weakens {it['device']} by {number(it['loss_db'])} dB",
    "rssi": strength,
    "loss": lambda it: f"{number(it['percent'])} % are lost between {between(it)}",
    "block": lambda it: f"{between(it)} are blocked",
    "unblock": lambda it: f"{between(it)} are unblocked",
    "jam": lambda it: f"jammer {it['name']} begins",
    "unjam": lambda it: f"jammer {it['name']} ends",
    "phantom": lambda it: f"phantom {it['name']} is there ({it.get('count', 1)})",
    "remove": lambda it: f"phantom {it['name']} is removed",
    "scene": lambda it: f"a scene begins, in {it['air']} air",
}


def described(members: Members) -> str:
    """An event in one line, for people."""
    event = str(members["event"])
    if event in TEXTS:
        return TEXTS[event](members)
    return " ".join([event, *(f"{key}={value}" for key, value in members.items() if key not in REST)])


def is_routine(members: Members) -> bool:
    """Whether it is what goes on all the time: advertising, and packets that only keep a connection alive."""
    if members["event"] != "packets" or members["fate"] == "jammed":
        return False
    return members["kind"] in ("advertising", "scan") or (members["fate"] == "received" and not members["bytes"])


def lane(lines: Iterable[Line], start: float) -> Iterator[str]:
    """A line of `lanes.jsonl` for each event from `start` on."""
    names = Names()
    for line in lines:
        if line.event == SNAPSHOT:
            names.learn(line.members)
            continue
        if line.time < start:
            continue
        entry = entry_of(line, names)
        if entry:
            yield json.dumps(entry, ensure_ascii=False) + "\n"


def entry_of(line: Line, names: Names) -> dict[str, Any] | None:
    try:
        about = list(dict.fromkeys(named(line.members)))
        entry: dict[str, Any] = {"time": line.time, "lane": LANE, "text": described(line.members)}
        if is_routine(line.members):
            entry["routine"] = True
    except (KeyError, TypeError, ValueError):
        return None  # a recording of another version
    entry["devices"] = [names.addresses[name] for name in about if name in names.addresses]
    entry["controllers"] = [names.controllers[name] for name in about if name in names.controllers]
    entry["fields"] = {key: value for key, value in line.members.items() if key not in REST}
    return entry


def entries(lines: Iterable[Line], start: float) -> list[Entry]:
    """For the merged record, without what is routine."""
    found = [json.loads(text) for text in lane(lines, start)]
    return [(float(one["time"]), LANE, str(one["text"])) for one in found if not one.get("routine")]
