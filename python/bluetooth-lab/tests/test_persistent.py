"""Machines that stay up between commands."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bluetooth_lab.machine import persistent_commands
from bluetooth_lab.machine.hardware import Accelerator, Clock, Hardware
from bluetooth_lab.machine.options import parse
from bluetooth_lab.machine.persistent import PersistentLab, Record, all_labs, ingredients, is_alive, start_time, summary
from bluetooth_lab.machine.reuse import mismatch
from bluetooth_lab.places import Places

COUNTED = Hardware(Accelerator.EMULATION, Clock.COUNTED, "1", "2G")


def record_of(process: int, **changes: object) -> Record:
    record = Record(process, start_time(process) or 0, time.time() - 60, 2, None, "/kernel", COUNTED, "made of this")
    return record._replace(**changes)  # type: ignore[arg-type]


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PersistentLab:
    monkeypatch.setenv("LAB_HOME", str(tmp_path))
    lab = PersistentLab(tmp_path, "default")
    lab.runs.mkdir(parents=True)
    return lab


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    yield process
    process.kill()
    process.wait()


def test_a_record_is_read_as_it_was_written(lab: PersistentLab) -> None:
    assert lab.record() is None
    record = record_of(os.getpid(), bluez="/opt/bluez")
    lab.write_record(record)
    assert lab.record() == record and is_alive(record)


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"hardware": 3}', "\0"])
def test_a_record_that_cannot_be_read_is_none(lab: PersistentLab, text: str) -> None:
    (lab.folder / "machine.json").write_text(text)
    assert lab.record() is None


def test_a_process_with_the_number_of_one_that_has_ended_is_another_one(sleeper: subprocess.Popen[bytes]) -> None:
    record = record_of(sleeper.pid)
    assert is_alive(record) and not is_alive(record._replace(began=record.began - 1))
    sleeper.kill()
    sleeper.wait()
    assert not is_alive(record)


@pytest.mark.parametrize("name", ["", "a/b", "..", "-x", "a b", "x" * 33, "é"])
def test_a_name_that_is_no_name_is_refused(tmp_path: Path, name: str, said: list[str]) -> None:
    with pytest.raises(SystemExit):
        PersistentLab(tmp_path, name)
    assert "name" in said[0]


def test_a_session_is_one_callers_at_a_time_and_the_path_may_be_long(tmp_path: Path) -> None:
    lab = PersistentLab(tmp_path / ("long" * 40), "default")
    lab.folder.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as first, socket.socket(socket.AF_UNIX) as second:
        here = os.getcwd()
        os.chdir(lab.folder)
        for index, listener in enumerate((first, second)):
            listener.bind(f"session{index}")
            listener.listen()
        os.chdir(here)
        sessions = [lab.take_session() for _ in range(2)]
        assert lab.running_commands() == 2
        for session in sessions:
            assert session
            session[0].close()
            os.close(session[1])
    assert lab.running_commands() == 0
    with pytest.raises(OSError):
        lab.take_session()


def test_only_what_was_asked_for_expressly_has_to_match() -> None:
    record = record_of(1)
    assert mismatch(record, parse(["--", "true"]), {}) is None
    assert mismatch(record, parse(["--controllers", "2", "--", "true"]), {"LAB_CLOCK": "counted"}) is None
    assert mismatch(record, parse(["--controllers", "3", "--", "true"]), {}) == "with 2 controllers, not 3"
    assert mismatch(record, parse(["--bluez", "/x", "--", "true"]), {}) == "with another BlueZ than /x"
    assert mismatch(record._replace(bluez="/x"), parse(["--", "true"]), {}) is None
    assert mismatch(record, parse(["--", "true"]), {"LAB_CLOCK": "real"}) == "with its clock counted"
    assert mismatch(record, parse(["--", "true"]), {"LAB_MEMORY": "4G"}) == "with 2G of memory"
    assert mismatch(record, parse(["--", "true"]), {"LAB_RADIO": "btvirt"}) == "with the radio virtual"
    virtual = record._replace(hardware=COUNTED._replace(radio="virtual", radio_options="--air real"))
    assert mismatch(virtual, parse(["--", "true"]), {}) is None
    assert mismatch(virtual, parse(["--", "true"]), {"LAB_RADIO_OPTIONS": "--seed 2"}) == "with its radio --air real"
    assert mismatch(virtual, parse(["--", "true"]), {"LAB_SCENE": "/x.json"}) == "without a scene"
    scene = record._replace(hardware=COUNTED._replace(radio="virtual", scene="/y.json"))
    assert mismatch(scene, parse(["--", "true"]), {}) is None
    assert mismatch(scene, parse(["--", "true"]), {"LAB_SCENE": "/x.json"}) == "with another scene"
    assert mismatch(record, parse(["--", "true"]), {"LAB_CPUS": "4"}) is None, "one that counts has one processor"
    with_kvm = record._replace(hardware=Hardware(Accelerator.KVM, Clock.REAL, "2", "2G"))
    assert mismatch(with_kvm, parse(["--", "true"]), {"LAB_CLOCK": "counted"}) is None, "there is no counting with KVM"
    assert mismatch(with_kvm, parse(["--", "true"]), {"LAB_CPUS": "4"}) == "with 2 processors"
    assert mismatch(with_kvm, parse(["--", "true"]), {"LAB_CLOCK": "simulated"}) == "with its clock real"


def test_what_a_machine_is_made_of_changes_with_its_files(tmp_path: Path) -> None:
    places = Places.of({"LAB_HOME": str(tmp_path)})
    kernel = tmp_path / "vmlinuz"
    kernel.write_text("one")
    first = ingredients(places, kernel)
    assert ingredients(places, kernel) == first
    kernel.write_text("another")
    assert ingredients(places, kernel) != first


def test_status_names_all_and_says_which_are_up(
    lab: PersistentLab, tmp_path: Path, sleeper: subprocess.Popen[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    assert persistent_commands.show_status(False) == 1, "one that is starting is not up"
    lab.write_record(record_of(sleeper.pid))
    other = PersistentLab(tmp_path, "other")
    other.folder.mkdir()
    other.write_record(record_of(sleeper.pid, began=1))
    assert [lab.name for lab in all_labs(tmp_path)] == ["default", "other"]
    assert summary(other, time.time())["state"] == "ended by itself"
    capsys.readouterr()
    assert persistent_commands.show_status(False) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("default: up for 6") and "0 commands running; 2 controllers" in lines[0]
    assert lines[1].startswith("other: ended by itself") and "logs in " in lines[1]


def test_without_a_lab_none_is_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LAB_HOME", str(tmp_path))
    assert persistent_commands.show_status(False) == 1
    assert capsys.readouterr().out == "no lab is up\n"


def test_down_ends_all_processes_of_a_machine(
    lab: PersistentLab, sleeper: subprocess.Popen[bytes], said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(persistent_commands, "say", said.append)
    lab.write_record(record_of(sleeper.pid))
    assert persistent_commands.down(False) == 0
    assert sleeper.wait(timeout=10) < 0 and not lab.folder.exists()
    assert persistent_commands.down(False) == 0
    assert said == ["the lab was ended", "the lab is not up"]


def refusal(said: list[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        persistent_commands.execute(parse(["--", "true"]))
    assert ended.value.code == 125
    return said[-1]


def test_a_command_in_a_lab_that_is_not_up_says_how_to_start_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
) -> None:
    monkeypatch.setenv("LAB_HOME", str(tmp_path))
    assert refusal(said) == "the lab is not up: lab up"
    monkeypatch.setenv("LAB_NAME", "ci")
    assert refusal(said) == "the lab ci is not up: lab up --name ci"


def test_a_command_in_a_lab_that_has_ended_by_itself_says_so(
    tmp_path: Path, lab: PersistentLab, monkeypatch: pytest.MonkeyPatch, said: list[str]
) -> None:
    monkeypatch.setenv("LAB_HOME", str(tmp_path))
    lab.write_record(record_of(os.getpid(), began=1))
    assert "the lab has ended by itself (logs in " in refusal(said)
