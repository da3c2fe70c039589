"""A lab that is none: programs that behave as those of the lab do, as far as the plugin can see."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
LAB_VARIABLES = ("BLUETOOTH_LAB", "BLUETOOTH_ADAPTER", "DITTOJAY_ADAPTER", "PYTEST_ADDOPTS", "COVERAGE_FILE")


class FakeLab:
    """A folder with programs, and what they have written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.out = folder / "out"
        self.bin.mkdir(parents=True)
        self.out.mkdir()
        for program in PROGRAMS.iterdir():
            target = self.bin / program.stem
            target.write_text(f"#!{sys.executable}\n{program.read_text()}")
            target.chmod(target.stat().st_mode | stat.S_IXUSR)

    @property
    def script(self) -> Path:
        """What takes the place of the script `lab`."""
        return self.bin / "lab"

    def log(self, program: str) -> list[str]:
        """The calls of a program, a line each."""
        path = self.folder / f"{program}.log"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture(autouse=True)
def outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests are outside of a lab, wherever they run."""
    for name in [*LAB_VARIABLES, *(name for name in os.environ if name.startswith("LAB_"))]:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def fake_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeLab:
    """A lab to be started."""
    lab = FakeLab(tmp_path / "fake-lab")
    monkeypatch.setenv("FAKE_LAB", str(lab.folder))
    return lab


@pytest.fixture
def in_lab(fake_lab: FakeLab, monkeypatch: pytest.MonkeyPatch) -> FakeLab:
    """The tests run inside of it."""
    monkeypatch.setenv("BLUETOOTH_LAB", "1")
    monkeypatch.setenv("LAB_OUT", str(fake_lab.out))
    monkeypatch.setenv("LAB_RUN", str(fake_lab.folder))
    monkeypatch.setenv("LAB_CONTROLLERS", "3")
    monkeypatch.setenv("PATH", f"{fake_lab.bin}:{os.environ['PATH']}")
    assert shutil.which("dittojay") == str(fake_lab.bin / "dittojay")
    return fake_lab
