"""What a seed varies, which run is the first to fail, and what it takes."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from bluetooth_lab.bundle.bus import bus_text
from bluetooth_lab.command_line.commands import BY_NAME
from bluetooth_lab.command_line.parsing import parse_line
from bluetooth_lab.explore import runs
from bluetooth_lab.explore.command import Exploration, Options, explore, must_be_repeatable, prepare_folder
from bluetooth_lab.explore.delays import Made, described
from bluetooth_lab.explore.meanwhile import entries_of, meanwhile
from bluetooth_lab.explore.pages import write_pages
from bluetooth_lab.explore.reduction import MAXIMUM_RUNS, Reduction, smaller
from bluetooth_lab.explore.runs import Run, Runner, with_limit
from bluetooth_lab.explore.variation import KINDS, LONGEST, LONGEST_LINE, MAXIMUM_DELAYS, Delay, Variation
from bluetooth_lab.messages import EXIT_LAB_FAILED
from bluetooth_lab.places import PACKAGE
from bluetooth_lab.testing.junit import prepare_file
from bluetooth_lab.testing.merging import merge

# Variations


def parameters(variation: Variation, seed: int) -> dict[str, list[str]]:
    """Without lines that say nothing."""
    found: dict[str, list[str]] = {}
    for line in variation.parameters(seed).split("\n"):
        name, _, value = line.partition(" ")
        if name and value != "-":
            found.setdefault(name, []).append(value)
    return found


@pytest.mark.parametrize(
    "text",
    [
        "all",
        "none",
        "delays",
        "costs,numbers",
        "radio,only=1:2:3,4:5:6",
        "only=1:2:3",
        "costs,radio,numbers",
        "bus,radio",
    ],
)
def test_a_variation_is_its_text(text: str) -> None:
    assert str(Variation.parse(text)) == text


@pytest.mark.parametrize(
    "text", ["", "al", "delays,,costs", "none,costs", "only=", "only=1:2", "only=1:2:-3", "only=x"]
)
def test_an_unknown_kind_or_a_wrong_delay_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"all, none, or some of|only=\[HOST:\]PROCESS"):
        Variation.parse(text)


def test_what_does_not_vary_has_the_same_seed_always() -> None:
    variation = Variation.parse("radio")
    assert [variation.seed_of(kind, 7) for kind in ("radio", "numbers")] == [7, 1]
    assert parameters(variation, 7) == {
        "seed": ["7"],
        "delays": ["0"],
        "longest": ["100000"],
        "whose": ["0"],
        "costs": ["0"],
        "on": ["1"],
    }


def test_each_seed_has_one_rate_and_one_bound_of_delays() -> None:
    given = [parameters(Variation.parse("delays"), seed) for seed in range(100)]
    pairs = {(found["delays"][0], found["longest"][0]) for found in given}
    assert len(pairs) == 8
    assert ("10000", "5000") in pairs


def test_the_kernel_is_told_whose_delays_vary() -> None:
    whose = [parameters(Variation.parse(text), 3)["whose"] for text in ("all", "bus,radio", "programs,bluetoothd")]
    assert whose == [["7"], ["4"], ["3"]]
    assert parameters(Variation.parse("bus"), 3)["delays"] != ["0"]


def test_chosen_delays_are_told_in_lines_that_the_kernel_takes() -> None:
    delays = [Delay(process, 1000, 20000) for process in range(MAXIMUM_DELAYS)]
    parts = parameters(Variation(frozenset(), delays), 1)["only"]
    assert len(parts) > 1 and max(map(len, parts)) <= LONGEST_LINE + 1
    assert ",".join(parts) == ",".join(map(str, delays))
    with pytest.raises(ValueError, match=f"at most {MAXIMUM_DELAYS} delays"):
        Variation.parse("only=" + ",".join(map(str, [*delays, delays[0]])))
    with pytest.raises(ValueError, match=f"too many delays: {MAXIMUM_DELAYS + 1}"):
        Variation(frozenset(), [*delays, delays[0]]).parameters(1)


def test_texts_of_all_variations_take_a_machine_as_long() -> None:
    texts = [Variation.parse(text).parameters(3) for text in ("none", "all", "costs,only=1:2:3")]
    assert len({(len(text), len(text.split())) for text in texts}) == 1


# The search


def options(*words: str) -> Options:
    return Options.of(parse_line(BY_NAME["explore"], [*words, "--", "true"]))


def test_shards_have_all_seeds_between_them() -> None:
    parts = [list(options("--seed", "100", "--runs", "10", "--shard", f"{part}/3").seeds()) for part in (1, 2, 3)]
    assert sorted(itertools.chain(*parts)) == list(range(100, 110))


def test_shards_begin_with_the_same_seed() -> None:
    firsts = {next(options("--shard", f"{part}/3").seeds()) - part for part in (1, 2, 3)}
    assert len(firsts) == 1


def test_the_results_of_shards_are_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(runner: Runner, seed: int, variation: Variation) -> Run:
        out = tmp_path / str(seed)
        out.mkdir(exist_ok=True)
        (out / "output.log").write_text("it was too late\n")
        return Run(seed, variation, 1 if seed == 5 else 0, out, 1.5)

    monkeypatch.setattr(Runner, "run", run)
    monkeypatch.setattr(Exploration, "explain", lambda *_: None)
    files = [tmp_path / f"{part}.xml" for part in (1, 2)]
    statuses = []
    for part, file in enumerate(files, 1):
        words = ["--runs", "8", "--keep-going", "--shard", f"{part}/2", "--junit", str(file), "--out", str(tmp_path)]
        statuses.append(Exploration(options(*words), {}).run())
    assert statuses == [1, 0]  # seeds 1, 3, 5, 7 and 2, 4, 6, 8
    assert "it was too late" in files[0].read_text()
    assert merge(files, None, None) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "7 passed, 1 failed"
    merge(files[:1], None, None)
    assert "shard 2/2 is missing" in capsys.readouterr().out


def test_an_exit_status_that_says_that_no_test_has_run_ends_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Runner, "run", lambda _, seed, variation: Run(seed, variation, 5, tmp_path))
    words = ("--no-tests", "4", "--no-tests", "5", "--jobs", "1", "--out", str(tmp_path))
    assert Exploration(options(*words), {}).run() == EXIT_LAB_FAILED


@pytest.mark.parametrize(
    ("statuses", "expected", "text"),
    [
        ([0, 1, 0], 130, "the search is not complete: interrupted"),
        ([0, None, None, None, None], 125, "the lab itself failed too often"),
        ([0, 5], 125, "no test has run (exit status 5)"),
        ([0, 1, *[OSError(28, "No space left on device")] * 2], 1, "the lab itself failed: [Errno 28]"),
        ([0, OSError(28, "No space left on device")], 125, "the lab itself failed: [Errno 28] No space left on device"),
    ],
)
def test_a_search_that_is_not_complete_is_merged_as_a_failure(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    statuses: list[int | OSError | None],
    expected: int,
    text: str,
) -> None:
    left = iter(statuses)

    def run(runner: Runner, seed: int, variation: Variation) -> Run:
        status = next(left, KeyboardInterrupt())
        if isinstance(status, BaseException):
            raise status
        return Run(seed, variation, status, tmp_path / str(seed))

    monkeypatch.setattr(Runner, "run", run)
    file = tmp_path / "1.xml"
    words = ("--runs", "20", "--jobs", "1", "--keep-going", "--no-tests", "5", "--junit", str(file))
    assert Exploration(options(*words, "--out", str(tmp_path)), {}).run() == expected
    assert merge([file], None, None) == 1
    assert text in capsys.readouterr().out


def test_failures_are_shown_also_if_no_test_runs_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "1.xml"
    words = ("--runs", "3", "--jobs", "1", "--keep-going", "--no-tests", "5", "--junit", str(file))
    exploration = Exploration(options(*words, "--out", str(tmp_path)), {})
    said = explained(exploration, [1, 5, 0], monkeypatch)
    assert any("ended with exit status 1" in line for line in said) and "no test has run (exit status 5)" in "".join(
        said
    )
    assert 'failures="1"' in file.read_text()


def test_a_run_that_could_not_even_say_why_it_was_not_made_hints_at_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exploration = Exploration(options("--runs", "1", "--out", str(tmp_path)), {})
    assert explained(exploration, [None], monkeypatch)[-1] == f"it left no output: is there room in {tmp_path}?"


def test_the_end_of_a_failure_is_shown_whatever_it_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "output.log").write_text("x" * 1_000_000 + "\nlab: not its own\n\x1b[31mred\x07\tand more\n")
    exploration = Exploration(options("--runs", "1", "--jobs", "1", "--out", str(tmp_path)), {})
    said = explained(exploration, [1, 0], monkeypatch)
    start = said.index(f"the last lines of its output, which is in {tmp_path}/output.log:")
    assert said[start + 1 : start + 3] == [f"  {'x' * 300}…", r"  red\x07 and more"]


def test_the_results_have_the_end_of_an_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "output.log").write_text("x" * 1_000_000 + "\nthe end\n")
    file = tmp_path / "1.xml"
    exploration = Exploration(options("--runs", "1", "--junit", str(file), "--out", str(tmp_path)), {})
    explained(exploration, [1, 0], monkeypatch)
    assert file.stat().st_size < 100_000 and "the end" in file.read_text()


def test_results_that_cannot_be_written_do_not_keep_a_failure_from_being_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder.xml").mkdir()
    chosen = options("--runs", "1", "--jobs", "1", "--out", str(tmp_path))._replace(junit=tmp_path / "folder.xml")
    said = explained(Exploration(chosen, {}), [1, 0], monkeypatch)
    assert any(line.startswith("--junit: ") for line in said) and "did not fail again" in said[-1]
    monkeypatch.setattr(Runner, "run", lambda _, seed, variation: Run(seed, variation, 0, tmp_path / "run"))
    assert Exploration(chosen, {}).run() == EXIT_LAB_FAILED


def written(folder: Path, name: str, *words: str) -> Path:
    """The results of a search in which all runs passed."""
    file = folder / f"{name}.xml"
    exploration = Exploration(options("--runs", "4", "--seed", "1", "--junit", str(file), *words), {})
    exploration.run()
    return file


def test_only_shards_of_the_same_search_are_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Runner, "run", lambda _, seed, variation: Run(seed, variation, 0, tmp_path / "run"))
    out = ("--out", str(tmp_path))
    first, second = (written(tmp_path, f"{part}", "--shard", f"{part}/2", *out) for part in (1, 2))
    assert merge([first, second], None, None) == 0
    for index, words in enumerate((["--vary", "radio"], ["--limit", "7"], ["--air", "real"], ["--controllers", "3"])):
        other = written(tmp_path, f"other-{index}", "--shard", "2/2", *words, *out)
        capsys.readouterr()
        assert merge([first, other], None, None) == 1
        assert "sources, filters or options are different" in capsys.readouterr().out


def test_shards_of_clones_in_other_folders_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        words = ["--package", str(tmp_path / name), "--", str(tmp_path / name / "test"), "-x"]
        chosen.append(Options.of(parse_line(BY_NAME["explore"], ["--shard", "1/2", *words])).properties)
    assert chosen[0] == chosen[1]
    assert chosen[0]["part"] == "--package . --limit 300 --vary all -- test -x"


def test_whole_searches_of_different_commands_are_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Runner, "run", lambda _, seed, variation: Run(seed, variation, 0, tmp_path / "run"))
    plain = written(tmp_path, "plain", "--out", str(tmp_path))
    radio = written(tmp_path, "radio", "--vary", "radio", "--out", str(tmp_path))
    assert merge([plain, radio], None, None) == 0
    again = tmp_path / "again.xml"
    again.write_bytes(plain.read_bytes())
    capsys.readouterr()
    assert merge([plain, again], None, None) == 1
    assert "ran 2 times: seed 1 (search)" in capsys.readouterr().out


def test_an_old_file_of_results_is_removed_and_a_wrong_place_is_said_before_the_search(
    tmp_path: Path, said: list[str]
) -> None:
    (tmp_path / "1.xml").write_text("old")
    prepare_file(tmp_path / "1.xml")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SystemExit):
        prepare_file(Path("/proc/1.xml"))


Ran = Callable[..., Run]


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ran:
    """A run in whose machine's place a script runs, which has the run's folder as `out`."""

    def ran(script: str, limit: int = 5) -> Run:
        begin = "import os, pathlib, signal, sys, time; out = pathlib.Path(sys.argv[2])\n"
        monkeypatch.setattr(runs, "child_command", lambda _: [sys.executable, "-c", begin + script])
        runner = Runner([], ["my", "test"], limit, 1, tmp_path, dict(os.environ))
        return runner.run(3, Variation.parse("none"))

    return ran


@pytest.mark.parametrize("status", [0, 1, 125])
def test_the_status_of_a_run_is_what_its_command_ended_with(ran: Ran, status: int) -> None:
    run = ran(f"(out / 'status').write_text('{status}'); sys.exit({status})")
    assert (run.status, run.has_failed) == (status, status != 0)


@pytest.mark.parametrize(
    "script",
    [
        "sys.exit(1)",
        "os.kill(os.getpid(), signal.SIGKILL)",
        "(out / 'status').write_text('0'); sys.exit(1)",
        "(out / 'status').write_text(''); sys.exit(125)",
    ],
)
def test_a_run_whose_command_has_not_ended_is_a_failure_of_the_lab(ran: Ran, script: str) -> None:
    run = ran(script)
    assert run.status is None and not run.has_failed


TERMINATED = "timeout: sending signal TERM to command 'my'\n"
KILLED = "timeout: sending signal KILL to command 'my'\n"


@pytest.mark.parametrize(
    ("status", "text", "reason"),
    [
        (124, TERMINATED, "was still running after 5 s by the lab's clock"),
        (137, TERMINATED + KILLED, "was still running after 5 s by the lab's clock"),
        (124, "", "ended with exit status 124"),
        (137, "my: killed\n", "ended with exit status 137"),
        (1, TERMINATED, "ended with exit status 1"),
        (125, "", "ended with exit status 125"),
    ],
)
def test_what_exceeds_its_limit_is_told_from_what_ends_alike(ran: Ran, status: int, text: str, reason: str) -> None:
    run = ran(f"(out / 'status').write_text('{status}'); (out / 'stderr.log').write_text({text!r}); sys.exit({status})")
    assert run.has_failed and run.reason == reason


def test_the_limit_is_that_of_each_host(ran: Ran) -> None:
    script = f"(out / 'b').mkdir(); (out / 'b' / 'stderr.log').write_text({TERMINATED!r}); "
    assert ran(script + "(out / 'status').write_text('124'); sys.exit(124)").limit


def test_a_command_that_computes_forever_has_failed(ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "REAL_LIMIT", 0.1)
    run = ran("time.sleep(1000)", limit=0)
    assert run.has_failed and run.reason == "was still running after 0.1 s of real time"


def test_over_a_limit_is_a_failure_of_its_own(tmp_path: Path) -> None:
    plain, over, killed = (
        Run(1, Variation.parse("all"), status, tmp_path, 1, limit)
        for status, limit in ((124, ""), (124, "300 s"), (137, "600 s"))
    )
    assert over.fails_like(killed) and killed.fails_like(over)
    assert not plain.fails_like(over) and not over.fails_like(plain)


def explained(exploration: Exploration, statuses: Iterable[int | None], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a search says whose runs end like that."""
    said: list[str] = []
    left = iter(statuses)

    def run(runner: Runner, seed: int, variation: Variation) -> Run:
        return Run(seed, variation, next(left), runner.folder)

    monkeypatch.setattr(Runner, "run", run)
    monkeypatch.setattr("bluetooth_lab.explore.command.say", said.append)
    exploration.run()
    return said


@pytest.mark.parametrize(
    ("status", "text"), [(0, "the command depends on something besides"), (None, "the lab itself")]
)
def test_a_run_that_does_not_fail_again_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int | None, text: str
) -> None:
    exploration = Exploration(options("--runs", "1", "--jobs", "1", "--out", str(tmp_path)), {})
    assert text in explained(exploration, [1, status], monkeypatch)[-1]


# A search in whose machines' place a script runs.
SEARCH = """
import signal, sys
from bluetooth_lab.command_line.commands import BY_NAME
from bluetooth_lab.command_line.parsing import parse_line
from bluetooth_lab.explore import command, runs

signal.signal(signal.SIGINT, signal.SIG_DFL)  # as the tool's start leaves it
folder = sys.argv[1]
runs.child_command = lambda script: [sys.executable, script]
command.must_be_repeatable = lambda _: None
runs.Runner.line = lambda *_: [folder + "/run.py"]
sys.exit(command.explore(parse_line(BY_NAME["explore"], ["--jobs", sys.argv[2], "--out", folder, "--", "true"]), {}))
"""


def started_search(folder: Path, script: str, jobs: int = 1) -> subprocess.Popen[bytes]:
    """Whose runs have all begun: each makes a file `started-N` with its number."""
    (folder / "run.py").write_text(
        f"""
import os, pathlib, signal, sys, time
folder = pathlib.Path({str(folder)!r})

def note(name):
    (folder / (name + str(os.getpid()))).touch()
    return len(list(folder.glob(name + "*")))

{script}
note("started-")
time.sleep(1000)
"""
    )
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    words = [sys.executable, "-c", SEARCH, str(folder), str(jobs)]
    search = subprocess.Popen(words, env=environment, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 30
    while len(list(folder.glob("started-*"))) < jobs:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return search


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_search_ends_its_runs(tmp_path: Path, number: signal.Signals) -> None:
    search = started_search(tmp_path, "signal.signal(signal.SIGTERM, lambda *_: (note('ended-'), sys.exit()))")
    search.send_signal(number)
    _, said = search.communicate(timeout=30)
    assert search.returncode == 130
    assert b"interrupted: ending 1 run;" in said and b"0 runs, 0 failed" in said
    assert list(tmp_path.glob("ended-*"))
    assert not [path for path in tmp_path.iterdir() if path.is_dir()], "nobody wants these runs"


def test_all_runs_of_an_interrupted_search_end_at_the_same_time(tmp_path: Path) -> None:
    # Each ends when all others have been asked to.
    script = """
def end(*_):
    note("ended-")
    while len(list(folder.glob("ended-*"))) < 3:
        time.sleep(0.01)
    sys.exit()

signal.signal(signal.SIGTERM, end)
"""
    search = started_search(tmp_path, script, jobs=3)
    search.send_signal(signal.SIGINT)
    _, said = search.communicate(timeout=30)
    assert search.returncode == 130 and b"ending 3 runs" in said


def test_a_second_ctrl_c_kills_runs_that_do_not_end(tmp_path: Path) -> None:
    search = started_search(tmp_path, "signal.signal(signal.SIGTERM, signal.SIG_IGN)", jobs=2)
    assert search.stderr
    search.send_signal(signal.SIGINT)
    assert any(b"Ctrl-C again kills them" in line for line in search.stderr)
    search.send_signal(signal.SIGINT)
    _, said = search.communicate(timeout=30)
    assert search.returncode == 130 and b"killing 2 runs" in said


def test_ctrl_c_while_runs_end_anyway_ends_the_search_after_them(tmp_path: Path) -> None:
    runner = Runner([], [], 5, 1, tmp_path, {})

    def run(seed: int, variation: Variation) -> Run:
        return Run(seed, variation, 0, tmp_path)

    def take(run: Run) -> bool:
        process = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        runner.running.processes.add(process)
        runner.running.is_stopped = True
        runner.interrupt()  # does not raise
        return True

    runner.run = run  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        runner.run_all([(1, Variation.parse("all"))], take)
    with pytest.raises(KeyboardInterrupt):
        runner.run_all([(2, Variation.parse("all"))], take)


def test_ctrl_c_ends_what_explains_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr("bluetooth_lab.explore.command.must_be_repeatable", lambda _: None)
    monkeypatch.setattr(Runner, "run", lambda _, seed, variation: Run(seed, variation, 1, tmp_path))
    monkeypatch.setattr(Runner, "once", interrupted)
    line = parse_line(BY_NAME["explore"], ["--jobs", "1", "--out", str(tmp_path), "--", "true"])
    assert explore(line, {}) == 130


@pytest.mark.parametrize(
    ("variables", "text"),
    [
        ({"LAB": "tcg"}, "a search needs user-mode Linux, not LAB=tcg"),
        ({"LAB": "host"}, "a search needs user-mode Linux, not LAB=host"),
        ({}, "a search needs user-mode Linux; lab doctor"),
        ({"LAB": "uml"}, "no kernel for user-mode Linux: run lab setup --uml"),
        ({"LAB_RADIO": "btvirt"}, "a search needs the virtual radio, not btvirt (LAB_RADIO)"),
    ],
)
def test_where_runs_cannot_be_repeated_none_is_made(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], variables: dict[str, str], text: str
) -> None:
    with pytest.raises(SystemExit) as end:
        must_be_repeatable({"LAB_HOME": str(tmp_path), **variables})
    assert end.value.code == EXIT_LAB_FAILED and text in capfd.readouterr().err
    (tmp_path / "uml").mkdir()
    (tmp_path / "uml" / "linux").touch()
    must_be_repeatable({"LAB_HOME": str(tmp_path)})


@pytest.mark.parametrize("name", ["/dev/null", "/proc/x", "/proc"])
def test_a_folder_that_cannot_be_written_to_is_said_before_the_search(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    with pytest.raises(SystemExit) as end:
        prepare_folder(Path(name), {"LAB_HOME": str(tmp_path)})
    assert end.value.code == EXIT_LAB_FAILED and "lab: cannot " in capfd.readouterr().err


def test_a_folder_has_one_search_at_a_time_and_no_page_of_the_last_one(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "page.html").touch()
    prepare_folder(tmp_path, {"LAB_HOME": str(tmp_path)})
    assert not (tmp_path / "page.html").exists()
    (tmp_path / "page.html").touch()
    with pytest.raises(SystemExit):
        prepare_folder(tmp_path, {"LAB_HOME": str(tmp_path)})
    assert (tmp_path / "page.html").exists(), "it is the other one's"
    assert f"another search writes to {tmp_path}" in capfd.readouterr().err


def test_a_command_that_cannot_be_run_ends_the_search(ran: Ran, tmp_path: Path) -> None:
    text = "timeout: failed to run command 'nosuch': No such file or directory"
    script = "(out / 'status').write_text('127'); (out / 'stderr.log').write_text({!r}); sys.exit(127)"
    exploration = Exploration(options("--out", str(tmp_path)), {})
    assert exploration.take(ran(script.format(text + "\n")))
    assert exploration.obstacle == text.partition(": ")[2] and not exploration.failed
    exploration = Exploration(options("--keep-going", "--out", str(tmp_path)), {})
    assert not exploration.take(ran(script.format("bash: nosuch: command not found\n")))
    assert exploration.failed


def test_the_number_of_runs_is_unlimited_where_minutes_were_given() -> None:
    assert options("--minutes", "3").runs is None
    assert options("--minutes", "3", "--runs", "5").runs == 5
    assert options().runs == 200


def test_options_of_the_machine_are_passed_on() -> None:
    line = Runner(options("--air", "real", "--seed", "3").words, ["true"], 5, 1, Path("/x"), {}).line(
        3, Variation.parse("costs")
    )
    assert line == [
        "run",
        "--air",
        "real",
        "--time",
        "simulated",
        "--seed",
        "3",
        "--vary",
        "costs",
        "--",
        "timeout",
        "--verbose",
        "--kill-after",
        "10",
        "5",
        "true",
    ]


def test_delays_are_found_in_the_log_of_the_kernel(tmp_path: Path) -> None:
    (tmp_path / "dmesg.log").write_text(
        "<6>Linux\n<7>vary: 812:4711:14200 at 5120001 us, system call 46 of blue tooth\n"
        "vary: 1:2:3 at 6500000 us, system call 0 of a\n"
    )
    made = Run(1, Variation.parse("all"), 1, tmp_path).delays
    assert made == [Made(Delay(812, 4711, 14200), 5.120001, "blue tooth", 46), Made(Delay(1, 2, 3), 6.5, "a", 0)]


def test_a_delay_in_the_log_is_put_into_words() -> None:
    line = "vary: 812:4711:14200 at 5120001 us, system call 46 of bluetoothd"
    assert described(line) == "bluetoothd (process 812) is held up for 14.2 ms before sendmsg"
    assert described("Bluetooth: MGMT ver 1.23") == "Bluetooth: MGMT ver 1.23"


# Reduction


def test_what_is_left_fails_and_needs_all_of_its_parts() -> None:
    for needed in ({3}, {3, 17}, {0, 1, 39}, set(range(40))):

        def first(parts: Sequence[Sequence[int]], needed: set[int] = needed) -> int | None:
            return next((index for index, part in enumerate(parts) if needed <= set(part)), None)

        assert set(smaller(range(40), first)) == needed


class FakeRunner(Runner):
    """A command that fails if each of some delays is made and is long enough."""

    def __init__(
        self,
        folder: Path,
        needed: dict[tuple[int, int], int],
        kinds: frozenset[str] = frozenset(),
        is_enough: Callable[[Iterable[Delay]], bool] = lambda _: True,
        jobs: int = 2,
    ) -> None:
        super().__init__([], [], 1, jobs, folder, {})
        self.needed, self.needed_kinds, self.is_enough, self.runs = needed, kinds, is_enough, 0

    def run(self, seed: int, variation: Variation) -> Run:
        self.runs += 1
        out = self.folder / str(self.runs)
        out.mkdir()
        made = [Delay(1, call, 5000) for call in range(30)] if variation.has_delays else variation.only or ()
        lines = [f"vary: {delay} at {delay.call}000000 us, system call 46 of bluetoothd\n" for delay in made]
        (out / "dmesg.log").write_text("".join(lines))
        lengths = {delay[:2]: delay.length for delay in made}
        has_delays = all(lengths.get(name, 0) >= length for name, length in self.needed.items())
        has_failed = has_delays and self.needed_kinds <= variation.kinds and self.is_enough(made)
        return Run(seed, variation, 1 if has_failed else 0, out)


def reduced(runner: FakeRunner) -> tuple[Run, list[Made], list[str]]:
    said: list[str] = []
    reduction = Reduction(runner, runner.run(5, Variation(frozenset(KINDS))), said.append)
    reduction.reduce()
    return reduction.run, reduction.remaining(), said


def test_kinds_and_delays_that_do_not_matter_are_left_out_and_the_others_shortened(tmp_path: Path) -> None:
    run, delays, said = reduced(FakeRunner(tmp_path, {(1, 4): 1000, (1, 22): 3000}))
    assert run.has_failed
    assert str(run.variation) == "only=1:4:1250,1:22:5000"
    assert [(made.program, made.moment) for made in delays] == [("bluetoothd", 4.0), ("bluetoothd", 22.0)]
    assert said == [
        "without programs it still fails",
        "without bluetoothd it still fails",
        "without costs it still fails",
        "without radio it still fails",
        "without numbers it still fails",
        "it fails with its 30 delays alone",
        "2 delays are enough",
    ]


def test_several_short_delays_become_a_single_long_one_where_that_is_enough(tmp_path: Path) -> None:
    def is_late(made: Iterable[Delay]) -> bool:
        return sum(delay.length for delay in made if delay.call in range(10, 14)) > 16_000

    # One at a time: of several at once, the first to fail ends the others.
    runner = FakeRunner(tmp_path, {}, is_enough=is_late, jobs=1)
    run, delays, said = reduced(runner)
    assert run.has_failed
    assert str(run.variation) == "only=1:10:25000"
    assert [made.moment for made in delays] == [10.0]
    assert said[-1] == "a single delay is enough" and runner.runs < 40


def test_no_delay_becomes_longer_than_one_of_a_seed(tmp_path: Path) -> None:
    lengths: list[int] = []

    def is_late(made: Iterable[Delay]) -> bool:
        lengths.extend(delay.length for delay in made)
        return True

    reduced(FakeRunner(tmp_path, {}, is_enough=is_late))
    assert max(lengths) <= max(LONGEST)


def test_kinds_that_only_many_delays_need_are_left_out_in_the_end(tmp_path: Path) -> None:
    class Moving(FakeRunner):
        """Without the costs of the seed, delays come elsewhere, and many of them do not do the same."""

        def run(self, seed: int, variation: Variation) -> Run:
            run = super().run(seed, variation)
            is_elsewhere = "costs" not in variation.kinds and len(variation.only or range(30)) > 5
            return run._replace(status=0) if is_elsewhere else run

    run, _, said = reduced(Moving(tmp_path, {(1, 7): 1000}))
    assert run.has_failed and run.variation.kinds == frozenset()
    assert said[-2:] == ["a single delay is enough", "without costs it still fails"]


def test_a_failure_that_needs_no_delay_keeps_the_kinds_that_it_needs(tmp_path: Path) -> None:
    run, delays, _ = reduced(FakeRunner(tmp_path, {}, frozenset({"radio"})))
    assert (str(run.variation), delays) == ("radio", [])


def test_another_failure_is_not_the_one_that_is_reduced(tmp_path: Path) -> None:
    class Other(FakeRunner):
        """Without the delay 22 another test fails, or the command crashes."""

        def run(self, seed: int, variation: Variation) -> Run:
            run = super().run(seed, variation)
            calls = {made.delay.call for made in run.delays}
            (run.out / "output.log").write_text(f"✘ Test {'one' if 22 in calls else 'two'}() failed after 1 second\n")
            return run if 22 in calls or seed == 6 else run._replace(status=139)

    assert "1:22:" in str(reduced(Other(tmp_path, {}))[0].variation)
    (tmp_path / "second").mkdir()
    runner = Other(tmp_path / "second", {})
    reduction = Reduction(runner, runner.run(6, Variation(frozenset(KINDS))), lambda _: None)
    reduction.reduce()
    assert "1:22:" in str(reduction.run.variation)


def test_delays_that_were_not_made_are_left_out_without_a_run(tmp_path: Path) -> None:
    class Shortened(FakeRunner):
        """Ends before the call 20."""

        def run(self, seed: int, variation: Variation) -> Run:
            kept = [delay for delay in variation.only or () if delay.call < 20]
            run = super().run(seed, variation._replace(only=kept) if variation.only else variation)
            return run._replace(variation=variation)

    run, delays, _ = reduced(Shortened(tmp_path, {(1, 2): 1}))
    assert [made.delay.call for made in delays] == [2]
    assert run.variation.only == [delays[0].delay]


def test_a_reduction_ends(tmp_path: Path) -> None:
    # 16 of 30 have to stay: more than can be found out in so many runs.
    runner = FakeRunner(tmp_path, {(1, call): 1 for call in range(0, 30, 2)} | {(1, 29): 5000}, jobs=1)
    run, _, _ = reduced(runner)
    assert run.has_failed and runner.runs == 1 + MAXIMUM_RUNS


def test_only_what_has_run_counts_for_the_limit_of_a_reduction(tmp_path: Path) -> None:
    runner = FakeRunner(tmp_path, {(1, 0): 1}, jobs=1)
    reduction = Reduction(runner, runner.run(5, Variation(frozenset(KINDS))), lambda _: None)
    reduction.reduce()
    assert runner.runs - 1 == MAXIMUM_RUNS - reduction.left < 30


def test_runs_that_could_not_be_made_are_no_success(
    tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    statuses = iter([0, None, 0])

    def run(runner: Runner, seed: int, variation: Variation) -> Run:
        out = tmp_path / str(seed)
        out.mkdir()
        (out / "output.log").write_text("lab: no kernel for the lab\n")
        return Run(seed, variation, next(statuses), out)

    monkeypatch.setattr(Runner, "run", run)
    monkeypatch.setattr("bluetooth_lab.explore.command.say", said.append)
    exploration = Exploration(options("--runs", "3", "--jobs", "1", "--out", str(tmp_path)), {})
    assert exploration.run() == EXIT_LAB_FAILED
    assert any(line.startswith("2 runs, 0 failed") for line in said)
    text = next(line for line in said if line.startswith("1 run could not be made: the lab itself failed"))
    seed = text.split()[-1]
    assert said[said.index(text) + 1 :] == [
        f"the last lines of its output, which is in {tmp_path}/{seed}/output.log:",
        "  lab: no kernel for the lab",
    ]


def test_an_interrupted_reduction_says_what_it_has_found(
    tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(runner: Runner, seed: int, variation: Variation) -> Run:
        runner.count += 1
        if runner.count > 3:
            raise KeyboardInterrupt
        return Run(seed, variation, 1, tmp_path / str(runner.count))

    monkeypatch.setattr(Runner, "run", run)
    monkeypatch.setattr("bluetooth_lab.explore.command.say", said.append)
    exploration = Exploration(options("--seed", "7", "--runs", "1", "--jobs", "1", "--out", str(tmp_path)), {})
    assert exploration.run() == 1
    # Found, again, and without one kind.
    assert f"seed 7 ended with exit status 1; to run it again: lab replay {tmp_path}/1" in said
    assert "interrupted; the smallest so far:" in said
    assert any("of which it may not need all: bluetoothd, bus, costs" in line for line in said)
    assert said[-2] == f"to run it again: lab replay {tmp_path}/3"


@pytest.mark.parametrize(("count", "more"), [(40, 0), (1443, 1403)])
def test_of_many_delays_the_first_are_shown(
    tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch, count: int, more: int
) -> None:
    monkeypatch.setattr("bluetooth_lab.explore.command.say", said.append)
    lines = [f"vary: 7:{number}:900 at {1893456000 + number}000000 us, system call 0 of a\n" for number in range(count)]
    (tmp_path / "dmesg.log").write_text("".join(lines))
    run = Run(7, Variation.parse("only=7:0:900"), 1, tmp_path)
    exploration = Exploration(options("--out", str(tmp_path)), {})
    exploration.describe(Reduction(exploration.runner, run, said.append), None)
    assert sum(" is held up for 0.9 ms " in line for line in said) == 40
    expected = [f"  and {more} more, which are in dmesg.log"] if more else []
    assert [line for line in said if " more, " in line] == expected
    assert f"to run it again: lab replay {tmp_path}" in said
    assert any(line.startswith("or, in the same environment: ") for line in said) == (not more)


def test_tests_of_which_none_runs_are_no_failure_of_a_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Runner, "run", lambda _, seed, variation: Run(seed, variation, 69, tmp_path))
    chosen = options("--runs", "3", "--jobs", "1", "--out", str(tmp_path))
    assert Exploration(chosen._replace(no_tests=(69,)), {}).run() == EXIT_LAB_FAILED
    assert "no test has run (exit status 69)" in capfd.readouterr().err


def test_a_delay_of_one_of_several_hosts_is_that_hosts_alone() -> None:
    variation = Variation.parse("only=b:7:3:1000,8:4:2000")
    assert str(variation) == "only=b:7:3:1000,8:4:2000"
    assert "only 7:3:1000\n" in variation.parameters(5, "b")
    assert "only 8:4:2000\n" in variation.parameters(5)
    assert "only -\nonly -\n" in variation.parameters(5, "a")


def test_hosts_vary_apart() -> None:
    variation = Variation.parse("all")
    texts = {variation.parameters(5, host).splitlines()[0] for host in ("a", "b")}
    assert len(texts) == 2


def test_each_hosts_command_has_the_limit() -> None:
    words = ["--host", "a", "--", "dittojay", "--host", "b", "--", "my", "test"]
    timeout = ["timeout", "--foreground", "--verbose", "--kill-after", "10", "9"]
    expected = ["--host", "a", "--", *timeout, "dittojay", "--host", "b", "--", *timeout, "my", "test"]
    assert with_limit(words, 9) == expected
    assert with_limit(["my", "test"], 9) == ["--", "timeout", "--verbose", "--kill-after", "10", "9", "my", "test"]


class RecordedRunner:
    """In place of Runner.run: a command that fails if its process 100 is held up before its call 7."""

    def __init__(self) -> None:
        self.variations: list[str] = []

    def __call__(self, runner: Runner, seed: int, variation: Variation) -> Run:
        assert "--page" in runner.words
        out = runner.folder / f"{seed}-{len(self.variations)}"
        (out / "run").mkdir(parents=True)
        self.variations.append(str(variation))
        status = int(any(delay.place == ("", 100, 7) for delay in variation.only or ()))
        (out / "run" / "summary.txt").write_text(f"seed {seed} {'failed' if status else 'passed'}\n")
        return Run(seed, variation, status, out)


def test_what_failed_has_a_page_beside_a_run_that_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = RecordedRunner()
    monkeypatch.setattr(Runner, "run", lambda *words: recorded(*words))
    monkeypatch.chdir(tmp_path)
    runner = Runner([], ["my", "test"], 5, 1, tmp_path / "runs", {})
    run = Run(3, Variation.parse("radio,only=60:5:900,100:7:800"), 1, tmp_path)
    text, record = write_pages(runner, run, tmp_path / "page.html")
    assert text == "its record, beside that of the same without delays: page.html"
    assert recorded.variations == ["radio,only=60:5:900,100:7:800", "radio"]
    assert record == tmp_path / "runs" / "other-1" / "3-0" / "run"
    page = (tmp_path / "page.html").read_text()
    assert "seed 3 failed" in page and 'data-record="other"' in page


def test_what_does_not_fail_again_has_no_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = RecordedRunner()
    monkeypatch.setattr(Runner, "run", lambda *words: recorded(*words))
    runner = Runner([], ["my", "test"], 5, 1, tmp_path, {})
    text, record = write_pages(runner, Run(3, Variation.parse("radio"), 1, tmp_path), tmp_path / "page.html")
    assert "no page" in text and record is None
    assert not (tmp_path / "page.html").exists()


def test_a_page_that_the_lab_could_not_make_is_no_other_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Runner, "run", lambda _, seed, variation: Run(seed, variation, None, tmp_path))
    run = Run(3, Variation.parse("radio"), 1, tmp_path)
    text, _ = write_pages(Runner([], [], 5, 1, tmp_path, {}), run, tmp_path / "page.html")
    assert text.startswith("no page: the lab itself failed")


def on_the_bus(moment: float, kind: str, rest: str, *content: str) -> tuple[float, list[bytes]]:
    time = 1893456000 + moment
    return time, [f"{kind} time={time:.6f} sender=:1.0 -> {rest}".encode(), *(line.encode() for line in content)]


def test_what_happened_during_a_delay_is_said(tmp_path: Path) -> None:
    everybody = "destination=(null destination) serial=8 path=/b; interface=org.freedesktop.DBus.Properties"
    messages = [
        on_the_bus(1.1, "signal", f"{everybody}; member=Early"),
        on_the_bus(1.205, "method call", "destination=org.freedesktop.DBus interface=org.freedesktop.DBus; member=X"),
        on_the_bus(1.21, "signal", f"{everybody}; member=PropertiesChanged", '   string "X"', '   string "Value"'),
        on_the_bus(1.3, "signal", f"{everybody}; member=Late"),
    ]
    (tmp_path / "bus.log").write_bytes(bus_text(messages))
    entries = entries_of(tmp_path)
    made = Made(Delay(83, 6117, 14_400), 1893456001.2, "python", 232)
    text = 'bus :1.0 signal /b org.freedesktop.DBus.Properties.PropertiesChanged "X" "Value"'
    assert meanwhile(entries, made) == [text]
    assert meanwhile(entries, made._replace(delay=Delay(83, 6117, 100))) == []
