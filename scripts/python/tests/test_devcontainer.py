"""The feature for dev containers, in images that are made of stand-ins."""

import json
import re
import shutil
import subprocess

import pytest

from bluetooth_lab.places import ROOT
from scratch_lab import LIMIT, ScratchLab

FEATURE = ROOT / "devcontainer/src/bluetooth-lab"
NEEDED = ("sh", "dirname", "sort", "head", "ls", "mkdir", "ln", "bash", "chmod")
PYTHON = """\
echo "python3 $*" >>"$LOG"
[[ $1 != -c ]] || exit "${TEST_PYTHON:-0}"
mkdir -p "$3/bin"
for name in pip bluetooth-lab; do
    printf '#!/bin/bash\\necho "%s $*" >>"$LOG"\\n' $name >"$3/bin/$name"
    chmod 755 "$3/bin/$name"
done
"""


class Image:
    """One with the feature, and with programs that write into a log what they are called with."""

    def __init__(self, scratch: ScratchLab) -> None:
        self.scratch, self.folder = scratch, scratch.folder
        shutil.copytree(FEATURE, self.folder / "feature")
        (self.folder / "bin").mkdir()
        for name in NEEDED:
            (self.folder / "bin" / name).symlink_to(shutil.which(name) or f"/no/{name}")
        self.stand_in("uname", "echo ${TEST_MACHINE:-x86_64}")
        self.stand_in("getconf", "[[ $TEST_GLIBC != none ]] && echo glibc ${TEST_GLIBC:-2.36}")
        self.stand_in("python3", PYTHON)
        self.stand_in("apt-get", 'echo "apt-get $*" >>"$LOG"')
        self.stand_in("rm", 'echo "rm $1" >>"$LOG"')  # of the lists of packages, which this machine keeps
        scratch.write("feature/wheels/bluetooth_lab_machine-0.1.0-py3-none-manylinux_2_36_x86_64.whl")

    def stand_in(self, name: str, text: str) -> None:
        self.scratch.write(f"bin/{name}", f"#!/bin/bash\n{text}\n", is_executable=True)

    def install(self, **variables: str) -> tuple[int, str, list[str]]:
        """The exit status, what is said, and the log."""
        log = self.scratch.write("log")
        values = {
            "PATH": str(self.folder / "bin"),
            "LOG": str(log),
            "BLUETOOTH_LAB_FOLDER": f"{self.folder}/lab",
            "BLUETOOTH_LAB_PROGRAMS": f"{self.folder}/local/bin",
            **variables,
        }
        script = self.folder / "feature/install.sh"
        result = subprocess.run([script], env=values, capture_output=True, text=True, timeout=LIMIT, check=False)
        return result.returncode, result.stderr.strip(), log.read_text().splitlines()


@pytest.fixture
def image(scratch: ScratchLab) -> Image:
    return Image(scratch)


def test_the_lab_is_installed_apart_and_on_path(image: Image) -> None:
    status, said, log = image.install(WHEELS="wheels")
    assert (status, said) == (0, "")
    assert log[1] == f"python3 -m venv {image.folder}/lab"
    assert log[2].endswith("--find-links wheels bluetooth-lab")
    assert log[3] == "bluetooth-lab --version"
    assert (image.folder / "local/bin/bluetooth-lab").resolve() == image.folder / "lab/bin/bluetooth-lab"


def test_wheels_may_have_an_address(image: Image) -> None:
    log = image.install(WHEELS="https://example.org/wheels")[2]
    assert log[2].endswith("--find-links https://example.org/wheels bluetooth-lab")


def test_python_is_installed_where_it_is_missing(image: Image) -> None:
    status, _, log = image.install(TEST_PYTHON="1")
    assert status == 0
    assert re.search("^apt-get install .* bash python3 python3-venv$", log[2])
    assert log[3] == "rm -rf"


@pytest.mark.parametrize(
    ("variables", "text"),
    [
        ({"TEST_MACHINE": "aarch64"}, "for x86-64, and this container's is aarch64"),
        ({"TEST_GLIBC": "2.35"}, "it needs glibc 2.36 (Debian 12, Ubuntu 24.04), and this image has glibc 2.35"),
        ({"TEST_GLIBC": "none"}, "it needs glibc, which this image does not have"),
        ({"WHEELS": "/nowhere"}, "no wheels in /nowhere: name them by the option wheels"),
    ],
)
def test_what_keeps_the_lab_from_running_is_said(image: Image, variables: dict[str, str], text: str) -> None:
    status, said, log = image.install(**variables)
    assert (status, log) == (1, [])
    assert text in said


def test_an_image_without_python_and_apt_get_is_refused(image: Image) -> None:
    (image.folder / "bin/apt-get").unlink()
    assert "no apt-get to install them" in image.install(TEST_PYTHON="1")[1]


def test_the_feature_s_name_is_that_of_its_folder() -> None:
    feature = json.loads((FEATURE / "devcontainer-feature.json").read_text())
    assert feature["id"] == FEATURE.name
    assert list(feature["options"]) == ["wheels"]
