"""guest/recorded and lab-bundle run: the record of a whole run, for its page."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bluetooth_lab.places import GUEST
from captures import COMMAND, HEADER, NEW_INDEX, START, record
from scratch_lab import ScratchLab

BUS = """\
signal time=1795285374.000000 sender=:1.0 -> destination=(null destination) serial=1 path=/; interface=a.b; member=Early
signal time=1795285376.000000 sender=:1.0 -> destination=(null destination) serial=2 path=/; interface=a.b; member=Late
"""


@pytest.fixture(scope="session")
def lab_lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("clang") or shutil.which("cc")
    assert compiler, "a C compiler is needed"
    result = tmp_path_factory.mktemp("programs") / "lab-lines"
    subprocess.run([compiler, "-O1", "-Wall", "-Werror", "-o", result, GUEST / "lab_lines.c"], check=True)
    return result


def run(scratch: ScratchLab, *words: str | Path) -> subprocess.CompletedProcess[str]:
    folder = scratch.folder
    variables = {
        "LAB_RUN": f"{folder}/run",
        "LAB_OUT": str(folder),
        "LAB_RECORD": "0",
        "FOLDER": str(folder),
        "PATH": f"{folder}/bin:{os.environ['PATH']}",
    }
    return scratch.run(*words, variables=variables)


@pytest.mark.parametrize("action", ["keep", "drop"])
def test_a_command_runs_between_the_recorders_start_and_the_keeping_of_its_record(
    action: str, scratch: ScratchLab, lab_lines: Path
) -> None:
    for program in ("lab-record", "lab-bundle"):
        text = f'#!/bin/sh\necho "{program} $*" >>"$FOLDER/calls"\n'
        scratch.write(f"bin/{program}", text, is_executable=True)
    (scratch.folder / "bin/lab-lines").symlink_to(lab_lines)
    command = ["sh", "-c", 'echo printed; echo wrong >&2; echo "the command" >>"$FOLDER/calls"; exit 7']
    result = run(scratch, GUEST / "recorded", action, scratch.folder / "kept", *command)
    assert (result.returncode, result.stdout, result.stderr) == (7, "printed\n", "wrong\n")
    first, second, *kept = (scratch.folder / "calls").read_text().splitlines()
    assert (first, second) == ("lab-record start", "the command")
    assert len(kept) == (action == "keep")
    assert all(re.search(rf"lab-bundle run {scratch.folder}/kept \d+\.\d{{6}} 7 sh -c ", line) for line in kept)
    (output,) = scratch.folder.glob("run/record/output-*.log")
    lines = sorted(line.partition(" ")[2] for line in output.read_text().splitlines())
    assert lines == ["printed", "wrong"]


def test_each_line_is_kept_after_its_time(lab_lines: Path, tmp_path: Path) -> None:
    long = "x" * 70_000
    text = f"first\n\n{long}\nnot ended"
    done = subprocess.run([lab_lines, tmp_path / "log"], input=text, capture_output=True, text=True, check=True)
    assert done.stdout == text
    lines = (tmp_path / "log").read_text().splitlines()
    assert all(re.match(r"\d+\.\d{6} ", line) for line in lines)
    assert [line.partition(" ")[2] for line in lines] == ["first", "", long[:65536], long[65536:], "not ended"]


def test_without_recorders_nothing_runs(scratch: ScratchLab) -> None:
    scratch.write("bin/lab-record", "#!/bin/sh\nexit 1\n", is_executable=True)
    result = run(scratch, GUEST / "recorded", "keep", scratch.folder / "kept", "echo", "ran")
    assert (result.returncode, result.stdout) == (125, "")


def test_a_record_has_what_came_since_the_start(scratch: ScratchLab) -> None:
    scratch.write("run/record/bus.log", BUS)
    scratch.write("run/record/output-7.log", "1795285374.000000 early\n1795285376.000000 late\n")
    controller, early, late = record(NEW_INDEX, -9, b"\1"), record(COMMAND, -1, b"\2"), record(COMMAND, 0, b"\3")
    (scratch.folder / "run/record/hci.btsnoop").write_bytes(HEADER + controller + early + late)
    kept = scratch.folder / "kept"
    result = run(scratch, GUEST / "bin/lab-bundle", "run", kept, str(START), "3", "make", "a test")
    assert result.returncode == 0, result.stderr
    assert (kept / "hci.btsnoop").read_bytes() == HEADER + controller + late
    assert "Late" in (kept / "bus.log").read_text()
    assert "Early" not in (kept / "bus.log").read_text()
    assert (kept / "app.log").read_text() == "2026-11-21 18:22:56.000000  command  late\n"
    title, span, _, issue = (kept / "summary.txt").read_text().splitlines()
    assert (title, issue) == ("make 'a test' failed", "make ended with exit status 3")
    assert span.startswith("from 2026-11-21 18:22:55.209250 to ")
    made = scratch.lab("page", kept, "--out", scratch.folder / "run.html")
    assert made.returncode == 0, made.stderr
    assert "<title>make &#x27;a test&#x27; failed</title>" in (scratch.folder / "run.html").read_text()
