"""What virtual-radio captures in the air is read by tshark without a complaint."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from host import Host
from radios import ours
from steps import STEPS

# Malformed packets, and warnings or worse.
COMPLAINTS = "_ws.malformed || _ws.expert.severity >= 0x600000 || btle.crc.incorrect"
# Of advertising channels: ADV_IND, SCAN_REQ, SCAN_RSP, CONNECT_IND, and extended ones.
ADVERTISING = {"0x00", "0x03", "0x04", "0x05", "0x07"}
# LL_CONNECTION_UPDATE_IND, LL_TERMINATE_IND, those of encryption, of its pause and of its refusal, of parameters,
# length and PHY.
CONTROL = {0x00, 0x02, 0x03, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0F, 0x14, 0x15, 0x16, 0x17, 0x18}


def tshark(file: Path, *options: str) -> list[str]:
    command = ["tshark", "-r", str(file), *options]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return [line for line in result.stdout.splitlines() if line]


def forget_verdicts(content: bytearray) -> None:
    """Removes from each packet that its check was compared and is right: bits 10 and 11 of its flags."""
    place = 24
    while place < len(content):
        length = int.from_bytes(content[place + 8 : place + 12], "little")
        content[place + 16 + 9] &= ~0x0C
        place += 16 + length


@pytest.mark.skipif(not shutil.which("tshark") and not os.environ.get("CI"), reason="tshark is not installed")
@pytest.mark.parametrize("air", ["ideal", "real"])
def test_tshark_reads_a_capture_of_the_air_without_a_complaint(air: str, tmp_path: Path) -> None:
    file = tmp_path / "air.pcap"
    with ours("--air", air, "--capture", str(file)) as connections:
        hosts = [Host(connection) for connection in connections]
        for step in STEPS:
            for host in hosts:
                host.begin_step()
            step(*hosts)
    assert tshark(file, "-Y", COMPLAINTS) == []
    kinds = tshark(file, "-Y", "btle.advertising_header", "-T", "fields", "-e", "btle.advertising_header.pdu_type")
    assert set(kinds) >= ADVERTISING
    codes = tshark(file, "-Y", "btle.control_opcode", "-T", "fields", "-e", "btle.control_opcode")
    assert {int(code, 16) for code in codes} == CONTROL
    # It takes our word for the checks (CRC) of packets. Without that word it computes them.
    content = bytearray(file.read_bytes())
    forget_verdicts(content)
    file.write_bytes(content)
    assert tshark(file, "-Y", COMPLAINTS) == []
    content[24 + 16 + int.from_bytes(content[32:36], "little") - 1] ^= 1
    file.write_bytes(content)
    assert len(tshark(file, "-Y", COMPLAINTS)) == 1
