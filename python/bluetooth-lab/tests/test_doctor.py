"""What a machine can do for the lab, and what it lacks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bluetooth_lab.command_line import doctor
from bluetooth_lab.places import Places


@pytest.fixture(autouse=True)
def empty_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One without any program, kernel or KVM, but for user-mode Linux's processor."""
    for name in ("LAB", "LAB_CLOCK", "LAB_KERNEL", "LAB_PREBUILT", "LAB_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LAB_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr(doctor, "DAEMON_FOLDERS", ())
    monkeypatch.setattr(doctor, "program_folder", lambda _: tmp_path / "programs")
    monkeypatch.setattr(doctor, "kvm", lambda _: doctor.Finding("kvm", False, "no /dev/kvm"))


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\necho 5.99\n")
    path.chmod(0o755)
    return path


def report(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, object]]:
    status = doctor.run(True)
    values = json.loads(capsys.readouterr().out)
    findings = {one["name"]: one["works"] for one in [*values["machines"], *values["parts"]]}
    return status, {**findings, "chosen": values["chosen"]}


def test_without_anything_no_machine_can_be_started(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = report(capsys)
    assert status == 1
    assert {name for name, works in found.items() if works is True} <= {"host"}
    assert found["chosen"] == "software emulation: no kernel for user-mode Linux, no KVM"


def test_where_packages_can_be_installed_one_may_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program(tmp_path / "bin/apt-get")
    status, found = report(capsys)
    assert (status, found["tcg"]) == (0, None)


def test_its_kernel_is_enough_for_user_mode_linux(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program(tmp_path / "home/uml/linux")
    status, found = report(capsys)
    assert (status, found["uml"], found["chosen"]) == (0, True, "user-mode Linux")


def test_what_keeps_user_mode_linux_from_starting_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = program(tmp_path / "home/uml/linux")
    places = Places.of({"LAB_HOME": str(tmp_path / "home")})
    monkeypatch.setattr(doctor, "obstacles", lambda: ["no ptrace"])
    assert doctor.user_mode(places) == ("uml", False, "no ptrace")
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert "not for aarch64" in doctor.user_mode(places).text
    kernel.unlink()


def test_a_lab_that_came_with_its_machine_lacks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = tmp_path / "machine"
    names = ("bluetooth-lab-programs", "dbus-daemon", "bluetoothctl", "busybox")
    for path in ("uml/linux", "libexec/bluetoothd", *(f"bin/{name}" for name in names)):
        program(machine / path)
    monkeypatch.setenv("LAB_PREBUILT", str(machine))
    status, found = report(capsys)
    assert status == 0
    assert [name for name, works in found.items() if works is False] == ["kvm", "tcg", "swift"] or found[
        "host"
    ] is False
    assert found["bluetoothd"] is found["dittojay"] is found["busybox"] is True


def test_it_is_shown_as_a_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program(tmp_path / "programs/dittojay")
    doctor.run(False)
    shown = capsys.readouterr().out
    assert f"dittojay      yes    {tmp_path}/programs/dittojay\n" in shown
    assert "bluetoothd    no     missing; please install bluez\n" in shown
