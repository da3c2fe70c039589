"""guest/bluetooth: when a scene's time begins."""

from __future__ import annotations

import signal
import subprocess

from bluetooth_lab.places import GUEST
from scratch_lab import LIMIT, ScratchLab


def test_with_several_hosts_it_begins_when_the_last_one_is_up(scratch: ScratchLab) -> None:
    variables = {
        "LAB_RUN": str(scratch.folder),
        "LAB_OUT": str(scratch.folder),
        "LAB_SCENE": "a.json",
        "LAB_HOST": "a",
        "LAB_HOSTS": "abc",
        "LAB_CONTROLLERS": "1",
    }
    with subprocess.Popen(["sleep", str(LIMIT)]) as radio:  # which the signal that begins a scene ends
        try:
            scratch.write("radio.pid", f"{radio.pid}\n")
            for host in "cab":
                assert radio.poll() is None
                result = scratch.run(GUEST / "bluetooth", "host-is-up", host, variables=variables)
                assert result.returncode == 0, result.stderr
            assert radio.wait(LIMIT / 2) == -signal.SIGUSR1
        finally:
            radio.kill()
