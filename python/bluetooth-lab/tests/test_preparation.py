"""What setup/prepare has found holds until something changes that it went by."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from bluetooth_lab.command_line import preparation
from bluetooth_lab.command_line.preparation import prepare


class Lab:
    """A repository, whose setup/prepare notes each of its runs and prints a variable."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home, self.runs = folder / "root", folder / "home", folder / "runs"
        (self.root / "Sources").mkdir(parents=True)
        (self.root / "Sources/a.swift").write_text("a")
        (self.root / "setup").mkdir()
        self.write_script(f"echo \"$*\" >>{self.runs}; printf 'LAB_VIRTUAL_RADIO=/a b\\0'")
        self.home.mkdir()
        (self.home / "lab_agent").write_text("")

    def write_script(self, text: str) -> None:
        script = self.root / "setup/prepare"
        script.write_text(f"#!/bin/sh\n{text}\n")
        script.chmod(0o755)

    def prepare(self, *words: str, **variables: str) -> dict[str, str]:
        environment = {"LAB_HOME": str(self.home), "PATH": "/usr/bin:/bin", **variables}
        prepare(environment, *words)
        return environment

    @property
    def count(self) -> int:
        return len(self.runs.read_text().splitlines()) if self.runs.exists() else 0


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    lab = Lab(tmp_path)
    for name, value in (("ROOT", lab.root), ("OWNER", lab.root), ("SETUP", lab.root / "setup")):
        monkeypatch.setattr(preparation, name, value)
    return lab


def test_what_is_prepared_is_not_looked_at_again(lab: Lab) -> None:
    for _ in range(3):
        assert lab.prepare("machine", "run", "true")["LAB_VIRTUAL_RADIO"] == "/a b"
    assert lab.count == 1
    lab.prepare("machine", "run", "another", "command")
    assert lab.count == 1


@pytest.mark.parametrize(
    ("words", "variables"),
    [
        (("machine", "up"), {}),
        (("programs", "true"), {}),
        (("machine", "run", "virtual-radio-scene"), {}),
        (("machine", "run"), {"LAB": "tcg"}),
        (("machine", "run"), {"PATH": "/bin"}),
    ],
)
def test_what_was_not_asked_before_is_looked_at(lab: Lab, words: tuple[str, ...], variables: dict[str, str]) -> None:
    lab.prepare("machine", "run")
    lab.prepare(*words, **variables)
    assert lab.count == 2


@pytest.mark.parametrize("change", ["edit", "add", "remove", "result"])
def test_a_change_is_seen(lab: Lab, change: str) -> None:
    lab.prepare("machine", "run")
    if change == "edit":
        (lab.root / "Sources/a.swift").write_text("b")
        os.utime(lab.root / "Sources/a.swift", (0, 0))
    elif change == "add":
        (lab.root / "Sources/b.swift").write_text("b")
    elif change == "remove":
        (lab.root / "Sources/a.swift").unlink()
    else:
        (lab.home / "lab_agent").unlink()
    lab.prepare("machine", "run")
    assert lab.count == 2


def test_a_change_during_the_preparation_is_seen(lab: Lab) -> None:
    lab.write_script(f"echo >>{lab.runs}; echo >>{lab.root}/Sources/a.swift")
    lab.prepare("machine", "run")
    lab.prepare("machine", "run")
    assert lab.count == 2


@pytest.mark.parametrize(("words", "variables"), [(("tests", "swift", "/x"), {}), (("build",), {})])
def test_what_was_just_edited_is_always_built(lab: Lab, words: tuple[str, ...], variables: dict[str, str]) -> None:
    for _ in range(2):
        lab.prepare(*words, **variables)
    assert lab.count == 2


def test_a_scene_is_always_read(lab: Lab) -> None:
    for _ in range(2):
        assert "LAB_SCENE_FILE" not in lab.prepare("machine", "run", LAB_SCENE_FILE="scene.yaml")
    assert lab.count == 2


def test_a_failure_is_not_noted(lab: Lab) -> None:
    lab.write_script(f"echo >>{lab.runs}; exit 1")
    for _ in range(2):
        with pytest.raises(SystemExit) as end:
            lab.prepare("machine", "run")
        assert end.value.code == 125
    assert lab.count == 2


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"state": 1}', '{"state": "", "values": 3}'])
def test_a_broken_note_is_none(lab: Lab, text: str) -> None:
    lab.prepare("machine", "run")
    [note] = (lab.home / "prepared").iterdir()
    note.write_text(text)
    lab.prepare("machine", "run")
    assert lab.count == 2


def test_a_note_ends_after_a_day_and_is_removed(lab: Lab) -> None:
    lab.prepare("machine", "run")
    [note] = (lab.home / "prepared").iterdir()
    old = time.time() - 2 * preparation.HOLDS
    os.utime(note, (old, old))
    lab.prepare("machine", "up")
    assert not note.exists()
    lab.prepare("machine", "run")
    assert lab.count == 3


def test_nothing_is_noted_where_nothing_can_be(lab: Lab) -> None:
    (lab.home / "prepared").write_text("a file")
    for _ in range(2):
        lab.prepare("machine", "run")
    assert lab.count == 2
