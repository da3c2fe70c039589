"""Bumble as the central of a device that dittojay serves, in the lab's machine."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from lab_commands import UML_KERNEL, lab

PEERS = Path(__file__).resolve().parents[2] / "Fixtures" / "peers"

# Serves the profile $2. Bumble reads everything of the device, named $4, by the Python $1 and its program $3, with the
# controller hci1, which bluetoothd has to leave. What Bumble finds is in the file table. With $5: over EATT.
READS = """
    if [ -n "$5" ]; then
        sed -i 's/^Channels = 1$/Channels = 2/' /etc/bluetooth/main.conf
        lab-bluetoothd restart
    fi
    dittojay --profile "$2" --json >"$LAB_OUT/sensor" &
    until grep -q '"advertising"' "$LAB_OUT/sensor"; do kill -0 $! && sleep 0.1 || exit; done
    dbus-send --system --print-reply --dest=org.bluez /org/bluez/hci1 org.freedesktop.DBus.Properties.Set \
        string:org.bluez.Adapter1 string:Powered variant:boolean:false >"$LAB_OUT/power"
    "$1" "$3" "${@:5}" "$4" >"$LAB_OUT/table"
    status=$?
    sleep "$REMAIN"
    kill $!
    exit $status
"""


def bumble_reads(
    profile: Path | str, name: str, *words: str, options: Sequence[str] = (), remain: float = 0
) -> "subprocess.CompletedProcess[str]":
    """`words`: `--eatt`, or none; `remain`: how many seconds the device is served afterwards."""
    python = UML_KERNEL.parents[1] / "peers" / "bin" / "python"
    if not python.exists() and os.environ.get("LAB_ALL_PEERS"):
        pytest.fail("no Bumble (lab setup --peers)")
    if not python.exists():
        pytest.skip("skipped: no Bumble (lab setup --peers)")
    program = (python, profile, PEERS / "bumble_table.py", name, *words)
    return lab(
        *("run", "--fresh", "--time", "simulated", "--env", f"REMAIN={remain}", *options),
        *("--", "bash", "-c", READS, "-", *map(str, program)),
    )
