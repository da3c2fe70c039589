"""What dbus-monitor prints: a message's headline with its time, and its content, indented."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bluetooth_lab.bundle.timeline import Entry, text_of

HEADLINE = re.compile(rb"(signal|method call|method return|error) time=(\d+\.\d{6})")
TEXT = re.compile(r'(?:string|object path) (".*)')
SEARCHED_LINES, SHOWN_TEXTS = 12, 3  # of a message's content

Message = tuple[float, list[bytes]]  # its time, its lines


def bus_messages(trace: bytes, start: float) -> list[Message]:
    """The messages of `start` or later."""
    messages: list[Message] = []
    is_included = False
    for line in trace.split(b"\n"):
        match = HEADLINE.match(line)
        if match:
            is_included = float(match[2]) >= start
            if is_included:
                messages.append((float(match[2]), [line]))
        elif is_included and line:
            messages[-1][1].append(line)
    return messages


def bus_text(messages: Iterable[Message]) -> bytes:
    """The messages as in the trace, preceded by the time in the form that all records have."""
    return b"".join(f"{text_of(moment)}  ".encode() + b"\n".join(lines) + b"\n" for moment, lines in messages)


def bus_summary(headline: str) -> str:
    """`:1.5 -> :1.0 method call /org/bluez/hci1 org.bluez.Adapter1.StartDiscovery serial 7`"""
    kind = headline.partition(" time=")[0]
    values = dict(re.findall(r"(\w+)=([^ ;]+)", headline))
    words = [values.get("sender", "?")]
    destination = values.get("destination", "(")
    if not destination.startswith("("):  # a signal has none: "(null destination)"
        words += ["->", destination]
    words.append(kind)
    if "path" in values:
        words.append(values["path"])
    if "member" in values:
        words.append(f"{values.get('interface', '')}.{values['member']}")
    if "error_name" in values:
        words.append(values["error_name"])
    if "reply_serial" in values:
        words.append(f"to {values['reply_serial']}")
    elif kind == "method call" and "serial" in values:
        words.append(f"serial {values['serial']}")
    return " ".join(words)


def bus_entries(messages: Iterable[Message]) -> Iterator[Entry]:
    """One for each message: who called what, with the first texts of its content."""
    for moment, (headline, *lines) in messages:
        texts = [TEXT.search(line.decode(errors="replace")) for line in lines[:SEARCHED_LINES]]
        found = [match[1] for match in texts if match][:SHOWN_TEXTS]
        yield moment, "bus", " ".join([bus_summary(headline.decode(errors="replace")), *found])
