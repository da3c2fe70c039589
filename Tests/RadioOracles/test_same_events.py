"""The same commands have the same events on virtual-radio and on other people's controllers, but for what is listed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from socket import socket

import pytest
from host import Host
from radios import RADIOS
from steps import STEPS

# What an oracle does not do, and why the specification is on our side. (Core Specification 5.3)
LEFT_OUT = {
    "rootcanal": {
        "lengthen": "its controller does not have LE Set Data Length",
        "send_wrong_length": "it sends Hardware Error and ends; Vol 1 Part F, 2.18 has Invalid HCI Command Parameters",
    },
    "bumble": {
        "mistakes": "it does not check handles, and does not answer some commands at all",
        "find": "legacy scans have extended reports; Vol 4 Part E, 7.7.65.2 wants legacy ones",
        "cancel": "no LE Connection Complete follows; Vol 4 Part E, 7.8.13 has one with Unknown Connection Identifier",
        "inform": "it does not answer Read Remote Version Information",
        "talk": "it carries data for random addresses alone, and these hosts have public ones",
        "lengthen": "its controller does not have LE Set Data Length",
        "refresh_key": "a second Encryption Change comes; Vol 4 Part E, 7.8.24 has Encryption Key Refresh Complete",
        "request_update": "the central's host is not asked; Vol 6 Part B, 5.1.7.2 has it asked",
        "disconnect": "both ends have the reason of the command; Vol 4 Part E, 7.1.6 has 0x16 at our end",
        "find_extended": "it reports a scan response of a set that is not scannable",
        "connect_extended": "no enhanced event comes; Vol 4 Part E, 7.7.65.10 has one when it is unmasked",
        "change_phy": "its controller does not have LE Set PHY",
        "end_at_peripheral": "see disconnect",
        "resolve": "its controller has no resolving list",
        "call": "see resolve",
        "calculate": "its controller does not have LE Encrypt",
        "send_unknown_command": "it does not answer",
        "send_wrong_length": "it does not answer",
    },
}
RESOLVED_CONNECTIONS = [
    (
        f"LE Enhanced Connection Complete 00 role {role} peer other, resolved 18000000f401",
        f"LE Enhanced Connection Complete 00 role {role} peer other 18000000f401",
        "Vol 4 Part E, 7.7.65.10: identity addresses of resolved ones have the types 2 and 3",
    )
    for role in (0, 1)
]
# What it does differently: our entries of a step's journal and its own, and why.
DIFFERENCES = {
    ("rootcanal", "refuse_key"): [
        ("Encryption Change 06 0", "Encryption Change 05 0", "Vol 6 Part B, 5.1.3.1: rejected with 0x06"),
    ],
    ("rootcanal", "resolve"): [
        (
            "LE Advertising Report type 0 from other, resolved",
            "LE Advertising Report type 0 from other",
            "Vol 4 Part E, 7.7.65.2: identity addresses of resolved ones have the types 2 and 3",
        ),
        *RESOLVED_CONNECTIONS,
    ],
    ("rootcanal", "call"): RESOLVED_CONNECTIONS,
    ("rootcanal", "send_unknown_command"): [
        ("Command Status 27ff 01", "Command Complete 27ff 01", "either event reports it, and Linux takes both"),
    ],
    ("bumble", "connect"): [
        (
            "LE Connection Complete 00 role 1 peer other 18000000f401",
            "LE Connection Complete 00 role 1 peer other 0a0000000a00",
            "the peripheral's event has numbers of its own, and not those of the connection",
        ),
    ],
}
# Commands whose answer may come after the event that they cause. Ours comes before: Command Status says that the
# controller has begun (Vol 4 Part E, 7.7.15). For Command Complete of LE Long Term Key Request Reply the specification
# has no order (7.8.25).
ANSWERED_LATE = {
    ("rootcanal", "encrypt"): "Command Complete 201a 00",
    ("rootcanal", "refresh_key"): "Command Complete 201a 00",
    ("rootcanal", "update"): "Command Status 2013 00",
}
Journals = dict[str, list[list[str]]]


def play(radio: Callable[[], AbstractContextManager[list[socket]]], left_out: dict[str, str]) -> Journals:
    """The journals of both hosts for each step."""
    journals: Journals = {}
    with radio() as connections:
        hosts = [Host(connection) for connection in connections]
        for step in STEPS:
            if step.__name__ not in left_out:
                for host in hosts:
                    host.begin_step()
                step(*hosts)
                journals[step.__name__] = [host.journal for host in hosts]
    return journals


def adapt(ours: list[str], oracle: str, step: str) -> list[str]:
    """What the oracle should have where we have this."""
    changes = {own: other for own, other, _ in DIFFERENCES.get((oracle, step), [])}
    return [changes.get(entry, entry) for entry in ours]


def compared(journal: list[str], oracle: str, step: str) -> list[str]:
    late = ANSWERED_LATE.get((oracle, step))
    return sorted(journal, key=lambda entry: entry == late)


@pytest.fixture(scope="module")
def ours() -> Journals:
    return play(RADIOS["ours"], {})


def test_all_steps_go_as_they_should_on_our_radio(ours: Journals) -> None:
    assert list(ours) == [step.__name__ for step in STEPS]


@pytest.mark.parametrize("oracle", ["rootcanal", "bumble"])
def test_an_oracle_has_the_same_events(ours: Journals, oracle: str) -> None:
    theirs = play(RADIOS[oracle], LEFT_OUT[oracle])
    for step, journals in theirs.items():
        for role, own, other in zip(("central", "peripheral"), ours[step], journals, strict=True):
            wanted = compared(adapt(own, oracle, step), oracle, step)
            assert compared(other, oracle, step) == wanted, f"{oracle}, {step}, at the {role}"
