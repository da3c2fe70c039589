"""What hosts do with two controllers, by HCI commands. Each step waits for what must follow from it."""

from __future__ import annotations

from collections.abc import Callable

from host import Host

FLAGS = bytes([2, 1, 6])
NAME = b"\x05\x09four"
SCAN = bytes([0x10, 0, 0x10, 0])  # 10 ms in 10 ms
INTERVAL, LATENCY, TIMEOUT = 24, 0, 500  # 30 ms, 5 s
CONNECTION = bytes([INTERVAL, 0, INTERVAL, 0, LATENCY, 0]) + TIMEOUT.to_bytes(2, "little") + bytes(4)
OTHER_CONNECTION = bytes([40, 0, 40, 0, 1, 0]) + TIMEOUT.to_bytes(2, "little") + bytes(4)
KEY, OTHER_KEY = bytes(range(16)), bytes(range(16, 32))
DIVERSIFIER = bytes([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
ALL_EVENTS = bytes([0xFF] * 7 + [0x3F])


def number(value: int) -> bytes:
    return value.to_bytes(2, "little")


def initialise(central: Host, peripheral: Host) -> None:
    for host in (central, peripheral):
        host.command(0x0C03)
        host.command(0x0C01, ALL_EVENTS)
        host.command(0x2001, b"\x7f" + bytes(7))  # what 4.2 has
        for opcode in (0x1001, 0x1003, 0x2002, 0x2003, 0x200F, 0x2010, 0x2018, 0x201C, 0x2023, 0x202F):
            host.command(opcode)
        host.address = host.command(0x1009)
    central.peer, peripheral.peer = peripheral.address, central.address


def mistakes(central: Host, _: Host) -> None:
    unknown = number(0x0ABC)
    central.command(0x0406, unknown + b"\x13")
    central.command(0x1405, unknown)
    central.command(0x2013, unknown + CONNECTION)
    central.command(0x2016, unknown)
    central.command(0x041D, unknown)
    central.command(0x2019, unknown + bytes(26))
    central.command(0x201A, unknown + bytes(16))
    central.command(0x201B, unknown)
    central.command(0x200E)
    central.data(b"to nobody", 0x0ABC)
    central.command(0x2006, number(0x10) + number(0x20) + bytes(9) + b"\x07\x00")
    central.command(0x200B, b"\x00" + number(0x10) + number(0x20) + bytes(2))


def advertise(peripheral: Host) -> None:
    peripheral.command(0x2006, number(0x20) + number(0x20) + bytes(9) + b"\x07\x00")
    peripheral.command(0x2008, bytes([len(FLAGS)]) + FLAGS.ljust(31, b"\0"))
    peripheral.command(0x2009, bytes([len(NAME)]) + NAME.ljust(31, b"\0"))
    peripheral.command(0x200A, b"\x01")


def find(central: Host, peripheral: Host) -> None:
    advertise(peripheral)
    peripheral.command(0x2006, number(0x20) + number(0x20) + bytes(9) + b"\x07\x00")  # not while it advertises
    central.command(0x200B, b"\x01" + SCAN + bytes(2))
    central.command(0x200C, b"\x01\x01")
    for type_ in (0, 4):
        start = bytes([0x02, 1, type_])
        central.wait_for(lambda packet, start=start: packet[3:6] == start, f"a report of type {type_}")
    central.command(0x200B, b"\x01" + SCAN + bytes(2))  # not while it scans
    central.command(0x200C, b"\x00\x00")


def cancel(central: Host, peripheral: Host) -> None:
    peripheral.command(0x200A, b"\x00")
    central.command(0x200D, SCAN + b"\x00\x00" + bytes(6) + b"\x00" + CONNECTION)
    central.command(0x200D, SCAN + b"\x00\x00" + bytes(6) + b"\x00" + CONNECTION)
    central.command(0x200E)
    central.wait("LE Connection Complete")


def connect(central: Host, peripheral: Host) -> None:
    advertise(peripheral)
    central.command(0x200D, SCAN + b"\x00\x00" + peripheral.address + b"\x00" + CONNECTION)
    for host in (central, peripheral):
        host.wait("LE Connection Complete")
        # Whoever has sent this before the end of the step has not sent it later.
        host.command(0x1009)


def inform(central: Host, peripheral: Host) -> None:
    central.command(0x2016, number(central.handle))
    central.wait("LE Read Remote Features Complete")
    for host in (central, peripheral):
        host.command(0x041D, number(host.handle))
        host.wait("Read Remote Version Information Complete")
        host.command(0x1405, number(host.handle))
        host.command(0x0C2D, number(host.handle) + b"\x00")


def talk(central: Host, peripheral: Host) -> None:
    for place in range(1, 4):
        central.data(bytes([place, 0, 4, 0]) + bytes(place))
        peripheral.wait("data")
        peripheral.data(bytes([20 - place, 0, 4, 0]) + bytes(20 - place))
        central.wait("data")
    for host in (central, peripheral):
        host.wait_completed(3)


def lengthen(central: Host, peripheral: Host) -> None:
    central.command(0x2022, number(central.handle) + number(251) + number(2120))
    for host in (central, peripheral):
        host.wait("LE Data Length Change")


def refuse_key(central: Host, peripheral: Host) -> None:
    central.command(0x2019, number(central.handle) + DIVERSIFIER + KEY)
    peripheral.wait("LE Long Term Key Request")
    peripheral.command(0x201B, number(peripheral.handle))
    central.wait("Encryption Change")


def encrypt(central: Host, peripheral: Host) -> None:
    central.command(0x2019, number(central.handle) + DIVERSIFIER + KEY)
    peripheral.wait("LE Long Term Key Request")
    peripheral.command(0x201A, number(peripheral.handle) + KEY)
    for host in (central, peripheral):
        host.wait("Encryption Change")


def refresh_key(central: Host, peripheral: Host) -> None:
    central.command(0x2019, number(central.handle) + DIVERSIFIER + KEY)
    peripheral.wait("LE Long Term Key Request")
    peripheral.command(0x201A, number(peripheral.handle) + KEY)
    for host in (central, peripheral):
        host.wait("Encryption Key Refresh Complete")


def update(central: Host, peripheral: Host) -> None:
    central.command(0x2013, number(central.handle) + OTHER_CONNECTION)
    for host in (central, peripheral):
        host.wait("LE Connection Update Complete")


def request_update(central: Host, peripheral: Host) -> None:
    peripheral.command(0x2013, number(peripheral.handle) + CONNECTION)
    request = central.wait("LE Remote Connection Parameter Request")
    central.command(0x2020, number(central.handle) + request[6:] + bytes(4))
    for host in (central, peripheral):
        host.wait("LE Connection Update Complete")


def disconnect(central: Host, peripheral: Host) -> None:
    central.command(0x0406, number(central.handle) + b"\x13")
    for host in (central, peripheral):
        host.wait("Disconnection Complete")
    central.command(0x0406, number(central.handle) + b"\x13")
    central.data(b"too late")


def find_extended(central: Host, peripheral: Host) -> None:
    for host in (central, peripheral):
        host.command(0x0C03)
        host.command(0x0C01, ALL_EVENTS)
        # Enhanced connections, PHY updates, extended reports, and sets that have ended.
        host.command(0x2001, number(0x1A7F) + bytes([0x02]) + bytes(5))
    peripheral.command(0x2037, b"\x01\x03\x01\x00")  # no set yet
    # Connectable, with extended packets.
    three = bytes([0x20, 0, 0])
    peripheral.command(0x2036, b"\x01\x01\x00" + three + three + b"\x07" + bytes(9) + b"\x7f\x01\x00\x01\x00\x00")
    peripheral.command(0x2037, b"\x01\x03\x01" + bytes([len(FLAGS)]) + FLAGS)
    peripheral.command(0x2039, b"\x01\x01\x01\x00\x00\x00")
    central.command(0x2041, b"\x00\x00\x01\x00" + SCAN)
    central.command(0x2042, b"\x01\x01" + bytes(4))
    central.wait("LE Extended Advertising Report")
    central.command(0x2042, bytes(6))


def connect_extended(central: Host, peripheral: Host) -> None:
    central.command(0x2043, b"\x00\x00\x00" + peripheral.address + b"\x01" + SCAN + CONNECTION)
    for host in (central, peripheral):
        host.wait("LE Enhanced Connection Complete")
    peripheral.wait("LE Advertising Set Terminated")
    for host in (central, peripheral):
        host.command(0x1009)


def change_phy(central: Host, peripheral: Host) -> None:
    central.command(0x2032, number(central.handle) + b"\x00\x02\x02\x00\x00")
    for host in (central, peripheral):
        host.wait("LE PHY Update Complete")
        host.command(0x2030, number(host.handle))


def end_at_peripheral(central: Host, peripheral: Host) -> None:
    peripheral.command(0x0406, number(peripheral.handle) + b"\x15")
    for host in (central, peripheral):
        host.wait("Disconnection Complete")


def resolve(central: Host, peripheral: Host) -> None:
    for host, own, peer in ((central, KEY, OTHER_KEY), (peripheral, OTHER_KEY, KEY)):
        host.command(0x0C03)
        host.command(0x0C01, ALL_EVENTS)
        host.command(0x2001, number(0x067F) + bytes(6))  # also enhanced connections, and directed reports
        host.command(0x2028, b"\x00" + host.peer)  # it is not in the list yet
        host.command(0x2027, b"\x00" + host.peer + peer + own)
        host.command(0x202D, b"\x01")
        host.command(0x202E, number(60))
    # Both by addresses that only the other knows.
    peripheral.command(0x2006, number(0x20) + number(0x20) + b"\x00\x02\x00" + peripheral.peer + b"\x07\x00")
    peripheral.command(0x200A, b"\x01")
    peripheral.command(0x2029)  # not while it advertises
    central.command(0x200B, b"\x00" + SCAN + b"\x02\x00")
    central.command(0x200C, b"\x01\x01")
    central.wait("LE Advertising Report")
    central.command(0x202D, b"\x00")  # not while it scans
    central.command(0x200C, b"\x00\x00")
    central.command(0x200D, SCAN + b"\x00\x00" + central.peer + b"\x02" + CONNECTION)
    for host in (central, peripheral):
        host.wait("LE Enhanced Connection Complete")
        host.command(0x1009)
    end_at_peripheral(central, peripheral)


def call(central: Host, peripheral: Host) -> None:
    peripheral.command(0x2006, number(0x20) + number(0x20) + b"\x04\x02\x00" + peripheral.peer + b"\x07\x00")
    peripheral.command(0x200A, b"\x01")
    central.command(0x200D, SCAN + b"\x00\x00" + central.peer + b"\x02" + CONNECTION)
    for host in (central, peripheral):
        host.wait("LE Enhanced Connection Complete")
        host.command(0x1009)
    end_at_peripheral(central, peripheral)


def calculate(central: Host, _: Host) -> None:
    central.journal.append(f"cipher {central.command(0x2017, KEY + bytes(16)).hex()}")


def send_unknown_command(central: Host, _: Host) -> None:
    central.command(0x27FF)


def send_wrong_length(central: Host, _: Host) -> None:
    central.command(0x2005, bytes(3))


STEPS: list[Callable[[Host, Host], None]] = [
    initialise,
    mistakes,
    find,
    cancel,
    connect,
    inform,
    talk,
    lengthen,
    refuse_key,
    encrypt,
    refresh_key,
    update,
    request_update,
    disconnect,
    find_extended,
    connect_extended,
    change_phy,
    end_at_peripheral,
    resolve,
    call,
    calculate,
    send_unknown_command,
    send_wrong_length,
]
