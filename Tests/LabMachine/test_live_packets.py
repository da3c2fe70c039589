"""Packets of a run, as tshark shows them while it goes on."""

import os
import queue
import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest
from lab_commands import LAB, LIMIT, lab, needs_uml

pytestmark = needs_uml

# A device that advertises until the reader of the packets has seen that.
SENSOR = """
    dittojay --quiet &
    until test -e "$LAB_OUT/seen"; do sleep 0.1; done
    kill $!
"""


@pytest.fixture
def fifo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("LAB", "uml")
    os.mkfifo(tmp_path / "fifo")
    return tmp_path / "fifo"


def tshark() -> str:
    program = shutil.which("tshark")
    if not program and os.environ.get("LAB_ALL_PEERS"):
        pytest.fail("no tshark (lab setup --peers)")
    return program or pytest.skip("skipped: no tshark (lab setup --peers)")


def test_tshark_shows_packets_while_the_command_runs(fifo: Path) -> None:
    command = [tshark(), "-l", "-i", str(fifo), "-T", "fields", "-e", "bthci_cmd.opcode"]
    lines: queue.Queue[str] = queue.Queue()
    out = fifo.parent / "out"
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as reader:
        assert reader.stdout
        stream = reader.stdout
        threading.Thread(target=lambda: [lines.put(line.strip()) for line in stream], daemon=True).start()
        words = ("run", "--fresh", "--out", str(out), "--live", str(fifo), "--", "bash", "-c", SENSOR)
        with subprocess.Popen([LAB, *words], stderr=subprocess.PIPE, text=True) as run:
            end = time.monotonic() + LIMIT
            # LE Set Advertising Enable, or that of extended advertising.
            while lines.get(timeout=max(0, end - time.monotonic())) not in ("0x200a", "0x2039"):
                pass
            assert run.poll() is None
            (out / "seen").touch()
            _, errors = run.communicate(timeout=LIMIT)
            assert run.returncode == 0, errors
        assert reader.wait(60) == 0


def test_a_command_outlives_the_reader_of_its_packets(fifo: Path) -> None:
    def leave() -> None:
        with open(fifo, "rb", buffering=0) as reader:
            reader.read(100)

    thread = threading.Thread(target=leave)
    thread.start()
    result = lab("run", "--fresh", "--live", str(fifo), "--", "bluetoothctl", "list")
    thread.join(60)
    assert result.returncode == 0 and len(result.stdout.splitlines()) == 2, result.stderr
