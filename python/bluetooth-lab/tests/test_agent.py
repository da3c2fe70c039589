"""The agent in the guest (guest/agent), here on this machine with terminals for its ports."""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import subprocess
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from bluetooth_lab.machine.frames import DISCONNECTED, HEADER, KILL_LEFTOVERS, FrameReader, begin, frame
from bluetooth_lab.places import GUEST

LIMIT = 30  # seconds for what takes milliseconds


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("clang") or shutil.which("cc")
    assert compiler, "a C compiler is needed"
    result = tmp_path_factory.mktemp("agent") / "lab_agent"
    sources = (GUEST / "agent").glob("*.c")
    subprocess.run([compiler, "-O1", "-Wall", "-Werror", "-o", result, *sources], check=True)
    return result


class Caller:
    """The host's end of a port, and the agent at the other one."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.folder = folder
        self.port, self.theirs = os.openpty()
        tty.setraw(self.theirs)
        self.process = subprocess.Popen([program, os.ttyname(self.theirs)])
        self.reader = FrameReader()
        self.frames: list[tuple[bytes, bytes]] = []

    def send(self, data: bytes) -> None:
        while data:
            select.select([], [self.port], [], LIMIT)
            data = data[os.write(self.port, data[:512]) :]

    def start(self, *words: str, size: tuple[int, int] | None = None, flags: str = "", **variables: str) -> None:
        self.send(begin(str(self.folder), size, flags, variables, words))

    def receive(self) -> tuple[bytes, bytes]:
        """The next frame."""
        while not self.frames:
            assert select.select([self.port], [], [], LIMIT)[0], "the agent says nothing"
            self.frames += self.reader.add(os.read(self.port, 65536))
        return self.frames.pop(0)

    def outcome(self) -> tuple[bytes, bytes, int]:
        """Output, error output and exit status of the command that runs."""
        texts = {b"O": b"", b"E": b""}
        while True:
            kind, content = self.receive()
            if kind == b"X":
                return texts[b"O"], texts[b"E"], int(content)
            if kind in texts:
                texts[kind] += content

    def run(self, *words: str, **options: str) -> tuple[bytes, bytes, int]:
        self.start(*words, **options)  # type: ignore[arg-type]
        return self.outcome()


@pytest.fixture
def caller(program: Path, tmp_path: Path) -> Iterator[Caller]:
    caller = Caller(program, tmp_path)
    yield caller
    assert caller.process.poll() is None, "the agent has ended"
    caller.process.kill()
    caller.process.wait()
    os.close(caller.port)
    os.close(caller.theirs)


def ends(process: int) -> bool:
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def test_a_command_gets_its_folder_its_variables_and_its_words(caller: Caller, tmp_path: Path) -> None:
    text = 'printf "%s\\0" "$PWD" "$VALUE" "$@"; echo wrong >&2; exit 3'
    words = ["a  b", "$HOME", "'", '"', "", "é\n*", "-x"]
    out, err, status = caller.run("sh", "-c", text, "name", *words, VALUE="two\nlines = $quotes")
    assert out.decode().split("\0")[:-1] == [str(tmp_path), "two\nlines = $quotes", *words]
    assert (err, status) == (b"wrong\n", 3)


def test_commands_follow_one_another(caller: Caller) -> None:
    for number in range(5):
        assert caller.run("sh", "-c", f"exit {number}")[2] == number


def test_input_comes_through_and_has_an_end(caller: Caller) -> None:
    caller.start("cat")
    pieces = [bytes([65 + number]) * 5000 for number in range(8)]
    out = b""
    for piece in pieces:
        caller.send(frame(b"I", piece))
        while True:
            kind, content = caller.receive()
            if kind == b"R":
                break
            out += content
    caller.send(frame(b"I"))
    rest, _, status = caller.outcome()
    assert (out + rest, status) == (b"".join(pieces), 0)


def test_a_command_that_does_not_read_its_input_can_be_ended(caller: Caller) -> None:
    caller.start("sleep", "1000")
    for _ in range(10):
        caller.send(frame(b"I", b"x" * 16384))
    caller.send(frame(b"S", str(int(signal.SIGINT)).encode()))
    assert caller.outcome()[2] == 128 + signal.SIGINT


def test_a_signal_reaches_the_commands_children(caller: Caller) -> None:
    caller.start("sh", "-c", "sleep 1000 & echo $!; wait")
    kind, content = caller.receive()
    caller.send(frame(b"S", str(int(signal.SIGTERM)).encode()))
    assert kind == b"O" and caller.outcome()[2] == 128 + signal.SIGTERM
    assert ends(int(content))


def test_much_output_is_complete_though_it_is_read_late(caller: Caller) -> None:
    caller.start("sh", "-c", "head -c 3000000 /dev/zero; head -c 1000000 /dev/zero >&2")
    time.sleep(0.2)  # the command is ahead of us
    out, err, status = caller.outcome()
    assert (len(out), len(err), status) == (3000000, 1000000, 0)


def test_output_that_a_background_process_keeps_open_does_not_hold_the_end_up(caller: Caller) -> None:
    out, _, status = caller.run("sh", "-c", "sleep 1000 & echo $!")
    assert status == 0
    os.kill(int(out), signal.SIGKILL)


def test_what_cannot_run_has_a_reason(caller: Caller, tmp_path: Path) -> None:
    _, err, status = caller.run("no-such-program")
    assert (err, status) == (b"lab: cannot run no-such-program: No such file or directory\n", 127)
    (tmp_path / "text").write_text("no program")
    assert caller.run("./text")[2] == 126
    caller.folder = tmp_path / "none"
    _, err, status = caller.run("true")
    assert status == 125 and err.startswith(b"lab: cannot enter ")


def test_a_terminal_has_its_size_and_can_change_it(caller: Caller) -> None:
    caller.start("sh", "-c", "tty -s && stty size; read line; stty size", size=(33, 77))
    while caller.receive() != (b"O", b"33 77\r\n"):
        pass
    caller.send(frame(b"W", b"11 22") + frame(b"I", b"go\r"))
    out, _, status = caller.outcome()
    assert status == 0 and out.endswith(b"11 22\r\n")


def test_control_c_in_a_terminal_interrupts(caller: Caller) -> None:
    # dash loses a signal that comes while it starts a program: here it becomes the program.
    caller.start("sh", "-c", "echo ready; exec sleep 1000", size=(24, 80))
    assert caller.receive() == (b"O", b"ready\r\n")
    caller.send(frame(b"I", b"\x03"))
    assert caller.outcome()[2] == 128 + signal.SIGINT


def test_a_greeting_is_answered_while_nothing_runs(caller: Caller) -> None:
    caller.send(frame(b"H", b"nonce"))
    assert caller.receive() == (b"H", b"nonce")


def test_a_command_that_is_no_command_fails(caller: Caller) -> None:
    contents = (b"", b"x", b"\0", b"/\0000 0\0\0000\0", b"/\0a b\0\0000\0true\0", b"/\0000 0\0\0009\0true\0")
    for content in (*contents, b"/\0000 0\0\000-1\0true\0"):
        caller.send(frame(b"C", content))
        assert caller.outcome()[2] == 125, content
    assert caller.run("true")[2] == 0


def test_frames_that_nobody_knows_are_passed_over(caller: Caller) -> None:
    caller.send(frame(b"?", b"what") + frame(b"S", b"no number") + frame(b"W", b"-") + frame(b"I", b"too early"))
    caller.start("cat")
    caller.send(frame(b"I"))
    assert caller.outcome() == (b"", b"", 0)


def test_a_frame_of_absurd_length_is_not_waited_for(caller: Caller) -> None:
    caller.send(HEADER.pack(b"I", 0xFFFFFFFF))
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:  # what follows it in the same piece is lost with it
        caller.send(frame(b"H", b"still there?"))
        if select.select([caller.port], [], [], 0.1)[0]:
            break
    assert caller.receive() == (b"H", b"still there?")


def test_an_agent_whose_callers_have_gone_ends_their_command_and_sleeps(program: Path, tmp_path: Path) -> None:
    caller = Caller(program, tmp_path)
    caller.start("sh", "-c", "echo $$; sleep 1000")
    _, content = caller.receive()
    os.close(caller.port)
    os.close(caller.theirs)
    try:
        assert ends(int(content))
        used = processor_time(caller.process.pid)
        time.sleep(0.5)
        assert processor_time(caller.process.pid) - used < 0.1
    finally:
        caller.process.kill()
        caller.process.wait()


def processor_time(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_flags_do_not_disturb_where_there_are_no_groups(caller: Caller) -> None:
    assert caller.run("true", flags=KILL_LEFTOVERS)[2] == 0


def test_a_caller_that_has_left_takes_its_command_with_it_before_the_next_one_is_heard(caller: Caller) -> None:
    caller.start("sh", "-c", "trap 'echo over >over; exit' HUP TERM; echo begun; while :; do sleep 0.01; done")
    assert caller.receive() == (b"O", b"begun\n")
    # All in one, as a line may bring it.
    words = ["cat", "over"]
    caller.send(
        frame(DISCONNECTED) + frame(b"H", b"next") + begin(str(caller.folder), None, "", {}, words) + frame(b"I")
    )
    assert caller.receive() == (b"H", b"next")
    assert caller.outcome() == (b"over\n", b"", 0)


def test_a_caller_that_has_left_after_its_command_leaves_nothing_to_the_next_one(caller: Caller) -> None:
    assert caller.run("true") == (b"", b"", 0)
    caller.send(frame(DISCONNECTED) + frame(DISCONNECTED) + frame(b"H", b"next"))
    assert caller.receive() == (b"H", b"next")
    assert caller.run("echo", "there") == (b"there\n", b"", 0)


def reported(program: Path, *records: str) -> list[str]:
    """The reports in what the kernel's log has, each record of which is read by itself."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for number, record in enumerate(records):
        ours.send((record if ";" in record else f"4,{number},{number * 1000},-;{record}\n").encode())
    ours.close()
    with theirs:
        command = [str(program), "kernel-reports"]
        done = subprocess.run(command, stdin=theirs.fileno(), capture_output=True, text=True, check=True)
    return done.stdout.split("\n\n") if done.stdout else []


CUT, END = "------------[ cut here ]------------", "---[ end trace 0000000000000000 ]---"


@pytest.mark.parametrize(
    "headline",
    [
        "WARNING: CPU: 0 PID: 61 at net/bluetooth/hci_conn.c:567 hci_conn_timeout+0x4c/0x60",
        "WARNING: possible circular locking dependency detected",
        "BUG: kernel NULL pointer dereference, address: 0000000000000018",
        "BUG: KASAN: slab-use-after-free in hci_chan_del+0x1f/0x90",
        "kernel BUG at lib/list_debug.c:56!",
        "Oops: 0000 [#1] PREEMPT SMP PTI",
        "Oops: general protection fault, probably for non-canonical address 0xdead000000000122",
        "general protection fault, probably for non-canonical address 0xdead000000000122: 0000 [#1]",
        "Unable to handle kernel NULL pointer dereference at virtual address 0000000000000008",
    ],
)
def test_the_kernel_reports_a_mistake_of_its_own(program: Path, headline: str) -> None:
    before, after = "Bluetooth: MGMT ver 1.23", "Bluetooth: hci0: something else"
    lines = [headline, "Modules linked in: bluetooth", "Call Trace:", END]
    assert reported(program, before, CUT, *lines, after) == ["\n".join([*lines, ""])]


@pytest.mark.parametrize(
    "line",
    [
        "Bluetooth: hci0: Opcode 0x0c03 failed: -110",
        "traps: bluetoothd[93] general protection fault ip:40a sp:7ff error:0 in libc.so.6[400,1d]",
        "watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [python3:93]",
        "rcu: INFO: rcu_sched self-detected stall on CPU",
        "BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 30s!",
        "Warning: unable to open an initial console.",
        "lab: test_it.test_WARNING: begins",
    ],
)
def test_what_is_no_mistake_of_the_kernel_is_no_report(program: Path, line: str) -> None:
    assert reported(program, line) == []


def test_reports_are_told_apart_and_are_bounded(program: Path) -> None:
    first, second = "WARNING: the first", "WARNING: the second"
    assert reported(program, CUT, first, "lab: a test begins", CUT, second) == [first, f"{second}\n"]
    assert reported(program, f"4,0,0,-;{first}\n SUBSYSTEM=usb\n", f"4,1,900000,-;{second}\\x0amore\n") == [
        first,
        f"{second}\nmore\n",
    ]
    (report,) = reported(program, first, *["x" * 500] * 100)
    assert report.startswith(first) and len(report) <= 8000


def test_a_command_reads_the_kernels_log_to_its_end(program: Path) -> None:
    done = subprocess.run([program, "kernel-reports"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    assert done.stdout == b""
