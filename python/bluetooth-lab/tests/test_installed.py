"""An installed lab, which never builds, alone and with a machine. (scripts/release/package lays it out so.)"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bluetooth_lab.places import PACKAGE, ROOT
from scratch_lab import ScratchLab


class Installed:
    def __init__(self, scratch: ScratchLab) -> None:
        self.scratch, self.me = scratch, scratch.folder / "me"
        self.root = scratch.folder / "usr/lib/bluejay-linux"
        self.package = self.root / "bluetooth_lab"
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "scripts/release/installed-lab", self.root / "lab")
        self.link = scratch.folder / "usr/bin/bluetooth-lab"
        self.link.parent.mkdir()
        self.link.symlink_to("../lib/bluejay-linux/lab")

    def lab(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.scratch.run(self.link, *words)

    def place(self, name: str, **more: str) -> str:
        """What a function of bluetooth_lab.places gives there."""
        text = f"import os; from bluetooth_lab import places; print(places.{name}(os.environ))"
        values = {"LAB_HOME": "", "HOME": str(self.me), "PYTHONPATH": str(self.root), **more}
        return self.scratch.bash('python3 -B -c "$1"', text, **values).strip()


@pytest.fixture
def installed(scratch: ScratchLab) -> Installed:
    return Installed(scratch)


def test_an_installed_lab_knows_its_version(installed: Installed) -> None:
    module = installed.package / "__init__.py"
    module.write_text(module.read_text().replace('__version__ = "', '__version__ = "9.8.7.'))
    assert installed.lab("--version").stdout.startswith("lab 9.8.7.0")


def test_its_things_are_in_the_users_cache(installed: Installed) -> None:
    assert installed.place("lab_home") == f"{installed.me}/.cache/bluejay-linux"
    cache = f"{installed.scratch.folder}/c"
    assert installed.place("lab_home", XDG_CACHE_HOME=cache) == f"{cache}/bluejay-linux"
    assert installed.place("lab_home", LAB_HOME="/chosen") == "/chosen"


def test_they_are_in_a_temporary_folder_where_that_cannot_be_written_to(installed: Installed) -> None:
    home = f"/proc/{os.getpid()}"  # not even by root
    found = installed.place("lab_home", HOME=home, TMPDIR=str(installed.scratch.folder))
    assert found == f"{installed.scratch.folder}/bluejay-linux-{os.getuid()}"
    assert os.stat(found).st_mode & 0o777 == 0o700


def test_it_builds_nothing_and_takes_its_own_programs(installed: Installed) -> None:
    result = installed.lab("build")
    assert result.returncode == 0
    assert "nothing to build" in result.stderr
    assert installed.place("program_folder") == f"{installed.package}/bin"
    setup = installed.package / "setup"
    said = installed.scratch.bash(
        f"source {setup}/steps.sh; source {setup}/build.sh; build() {{ echo build; }}; have_swift() {{ true; }}; "
        "build_programs; echo $program_folder"
    )
    assert said.strip() == f"{installed.package}/bin"


@pytest.mark.parametrize("words", [["bench"], ["setup", "--peers"]])
def test_what_needs_the_sources_takes_a_clone(installed: Installed, words: list[str]) -> None:
    result = installed.lab(*words)
    assert result.returncode == 125
    assert "clone" in result.stderr


# As bluetooth-lab is with bluetooth-lab-machine, whose parts are those of scripts/release/machine.


@pytest.fixture
def machine(scratch: ScratchLab) -> Path:
    for name in ("uml/linux", "bin/bluetooth-lab-programs", "bin/virtual-radio", "lab_agent", "bin/lab-on"):
        scratch.write(f"a machine/{name}", is_executable=True)
    return scratch.folder / "a machine"


def test_a_lab_with_a_machine_is_set_up_by_links_alone(
    installed: Installed, machine: Path, scratch: ScratchLab
) -> None:
    for purpose in ("run", "up", "test"):
        words = ("--quiet", "--for", purpose)
        values = {"LAB_PREBUILT": str(machine), "HOME": str(installed.me)}
        result = scratch.run(installed.package / "setup/setup", *words, variables=values)
        assert (result.returncode, result.stdout + result.stderr) == (0, "")
    assert (scratch.home / "uml/linux").resolve() == machine / "uml/linux"
    assert (scratch.home / "lab_agent").resolve() == machine / "lab_agent"
    for name in ("programs/dittojay", "programs/bluejay", "bin/virtual-radio-scene"):
        assert (scratch.home / name).resolve() == machine / "bin/bluetooth-lab-programs"
    assert (scratch.home / "bin/virtual-radio").resolve() == machine / "bin/virtual-radio"
    assert not installed.me.exists()


@pytest.mark.parametrize("configuration", ["", "debug"])
def test_it_takes_the_programs_of_the_machine(installed: Installed, machine: Path, configuration: str) -> None:
    home = installed.scratch.home
    values = {"LAB_HOME": str(home), "LAB_PREBUILT": str(machine), "LAB_CONFIG": configuration}
    assert installed.place("program_folder", **values) == f"{home}/programs"
