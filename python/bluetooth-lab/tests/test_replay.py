"""What it takes to run a command again, and where two runs differ."""

from __future__ import annotations

import json
import os
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from bluetooth_lab.bundle.capture import EPOCH
from bluetooth_lab.explore.replay import compare, replay
from bluetooth_lab.machine import command
from bluetooth_lab.machine.job import job_environment
from bluetooth_lab.machine.options import Options
from bluetooth_lab.machine.repeat import FILE, Repeat
from bluetooth_lab.machine.runs import KEPT


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


VALID = Repeat.of(Options(["x"]), ["x"], {"LAB_SEED": "5"})._asdict()
TWO_HOSTS = ["--host", "a", "--", "x", "--host", "b", "--", "y"]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "invalid JSON: "),
        ("{", "invalid JSON: "),
        ("[" * 100_000, "invalid JSON: nested too deeply"),
        ("\xff", "not a text file"),
        ("[]", "expected an object, not []"),
        ('"x"', 'expected an object, not "x"'),
        ("{}", 'no "seed"'),
        ('{"seed": "1", "other": 1}', 'unknown key "other"'),
    ],
)
def test_another_file_is_refused(tmp_path: Path, text: str, wrong: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="latin-1")
    with pytest.raises(ValueError) as error:
        Repeat.read(tmp_path)
    assert str(error.value).startswith(wrong)


INVALID: dict[str, list[object]] = {
    "seed": [5, "", "abc", "-7", "٣", "1" * 40],
    "vary": [None, "", "foo", "only=1", ["all"]],
    "folder": [7, "", "relative", "/nul\0", "/\ud800"],
    "command": [[], "x", [1, 2], ["x", "nul\0"]],
    "variables": [[], {"A": 1}, {"A": "nul\0"}, {"A=B": "1"}, {"": "1"}],
    "controllers": ["x", 0, 251, True],
    "bluez": [5, "nul\0"],
    "is_recorded": [None, 1],
    "hosts": ["2", -1, 0, 9, 99, True, None],
    "records_itself": [None, "no"],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in INVALID.items() for value in values])
def test_an_invalid_value_is_refused(tmp_path: Path, key: str, value: object) -> None:
    (tmp_path / FILE).write_text(json.dumps({**VALID, key: value}))
    with pytest.raises(ValueError) as error:
        Repeat.read(tmp_path)
    assert str(error.value).startswith(f"invalid {key} {json.dumps(value)[:60]}")
    assert "; expected " in str(error.value)


@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        ({"command": ["true"]}, "invalid command for 2 hosts; expected --host HOST"),
        ({"command": [*TWO_HOSTS[:5], "c", "--", "y"]}, "invalid command for 2 hosts; expected --host HOST"),
        ({"command": TWO_HOSTS[:3]}, "invalid command: no command to run on host a"),
        ({"command": TWO_HOSTS, "controllers": 9}, "invalid controllers 9; expected at most 8 with 2 hosts"),
    ],
)
def test_what_several_hosts_cannot_have_is_refused(tmp_path: Path, values: dict[str, object], wrong: str) -> None:
    (tmp_path / FILE).write_text(json.dumps({**VALID, "hosts": 2, **values}))
    with pytest.raises(ValueError) as error:
        Repeat.read(tmp_path)
    assert str(error.value).startswith(wrong)


def test_the_run_of_several_hosts_is_read(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(json.dumps({**VALID, "hosts": 2, "command": TWO_HOSTS, "controllers": 8}))
    assert Repeat.read(tmp_path).command == TWO_HOSTS


# A replay in whose machine's place a function runs.


@pytest.fixture
def first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]) -> Path:
    """A run's output."""
    monkeypatch.setattr("bluetooth_lab.explore.replay.say", said.append)
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / FILE).write_text(json.dumps({**VALID, "folder": str(tmp_path)}))
    (folder / "stdout.log").write_text("same\n")
    uml = tmp_path / "home" / "uml" / "linux"
    uml.parent.mkdir(parents=True)
    uml.touch()
    monkeypatch.setattr(os, "environ", {"LAB_HOME": str(tmp_path / "home")})
    monkeypatch.chdir(tmp_path)
    return folder


def run_instead(monkeypatch: pytest.MonkeyPatch, run: Callable[[Path], int]) -> None:
    def replaced(options: Options) -> int:
        assert options.is_repetition and options.out
        Path(options.out).mkdir(parents=True)
        return run(Path(options.out))

    monkeypatch.setattr(command, "run", replaced)


def test_each_replay_has_a_folder_of_its_own_and_old_ones_are_removed(
    first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
) -> None:
    made: list[Path] = []

    def run(out: Path) -> int:
        made.append(out)
        (out / "stdout.log").write_text("same\n")
        return 0

    run_instead(monkeypatch, run)
    replays = tmp_path / "home" / "replays"
    old = [replays / f"20260101-0000{second:02}-4194305" for second in range(KEPT + 2)]
    for folder in old:
        folder.mkdir(parents=True)
    assert replay(first) == 0
    assert said == ["the same again: 1 files are identical"]
    assert sorted(replays.iterdir()) == sorted([*old[3:], *made])


@pytest.mark.parametrize("old", range(KEPT + 1))
def test_what_is_replayed_is_there_until_it_is_compared(
    first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: int
) -> None:
    folders = [tmp_path / "home/replays" / f"20260101-0000{second:02}-4194305" for second in range(KEPT + 1)]
    for folder in folders:
        shutil.copytree(first, folder)

    def run(out: Path) -> int:
        (out / "stdout.log").write_text("same\n")
        return 0

    run_instead(monkeypatch, run)
    assert replay(folders[old]) == 0


def test_files_that_only_one_side_has_are_counted(
    first: Path, monkeypatch: pytest.MonkeyPatch, said: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    def run(out: Path) -> int:
        for name in ("more", "stdout.log", "yet-more"):
            (out / name).touch()
        return 0

    run_instead(monkeypatch, run)
    assert replay(first) == 1
    assert said[-1].startswith("3 of 3 files differ")
    assert "more, the file:\n  - missing\n  + there\n" in capsys.readouterr().out


def test_a_run_that_was_interrupted_is_not_compared(
    first: Path, monkeypatch: pytest.MonkeyPatch, said: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    def run(_: Path) -> int:
        raise KeyboardInterrupt

    run_instead(monkeypatch, run)
    assert replay(first) == 130
    assert (said, capsys.readouterr().out) == (["interrupted: nothing is compared"], "")


def test_a_run_that_could_not_be_made_is_not_compared(
    first: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
) -> None:
    run_instead(monkeypatch, lambda _: 125)
    with pytest.raises(SystemExit) as ended:
        replay(first)
    assert (ended.value.code, said) == (125, [])


def test_a_command_that_ends_as_a_lab_that_fails_is_compared(
    first: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
) -> None:
    def run(out: Path) -> int:
        for folder in (first, out):
            (folder / "status").write_text("125")
        (out / "stdout.log").write_text("same\n")
        return 125

    run_instead(monkeypatch, run)
    assert replay(first) == 0
    assert said == ["the same again: 2 files are identical"]


@pytest.mark.parametrize(
    ("lab", "text"),
    [
        ("tcg", "replay needs user-mode Linux, which LAB=tcg rules out"),
        ("host", "replay needs user-mode Linux, which LAB=host rules out"),
        ("", "no kernel for user-mode Linux: run lab setup --uml"),
    ],
)
def test_without_user_mode_linux_nothing_is_run(
    first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str], lab: str, text: str
) -> None:
    (tmp_path / "home/uml/linux").unlink()
    monkeypatch.setitem(os.environ, "LAB", lab)
    with pytest.raises(SystemExit):
        replay(first)
    assert said == [text]


def test_a_file_is_no_run(first: Path, said: list[str]) -> None:
    with pytest.raises(SystemExit):
        replay(first / FILE)
    assert said[-1].startswith(f"{first / FILE} is not a folder: expected ")


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
