"""A persistent lab on a real machine, which is started once for all of these tests."""

import json
import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_commands import LAB, LIMIT, NAME, lab, needs_uml, run


@pytest.fixture(
    scope="module",
    autouse=True,
    params=[pytest.param("uml", marks=needs_uml), pytest.param("tcg", marks=pytest.mark.nightly)],
)
def up(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAB", request.param)
        started = lab("up")
        assert started.returncode == 0, started.stderr
        yield
        ended = lab("down")
        assert ended.returncode == 0 and "was ended" in ended.stderr


def leader() -> int:
    folder = Path(os.environ.get("LAB_HOME") or LAB.parent / ".lab") / "up" / NAME
    return int(json.loads((folder / "machine.json").read_text())["leader"])


def test_commands_have_bluetooth_and_their_output_status_and_input() -> None:
    result = lab("exec", "--", "sh", "-c", "cat; bluetoothctl list | wc -l; echo wrong >&2; exit 7", text="read\n")
    assert (result.stdout, result.stderr, result.returncode) == ("read\n2\n", "wrong\n", 7)


def test_the_machine_is_the_host_with_a_kernel_and_a_bluetooth_of_its_own() -> None:
    # In one command, as a list of what is not as expected.
    # The kernel of user-mode Linux has no modules.
    has_modules = "test ! -d $LAB_MODULES || readlink -f"
    expected = {
        "stat -Lc %a /tmp": "1777",
        "stat -c %a $HOME $XDG_RUNTIME_DIR /var/lib/bluetooth | sort -u": "700",
        f"{has_modules} /lib/modules/$(uname -r)": f"$({has_modules} $LAB_MODULES)",
        "ls /etc | grep -cx 'passwd\\|bluetooth'": "2",
        "grep -c '^Channels = 1' /etc/bluetooth/main.conf": "1",
        "cat </dev/fd/0 | wc -c": "0",
        "cat /sys/class/net/lo/operstate": "unknown",
        "ls -d /dev/pts/ptmx /dev/shm /sys/fs/cgroup/cgroup.procs /sys/kernel/tracing/trace | wc -l": "4",
        "ls /dev/virtio-ports | grep -c '^lab.session'": "16",
    }
    text = "".join(f'test "$({command})" = "{value}" || echo "{command}"\n' for command, value in expected.items())
    assert run("sh", "-c", text) == ""


def test_a_command_begins_at_once() -> None:
    run("true")
    begin = time.monotonic()
    for _ in range(5):
        run("true")
    assert (time.monotonic() - begin) / 5 < 3, "on the busiest machine; a machine takes longer to start"


@pytest.mark.nightly
def test_many_commands_do_not_make_the_machine_grow() -> None:
    def kilobytes() -> int:
        processes = [leader()]
        for process in processes:  # which grows meanwhile
            processes += map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())
        lines = [line for process in processes for line in Path(f"/proc/{process}/status").read_text().splitlines()]
        return sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))

    for _ in range(10):
        run("bluetoothctl", "list")
    before = kilobytes()
    for _ in range(40):
        run("bluetoothctl", "list")
    assert kilobytes() - before < 40_000


def test_files_are_seen_as_they_are_now(tmp_path: Path) -> None:
    # Not below /tmp, of which the guest may have a copy of its own.
    for number in range(3):
        (tmp_path / "text").write_text(f"version {number}" * (number + 1))
        (tmp_path / f"new{number}").touch()
        (tmp_path / f"new{number - 1}").unlink(missing_ok=True)
        assert run("sh", "-c", "cat text; ls", folder=tmp_path) == f"version {number}" * (number + 1) + (
            f"new{number}\ntext\n"
        )


def test_commands_run_beside_each_other() -> None:
    waiting = subprocess.Popen(
        [LAB, "exec", "--", "sh", "-c", "echo begun; until [ -e /run/go ]; do sleep 0.1; done; echo gone"],
        env={**os.environ, "LAB_NAME": NAME},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert waiting.stdout and waiting.stdout.readline() == "begun\n"
    (status,) = (lab for lab in json.loads(lab("status", "--json").stdout) if lab["name"] == NAME)
    assert (status["state"], status["commands"]) == ("up", 1)
    run("touch", "/run/go")
    assert waiting.communicate(timeout=LIMIT)[0] == "gone\n" and waiting.returncode == 0


def test_a_caller_that_goes_takes_its_command_with_it() -> None:
    caller = subprocess.Popen(
        [LAB, "exec", "--", "sh", "-c", "echo $$ >/run/number; echo begun; sleep 1000"],
        env={**os.environ, "LAB_NAME": NAME},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert caller.stdout and caller.stdout.readline() == "begun\n"
    os.killpg(caller.pid, signal.SIGKILL)
    caller.wait()
    run("sh", "-c", "while kill -0 $(cat /run/number) 2>/dev/null; do sleep 0.1; done")


def test_a_terminal_is_one() -> None:
    ours, theirs = pty.openpty()
    command = [LAB, "exec", "--", "sh", "-c", "test -t 0 && stty size"]
    process = subprocess.Popen(command, env={**os.environ, "LAB_NAME": NAME}, stdin=theirs, stdout=theirs)
    os.close(theirs)
    output = b""
    try:
        while data := os.read(ours, 1024):
            output += data
    except OSError:
        pass  # the terminal's other end is closed
    assert process.wait(timeout=LIMIT) == 0 and b"24 80" in output


def test_a_sensor_of_one_command_is_there_for_the_next_one_until_a_reset() -> None:
    run("sh", "-c", "setsid dittojay --quiet >/dev/null 2>&1 </dev/null &")
    assert "chest" in run("bluejay", "read", "Dittojay", "body-sensor-location")
    assert run("sh", "-c", "ls /var/lib/bluetooth/*/cache | wc -l") != "0\n"
    reset = lab("reset")
    assert reset.returncode == 0, reset.stderr
    assert run(
        "sh", "-c", "pgrep -c dittojay || true; ls /var/lib/bluetooth/*/cache | wc -l; bluetoothctl list | wc -l"
    ) in ("0\n0\n2\n",)


def test_a_run_takes_the_lab_that_is_up_as_it_is_after_a_start(tmp_path: Path) -> None:
    boot = run("cat", "/proc/sys/kernel/random/boot_id")
    text = "cat /proc/sys/kernel/random/boot_id; setsid sleep 1000 & pgrep -c sleep; echo kept >$LAB_OUT/file"
    result = lab("run", "--out", str(tmp_path / "out"), "--", "sh", "-c", text)
    assert (result.stdout, result.returncode) == (boot + "1\n", 0), result.stderr
    assert (tmp_path / "out" / "file").read_text() == "kept\n"
    assert run("sh", "-c", "pgrep -c sleep || true") == "0\n", "what it left running was ended"


def test_a_run_that_is_to_be_fresh_or_wants_another_machine_starts_one() -> None:
    boot = run("cat", "/proc/sys/kernel/random/boot_id")
    other = lab("run", "--controllers", "3", "--", "cat", "/proc/sys/kernel/random/boot_id")
    assert "is up with 2 controllers, not 3; starting another" in other.stderr
    assert other.returncode == 0 and other.stdout != boot


def test_a_capture_has_the_packets_of_its_command(tmp_path: Path) -> None:
    file = tmp_path / "traffic.btsnoop"
    result = lab("exec", "--capture", str(file), "--", "sh", "-c", "bluetoothctl --timeout 1 scan on")
    assert result.returncode == 0, result.stderr
    assert file.read_bytes().startswith(b"btsnoop\0") and file.stat().st_size > 100


def test_one_that_ends_by_itself_is_noticed() -> None:
    name = f"{NAME}-dies"
    assert lab("up", name=name).returncode == 0
    folder = Path(os.environ.get("LAB_HOME") or LAB.parent / ".lab") / "up" / name
    keeper = int(json.loads((folder / "machine.json").read_text())["leader"])
    os.killpg(int(Path(f"/proc/{keeper}/task/{keeper}/children").read_text()), signal.SIGKILL)
    while Path(f"/proc/{keeper}").exists():
        time.sleep(0.01)
    result = lab("exec", "--", "true", name=name)
    assert result.returncode == 125 and "has ended by itself" in result.stderr
    assert f"{name}: ended by itself" in lab("status").stdout
    assert lab("down", name=name).returncode == 0
    result = lab("exec", "--", "true", name=name)
    assert result.returncode == 125 and f"the lab {name} is not up: lab up --name {name}" in result.stderr
