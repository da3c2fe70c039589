"""Tools as processes."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bluetooth_lab.machine.persistent import start_time
from bluetooth_lab.places import PACKAGE
from scratch_lab import LAB, ScratchLab

LIMIT = 20  # seconds, on a busy machine
# A tool that says which process it is, and waits.
WAITING = "import os, sys, time; os.write(1, b'%d\\n' % os.getpid()); time.sleep(1000)"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        ("OSError(28, 'No space left on device', '/x')", "lab: [Errno 28] No space left on device: '/x'"),
        ("ValueError('odd')", "ValueError: odd"),
    ],
)
def test_a_mistake_of_a_tool_is_no_exit_status_of_a_command(error: str, text: str) -> None:
    tool = (
        f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r})\n"
        "from bluetooth_lab import tools\n"
        f"def fails(words): raise {error}\n"
        "tools.importlib.import_module = lambda _: type('Tool', (), {'main': fails})\n"
        "sys.exit(tools.main(['run']))"
    )
    result = subprocess.run([sys.executable, "-c", tool], stderr=subprocess.PIPE, text=True, check=False)
    assert result.returncode == 125 and text in result.stderr
    assert ("Traceback" in result.stderr) == ("ValueError" in error)


def test_a_tool_ends_with_the_tool_that_has_started_it(tmp_path: Path) -> None:
    tool = (
        f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r})\n"
        "from bluetooth_lab import tools\n"
        f"tools.importlib.import_module = lambda _: exec({WAITING!r})\n"
        "tools.main(sys.argv[1:])"
    )
    parent = (
        f"import os, subprocess, sys; sys.path.insert(0, {str(PACKAGE.parent)!r})\n"
        "from bluetooth_lab.places import child_command\n"
        "words = child_command('merge')\n"
        f"subprocess.run([sys.executable, '-c', {tool!r}, *words[-2:]])"
    )
    process = subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE)
    assert process.stdout
    child = int(process.stdout.readline())
    process.kill()
    process.wait()
    deadline = time.monotonic() + LIMIT
    while start_time(child) is not None:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_tool_whose_parent_is_gone_already_does_not_begin() -> None:
    words = [sys.executable, str(PACKAGE), "--parent=1", "merge"]
    assert subprocess.run(words, capture_output=True, timeout=LIMIT).returncode == -signal.SIGTERM


def test_ctrl_c_ends_a_tool_that_has_not_begun_without_a_word(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "results.xml")  # which it waits for
    words = [sys.executable, "-B", str(PACKAGE), "merge", str(tmp_path / "results.xml")]
    process = subprocess.Popen(words, stderr=subprocess.PIPE)
    with (tmp_path / "results.xml").open("w"):
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=LIMIT)[1] == b""
    assert process.returncode == -signal.SIGINT


# Instead of the tools' Python.
STAND_IN = """#!/bin/sh
echo $$ >"$LAB_HOME/tool.new"
mv "$LAB_HOME/tool.new" "$LAB_HOME/tool"
read word <"$LAB_HOME/word"
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_lab_becomes_the_tool_that_does_the_work(scratch: ScratchLab, number: signal.Signals) -> None:
    scratch.write("home/python", STAND_IN, is_executable=True)
    os.mkfifo(scratch.home / "word")
    # What starts these tests in the background may have Ctrl-C ignored.
    words = ["env", "--default-signal=INT", str(LAB), "status"]
    process = subprocess.Popen(words, env=scratch.environment(), stdin=subprocess.DEVNULL)
    while not (scratch.home / "tool").exists():
        assert process.poll() is None
    assert (scratch.home / "tool").read_text() == f"{process.pid}\n"
    process.send_signal(number)
    assert process.wait(LIMIT) == -number


def unions_at_run_time(source: str) -> list[str]:
    """What Python 3.9 cannot evaluate, although it takes it in annotations: `int | None` in an alias or a base."""
    found = []
    for statement in ast.walk(ast.parse(source)):
        values = [statement.value] if isinstance(statement, ast.Assign) else getattr(statement, "bases", [])
        for node in (node for value in values for node in ast.walk(value) if isinstance(node, ast.Subscript)):
            found += [ast.unparse(node) for part in ast.walk(node.slice) if isinstance(part, ast.BinOp)]
    return [text for text in found if "|" in text]


@pytest.mark.parametrize("module", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_it_runs_with_older_releases_of_python(module: Path) -> None:
    assert unions_at_run_time(module.read_text()) == []
    assert unions_at_run_time("Port = tuple[str, int | str]") == ["tuple[str, int | str]"]
