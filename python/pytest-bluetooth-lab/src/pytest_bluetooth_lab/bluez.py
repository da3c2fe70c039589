"""What bluetoothd has of controllers and devices, by `dbus-send`, which every lab has."""

from __future__ import annotations

import re
import subprocess

ADAPTER = "org.bluez.Adapter1"
DEVICE = "org.bluez.Device1"
LIMIT = 60.0
"""Seconds that bluetoothd may take to answer."""

Objects = dict[str, dict[str, dict[str, str]]]
"""Paths, interfaces, and the properties whose values are simple."""


class BusError(Exception):
    """bluetoothd does not answer, or has refused a call."""


def call(path: str, method: str, *arguments: str, destination: str = "org.bluez") -> str:
    """Calls a method and returns what dbus-send prints of the answer."""
    command = ["dbus-send", "--system", "--print-reply", f"--dest={destination}", path, method, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BusError(f"{method} on {path}: {error}") from error
    if done.returncode != 0:
        raise BusError(f"{method} on {path}: {done.stderr.strip()}")
    return done.stdout


def objects() -> Objects:
    return parse_objects(call("/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects"))


_VALUE = re.compile(r'variant +(?:string|object path|boolean|u?int\d+|byte) +"?(.*?)"?$')


def parse_objects(text: str) -> Objects:
    """The objects of an answer as dbus-send prints it: paths, interfaces and properties are at depths of their own."""
    found: Objects = {}
    path = interface = name = ""
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip(" "))
        content = line.strip()
        if depth == 9 and content.startswith("object path "):
            path, interface, name = content[13:-1], "", ""
            found[path] = {}
        elif depth == 15 and content.startswith("string ") and path:
            interface, name = content[8:-1], ""
            found[path][interface] = {}
        elif depth == 21 and content.startswith("string ") and interface:
            name = content[8:-1]
        elif depth >= 21 and name:
            match = _VALUE.match(content)
            if match:
                found[path][interface][name] = match[1]
            name = ""
    return found


def reset(controllers: list[str]) -> None:
    """The state in which the lab starts: the controllers are on, and know no device."""
    known = objects()
    for controller in controllers:
        path = f"/org/bluez/{controller}"
        if ADAPTER not in known.get(path, {}):
            raise BusError(f"bluetoothd has no controller {controller}")
        if known[path][ADAPTER].get("Powered") != "true":
            set_powered(controller, True)
        for device, interfaces in known.items():
            if DEVICE in interfaces and device.startswith(path + "/"):
                remove(controller, device)


def set_powered(controller: str, is_on: bool) -> None:
    call(
        f"/org/bluez/{controller}",
        "org.freedesktop.DBus.Properties.Set",
        f"string:{ADAPTER}",
        "string:Powered",
        f"variant:boolean:{str(is_on).lower()}",
    )


def remove(controller: str, device: str) -> None:
    try:
        call(f"/org/bluez/{controller}", f"{ADAPTER}.RemoveDevice", f"objpath:{device}")
    except BusError as error:
        if "DoesNotExist" not in str(error):  # it was removed by itself
            raise


def describe_devices() -> str:
    """What bluetoothd has of the controllers and devices, for people."""
    try:
        known = objects()
    except BusError as error:
        return f"bluetoothd does not list its devices: {error}"
    lines: list[str] = []
    for path, interfaces in sorted(known.items()):
        adapter = interfaces.get(ADAPTER)
        if adapter is None:
            continue
        lines.append(f"{path.rsplit('/', 1)[-1]}, powered: {adapter.get('Powered', '?')}")
        for other, others in sorted(known.items()):
            device = others.get(DEVICE)
            if device is None or not other.startswith(path + "/"):
                continue
            lines.append(
                f'    {device.get("Address", "?")} "{device.get("Name", "")}", '
                f"connected: {device.get('Connected', '?')}, "
                f"services resolved: {device.get('ServicesResolved', '?')}, RSSI: {device.get('RSSI', 'none')}"
            )
    return "\n".join(lines)
