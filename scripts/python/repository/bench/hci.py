"""Commands to a controller that the kernel runs, and the events that follow: what a host's program may ask for, beside
the kernel, about a connection."""

import ctypes
import os
import select
import struct
import time

# <bluetooth/bluetooth.h>, <bluetooth/hci.h>: not every Python has them.
AF_BLUETOOTH, SOCK_RAW, BTPROTO_HCI, SOL_HCI, HCI_FILTER = 31, 3, 1, 0, 2
COMMAND, EVENT = 0x01, 0x04
COMMAND_STATUS, COMMAND_COMPLETE, LE_META = 0x0F, 0x0E, 0x3E
CONNECTED, ENHANCED_CONNECTED, UPDATED, LENGTH_CHANGED, PHY_UPDATED = 0x01, 0x0A, 0x03, 0x07, 0x0C
PATIENCE = 30  # seconds
SUPERVISION = 200  # in 10 ms


def connection_update(handle: int, interval: int) -> tuple[int, bytes]:
    """LE Connection Update; `interval` in 1.25 ms."""
    return 0x2013, struct.pack("<7H", handle, interval, interval, 0, SUPERVISION, 0, 0)


def set_data_length(handle: int, length: int) -> tuple[int, bytes]:
    """LE Set Data Length, for 1M."""
    return 0x2022, struct.pack("<3H", handle, length, (length + 14) * 8)


def set_phy(handle: int, phy: int) -> tuple[int, bytes]:
    """LE Set PHY; `phy` is 1 for 1M, 2 for 2M."""
    return 0x2032, struct.pack("<HBBBH", handle, 0, 1 << (phy - 1), 1 << (phy - 1), 0)


def subevent(packet: bytes, *codes: int) -> bytes | None:
    """The parameters of an LE event that is one of these and has succeeded, after its status; Data Length Change has no
    status. None for any other packet. Raises RuntimeError if the event says that it failed."""
    if len(packet) < 5 or packet[0] != EVENT or packet[1] != LE_META or packet[3] not in codes:
        return None
    if packet[3] == LENGTH_CHANGED:
        return packet[4:]
    if packet[4] != 0:
        raise RuntimeError(f"LE event {packet[3]:02x} has the status {packet[4]:02x}")
    return packet[5:]


def refusal(packet: bytes, opcode: int) -> int | None:
    """The status with which a controller has refused a command, if this is that."""
    place = {COMMAND_STATUS: (5, 3), COMMAND_COMPLETE: (4, 6)}.get(packet[1]) if packet[0] == EVENT else None
    if place is None or len(packet) < 7:
        return None
    answered, status = int.from_bytes(packet[place[0] : place[0] + 2], "little"), packet[place[1]]
    return status if answered == opcode and status else None


class Controller:
    """Of the kernel, by a raw socket, which root may open."""

    def __init__(self, number: int) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self.name = f"hci{number}"
        self.socket = libc.socket(AF_BLUETOOTH, SOCK_RAW | os.O_CLOEXEC, BTPROTO_HCI)
        events = struct.pack("<IIIHxx", 1 << EVENT, 0xFFFFFFFF, 0xFFFFFFFF, 0)
        address = struct.pack("<HHH", AF_BLUETOOTH, number, 0)
        if (
            self.socket < 0
            or libc.setsockopt(self.socket, SOL_HCI, HCI_FILTER, events, len(events)) < 0
            or libc.bind(self.socket, address, len(address)) < 0
        ):
            error = ctypes.get_errno()
            raise OSError(error, f"{self.name}: {os.strerror(error)}")

    def close(self) -> None:
        os.close(self.socket)

    def wait(self, *codes: int, answering: int = 0) -> bytes:
        """The parameters of the next LE event that is one of these. Raises RuntimeError if the command `answering` is
        refused or nothing comes."""
        end = time.monotonic() + PATIENCE
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.socket], [], [], left)[0]:
                continue
            packet = os.read(self.socket, 1024)
            if (status := refusal(packet, answering)) is not None:
                raise RuntimeError(f"{self.name} refuses {answering:04x} with {status:02x}")
            if (found := subevent(packet, *codes)) is not None:
                return found
        raise RuntimeError(f"{self.name} has no LE event {' or '.join(f'{code:02x}' for code in codes)}")

    def perform(self, command: tuple[int, bytes], code: int) -> bytes:
        """Sends a command and waits for the LE event that says that it is done."""
        opcode, parameters = command
        os.write(self.socket, struct.pack("<BHB", COMMAND, opcode, len(parameters)) + parameters)
        return self.wait(code, answering=opcode)
