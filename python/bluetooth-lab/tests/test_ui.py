"""dittojay's page for a lab that is up: what is the lab's and what is the page's, and the way to a socket."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bluetooth_lab.machine.ui import CONNECT, Bridge

LIMIT = 20  # seconds


def test_what_is_said_reaches_a_socket_that_is_made_later(tmp_path: Path) -> None:
    path = str(tmp_path / "later")
    command = [sys.executable, str(CONNECT), path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        process.stdin.write(b"question\n")
        process.stdin.flush()
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen()
            listener.settimeout(LIMIT)
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(LIMIT)
                assert connection.recv(100) == b"question\n"
                connection.sendall(b"answer\n")
                assert process.stdout.readline() == b"answer\n"
        assert process.wait(LIMIT) == 0, "it ends with the connection"


def test_each_connection_has_a_command_in_the_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys; print(*sys.argv[-2:], sys.stdin.readline())")
    monkeypatch.setattr("bluetooth_lab.machine.ui.tool_command", lambda name: [sys.executable, str(program), name])
    bridge = Bridge(tmp_path / "here", "/there")
    for _ in range(2):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(LIMIT)
            connection.connect(str(tmp_path / "here"))
            connection.sendall(b"question\n")
            assert connection.makefile().readline() == f"{CONNECT} /there question\n"
    begin = time.monotonic()
    bridge.close()
    assert time.monotonic() - begin < LIMIT
