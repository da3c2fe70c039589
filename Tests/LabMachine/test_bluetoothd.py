"""The lab's bluetoothd, for real: ended, crashed, started and reset."""

from collections.abc import Iterator

import pytest
from lab_commands import NAME, lab, run


@pytest.fixture(scope="module", autouse=True)
def up() -> Iterator[None]:
    started = lab("up")
    assert started.returncode == 0, started.stderr
    yield
    assert lab("down").returncode == 0


def sh(text: str) -> str:
    """What a command prints, a word for each thing."""
    return " ".join(run("sh", "-c", text).split())


def test_every_action_returns_when_it_is_complete() -> None:
    powered = "bluetoothctl show | grep -c 'Powered: yes'"
    assert sh(f"lab-bluetoothd stop; lab-bluetoothd status; echo $?; lab-bluetoothd start; {powered}") == "1 1"
    assert sh(f"lab-bluetoothd kill; pgrep -c bluetoothd; lab-bluetoothd start; {powered}") == "0 1"
    assert sh(f"lab-bluetoothd restart; {powered}; lab-bluetoothd status >/dev/null; echo $?") == "1 0"


def test_one_that_crashes_is_started_again_and_the_caller_learns_of_it() -> None:
    text = "old=$(lab-bluetoothd status); kill -SEGV $old; lab-bluetoothd start; new=$(lab-bluetoothd status)"
    result = lab("exec", "--", "sh", "-c", f"{text}; test $new != $old; pgrep -c bluetoothd")
    assert (result.stdout, result.returncode) == ("1\n", 0)
    assert "ended by itself with status 139, and was started again" in result.stderr


def test_one_that_crashes_again_and_again_is_given_up() -> None:
    result = lab("exec", "--", "sh", "-c", "LAB_BLUETOOTHD=/bin/false lab-bluetoothd restart; lab-bluetoothd status")
    assert result.returncode == 1 and "bluetoothd ends again and again" in result.stderr
    assert sh("lab-bluetoothd start; lab-bluetoothd status >/dev/null; echo $?") == "0"


def test_one_that_cannot_be_started_is_no_endless_wait() -> None:
    result = lab("exec", "--", "sh", "-c", "lab-bluetoothd stop; LAB_DAEMON=/nowhere lab-bluetoothd start")
    assert result.returncode == 1 and "could not be started" in result.stderr
    assert sh("lab-bluetoothd start; lab-bluetoothd status >/dev/null; echo $?") == "0"


def test_a_controller_that_is_not_powered_is_named() -> None:
    result = lab("exec", "--", "sh", "-c", "$LAB_DAEMON await 0 2 60 && $LAB_DAEMON await 0 3 1")
    assert result.returncode == 1 and "hci2 is not powered after 1 s" in result.stderr


def test_restarts_leave_one_that_keeps_it() -> None:
    text = "for i in 1 2 3 4 5 6; do lab-bluetoothd restart || exit; done; pgrep -fc '[l]ab_daemon keep'"
    assert sh(text) == "1"


def test_it_survives_the_command_that_started_it_and_has_none_of_its_files() -> None:
    restarted = lab("run", "--", "sh", "-c", "exec 7</etc/passwd; lab-bluetoothd restart; lab-bluetoothd status")
    assert restarted.returncode == 0, restarted.stderr
    process = restarted.stdout.strip()
    assert sh(f"lab-bluetoothd status; readlink /proc/{process}/fd/* | grep -c passwd; true") == f"{process} 0"


def test_a_reset_takes_less_than_a_second_of_the_machines_time() -> None:
    # Out of the session, whose processes a reset ends. Of three, because the machine may be on a busy host.
    text = (
        "echo $$ >/sys/fs/cgroup/cgroup.procs; for i in 1 2 3; do begin=${EPOCHREALTIME/./}; "
        '"$LAB_GUEST/bluetooth" reset || exit; echo $((${EPOCHREALTIME/./} - begin)); done'
    )
    took = [int(word) for word in run("bash", "-c", text).split()]
    assert len(took) == 3 and min(took) < 1_000_000
    assert lab("reset").returncode == 0
    assert sh("bluetoothctl list | wc -l") == "2", NAME
