"""scripts/ci/choose-lab, on machines that are made of stand-ins."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from typing import NamedTuple

import pytest

from bluetooth_lab.places import PACKAGE, ROOT
from scratch_lab import LIMIT, ScratchLab

NEEDED = ("bash", "env", "cat", "cp", "mkdir", "touch")
# The machine as Python sees it; sitecustomize is loaded before the script.
MACHINE = """\
import os, platform
platform.machine = lambda: os.environ.get("TEST_MACHINE", "x86_64")
platform.libc_ver = lambda: ("glibc", os.environ.get("TEST_GLIBC", "2.36"))
platform.release = lambda: "6.8.0-azure"
os.geteuid = lambda: int(os.environ.get("TEST_USER", "0"))
exists, access = os.path.exists, os.access
os.path.exists = lambda path: path == "/dev/kvm" or exists(path)
os.access = lambda path, mode: path != "/dev/kvm" if "TEST_CLOSED" in os.environ else access(path, mode)
"""
# `lab setup`: whether KVM works, as TEST_KVM says, and a kernel for user-mode Linux if it is asked for.
SETUP = """\
#!/bin/bash
echo "setup $* LAB=$LAB" >>"$LOG"
mkdir -p "$LAB_HOME/uml"
[[ -z $LAB_PREBUILT && $LAB != uml ]] || touch "$LAB_HOME/uml/linux"
echo "${TEST_KVM:-no} 6.12" >"$LAB_HOME/kvm"
[[ -z $TEST_BROKEN ]]
"""
RELEASE = {"ACTION_REPOSITORY": "OWNER/bluejay-linux", "ACTION_REF": "v0.1.0"}
ADDRESS = "https://github.com/OWNER/bluejay-linux/releases/download/v0.1.0"
WHEEL = "bluetooth_lab_machine-0.1.0-py3-none-manylinux_2_36_x86_64.whl"


BRANCH = {**RELEASE, "ACTION_REF": "main"}


class Chosen(NamedTuple):
    status: int
    outputs: dict[str, str]
    said: str  # in the summary, or else as an error
    log: list[str]  # the commands that were called


class Runner:
    """A machine of GitHub's with a clone, whose programs are stand-ins."""

    def __init__(self, scratch: ScratchLab) -> None:
        self.scratch, self.folder = scratch, scratch.folder
        package = self.folder / "clone/python/bluetooth-lab/src/bluetooth_lab"
        shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "web"))
        scratch.write("clone/Package.swift")
        (package / "setup/setup").write_text(SETUP)
        self.script = self.folder / "clone/scripts/ci/choose-lab"
        self.script.parent.mkdir(parents=True)
        shutil.copy(ROOT / "scripts/ci/choose-lab", self.script)
        scratch.write("python/sitecustomize.py", MACHINE)
        self.project = scratch.write("project/pyproject.toml").parent
        (self.folder / "bin").mkdir()
        for name in NEEDED:
            (self.folder / "bin" / name).symlink_to(shutil.which(name) or f"/no/{name}")
        log = f'echo "${{0##*/}} $*" >>"{self.folder}/log"'
        for name in ("apt-get", "chmod", "modprobe"):
            self.stand_in(name, log)
        self.stand_in("curl", f'{log}; while [[ $1 != --output ]]; do shift; done; cp "{self.folder}/served" "$2"')
        self.stand_in("sudo", f'{log}; shift; "$@"')
        self.make_wheel("served")

    def stand_in(self, name: str, text: str = "true") -> None:
        self.scratch.write(f"bin/{name}", f"#!/bin/bash\n{text}\n", is_executable=True)

    def make_wheel(self, name: str, file: str = "bluetooth_lab_machine/machine/uml/linux") -> str:
        with zipfile.ZipFile(self.folder / name, "w") as archive:
            entry = zipfile.ZipInfo(file)
            entry.external_attr = 0o100755 << 16
            archive.writestr(entry, "")
        return str(self.folder / name)

    def choose(self, step: str, /, **variables: str) -> Chosen:
        output, summary, log = files = [self.scratch.write(name) for name in ("output", "summary", "log")]
        values = {
            "PATH": str(self.folder / "bin"),
            "PYTHONPATH": str(self.folder / "python"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(summary),
            "LOG": str(log),
            "RUNNER_TEMP": str(self.folder / "temp"),
            "LAB_HOME": str(self.scratch.home),
            "PACKAGE": str(self.project),
            **variables,
        }
        command = [sys.executable, str(self.script), step]
        result = subprocess.run(command, env=values, capture_output=True, text=True, timeout=LIMIT, check=False)
        outputs, summarized, called = (file.read_text() for file in files)
        return Chosen(
            result.returncode,
            dict(line.split("=", 1) for line in outputs.splitlines()),
            summarized.strip() or result.stderr.strip(),
            called.splitlines(),
        )


@pytest.fixture
def runner(scratch: ScratchLab) -> Runner:
    return Runner(scratch)


# choose-lab programs


def test_a_release_has_a_machine_that_needs_nothing_else(runner: Runner) -> None:
    runner.stand_in("swift")  # as on GitHub's runners, for a project in Python
    chosen = runner.choose("programs", **RELEASE)
    machine = runner.folder / "temp/bluetooth-lab-machine/bluetooth_lab_machine/machine"
    assert (chosen.status, chosen.outputs) == (0, {"obstacle": "", "machine": str(machine)})
    assert os.access(machine / "uml/linux", os.X_OK)
    (called,) = chosen.log
    assert called.startswith("curl ") and called.endswith(f" {ADDRESS}/{WHEEL}")


def test_a_wheel_that_is_named_is_taken(runner: Runner) -> None:
    chosen = runner.choose("programs", PROGRAMS=runner.make_wheel("some.whl"), **RELEASE)
    assert (chosen.status, chosen.log, chosen.outputs["obstacle"]) == (0, [], "")
    chosen = runner.choose("programs", PROGRAMS="https://example.org/a.whl", LAB_WANTED="uml")
    assert chosen.log[0].endswith(" https://example.org/a.whl")


def test_what_a_swift_package_is_tested_with_is_built(runner: Runner) -> None:
    runner.scratch.write("project/Package.swift")
    assert "configuration" not in runner.choose("programs", **RELEASE).outputs, "there is no Swift"
    runner.stand_in("swift")
    outputs = runner.choose("programs", **RELEASE).outputs
    assert (outputs["configuration"], outputs["obstacle"]) == ("debug", "")


def test_a_wheel_that_cannot_be_used_fails(runner: Runner) -> None:
    none = str(runner.folder / "none.whl")
    other = runner.make_wheel("other.whl", "bluetooth_lab/__init__.py")
    for name, text in ((none, f"no such file: {none}"), (other, "other.whl has no machine")):
        chosen = runner.choose("programs", PROGRAMS=name)
        assert (chosen.status, chosen.said) == (1, f"choose-lab: {text}")
    runner.stand_in("curl", "exit 22")
    assert f"{WHEEL} cannot be had" in runner.choose("programs", **RELEASE).said


OLD_GLIBC = "the wheel with user-mode Linux needs glibc 2.36, not glibc 2.35"


@pytest.mark.parametrize(
    ("variables", "architecture", "obstacle"),
    [
        ({"TEST_GLIBC": "2.35"}, "amd64", OLD_GLIBC),
        ({"TEST_GLIBC": "2.35", "PROGRAMS": "some.whl"}, "amd64", OLD_GLIBC),
        ({"TEST_MACHINE": "aarch64"}, "arm64", "user-mode Linux is for x86-64, not for aarch64"),
        ({"LAB_WANTED": "kvm"}, "amd64", "kvm was asked for"),
    ],
)
def test_elsewhere_the_release_has_a_package(
    runner: Runner, variables: dict[str, str], architecture: str, obstacle: str
) -> None:
    chosen = runner.choose("programs", **RELEASE, **variables)
    assert (chosen.status, chosen.outputs) == (0, {"obstacle": obstacle})
    assert chosen.log[0].endswith(f" {ADDRESS}/bluejay-linux_0.1.0-1_{architecture}.deb")
    assert chosen.log[1] == "apt-get update -q"
    assert re.search("^apt-get install .*/bluejay-linux_0.1.0-1_.*deb$", chosen.log[2])


def test_a_package_that_is_named_is_taken_even_where_swift_is(runner: Runner) -> None:
    runner.stand_in("swift")
    package = str(runner.scratch.write("some.deb"))
    chosen = runner.choose("programs", PROGRAMS=package, TEST_USER="1000", **RELEASE)
    assert (chosen.status, len(chosen.log)) == (0, 4)
    assert chosen.log[0].startswith("sudo -n apt-get update")
    assert "the input programs names none" in chosen.outputs["obstacle"]
    runner.stand_in("apt-get", "exit 100")
    said = runner.choose("programs", PROGRAMS=package).said
    assert said == f"choose-lab: apt-get could not install {package}"


def test_a_branch_has_neither_wheel_nor_package(runner: Runner) -> None:
    chosen = runner.choose("programs", **BRANCH)
    assert (chosen.status, chosen.log) == (1, [])
    assert "name a wheel or a .deb by the input programs" in chosen.said


@pytest.mark.parametrize("programs", [["dittojay", "bluejay"], ["swift"]])
def test_with_a_branch_programs_that_are_there_or_swift_are_enough(runner: Runner, programs: list[str]) -> None:
    for name in programs:
        runner.stand_in(name)
    chosen = runner.choose("programs", **BRANCH)
    assert (chosen.status, chosen.log) == (0, [])
    assert "the action's version is no release" in chosen.outputs["obstacle"]


# choose-lab setup


@pytest.mark.parametrize(
    ("wanted", "lab", "reason"), [("auto", "", "user-mode Linux"), ("uml", "uml", "user-mode Linux, by LAB=uml")]
)
def test_a_machine_from_a_wheel_is_set_up_by_links(runner: Runner, wanted: str, lab: str, reason: str) -> None:
    chosen = runner.choose("setup", LAB_WANTED=wanted, LAB_PREBUILT="/machine", OBSTACLE="", TEST_CLOSED="")
    said = f"Bluetooth lab: `uml` ({reason}, from its wheel)"
    assert chosen == (0, {"lab": "uml"}, said, [f"setup --for run LAB={lab}"])


@pytest.mark.parametrize(
    ("variables", "kind", "reason"),
    [
        ({"TEST_KVM": "yes"}, "kvm", "KVM: no kernel for user-mode Linux; no wheel"),
        ({}, "tcg", "software emulation: no kernel for user-mode Linux, no KVM; no wheel"),
        ({"LAB_WANTED": "kvm", "TEST_KVM": "yes"}, "kvm", "KVM, by LAB=kvm"),
        ({"LAB_WANTED": "tcg", "TEST_KVM": "yes"}, "tcg", "software emulation, by LAB=tcg"),
        ({"LAB_WANTED": "host"}, "host", "the runner's own kernel"),
        ({"LAB_WANTED": "uml"}, "uml", "user-mode Linux, by LAB=uml; no wheel"),
    ],
)
def test_without_a_wheel_the_lab_is_what_works(
    runner: Runner, variables: dict[str, str], kind: str, reason: str
) -> None:
    chosen = runner.choose("setup", OBSTACLE="no wheel", **variables)
    assert (chosen.status, chosen.outputs) == (0, {"lab": kind}), chosen.said
    assert chosen.said == f"Bluetooth lab: `{kind}` ({reason})"
    assert chosen.log[-1] == f"setup  LAB={variables.get('LAB_WANTED', '')}"


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"LAB_WANTED": "kvm"}, "KVM (LAB=kvm) does not work on this machine"),
        ({"LAB_WANTED": "qemu"}, "auto, uml, kvm, tcg or host, not qemu"),
        ({"TEST_BROKEN": "1"}, "the lab could not be set up"),
    ],
)
def test_what_cannot_be_had_is_refused(runner: Runner, variables: dict[str, str], reason: str) -> None:
    chosen = runner.choose("setup", OBSTACLE="no wheel", **variables)
    assert chosen.status != 0
    assert chosen.outputs == {}
    assert reason in chosen.said


def test_kvm_is_opened_to_the_user_of_a_runner(runner: Runner) -> None:
    log = runner.choose("setup", OBSTACLE="no wheel", TEST_CLOSED="", TEST_USER="1000").log
    assert log[:2] == ["sudo -n chmod a+rw /dev/kvm", "chmod a+rw /dev/kvm"]


def test_the_host_gets_the_modules_that_ubuntu_keeps_apart(runner: Runner) -> None:
    log = runner.choose("setup", LAB_WANTED="host", OBSTACLE="host was asked for").log
    assert log[:-1] == ["modprobe -q hci_vhci"]
    runner.stand_in("modprobe", "exit 1")
    log = runner.choose("setup", LAB_WANTED="host", OBSTACLE="host was asked for").log
    assert re.search("^apt-get install .* linux-modules-extra-6.8.0-azure$", log[1])
