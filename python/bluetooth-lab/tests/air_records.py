"""Recordings of an air for tests, made by hand: a phone that a sensor walks away from."""

from __future__ import annotations

import json
from typing import Any

import page_records

BEGAN = page_records.START - 100.0  # when the radio began; tests begin later
AIR = {
    "event": "air",
    "air": "real",
    "devices": [
        {"name": "sensor", "address": page_records.SENSOR, "at": [0, 0], "controller": "hci0"},
        {"name": "phone", "address": page_records.CENTRAL, "at": [2, 0], "controller": "hci1"},
    ],
    "phantoms": [{"name": "beacon", "address": "C0:00:00:00:00:01", "at": [1, 5]}],
    "walls": [{"from": [5, -5], "to": [5, 5], "loss_db": 12}],
    "jammers": [{"name": "oven", "at": [3, 3], "power_dbm": -40, "duty_percent": 20}],
    "links": [],
}


def line(seconds: float, event: str, **members: Any) -> str:
    """`seconds`: since the test began."""
    time_us = round((page_records.START + seconds - BEGAN) * 1e6)
    members = {key.rstrip("_"): value for key, value in members.items()}
    return json.dumps({"event": event, "time_us": time_us, **members}) + "\n"


def air(seconds: float, **members: Any) -> str:
    return line(seconds, **{**AIR, "began_us": round(BEGAN * 1e6), **members})


def packets(seconds: float, from_: str, to: str, fate: str = "received", **members: Any) -> str:
    values = {"kind": "data", "count": 1, "bytes": 27, "over_us": 0, **members}
    if fate == "received":
        values.setdefault("rssi_dbm", -65.04)
    return line(seconds, "packets", from_=from_, to=to, fate=fate, **values)


def walk() -> str:
    """From 50 s before the test's begin on."""
    parts = [
        air(-50),
        line(-40, "block", between=["sensor", "phone"]),
        air(-30),
        line(-20, "move", device="phone", from_=[2, 0], to=[1, 0]),
        line(0.35, "link-begin", central="phone", peripheral="sensor"),
        line(0.36, "strength", central="phone", peripheral="sensor", rssi_dbm=-59),
        packets(0.45, "phone", "sensor", bytes=0, count=3, over_us=60_000),
        packets(0.9, "phone", "sensor"),
        packets(0.95, "sensor", "phone", "lost", count=2),
        packets(0.96, "sensor", "phone", "jammed"),
        packets(0.97, "phantoms", "phone", kind="advertising", count=40, bytes=400),
        line(1.1, "move", device="sensor", from_=[0, 0], to=[300, 0], over_ms=4000),
        line(1.2, "strength", central="phone", peripheral="sensor", rssi_dbm=-83),
        line(1.3, "out-of-range", central="phone", peripheral="sensor"),
        line(1.4, "link-end", device="phone", peer="sensor", reason=8, text="supervision timeout"),
        line(1.45, "body", device="phone", loss_db=6),
        line(60, "jam", name="oven"),
    ]
    return "".join(parts)
