"""When the lab builds the programs, and when SwiftPM's plan of a build is made again."""

from __future__ import annotations

import os
import shutil

import pytest

from bluetooth_lab.places import SETUP
from scratch_lab import ScratchLab

# Says instead of building.
PREPARE = f"""set -euo pipefail
source {SETUP}/steps.sh
root=$PWD owner=$PWD lab=$LAB_HOME logs=$LAB_HOME/logs
for part in cache build; do source {SETUP}/$part.sh; done
have_swift() {{ [[ ${{swift:-yes}} == yes ]]; }}
build() {{ echo "build $1"; }}
build_radio_program() {{ echo "build $1" >&3 && touch "$2/$1"; }}
exec 3>&1
prepare_programs"""
BOTH = ["build dittojay", "build bluejay"]
NEW, BUILT = 3000, ".build-lab/debug/.lab-built"  # a time after that of the programs; the file that notes a build


class Clone:
    """Sources, and the programs that were built of them later."""

    def __init__(self, scratch: ScratchLab) -> None:
        self.scratch, self.folder = scratch, scratch.folder
        for name in ("Package.swift", "Sources/App/main.swift", "Package.resolved"):
            self.touch(name, 1000)
        for program in ("dittojay", "bluejay"):
            scratch.write(f".build-lab/debug/{program}", is_executable=True)
            self.touch(f".build-lab/debug/{program}", 2000)

    def touch(self, name: str, time: int) -> None:
        path = self.folder / name
        if not path.exists():
            self.scratch.write(name)
        os.utime(path, (time, time))
        # What came into a folder or went is a change as well, which only its time shows.
        for folder, _, _ in os.walk(self.folder / "Sources"):
            os.utime(folder, (1000, 1000))

    def prepare(self, *words: str, **more: str) -> list[str]:
        """What is built."""
        values = {"LAB_RADIO": "btvirt", "XDG_CACHE_HOME": f"{self.folder}/cache", **more}
        return self.scratch.bash(f"{PREPARE} {' '.join(words)}", **values).splitlines()


@pytest.fixture
def clone(scratch: ScratchLab) -> Clone:
    return Clone(scratch)


def test_programs_that_are_newer_than_all_sources_are_not_built(clone: Clone) -> None:
    assert clone.prepare() == []


@pytest.mark.parametrize(
    "name", ["Sources/App/main.swift", "Sources/New/new.swift", "Package.swift", "Package.resolved"]
)
def test_a_source_that_is_newer_has_both_built_once(clone: Clone, name: str) -> None:
    clone.touch(name, NEW)
    assert clone.prepare() == BOTH
    assert clone.prepare() == []
    os.utime(clone.folder / BUILT, (NEW - 1, NEW - 1))
    assert clone.prepare() == BOTH


def test_what_is_missing_is_built(clone: Clone) -> None:
    (clone.folder / ".build-lab/debug/bluejay").unlink()
    assert clone.prepare() == BOTH


def test_the_time_of_the_build_counts_and_not_that_of_the_program(clone: Clone) -> None:
    # A change that leaves a program as it was: the linker does not touch it.
    clone.touch("Sources/App/main.swift", NEW)
    clone.touch(BUILT, NEW + 1)
    assert clone.prepare() == []


def test_the_radio_is_built_once_for_the_same_sources(clone: Clone, scratch: ScratchLab) -> None:
    source = scratch.write("Sources/VirtualRadio/Air.swift", "1")
    for folder in ("CryptographicToolbox", "VirtualRadioCommand", "RadioControl"):
        scratch.write(f"Sources/{folder}/x.swift")
    scratch.write(BUILT)
    assert clone.prepare() == [], "btvirt"
    assert clone.prepare(LAB_RADIO="") == ["build virtual-radio"]
    assert clone.prepare(LAB_RADIO="") == []
    assert clone.prepare(LAB_RADIO="", LAB_HOME=f"{clone.folder}/other") == [], "another clone"
    source.write_text("2")
    clone.touch("Sources/VirtualRadio/Air.swift", 1000)
    assert clone.prepare(LAB_RADIO="") == ["build virtual-radio"]
    source.write_text("1")
    clone.touch("Sources/VirtualRadio/Air.swift", 1000)
    assert clone.prepare(LAB_RADIO="") == [], "built before"
    assert (scratch.home / "bin/virtual-radio").exists()


def test_what_reads_scenes_is_built_for_a_command_that_plays_one(clone: Clone, scratch: ScratchLab) -> None:
    for folder in (
        "CryptographicToolbox",
        "VirtualRadio",
        "RadioControl",
        "RadioScenes",
        "RadioScenesCommand",
        "YAMLText",
    ):
        scratch.write(f"Sources/{folder}/x.swift")
    scratch.write(BUILT)
    assert clone.prepare("dittojay") == []
    assert clone.prepare("virtual-radio", "scene", "x.yaml") == ["build virtual-radio-scene"]
    assert (scratch.home / "bin/virtual-radio-scene").exists()


def test_without_swift_and_the_radio_btvirt_is_the_default(clone: Clone, scratch: ScratchLab) -> None:
    text = PREPARE + "; echo ${LAB_DEFAULT_RADIO:-}"
    assert scratch.bash(text, swift="no", PATH=str(clone.folder)).strip() == "btvirt"
    scratch.write(".build-lab/debug/virtual-radio", is_executable=True)
    assert scratch.bash(text, swift="no", PATH=str(clone.folder)).strip() == ""


def test_programs_that_came_with_a_machine_are_taken_unless_others_are_asked_for(
    clone: Clone, scratch: ScratchLab
) -> None:
    scratch.write("machine/uml/linux")
    clone.touch("Sources/App/main.swift", NEW)
    prebuilt = {"LAB_PREBUILT": f"{clone.folder}/machine", "LAB_RADIO": ""}
    assert clone.prepare("scene", **prebuilt) == []
    assert clone.prepare("scene", LAB_CONFIG="debug", **prebuilt) == BOTH
    text = PREPARE + "; echo $LAB_VIRTUAL_RADIO"
    assert scratch.bash(text, **prebuilt).strip() == f"{scratch.home}/bin/virtual-radio"


def test_programs_as_they_are_shipped_have_a_folder_of_their_own(clone: Clone, scratch: ScratchLab) -> None:
    scratch.write("scripts/release/options.sh", "set_release_options() { release_options=(--scratch-path $1); }\n")
    folder = clone.folder / ".build-release"
    (folder / "release").mkdir(parents=True)
    text = PREPARE.replace("$1", "$*") + "; echo $program_folder"
    assert scratch.bash(text, LAB_CONFIG="shipped", LAB_RADIO="btvirt").splitlines() == [
        f"build dittojay as it is shipped --scratch-path {folder} --product dittojay",
        f"build bluejay as it is shipped --scratch-path {folder} --product bluejay",
        f"{folder}/release",
    ]


def test_without_swift_what_is_missing_is_said(clone: Clone, scratch: ScratchLab) -> None:
    shutil.rmtree(clone.folder / ".build-lab")
    text = PREPARE + " 2>&1"
    first, _ = scratch.bash(text, swift="no", PATH=str(clone.folder)).splitlines()
    assert first.startswith("lab: dittojay is not in this lab")


# SwiftPM's plan of a build of a package that depends on another one by path. The lab's own is in the folder `library`.

SOURCE = f"source {SETUP}/steps.sh; root=$PWD/library owner=$PWD/library; source {SETUP}/build.sh"


class Plan:
    """The plan of `app`, which is as old as the sources of `library`."""

    def __init__(self, scratch: ScratchLab) -> None:
        self.scratch = scratch
        self.file = scratch.write("app/.build/debug.yaml")
        self.source = scratch.write("library/Sources/Library/Library.swift")
        for path in (self.file, self.source, self.source.parent, self.source.parent.parent):
            os.utime(path, (1000, 1000))

    def is_kept(self, *options: str) -> bool:
        self.scratch.bash(f'{SOURCE}; options=(); forget_other_plan "$@"', *options)
        return self.file.exists()


@pytest.fixture
def plan(scratch: ScratchLab) -> Plan:
    return Plan(scratch)


def test_a_plan_is_kept_while_no_file_of_the_other_package_comes_or_goes(plan: Plan) -> None:
    plan.source.write_text("changed")
    assert plan.is_kept("--package-path", "app", "--product", "App")


def test_a_plan_is_made_again_when_a_file_of_the_other_package_has_gone(plan: Plan) -> None:
    plan.source.unlink()
    assert not plan.is_kept("--package-path", "app", "--product", "App")


@pytest.mark.usefixtures("plan")
def test_packages_of_this_repository_share_a_folder_and_not_a_plan(scratch: ScratchLab) -> None:
    shared = scratch.write("library/.build-lab/debug.yaml")
    text = f"{SOURCE}; options=(--scratch-path x); forget_other_plan --package-path $1 --build-tests"
    for folder, is_kept in (("library", False), ("library", True), ("library/Fixtures", False)):
        shared.touch()
        scratch.bash(text, folder)
        assert shared.exists() == is_kept, folder


def test_the_plan_of_the_other_package_itself_is_left_to_swiftpm(plan: Plan) -> None:
    plan.source.unlink()
    assert plan.is_kept("--package-path", "library", "--product", "Library")
    assert plan.is_kept("--build-tests")
