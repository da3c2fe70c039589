"""Runs that are the same again, and the search through those with other seeds (docs/explore.md)."""

import re
import shlex
import signal
import subprocess
from pathlib import Path

import pytest
from lab_commands import LAB, LIMIT, lab, needs_uml

from bluetooth_lab.explore.replay import compare

pytestmark = needs_uml
ROOT = LAB.parent

SENSOR = "dittojay --quiet >/dev/null & bluejay monitor Dittojay --count 5 && bluejay read Dittojay 2A38; kill $!; wait"
READS = '"$LAB_PYTHON" Fixtures/peers/bleak_central.py --adapter hci1 run Dittojay "read:2A38*20" "listen:2A37*3"'
PYTHON_CENTRAL = f"dittojay --quiet >/dev/null & {READS}; kill $!; wait"
# The mark is there in time unless one of the processes that make it is held up.
RACE = "(sleep 0.02; : >/run/lab/mark) & sleep 0.035; test -e /run/lab/mark || { echo late; exit 3; }"


@pytest.fixture(autouse=True)
def uml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB", "uml")


def run_with_seed(seed: int, out: Path, command: str, *options: str) -> subprocess.CompletedProcess[str]:
    words = ["run", "--time", "simulated", "--seed", str(seed), "--out", str(out), *options]
    return lab(*words, "--", "bash", "-c", command, folder=ROOT)


@pytest.mark.parametrize(
    ("command", "vary"),
    [
        pytest.param(SENSOR, "all", id="swift"),
        pytest.param(PYTHON_CENTRAL, "radio,numbers", id="python", marks=pytest.mark.nightly),
        pytest.param(PYTHON_CENTRAL, "all", id="varied-python", marks=pytest.mark.nightly),
    ],
)
def test_a_run_with_a_seed_is_the_same_again(command: str, vary: str, tmp_path: Path) -> None:
    first = run_with_seed(7, tmp_path / "out", command, "--vary", vary, "--page", str(tmp_path / "page.html"))
    assert first.returncode == 0, first.stderr
    for _ in range(2):
        again = lab("replay", str(tmp_path / "out"))
        assert (again.returncode, again.stdout) == (0, first.stdout), again.stdout + again.stderr
        assert "files are identical" in again.stderr


def delays_made(out: Path) -> list[str]:
    """As the kernel's log has them, with their moments."""
    return re.findall(r"vary: (.*)", (out / "dmesg.log").read_text())


@pytest.mark.parametrize("seed", [1, 2, pytest.param(3, marks=pytest.mark.nightly)])
def test_the_delays_of_a_seed_are_the_same_again_as_a_list(seed: int, tmp_path: Path) -> None:
    run_with_seed(seed, tmp_path / "drawn", SENSOR, "--vary", "all")
    made = delays_made(tmp_path / "drawn")
    assert made
    delays = ",".join(delay.partition(" ")[0] for delay in made)
    run_with_seed(seed, tmp_path / "listed", SENSOR, "--vary", f"costs,radio,numbers,only={delays}")
    assert [difference.text for difference in compare(tmp_path / "drawn", tmp_path / "listed")] == []


@pytest.mark.parametrize("seed", [7, pytest.param(9, marks=pytest.mark.nightly)])
def test_a_run_is_the_same_with_and_without_a_page(seed: int, tmp_path: Path) -> None:
    plain = run_with_seed(seed, tmp_path / "plain", SENSOR, "--vary", "all")
    page = tmp_path / "page.html"
    recorded = run_with_seed(seed, tmp_path / "recorded", SENSOR, "--vary", "all", "--page", str(page))
    assert page.exists() and not (tmp_path / "plain" / "run").exists()
    assert (recorded.returncode, recorded.stdout) == (plain.returncode, plain.stdout)
    made, also_made = delays_made(tmp_path / "plain"), delays_made(tmp_path / "recorded")
    assert made
    # Those after them are of programs that keep the record.
    assert also_made[: len(made)] == made


def test_a_run_is_the_same_with_and_without_a_capture(tmp_path: Path) -> None:
    run_with_seed(7, tmp_path / "plain", SENSOR, "--vary", "all")
    capture = tmp_path / "capture.btsnoop"
    run_with_seed(7, tmp_path / "captured", SENSOR, "--vary", "all", "--capture", str(capture))
    assert capture.stat().st_size > 1000
    assert [difference.text for difference in compare(tmp_path / "plain", tmp_path / "captured")] == []


MONITOR = "bluejay monitor Dittojay --count 5 && bluejay read Dittojay 2A38"


@pytest.mark.parametrize(
    ("command", "hosts"),
    [
        pytest.param(MONITOR, 2, id="two"),
        pytest.param(READS.replace("hci1", "hci0"), 2, id="two-python", marks=pytest.mark.nightly),
        pytest.param(MONITOR, 3, id="three", marks=pytest.mark.nightly),
    ],
)
def test_a_run_of_several_hosts_is_the_same_again(command: str, hosts: int, tmp_path: Path) -> None:
    words = ["run", "--hosts", str(hosts), "--time", "simulated", "--seed", "7", "--vary", "all"]
    records = ["--out", str(tmp_path / "out"), "--page", str(tmp_path / "page.html")]
    sensor = ["--host", "a", "--", "dittojay", "--quiet"]
    bystander = ["--host", "b", "--", "bluejay", "scan"] if hosts > 2 else []
    central = ["--host", "abc"[hosts - 1], "--", "bash", "-c", command]
    first = lab(*words, *records, *sensor, *bystander, *central, folder=ROOT)
    assert first.returncode == 0 and first.stdout.count("\n") > 5, first.stdout + first.stderr
    again = lab("replay", str(tmp_path / "out"))
    assert again.returncode == 0, again.stdout + again.stderr
    assert "files are identical" in again.stderr


def test_another_seed_gives_other_numbers_and_the_same_one_the_same(tmp_path: Path) -> None:
    texts = [
        run_with_seed(
            seed, tmp_path / f"{index}", "cat /proc/sys/kernel/random/uuid; date; echo $$ $EPOCHREALTIME"
        ).stdout
        for index, seed in enumerate((1, 1, 2))
    ]
    assert texts[0] == texts[1] != texts[2]
    assert "2030" in texts[0]


def test_a_command_that_has_changed_is_different_and_where_is_shown(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("echo same; echo one\n")
    assert run_with_seed(1, tmp_path / "out", f"source {script}").returncode == 0
    script.write_text("echo same; echo two\n")
    again = lab("replay", str(tmp_path / "out"))
    assert again.returncode == 1
    assert "stdout.log, line 2:\n  - one\n  + two\n" in again.stdout


@pytest.mark.parametrize("hosts", [(), ("--hosts", "2", "--host", "b")], ids=["one", "two"])
def test_an_interrupted_repetition_is_not_compared(hosts: tuple[str, ...], tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("echo begun; exit 3\n")
    out = tmp_path / "out"
    words = ["--time", "simulated", "--seed", "1", "--out", str(out), "--page", str(tmp_path / "page.html"), *hosts]
    first = lab("run", *words, "--", "bash", str(script))
    assert first.returncode == 3 and f"to run it again: lab replay {out}\n" in first.stderr

    again = lab("replay", str(out))
    assert again.returncode == 0 and "to run it again" not in again.stderr, again.stderr

    script.write_text("echo begun; sleep infinity\n")
    with subprocess.Popen([LAB, "replay", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        output, error = process.communicate(timeout=LIMIT)
    assert (process.returncode, output) == (130, ""), error
    assert error.endswith("lab: interrupted: nothing is compared\n")
    assert hosts or "page" not in error


@pytest.mark.nightly
def test_a_suite_that_fails_is_the_same_again_also_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_TEST_LIMIT", "5")

    def tests(out: Path, suites: str) -> subprocess.CompletedProcess[str]:
        return lab("test", "--seed", "5", "--out", str(out), f"InTheLab/{suites}/", folder=ROOT, limit=3 * LIMIT)

    failed = tests(tmp_path / "both", "(Discovery|Values)")
    assert failed.returncode == 1 and "each suite on a machine of the lab, 2 at a time, with seed 5" in failed.stderr
    folder = tmp_path / "both" / "Values"
    assert f"to run it again: lab replay {folder}\n" in failed.stderr
    again = lab("replay", str(folder))
    assert again.returncode == 0 and "the same again" in again.stderr, again.stdout + again.stderr
    tests(tmp_path / "alone", "Values")
    assert list(compare(folder, tmp_path / "alone" / "Values")) == []


def test_a_folder_without_such_a_run_is_refused(tmp_path: Path) -> None:
    refused = lab("replay", str(tmp_path))
    assert refused.returncode == 125
    assert "has no repeat.json" in refused.stderr
    (tmp_path / "repeat.json").write_text("{}")
    refused = lab("replay", str(tmp_path))
    assert (refused.returncode, refused.stderr) == (125, f'lab: cannot read {tmp_path}/repeat.json: no "seed"\n')


def test_the_search_finds_a_race_and_what_it_takes(tmp_path: Path) -> None:
    words = ["explore", "--seed", "1", "--runs", "500", "--out", str(tmp_path)]
    explored = lab(*words, "--", "bash", "-c", RACE, folder=ROOT)
    assert explored.returncode == 1, explored.stderr
    assert "lab:   late\n" in explored.stderr
    held_up = re.findall(r"(\w+) \(process \d+\) is held up", explored.stderr.rpartition("it fails if ")[2])
    assert 1 <= len(held_up) <= 3 and not {"sleep", "bash"}.isdisjoint(held_up), explored.stderr
    assert "its record, beside that of the same without delays" in explored.stderr
    assert 'data-record="other"' in (tmp_path / "page.html").read_text()
    replay, line = (
        explored.stderr.rpartition(text)[2].splitlines()[0]
        for text in ("to run it again: ", "or, in the same environment: ")
    )
    again = subprocess.run([LAB, *shlex.split(replay)[1:]], capture_output=True, text=True, timeout=LIMIT)
    assert again.returncode == 0, again.stdout
    assert "the same again" in again.stderr
    assert "only=" in line
    for _ in range(3):
        again = subprocess.run([LAB, *shlex.split(line)[1:]], capture_output=True, text=True, timeout=LIMIT, cwd=ROOT)
        assert (again.returncode, again.stdout) == (3, "late\n"), again.stderr


@pytest.mark.nightly
def test_the_search_finds_a_race_between_hosts(tmp_path: Path) -> None:
    mark = "until [[ -e /run/lab/begin ]]; do sleep 0.01; done; sleep 0.02; : >/run/lab/mark"
    look = "lab-on a touch /run/lab/begin; sleep 0.06; lab-on a test -e /run/lab/mark || { echo late; exit 3; }"
    words = ["explore", "--hosts", "2", "--seed", "1", "--runs", "200", "--out", str(tmp_path)]
    hosts = ["--host", "a", "--", "bash", "-c", mark, "--host", "b", "--", "bash", "-c", look]
    explored = lab(*words, *hosts, folder=ROOT, limit=3 * LIMIT)
    assert explored.returncode == 1, explored.stdout + explored.stderr
    assert "on host a) is held up" in explored.stderr


def test_what_cannot_fail_passes_all_runs(tmp_path: Path) -> None:
    fixed = RACE.replace("sleep 0.035", "wait")
    explored = lab("explore", "--runs", "4", "--out", str(tmp_path), "--", "bash", "-c", fixed, folder=ROOT)
    assert explored.returncode == 0, explored.stderr
    assert "4 runs, 0 failed" in explored.stderr
