"""What it takes to run a command again, and where two runs differ."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from bluetooth_lab.bundle.capture import EPOCH
from bluetooth_lab.explore.replay import compare, name_of
from bluetooth_lab.machine.job import job_environment
from bluetooth_lab.machine.options import Options
from bluetooth_lab.machine.repeat import FILE, Repeat


def test_a_run_is_repeated_with_what_it_had(tmp_path: Path) -> None:
    own = {"LAB_SEED": "5", "LAB_RADIO_OPTIONS": "--seed 5", "LAB_ENV": "MINE", "MINE": "1", "HOME": "/h"}
    Repeat.of(Options(["true"], 3, page="p"), ["true"], own).write(tmp_path)
    repeat = Repeat.read(tmp_path)
    environment = repeat.environment({"HOME": "/other", "LAB_RADIO_OPTIONS": "--air real", "LAB_SEED": "9"})
    expected = {"LAB_RADIO_OPTIONS": "--seed 5", "LAB_SEED": "5", "LAB_VARY": "radio,numbers", "MINE": "1"}
    assert {name: environment.get(name) for name in expected} == expected
    assert environment["HOME"] == "/other"
    options = repeat.options(tmp_path / "out")
    assert (list(options.command), options.controllers, options.is_recorded) == (["true"], 3, True)


def test_a_run_has_the_same_variables_again_but_those_of_a_ci_service(tmp_path: Path) -> None:
    own = {"LAB_SEED": "5", "LAB_HOME": "/l", "PYTHONHASHSEED": "1", "PATH": "/p", "CI_JOB_TOKEN": "secret"}
    Repeat.of(Options(["true"]), ["true"], own).write(tmp_path)
    assert "secret" not in (tmp_path / FILE).read_text()
    environment = Repeat.read(tmp_path).environment({"LAB_HOME": "/m", "PYTHONDONTWRITEBYTECODE": "1", "PATH": "/q"})
    names = ("LAB_HOME", "PYTHONHASHSEED", "PATH", "PYTHONDONTWRITEBYTECODE")
    assert [environment.get(name) for name in names] == ["/m", "1", "/p", None]


def test_the_command_finds_the_same_again(tmp_path: Path) -> None:
    def found(caller: dict[str, str]) -> dict[str, str]:
        return job_environment(Path("/k"), Path("/o"), Path("/o"), 2, "", "", caller, is_repeatable=True)

    mine = {"LAB_SEED": "5", "LAB_ENV": "MINE", "MINE": "1", "LAB_BLUETOOTHD_OPTIONS": "-d", "LANG": "C", "PATH": "/p"}
    machine = {"LAB_HOME": str(tmp_path), "LAB_DEFAULT_CLOCK": "counted", "LAB_MEMORY": "1G", "GITHUB_SHA": "a"}
    Repeat.of(Options(["true"]), ["true"], {**mine, **machine}).write(tmp_path)
    other = {"LAB_HOME": str(tmp_path), "LAB_THOROUGH": "1", "LAB_CPUS": "1", "GITHUB_RUN": "b", "PATH": "/q"}
    again = found(Repeat.read(tmp_path).environment(other))
    again.pop("LAB_CLOCK")  # which the machine says
    assert again == found({**mine, **machine})
    assert again["LAB_BLUETOOTHD_OPTIONS"] == "-d"


@pytest.mark.parametrize(
    ("folder", "name"),
    [("runs/1/out", "1"), ("explored/2/77-4", "2-77-4"), ("replays/2-77-4", "2-77-4-again")],
)
def test_a_repetition_has_a_folder_of_its_own(folder: str, name: str) -> None:
    assert name_of(Path("/lab") / folder) == name


@pytest.mark.parametrize("text", ["", "[]", "{}", "{", '{"seed": 1}', '"x"'])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(ValueError):
        Repeat.read(tmp_path)
    (tmp_path / FILE).write_text(
        json.dumps({**Repeat.of(Options(["x"]), ["x"], {"LAB_SEED": "5"})._asdict(), "command": []})
    )
    with pytest.raises(ValueError):
        Repeat.read(tmp_path)


def packet(microseconds: int, content: bytes) -> bytes:
    return struct.pack(">IIIIq", len(content), len(content), 2, 0, microseconds + EPOCH) + content


def sides(tmp_path: Path) -> tuple[Path, Path]:
    folders = tmp_path / "first", tmp_path / "second"
    for folder in folders:
        (folder / "run").mkdir(parents=True)
    return folders


def test_the_same_files_have_no_difference(tmp_path: Path) -> None:
    for folder in sides(tmp_path):
        (folder / "run" / "bus.log").write_text("a\n")
        (folder / "console.log").write_text(str(folder))  # the host's
        (folder / "crash-btmon-345.core").write_text(str(folder))
        number = len(folder.name)
        (folder / "dmesg.log").write_text(
            f"time-travel=ext:fd:{number} ssl2=fd:{number} LAB_JOB=/l/runs/20300101-000000-{number:07}/job\n"
        )
    assert list(compare(*sides_of(tmp_path))) == []


def sides_of(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "first", tmp_path / "second"


def test_each_file_has_its_first_difference_with_its_time(tmp_path: Path) -> None:
    first, second = sides(tmp_path)
    (first / "run/app.log").write_text("same\n2030-01-01 00:00:02.500000  command  a\nx\n")
    (second / "run/app.log").write_text("same\n2030-01-01 00:00:02.400000  command  b\ny\n")
    header = b"btsnoop\0" + bytes(8)
    (first / "run/hci.btsnoop").write_bytes(header + packet(1_000_000, b"a") + packet(2_000_000, b"b"))
    (second / "run/hci.btsnoop").write_bytes(header + packet(1_000_000, b"a"))
    (first / "only").write_text("")
    found = {difference.file: difference for difference in compare(first, second)}
    assert found["run/app.log"].place == "line 2"
    assert found["run/app.log"].moment == pytest.approx(1893456002.4)
    assert found["run/hci.btsnoop"].place == "packet 2"
    assert found["run/hci.btsnoop"].moment == pytest.approx(2.0)
    assert found["run/hci.btsnoop"].second == "(the end)"
    assert (found["only"].first, found["only"].second) == ("there", "missing")
