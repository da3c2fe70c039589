"""Notes between the packets of an HCI capture, on the kernel's logging channel; btmon and Wireshark show them.

BlueZ writes its log there, too (src/shared/log.c)."""

from __future__ import annotations

import ctypes
import os
import socket
import struct

_BLUETOOTH_FAMILY = 31
_HCI_PROTOCOL = 1
_NO_CONTROLLER = 0xFFFF
_LOGGING_CHANNEL = 4
_INFORMATIONAL = 6
_IDENTITY = b"BluetoothLab\0"
_LONGEST = 500


def _open_channel() -> socket.socket | None:
    """None where the channel cannot be had, which takes the capability CAP_NET_ADMIN."""
    try:
        channel = socket.socket(_BLUETOOTH_FAMILY, socket.SOCK_RAW, _HCI_PROTOCOL)
    except OSError:
        return None
    address = struct.pack("=HHH", _BLUETOOTH_FAMILY, _NO_CONTROLLER, _LOGGING_CHANNEL)
    # The socket module of most versions of Python knows no channels.
    if ctypes.CDLL(None).bind(channel.fileno(), address, len(address)) != 0:
        channel.close()
        return None
    return channel


_channel: socket.socket | None = None
_was_opened = False


def write_note(text: str) -> bool:
    """Writes a note; False when there is no channel for it."""
    global _channel, _was_opened
    if not _was_opened:
        _was_opened = True
        _channel = _open_channel()
    if _channel is None:
        return False
    content = bytes([_INFORMATIONAL, len(_IDENTITY)]) + _IDENTITY + text.encode()[:_LONGEST] + b"\0"
    message = struct.pack("<HHH", 0, _NO_CONTROLLER, len(content)) + content
    try:
        return os.write(_channel.fileno(), message) == len(message)
    except OSError:
        return False
