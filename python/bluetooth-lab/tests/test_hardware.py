"""What the virtual machine is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from bluetooth_lab.machine.hardware import Accelerator, Clock, Hardware, choose, kvm_works, named, uml_works
from bluetooth_lab.places import Places


def test_it_has_two_processors_where_the_host_has_as_many() -> None:
    assert choose({}, True, False, 8) == Hardware(Accelerator.KVM, Clock.REAL, "2", "2G")
    assert choose({}, True, False, 1).processors == "1"


def test_size_is_taken_from_the_environment() -> None:
    hardware = choose({"LAB_CPUS": "4", "LAB_MEMORY": "512M"}, True, False, 2)
    assert (hardware.processors, hardware.memory) == ("4", "512M")


def test_kvm_is_left_alone_where_software_emulation_is_asked_for() -> None:
    assert choose({"LAB": "tcg"}, True, False, 2).accelerator is Accelerator.EMULATION
    assert choose({}, True, False, 2).accelerator is Accelerator.KVM
    assert choose({}, False, False, 2).accelerator is Accelerator.EMULATION


def test_a_counted_clock_takes_software_emulation_with_one_processor() -> None:
    counted = {"LAB_CLOCK": "counted", "LAB_CPUS": "4"}
    assert choose(counted, False, False, 4)[1:3] == (Clock.COUNTED, "1")
    assert choose({**counted, "LAB": "tcg"}, True, False, 4)[1:3] == (Clock.COUNTED, "1")
    assert choose(counted, True, False, 4)[1:3] == (Clock.REAL, "4")


def test_a_simulated_clock_is_software_emulations_even_if_kvm_works() -> None:
    hardware = choose({"LAB_CLOCK": "simulated", "LAB_CPUS": "4"}, True, False, 4)
    assert hardware[:3] == (Accelerator.EMULATION, Clock.SIMULATED, "1")


def test_a_clock_that_was_not_asked_for_leaves_kvm() -> None:
    default = {"LAB_DEFAULT_CLOCK": "simulated"}
    assert choose(default, True, False, 4)[:3] == (Accelerator.KVM, Clock.REAL, "2")
    assert choose(default, False, False, 4)[:3] == (Accelerator.EMULATION, Clock.SIMULATED, "1")
    assert choose({**default, "LAB_CLOCK": "real"}, False, False, 4)[:3] == (Accelerator.EMULATION, Clock.REAL, "2")


def test_user_mode_linux_is_taken_where_it_is_asked_for() -> None:
    assert choose({"LAB": "uml"}, True, True, 4)[:3] == (Accelerator.USER_MODE, Clock.REAL, "1")
    assert choose({"LAB": "uml", "LAB_DEFAULT_CLOCK": "counted"}, False, True, 4).clock is Clock.REAL
    for variable in ("LAB_DEFAULT_CLOCK", "LAB_CLOCK"):
        simulated = choose({"LAB": "uml", variable: "simulated"}, True, True, 4)
        assert simulated[:3] == (Accelerator.USER_MODE, Clock.SIMULATED, "1")


def test_user_mode_linux_is_taken_before_the_others_where_it_has_what_is_asked_for() -> None:
    assert choose({}, False, True, 4).accelerator is Accelerator.USER_MODE
    assert choose({}, True, True, 4).accelerator is Accelerator.USER_MODE
    assert choose({"LAB_CLOCK": "simulated"}, True, True, 4)[:2] == (Accelerator.USER_MODE, Clock.SIMULATED)
    assert choose({"LAB_DEFAULT_CLOCK": "counted"}, False, True, 4)[:2] == (Accelerator.USER_MODE, Clock.REAL)
    for variables in ({"LAB": "tcg"}, {"LAB_CLOCK": "counted"}, {"LAB_KERNEL": "linux-image-amd64"}):
        assert choose(variables, False, True, 4).accelerator is Accelerator.EMULATION
    assert choose({"LAB": "kvm"}, True, True, 4).accelerator is Accelerator.KVM


@pytest.mark.parametrize(
    ("variables", "chosen", "text"),
    [
        ({}, Accelerator.USER_MODE, "user-mode Linux"),
        ({"LAB": "uml"}, Accelerator.USER_MODE, "user-mode Linux, by LAB=uml"),
        ({}, Accelerator.KVM, "KVM: no kernel for user-mode Linux"),
        ({}, Accelerator.EMULATION, "software emulation: no kernel for user-mode Linux, no KVM"),
        ({"LAB_CLOCK": "counted"}, Accelerator.EMULATION, "software emulation, for counted time"),
        ({"LAB_KERNEL": "linux-image-amd64"}, Accelerator.KVM, "KVM, for LAB_KERNEL"),
    ],
)
def test_why_a_machine_is_not_in_user_mode_linux_is_said(
    variables: dict[str, str], chosen: Accelerator, text: str
) -> None:
    assert named(variables, chosen) == text


@pytest.mark.parametrize(
    ("variables", "works", "text"),
    [
        ({"LAB": "uml"}, False, "no kernel for user-mode Linux: run lab setup --uml"),
        ({"LAB": "uml", "LAB_KERNEL": "linux-image-amd64"}, True, "LAB_KERNEL does not work with user-mode Linux"),
        ({"LAB": "uml", "LAB_CLOCK": "counted"}, True, "user-mode Linux (LAB=uml) does not support --time counted"),
        ({"LAB": "kvm"}, True, "KVM (LAB=kvm) does not work on this machine"),
        ({"LAB": "qemu"}, True, "invalid LAB qemu; expected uml, kvm, tcg or host"),
    ],
)
def test_a_machine_that_cannot_be_had_is_a_mistake(
    variables: dict[str, str], works: bool, text: str, said: list[str]
) -> None:
    with pytest.raises(SystemExit):
        choose(variables, False, works, 2)
    assert text in said[0]


def test_user_mode_linux_needs_its_kernel(tmp_path: Path) -> None:
    places = Places.of({"LAB_HOME": str(tmp_path)})
    assert not uml_works(places)
    places.uml_kernel.parent.mkdir()
    places.uml_kernel.touch()
    assert uml_works(places)


def test_the_radio_is_our_own_unless_another_is_chosen() -> None:
    assert choose({}, False, False, 2)[4:7] == ("virtual", "", "")
    assert choose({"LAB_RADIO": "btvirt"}, False, False, 2)[4:7] == ("btvirt", "", "")
    assert choose({"LAB_DEFAULT_RADIO": "btvirt"}, False, False, 2)[4:7] == ("btvirt", "", "")
    assert choose({"LAB_DEFAULT_RADIO": "btvirt", "LAB_RADIO": "virtual"}, False, False, 2)[4:7] == ("virtual", "", "")
    variables = {"LAB_RADIO": "virtual", "LAB_RADIO_OPTIONS": "--controller 4.2"}
    assert choose(variables, False, False, 2)[4:7] == ("virtual", "--controller 4.2", "")
    assert choose({**variables, "LAB_SCENE": "/x.json"}, False, False, 2).scene == "/x.json"


@pytest.mark.parametrize(
    ("variables", "text"),
    [
        ({"LAB_RADIO": "real"}, "invalid radio real (--radio, LAB_RADIO); expected virtual or btvirt"),
        ({"LAB_RADIO": "btvirt", "LAB_RADIO_OPTIONS": "--air real"}, "--air requires --radio virtual"),
        ({"LAB_RADIO": "btvirt", "LAB_SCENE": "/x.json"}, "--scene requires --radio virtual"),
    ],
)
def test_another_radio_is_a_mistake(variables: dict[str, str], text: str, said: list[str]) -> None:
    with pytest.raises(SystemExit):
        choose(variables, False, False, 2)
    assert text in said[0]


def test_another_clock_is_a_mistake(said: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        choose({"LAB_CLOCK": "fast"}, False, False, 2)
    assert ended.value.code == 125
    assert said == ["invalid LAB_CLOCK fast; expected real, counted or simulated"]


@pytest.mark.parametrize(("text", "works"), [("yes 6.1 none 0", True), ("no 6.1", False), ("", False), (None, False)])
def test_kvm_works_when_setup_has_seen_it_work(tmp_path: Path, text: str | None, works: bool) -> None:
    if text is not None:
        (tmp_path / "kvm").write_text(text)
    assert kvm_works(Places.of({"LAB_HOME": str(tmp_path)})) is works
