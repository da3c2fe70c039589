"""What is kept of a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from bluetooth_lab.machine import calls
from bluetooth_lab.machine.options import parse
from bluetooth_lab.machine.runs import prepare_folders
from bluetooth_lab.page import command as page_command


def test_a_capture_that_cannot_be_written_is_said_and_the_page_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(calls, "say", said.append)
    monkeypatch.setattr(page_command, "write_page", lambda _, page: page.write_text("page"))
    (tmp_path / calls.CAPTURE).write_bytes(b"btsnoop")
    file, page = tmp_path / "none" / "x.btsnoop", tmp_path / "page.html"
    calls.keep_record(tmp_path, parse(["--capture", str(file), "--page", str(page), "--", "true"]))
    where = f"(it is in {tmp_path / calls.CAPTURE})"
    assert said == [f"cannot write the capture to {file}: No such file or directory {where}"]
    assert page.read_text() == "page"
    # Onto itself, where it is already.
    calls.keep_record(tmp_path, parse(["--capture", str(tmp_path / calls.CAPTURE), "--", "true"]))
    assert len(said) == 2 and (tmp_path / calls.CAPTURE).read_bytes() == b"btsnoop"


def test_an_output_folder_that_cannot_be_made_is_said(tmp_path: Path, said: list[str]) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit):
        prepare_folders(tmp_path / "home", tmp_path / "file" / "out")
    assert said == [f"cannot make the folder {tmp_path / 'file' / 'out'}: Not a directory"]
