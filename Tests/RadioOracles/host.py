"""A host that speaks H4 to a controller over a socket, and writes down what comes back."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

LIMIT = 10.0  # seconds, on a busy machine
COMMAND, DATA, EVENT = 1, 2, 4
COMMAND_COMPLETE, COMMAND_STATUS, COMPLETED_PACKETS, LE_META = 0x0E, 0x0F, 0x13, 0x3E

EVENTS = {
    0x05: "Disconnection Complete",
    0x10: "Hardware Error",
    0x08: "Encryption Change",
    0x0C: "Read Remote Version Information Complete",
    0x30: "Encryption Key Refresh Complete",
}
LE_EVENTS = {
    0x01: "LE Connection Complete",
    0x02: "LE Advertising Report",
    0x03: "LE Connection Update Complete",
    0x04: "LE Read Remote Features Complete",
    0x05: "LE Long Term Key Request",
    0x06: "LE Remote Connection Parameter Request",
    0x07: "LE Data Length Change",
    0x0A: "LE Enhanced Connection Complete",
    0x0C: "LE PHY Update Complete",
    0x0D: "LE Extended Advertising Report",
    0x12: "LE Advertising Set Terminated",
    0x14: "LE Channel Selection Algorithm",
}


# Types of identity addresses.
RESOLVED = {2: ", resolved", 3: ", resolved"}


class Host:
    """The journal has an entry for each packet of the controller: its name and what is the same on all radios."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.received = b""
        self.address = bytes(6)
        self.peer = bytes(6)
        self.handle = 0
        self.completed = 0
        self.journal: list[str] = []
        # What this step has not waited for yet.
        self.arrived: list[bytes] = []

    def begin_step(self) -> None:
        self.journal, self.arrived, self.completed = [], [], 0

    def command(self, opcode: int, parameters: bytes = b"", length: int | None = None) -> bytes:
        """Sends a command and returns the return parameters of its answer, after the status. `length`: what it says."""
        count = len(parameters) if length is None else length
        self.send(COMMAND, opcode.to_bytes(2, "little") + bytes([count]) + parameters)
        answers = {COMMAND_COMPLETE: 3, COMMAND_STATUS: 4}

        def is_answer(packet: bytes) -> bool:
            place = answers.get(packet[1]) if packet[0] == EVENT else None
            return place is not None and packet[place + 1 : place + 3] == opcode.to_bytes(2, "little")

        packet = self.wait_for(is_answer, f"the answer to {opcode:04x}")
        return packet[7:] if packet[1] == COMMAND_COMPLETE else b""

    def data(self, content: bytes, handle: int | None = None) -> None:
        handle = self.handle if handle is None else handle
        self.send(DATA, handle.to_bytes(2, "little") + len(content).to_bytes(2, "little") + content)

    def send(self, kind: int, content: bytes) -> None:
        self.connection.sendall(bytes([kind]) + content)

    def wait(self, name: str) -> bytes:
        """Waits for an event, or for data."""
        return self.wait_for(lambda packet: name_of(packet) == name, name)

    def wait_completed(self, count: int) -> None:
        """Waits until the controller has sent so many packets of data in this step."""
        end = time.monotonic() + LIMIT
        while self.completed < count:
            assert time.monotonic() < end, f"not {count} packets are completed but {self.completed}"
            self.read()

    def wait_for(self, is_it: Callable[[bytes], bool], what: str) -> bytes:
        end = time.monotonic() + LIMIT
        while True:
            for place, packet in enumerate(self.arrived):
                if is_it(packet):
                    return self.arrived.pop(place)
            if time.monotonic() > end:
                break
            self.read()
        raise AssertionError(f"nothing has come that is {what}; before it: {self.journal[-5:]}")

    def read(self) -> None:
        """Reads the next packet, if there is one soon."""
        while (length := packet_length(self.received)) > len(self.received):
            self.connection.settimeout(0.2)
            try:
                arrived = self.connection.recv(4096)
            except TimeoutError:
                return
            assert arrived, "the radio has closed the connection"
            self.received += arrived
        packet, self.received = self.received[:length], self.received[length:]
        self.arrived.append(packet)
        self.note(packet)

    def note(self, packet: bytes) -> None:
        name = name_of(packet)
        if packet[0] == EVENT and packet[1] == COMPLETED_PACKETS:
            # When and in how many events is up to the controller.
            self.completed += sum(packet[6 + 4 * place] for place in range(packet[3]))
            return
        entry = f"{name} {self.details(name, packet)}".rstrip()
        # How often an advertiser is heard is chance.
        if "Report" in name and entry in self.journal:
            return
        self.journal.append(entry)

    def details(self, name: str, packet: bytes) -> str:
        """What is the same on all radios: no handles, which each controller chooses, no strengths and versions."""
        if name == "data":
            return f"{packet[2] >> 4 & 3} {packet[5:].hex()}"
        body = packet[3:]
        if name == "Command Complete":
            return f"{int.from_bytes(body[1:3], 'little'):04x} {body[3]:02x}"
        if name == "Command Status":
            return f"{int.from_bytes(body[2:4], 'little'):04x} {body[0]:02x}"
        if name == "Disconnection Complete":
            return f"{body[0]:02x} reason {body[3]:02x}"
        if name == "Encryption Change":
            return f"{body[0]:02x} {body[3]}"
        if not name.startswith("LE "):
            return f"{body[0]:02x}"
        body = body[1:]
        if name in ("LE Connection Complete", "LE Enhanced Connection Complete"):
            times = body[-7:-1].hex()
            if body[0] == 0:
                self.handle = int.from_bytes(body[1:3], "little")
            peer = f"peer {self.who(body[5:11])}{RESOLVED.get(body[4], '')}"
            return f"{body[0]:02x} role {body[3]} {peer} {times}"
        if name == "LE Advertising Report":
            sender = f"{self.who(body[3:9])}{RESOLVED.get(body[2], '')}"
            return f"type {body[1]} from {sender} {body[10:-1].hex()}"
        if name == "LE Extended Advertising Report":
            return f"type {body[1]:02x} from {self.who(body[4:10])} on {body[10]} {body[11]} {body[25:].hex()}"
        if name == "LE Long Term Key Request":
            return body[2:].hex()
        if name == "LE Remote Connection Parameter Request":
            return body[2:].hex()
        if name == "LE Data Length Change":
            return f"{int.from_bytes(body[2:4], 'little')} {int.from_bytes(body[6:8], 'little')}"
        if name in ("LE Connection Update Complete", "LE PHY Update Complete"):
            return f"{body[0]:02x} {body[3:].hex()}"
        return f"{body[0]:02x}"

    def who(self, address: bytes) -> str:
        return {self.address: "own", self.peer: "other", bytes(6): "nobody"}.get(address, address.hex())


def name_of(packet: bytes) -> str:
    if packet[0] == DATA:
        return "data"
    if packet[1] == LE_META:
        return LE_EVENTS.get(packet[3], f"LE event {packet[3]:02x}")
    names = {COMMAND_COMPLETE: "Command Complete", COMMAND_STATUS: "Command Status", COMPLETED_PACKETS: "completed"}
    return {**EVENTS, **names}.get(packet[1], f"event {packet[1]:02x}")


def packet_length(received: bytes) -> int:
    """Of the packet that begins there; more than there is as long as that is unknown."""
    if len(received) < 5:
        return len(received) + 1 if not (len(received) > 2 and received[0] == EVENT) else 3 + received[2]
    if received[0] == DATA:
        return 5 + int.from_bytes(received[3:5], "little")
    assert received[0] == EVENT, f"no packet of a controller: {received.hex()}"
    return 3 + received[2]
