"""A lab that came with a machine in user-mode Linux."""

from __future__ import annotations

from pathlib import Path

from bluetooth_lab.machine.hardware import kvm_works
from bluetooth_lab.machine.job import job_environment
from bluetooth_lab.machine.obstacles import may_trace
from bluetooth_lab.places import LAB_BUILDS, Places, program_folder


def prebuilt(folder: Path) -> dict[str, str]:
    (folder / "prebuilt" / "uml").mkdir(parents=True)
    (folder / "prebuilt" / "uml" / "linux").touch()
    return {"LAB_HOME": str(folder / "home"), "LAB_PREBUILT": str(folder / "prebuilt"), "PATH": "/usr/bin"}


def test_its_programs_come_before_those_of_the_host(tmp_path: Path) -> None:
    caller = prebuilt(tmp_path)
    values = job_environment(Path("/linux"), tmp_path, tmp_path, 2, "", "", caller)
    path = values["PATH"].split(":")
    assert path.index(f"{tmp_path}/prebuilt/bin") < path.index("/usr/bin") < path.index("/run/lab/busybox")
    assert values["LAB_BLUETOOTHD"] == f"{tmp_path}/prebuilt/libexec/bluetoothd"


def test_a_clone_with_it_takes_the_programs_that_are_asked_for(tmp_path: Path) -> None:
    caller = prebuilt(tmp_path)
    assert program_folder({**caller, "LAB_CONFIG": ""}) == tmp_path / "home" / "programs"
    assert program_folder({**caller, "LAB_CONFIG": "debug"}) == LAB_BUILDS / "debug"


def test_it_needs_no_kvm(tmp_path: Path) -> None:
    places = Places.of(prebuilt(tmp_path))
    places.home.mkdir()
    (places.home / "kvm").write_text("yes")
    assert not kvm_works(places)
    assert kvm_works(places._replace(prebuilt_machine=None))


def test_parts_in_c_alone_are_no_machine(tmp_path: Path) -> None:
    caller = {"LAB_HOME": str(tmp_path), "LAB_PREBUILT": str(tmp_path)}
    assert Places.of(caller).prebuilt_machine is None
    values = job_environment(Path("/linux"), tmp_path, tmp_path, 2, "", "", caller)
    assert "LAB_BLUETOOTHD" not in values


def test_tests_run_where_a_program_may_trace_its_children() -> None:
    assert may_trace()
