"""A lab in a folder of its own, for the tests of scripts and of the command line: here, and those of scripts/python."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from bluetooth_lab.places import ROOT

LAB = ROOT / "lab"
LIMIT = 60  # seconds, on a busy machine


class ScratchLab:
    """A folder, and a lab that keeps its things there, in `home`."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder, folder / "home"

    def write(self, name: str, text: str = "", is_executable: bool = False) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if is_executable:
            path.chmod(0o755)
        return path

    def environment(self, **more: str) -> dict[str, str]:
        """That of these tests without the variables of the lab that they may run in."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("LAB", "XDG_"))}
        return {**kept, "LAB_HOME": str(self.home), **more}

    def run(
        self, *words: str | Path, variables: Mapping[str, str] | None = None, cwd: Path | None = None, text: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command, by default in the folder, with the text as its input."""
        return subprocess.run(
            words,
            cwd=cwd or self.folder,
            env=self.environment(**variables or {}),
            input=text,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )

    def lab(self, *words: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
        """Runs the lab's command line, in the repository."""
        return self.run(LAB, *words, variables=more, cwd=ROOT)

    def bash(self, text: str, *words: str, **more: str) -> str:
        """Runs lines of bash, which must succeed, and gives what they print; `$1` and so on are the words."""
        result = self.run("/bin/bash", "-c", text, "test", *words, variables=more)
        assert result.returncode == 0, result.stderr
        return result.stdout


@pytest.fixture
def scratch() -> Iterator[ScratchLab]:
    """A lab in a folder that is removed after the test."""
    # Not tmp_path: that is too long for a prompt, and in folders that other users may not enter.
    with tempfile.TemporaryDirectory() as folder:
        yield ScratchLab(Path(folder).resolve())
