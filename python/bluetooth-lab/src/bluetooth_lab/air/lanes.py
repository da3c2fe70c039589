"""A recording as the lane `radio` of a record's page, in the form of its `lanes.jsonl`."""

import json
import re
from collections.abc import Iterable, Iterator
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


def described(members: Members) -> str:
    """An event in one line, for people."""
    event = members["event"]
    both = " and ".join(str(name) for name in members.get("between", []))
    match event:
        case "packets":
            return packets(members)
        case "strength":
            return f"{members['central']} ↔ {members['peripheral']}: {number(members['rssi_dbm'])} dBm"
        case "link-begin":
            return f"link begins: {members['central']} → {members['peripheral']}"
        case "link-end":
            reason = f"{members['text']} (0x{int(members['reason']):02X})"
            return f"link ends for {members['device']}, with {members['peer']}: {reason}"
        case "out-of-range" | "in-range":
            where = "out of range" if event == "out-of-range" else "in range again"
            return f"{members['central']} and {members['peripheral']} are {where}"
        case "move":
            origin = f" from {place(members['from'])}" if "from" in members else ""
            over = f" in {number(members['over_ms'] / 1000)} s" if "over_ms" in members else ""
            return f"{members['device']} moves{origin} to {place(members['to'])}{over}"
        case "body":
            return f"a body weakens {members['device']} by {number(members['loss_db'])} dB"
        case "rssi":
            strength = f"{number(members['strength_dbm'])} dBm" if "strength_dbm" in members else "by distance"
            return f"strength between {both}: {strength}"
        case "loss":
            return f"{number(members['percent'])} % are lost between {both}"
        case "block" | "unblock":
            return f"{both} are {event}ed"
        case "jam" | "unjam":
            return f"jammer {members['name']} {'begins' if event == 'jam' else 'ends'}"
        case "phantom":
            return f"phantom {members['name']} is there ({members.get('count', 1)})"
        case "remove":
            return f"phantom {members['name']} is removed"
        case "scene":
            return f"a scene begins, in {members['air']} air"
        case _:
            return " ".join([str(event), *(f"{key}={value}" for key, value in members.items() if key not in REST)])


def packets(members: Members) -> str:
    count = int(members["count"])
    what = "empty packet" if members["kind"] == "data" and not members["bytes"] else f"{members['kind']} packet"
    text = f"{members['from']} → {members['to']}: {count} {what}{'' if count == 1 else 's'}"
    if members["fate"] != "received":
        return f"{text} {members['fate']}"
    if members["bytes"]:
        text += f", {members['bytes']} bytes"
    return f"{text}, {number(round(members['rssi_dbm'], 1))} dBm"


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
