"""Which processor of the host a machine in user-mode Linux gets."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from bluetooth_lab.machine.processor import PLACES, take_processor

FIRST = 2 * os.getpid()  # numbers that no machine and no other test uses
BOTH = {10**9 + FIRST, 10**9 + FIRST + 1}


class Host:
    """With two processors; `chosen`: those that were bound to."""

    def __init__(self) -> None:
        self.chosen: list[int] = []
        self.taken: list[int] = []

    def take(self) -> int | None:
        descriptor = take_processor()
        if descriptor is not None:
            self.taken.append(descriptor)
        return descriptor


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    host = Host()
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: BOTH)
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, processors: host.chosen.extend(processors))
    yield host
    for descriptor in host.taken:
        os.close(descriptor)


def test_machines_are_spread_evenly(host: Host) -> None:
    for _ in range(4):
        assert host.take() is not None
    assert set(host.chosen[:2]) == set(host.chosen[2:]) == BOTH


def test_a_machine_that_has_ended_leaves_its_place(host: Host) -> None:
    host.take()
    host.take()
    os.close(host.taken.pop(0))
    host.take()
    assert host.chosen[2] == host.chosen[0]


def test_further_machines_are_bound_to_none(host: Host) -> None:
    for _ in range(2 * PLACES):
        host.take()
    assert host.take() is None and len(host.chosen) == 2 * PLACES


def test_of_one_processor_there_is_no_choice(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {min(BOTH)})
    assert host.take() is None and host.chosen == []


def test_a_host_that_forbids_it_is_left_alone(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setaffinity", forbid)
    assert host.take() is None
