"""Several hosts: their commands, their machines, and whose end is the lab's."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from bluetooth_lab import hosts
from bluetooth_lab.hosts import Hosts, file_of_host, host_command, join, parse

BOTH = ("--host", "a", "--", "sensor", "--host", "b", "--", "central", "-x")


def refusal(said: list[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        parse(words)
    assert ended.value.code == 125
    return said[-1]


def test_each_host_has_its_command() -> None:
    options = parse(["--controllers", "3", *BOTH])
    assert options.controllers == 3
    assert options.commands == {"a": ["sensor"], "b": ["central", "-x"]}
    assert parse(["--host", "b", "--", "sh", "--", "--host"]).commands == {"b": ["sh", "--", "--host"]}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), "./lab run [OPTION…] --host a"),
        (("true",), "./lab run [OPTION…] --host a"),
        (("--host", "c", "--", "true"), "./lab run [OPTION…] --host a"),
        (("--host", "a", "--", "--host", "b", "--", "true"), "no command to run on host a"),
        (("--host", "a", "--", "x", "--host", "a", "--", "y"), "host a has two commands"),
        (("--controllers", "9", *BOTH), "1 to 8 with 2 hosts"),
        (("--hosts", "3", "--controllers", "6", *BOTH), "1 to 5 with 3 hosts"),
        (("--hosts", "9", *BOTH), "--hosts takes 1 to 8"),
    ],
)
def test_mistakes_are_said(said: list[str], words: tuple[str, ...], text: str) -> None:
    assert text in refusal(said, *words)


def test_two_hosts_cannot_have_simulated_time(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_CLOCK", "simulated")
    with pytest.raises(SystemExit):
        hosts.main([*BOTH])
    assert said[-1].startswith("several hosts cannot have simulated time")


def machine_words(host: str, *words: str) -> str:
    return " ".join(host_command(host, parse(words), Path("/out"), {"peer-a": 5, "radio0": 6}))


def test_each_machine_has_its_own_folder_capture_and_ports() -> None:
    files = ("--capture", "/x/sensor.btsnoop", "--page", "/x/run.html")
    words = machine_words("b", *files, "--bluez", "/bluez", *BOTH)
    assert " --host b --hosts ab --controllers 1 --out /out/b --capture /x/sensor-b.btsnoop " in words
    assert " --page /x/run-b.html --bluez /bluez " in words
    assert words.endswith("--prefix b|  --joined peer-a=5 --joined radio0=6 -- central -x")


def test_a_host_without_a_command_waits_and_the_other_one_has_no_prefix() -> None:
    alone = ("--host", "b", "--", "sh")
    assert machine_words("a", *alone).endswith(" -- sleep infinity")
    assert "--prefix" not in machine_words("b", *alone)


def test_captures_have_the_hosts_in_their_names() -> None:
    assert file_of_host("/a.b/c.btsnoop", "a") == "/a.b/c-a.btsnoop"
    assert file_of_host("plain", "b") == "plain-b"


class Process:
    def __init__(self) -> None:
        self.signals: list[int] = []

    def poll(self) -> int | None:
        return None

    def send_signal(self, sig: int) -> None:
        self.signals.append(sig)


def two(*commands: str) -> tuple[Hosts, dict[str, Process]]:
    processes = {"a": Process(), "b": Process()}
    running = Hosts({host: ["true"] for host in commands})
    running.processes.update(processes)
    return running, processes


def test_the_end_of_b_ends_the_lab() -> None:
    running, processes = two("a", "b")
    running.ended("b", 0)
    assert processes["a"].signals == [signal.SIGINT] and running.deadline is not None
    running.ended("a", 130)
    assert running.status() == 0, "a was asked to end"


def test_the_end_of_a_does_not_unless_it_has_failed() -> None:
    running, processes = two("a", "b")
    running.ended("a", 0)
    assert processes["b"].signals == []
    running.ended("b", 4)
    assert running.status() == 4

    running, processes = two("a", "b")
    running.ended("a", 9)
    assert processes["b"].signals == [signal.SIGINT]
    running.ended("b", 130)
    assert running.status() == 9


def test_with_one_command_its_end_is_the_labs() -> None:
    running, processes = two("a")
    running.ended("a", 3)
    assert processes["b"].signals == [signal.SIGINT]
    running.ended("b", 130)
    assert running.status() == 3


def test_who_fails_although_asked_to_end_has_failed() -> None:
    running, _ = two("a", "b")
    running.ended("b", 0)
    running.ended("a", 1)
    assert running.status() == 1


def test_a_signal_goes_to_all_that_run() -> None:
    running, processes = two("a", "b")
    running.statuses["a"] = 0
    running.on_signal(signal.SIGTERM, None)
    assert (processes["a"].signals, processes["b"].signals) == ([], [signal.SIGTERM])


def test_any_two_of_three_hosts_are_joined_and_host_a_has_all_controllers() -> None:
    options = parse(["--hosts", "3", "--controllers", "2", "--host", "c", "--", "true"])
    assert options.names == "abc"
    peers = [(("a", "peer-b"), ("b", "peer-a")), (("a", "peer-c"), ("c", "peer-a")), (("b", "peer-c"), ("c", "peer-b"))]
    b, c = ([(host, f"radio{index}") for index in range(2)] for host in "bc")
    assert join(options.names, 2) == peers + [(("a", f"radio{index}"), end) for index, end in enumerate(b + c)]


def test_the_end_of_the_last_host_that_has_a_command_ends_the_lab() -> None:
    running, processes = two("a", "b")
    processes["c"] = Process()
    running.processes.update(processes)
    running.ended("a", 0)
    assert not processes["b"].signals
    running.ended("b", 0)
    assert processes["c"].signals == [signal.SIGINT]
    running.ended("c", 130)
    assert running.status() == 0
