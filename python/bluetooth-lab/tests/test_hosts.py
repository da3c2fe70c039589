"""Several hosts: their commands, their machines, and whose end is the lab's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bluetooth_lab import hosts
from bluetooth_lab.command_line.commands import BY_NAME
from bluetooth_lab.command_line.parsing import UsageError, parse_line
from bluetooth_lab.hosts import Hosts, Options, file_of_host, host_command, join
from bluetooth_lab.machine.runs import status_of

BOTH = ("--host", "a", "--", "sensor", "--host", "b", "--", "central", "-x")


def parse(*words: str) -> Options:
    return Options.of(parse_line(BY_NAME["run"], words))


def test_each_host_has_its_command() -> None:
    options = parse("--hosts", "2", "--controllers", "3", *BOTH)
    assert options.controllers == 3
    assert options.commands == {"a": ["sensor"], "b": ["central", "-x"]}
    assert parse("--hosts", "2", "--host", "b", "--", "sh", "--", "--host").commands == {"b": ["sh", "--", "--host"]}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("2",), "lab run [OPTION…] --host a"),
        (("2", "true"), "lab run [OPTION…] --host a"),
        (("2", "true", *BOTH), "lab run [OPTION…] --host a"),
        (("2", "--host", "c", "--", "true"), "lab run [OPTION…] --host a"),
        (("2", "--host", "a", "--", "--host", "b", "--", "true"), "no command to run on host a"),
        (("2", "--host", "a", "--", "x", "--host", "a", "--", "y"), "host a has two commands"),
        (("2", "--controllers", "9", *BOTH), "too many controllers: 9 (limit 8 with 2 hosts, 16 in all)"),
        (("3", "--controllers", "6", *BOTH), "too many controllers: 6 (limit 5 with 3 hosts, 16 in all)"),
        (("9", *BOTH), "invalid --hosts 9; expected 1, 2, "),
    ],
)
def test_mistakes_are_said(words: tuple[str, ...], text: str) -> None:
    with pytest.raises(UsageError) as error:
        parse("--hosts", *words)
    assert text in str(error.value)


def test_a_search_says_how_it_is_used() -> None:
    with pytest.raises(UsageError, match=r"lab explore .OPTION…. --host a"):
        Options.of(parse_line(BY_NAME["explore"], ["--hosts", "2", "--", "true"]))


def test_a_tool_ends_with_them(said: list[str]) -> None:
    with pytest.raises(SystemExit):
        hosts.main(["--hosts", "2", "true"])
    assert "lab run [OPTION…] --host a" in said[-1]


def machine_words(host: str, *words: str) -> str:
    return " ".join(host_command(host, parse("--hosts", "2", *words), Path("/out"), {"peer-a": 5, "radio0": 6}))


def test_each_machine_has_its_own_folder_capture_and_ports() -> None:
    files = ("--capture", "/x/sensor.btsnoop", "--page", "/x/run.html")
    words = machine_words("b", *files, "--bluez", "/bluez", *BOTH)
    assert " --this-host b --all-hosts ab --controllers 1 --out /out/b --capture /x/sensor-b.btsnoop " in words
    assert " --page /x/run-b.html --bluez /bluez " in words
    assert words.endswith("--prefix b|  --joined peer-a=5 --joined radio0=6 -- central -x")


def test_a_session_by_the_calendar_is_passed_on() -> None:
    words = host_command("a", parse("--hosts", "2", *BOTH), Path("/out"), {"calendar": 5, "session0": 6}, 7)
    assert " --joined calendar=5 --joined session0=6 --session 7 -- " in " ".join(words)


def test_a_host_without_a_command_waits_and_the_other_one_has_no_prefix() -> None:
    alone = ("--host", "b", "--", "sh")
    assert machine_words("a", *alone).endswith(" -- sleep infinity")
    assert "--prefix" not in machine_words("b", *alone)


def test_captures_have_the_hosts_in_their_names() -> None:
    assert file_of_host("/a.b/c.btsnoop", "a") == "/a.b/c-a.btsnoop"
    assert file_of_host("plain", "b") == "plain-b"


class Process:
    def __init__(self, status: int | None = None) -> None:
        self.signals: list[int] = []
        self.status = status

    def poll(self) -> int | None:
        return self.status

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


def test_a_host_that_the_calendar_has_interrupted_is_not_interrupted_again() -> None:
    running, processes = two("a", "b")
    assert running.to_interrupt("b", 0) == ["a"]
    running.ended("b", 0)
    assert processes["a"].signals == [] and running.deadline is not None
    assert running.to_interrupt("a", 130) == []


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


def test_the_machines_of_all_hosts_but_the_last_outlive_their_commands() -> None:
    assert machine_words("a", *BOTH).endswith("/stay-up sensor")
    assert machine_words("b", *BOTH).endswith(" -- central -x")


@pytest.mark.parametrize(
    ("command", "status"), [("exit 3", 3), ("kill -TERM $PPID; exec sleep 0.1", 0), ("kill -INT $PPID; exit 5", 5)]
)
def test_a_machine_ends_with_a_command_that_fails_or_is_asked_to_end(command: str, status: int) -> None:
    assert subprocess.run([hosts.STAY_UP, "sh", "-c", command], timeout=20, check=False).returncode == status


def test_a_machine_outlives_a_command_that_succeeds() -> None:
    # As the machine's agent starts commands: in a background job of a shell the signal would be ignored.
    command = ["env", "--default-signal=INT", str(hosts.STAY_UP), "true"]
    with subprocess.Popen(command) as process:
        try:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(timeout=0.5)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=20) in (-signal.SIGINT, *hosts.INTERRUPTED)
        finally:
            process.kill()


def test_a_signal_goes_to_all_that_run() -> None:
    running, processes = two("a", "b")
    running.statuses["a"] = 0
    running.on_signal(signal.SIGTERM, None)
    assert (processes["a"].signals, processes["b"].signals) == ([], [signal.SIGTERM])


@pytest.mark.parametrize("killed", [False, True])
def test_a_repetition_that_was_cut_short_has_no_exit_status(
    killed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
) -> None:
    def started(_: Options, out: Path, calendar: object) -> dict[str, Process]:
        os.kill(os.getpid(), signal.SIGCHLD if killed else signal.SIGTERM)
        return {"a": Process(0), "b": Process(-signal.SIGKILL if killed else 130)}

    monkeypatch.setattr(os, "environ", {"LAB_HOME": str(tmp_path)})
    monkeypatch.setattr(hosts, "fail", lambda text: sys.exit(text))
    monkeypatch.setattr(hosts, "start_machines", started)
    options = parse("--hosts", "2", *BOTH)
    options = options._replace(machine=options.machine._replace(is_repetition=True))
    handlers = [(number, signal.getsignal(number)) for number in (*hosts.SIGNALS, signal.SIGCHLD)]
    try:
        with pytest.raises(SystemExit if killed else KeyboardInterrupt) as ended:
            hosts.run(options)
    finally:
        signal.set_wakeup_fd(-1)
        for number, handler in handlers:
            signal.signal(number, handler)
    assert not killed or str(ended.value) == "the machine of host b was killed"


def test_any_two_of_three_hosts_are_joined_and_host_a_has_all_controllers() -> None:
    options = parse("--hosts", "3", "--controllers", "2", "--host", "c", "--", "true")
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


@pytest.mark.parametrize(("kept", "expected"), [("4\n", 4), ("0\n", None), (None, None)])
def test_a_status_is_kept_if_a_command_ended_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str | None, expected: int | None
) -> None:
    def machines(*_: object) -> dict[str, Process]:
        processes = {"a": Process(), "b": Process()}
        processes["a"].status, processes["b"].status = 0, 4
        if kept is not None:
            (tmp_path / "b").mkdir()
            (tmp_path / "b" / "status").write_text(kept)
        return processes

    monkeypatch.setattr(hosts, "start_machines", machines)
    monkeypatch.setattr(hosts, "take_processor", lambda: None)
    monkeypatch.setattr(Hosts, "install_signals", lambda running: os.write(running.waker, b"x"))
    monkeypatch.setattr("bluetooth_lab.machine.calendar.Calendar.begin", lambda _: None)
    monkeypatch.setenv("LAB_CLOCK", "simulated")
    (tmp_path / "status").write_text("0\n")  # of an earlier run
    assert hosts.run(parse("--hosts", "2", "--out", str(tmp_path), *BOTH)) == 4
    assert status_of(tmp_path) == expected
