"""The lab's command line: its words, its help, and what follows from them. Nothing is set up."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from bluetooth_lab import __version__
from bluetooth_lab.command_line import actions, completion
from bluetooth_lab.command_line import help as help_texts
from bluetooth_lab.command_line.actions import ACTIONS, apply, seeds_itself, with_bluez
from bluetooth_lab.command_line.commands import BY_NAME, COMMANDS, TOPICS
from bluetooth_lab.command_line.parsing import HelpWanted, Line, UsageError, find_command, parse_line
from bluetooth_lab.command_line.project import enter_folder, find_project
from bluetooth_lab.places import ROOT, lab_home
from scratch_lab import LAB, ScratchLab

NAMES = [command.name for command in COMMANDS]


def line(name: str, *words: str) -> Line:
    return parse_line(BY_NAME[name], words)


# Words


def test_words_after_dashes_are_the_command() -> None:
    parsed = line("run", "--controllers", "3", "--", "make", "--jobs", "2")
    assert (parsed.given, parsed.rest) == ([("--controllers", "3")], ["make", "--jobs", "2"])


def test_the_first_other_word_begins_the_command() -> None:
    parsed = line("run", "--controllers=3", "make", "--", "--out", "x")
    assert (parsed.given, parsed.rest) == ([("--controllers", "3")], ["make", "--", "--out", "x"])


def test_words_with_spaces_stay_in_one_piece() -> None:
    assert line("run", "--", "sh", "-c", "echo  a 'b'; true", "").rest == ["sh", "-c", "echo  a 'b'; true", ""]


def test_files_are_those_of_the_folder_where_it_is_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    parsed = line("run", "--capture", "a b.btsnoop", "--out=out", "--", "true")
    words = ["--capture", f"{tmp_path}/a b.btsnoop", "--out", f"{tmp_path}/out"]
    assert parsed.words("--capture", "--out") == words


def test_two_hosts_leave_their_commands_to_the_runner() -> None:
    words = ["--host", "a", "--", "x", "--host", "b", "--", "y"]
    parsed = line("run", "--hosts", "2", *words)
    assert (actions.hosts_of(parsed), parsed.rest) == (2, words)


def test_options_of_what_takes_files_may_follow_them() -> None:
    parsed = line("merge", "a.xml", "--junit", "all.xml", "b.xml")
    assert (parsed.rest, parsed.value("--junit")) == (["a.xml", "b.xml"], f"{Path.cwd()}/all.xml")


def test_those_of_tests_are_passed_on() -> None:
    words = ["--shard=2/5", "--until-failure", "--repeat", "3", "--nightly", "--list", "--", "x"]
    parsed = line("test", *words)
    own = parsed.words("--shard", "--repeat", "--list", "--until-failure", "--nightly")
    assert own == ["--shard", "2/5", "--until-failure", "--repeat", "3", "--nightly", "--list"]
    assert parsed.rest == ["x"]


@pytest.mark.parametrize(
    ("name", "words", "text"),
    [
        ("run", ["--contollers", "3"], "unknown option --contollers; did you mean --controllers?"),
        ("run", ["--zzz"], "unknown option --zzz; see lab help run"),
        ("run", ["--controllers"], "--controllers needs a value: --controllers N"),
        ("run", ["--capture", "--time", "simulated"], "--capture needs a value: --capture FILE"),
        ("run", ["--controllers", "many"], "invalid --controllers many; expected 1 to 250"),
        ("run", ["--fresh=yes"], "--fresh takes no value"),
        ("run", ["--time", "fast", "--", "true"], "invalid --time fast; expected real, counted or simulated"),
        ("run", ["--env", "A-B=1", "--", "true"], "invalid --env A-B=1; expected NAME or NAME=VALUE"),
        ("run", ["--hosts", "9"], "invalid --hosts 9; expected 1, 2, 3, 4, 5, 6, 7 or 8"),
        ("run", ["--host", "a"], "--host needs --hosts N before it"),
        ("run", ["--package", "nowhere", "--", "true"], "invalid --package nowhere; expected an existing folder"),
        ("run", ["--scene", "nowhere.yaml", "--", "true"], "invalid --scene nowhere.yaml; expected an existing file"),
        ("run", ["--shard", "1/2", "--", "true"], "--shard is not an option of lab run; it is for lab test"),
        ("demo", ["--page", "x"], "--page is not an option of lab demo; it is for lab run and exec"),
        ("exec", ["--time=real", "true"], "of lab exec; it is for lab demo, run, test, shell, up and bench"),
        ("test", ["--shard", "0/3"], "invalid --shard 0/3; expected K/N, such as 2/5, with K from 1 to N"),
        ("test", ["--shard=4/3"], "invalid --shard 4/3; expected K/N"),
        ("test", ["--shard", "2"], "invalid --shard 2; expected K/N"),
        ("test", ["--repeat", "0"], "invalid --repeat 0; expected 1 to 999999"),
        ("test", ["--junit", "/"], "invalid --junit /; expected a file"),
        ("test", ["--junit", ""], "invalid --junit ''; expected a file"),
    ],
)
def test_mistakes_are_said(name: str, words: list[str], text: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_line(BY_NAME[name], words)
    assert text in str(error.value)


def test_a_mistake_is_found_before_anything_is_set_up(scratch: ScratchLab) -> None:
    for words, text in [
        (["run"], "no command to run: lab run [OPTION…] -- COMMAND [ARG…]"),
        (["exec", "--name", "x"], "no command to run"),
        (["demo", "now"], "demo takes no arguments"),
        (["up", "true"], "up takes no command: use lab exec -- true"),
        (["shell"], "shell needs a terminal"),
        (["shell", "--hosts", "2", "--time", "simulated"], "shell needs input"),
        (["page"], "page takes one folder, recording or capture"),
        (["completion", "csh"], "invalid shell csh; expected bash, zsh or fish"),
        (["test", "Values", "--junit", "a.xml"], "options come before filters: lab test --junit"),
        (["test", "--keep-going"], "lab test --keep-going needs --explore N"),
        (["test", "--explore", "2", "--repeat", "2"], "lab test --explore does not take --repeat"),
        (["tset"], "unknown command tset; did you mean test?"),
        (["zzz"], "unknown command zzz; see lab help"),
        (["help", "zzz"], "unknown command zzz; see lab help"),
    ]:
        result = scratch.lab(*words)
        assert (result.returncode, result.stdout) == (125, "")
        assert text in result.stderr, words
    assert not scratch.home.exists() or os.listdir(scratch.home) == ["pycache"]


# What options stand for


def applied(*words: str, name: str = "run", **given: str) -> Mapping[str, str]:
    environment = dict(given)
    apply(line(name, *words, *([] if name == "up" else ["--", "true"])), environment)
    return environment


def test_named_variables_are_passed_on() -> None:
    environment = applied("--env", "TOKEN=a b", "--env=OTHER", LAB_ENV="FIRST")
    assert (environment["LAB_ENV"], environment["TOKEN"]) == ("FIRST TOKEN OTHER", "a b")
    assert "OTHER" not in environment


def test_time_is_that_of_the_machine_to_be_started() -> None:
    assert applied("--time", "simulated")["LAB_CLOCK"] == "simulated"
    assert applied("--time=real", LAB_CLOCK="counted")["LAB_CLOCK"] == "real"
    with pytest.raises(UsageError, match="LAB=host uses this machine's time"):
        applied("--time", "simulated", LAB="host")


def test_options_of_the_radio_are_collected() -> None:
    environment = applied("--radio", "virtual", "--air", "real", "--seed=7", name="up")
    assert (environment["LAB_RADIO"], environment["LAB_RADIO_OPTIONS"]) == ("virtual", "--air real --seed 7")


def test_a_random_seed_is_another_one_each_time() -> None:
    seeds = {applied("--seed", "random")["LAB_SEED"] for _ in range(3)}
    assert len(seeds) == 3
    with pytest.raises(UsageError, match="invalid --seed x; expected a number or random"):
        line("run", "--seed", "x", "--", "true")


@pytest.mark.parametrize(
    ("words", "variables", "expected"),
    [
        (["--time", "simulated"], {}, True),
        (["--time", "simulated", "--seed", "7"], {}, False),
        (["--time", "simulated", "--repeat", "5"], {}, True),
        (["--time", "simulated", "--radio", "btvirt"], {}, False),
        ([], {}, False),
        ([], {"LAB_CLOCK": "simulated"}, True),
    ],
)
def test_tests_in_simulated_time_have_a_seed_of_their_own(
    tmp_path: Path, words: list[str], variables: dict[str, str], expected: bool
) -> None:
    given = line("test", *words)
    environment = dict(variables)
    apply(given, environment)
    assert seeds_itself(given, environment, tmp_path) is expected


def test_tests_of_this_package_have_one_unless_their_time_is_real() -> None:
    for words, expected in (([], True), (["--time", "simulated"], True), (["--time", "real"], False)):
        given = line("test", *words)
        environment: dict[str, str] = {}
        apply(given, environment)
        assert seeds_itself(given, environment, ROOT) is expected


@pytest.mark.parametrize("words", [["--hosts", "2"], ["--bluez", "5.87"]])
def test_this_machine_itself_has_one_host_and_its_own_bluez(words: list[str]) -> None:
    with pytest.raises(UsageError, match="LAB=host"):
        applied(*words, LAB="host")


def test_another_bluez_is_a_folder_unless_a_release_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "5.87").mkdir()
    for value in ("mine", "5.87"):
        assert with_bluez(line("run", "--bluez", value, "x"), {}).value("--bluez") == f"{tmp_path}/{value}"


# Help


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_an_action_and_help(name: str) -> None:
    assert name in ACTIONS
    assert (help_texts.text_of(name) or "").startswith(f"usage: lab {name}")
    with pytest.raises(HelpWanted):
        parse_line(BY_NAME[name], ["--help"])


def test_help_is_asked_for_in_three_ways(scratch: ScratchLab) -> None:
    texts = {scratch.lab(*words).stdout for words in (["help", "run"], ["run", "--help"], ["run", "-h", "x"])}
    assert texts == {help_texts.text_of("run")}


def test_the_overview_names_every_command_and_topic() -> None:
    text = help_texts.text_of() or ""
    assert re.findall(r"(?m)^  ([a-z]+)\b", text) == [*NAMES, "help", "help", "help"]
    for topic in TOPICS:
        assert f"help {topic}" in text
        assert help_texts.text_of(topic)


@pytest.mark.parametrize("topic", ["", *NAMES, *TOPICS])
def test_lines_fit(topic: str) -> None:
    assert [text for text in (help_texts.text_of(topic) or "").splitlines() if len(text) > 120] == []


@pytest.mark.parametrize("name", NAMES)
def test_help_completion_and_the_parser_have_the_same_options(name: str) -> None:
    command = BY_NAME[name]
    named = set(re.findall(r"(?m)^  (--[a-z-]+)", help_texts.text_of(name) or ""))
    assert named == {option.name for option in command.options}
    dashes = {"--"} if command.words == "program" else set()
    assert set(completion.candidates([name, "-"])) == named | {"--help"} | dashes


@pytest.mark.parametrize("name", NAMES)
def test_options_of_usage_lines_are_options(name: str) -> None:
    command = BY_NAME[name]
    named = set(re.findall(r"--[a-z-]+", " ".join(command.usage)))
    assert named <= {option.name for option in command.options}


def test_no_command_is_wrong_usage(scratch: ScratchLab) -> None:
    result = scratch.lab()
    assert (result.returncode, result.stdout) == (2, "")
    assert "usage: lab COMMAND" in result.stderr


def test_the_version_is_that_of_the_programs(scratch: ScratchLab) -> None:
    assert scratch.lab("--version").stdout == f"lab {__version__}\n"
    assert f'packageVersion = "{__version__}"' in (ROOT / "Sources/CommandSupport/PackageVersion.swift").read_text()


@pytest.mark.parametrize("project", ["bluetooth-lab-machine", "pytest-bluetooth-lab"])
def test_the_packages_for_python_have_one_version(project: str) -> None:
    assert f'\nversion = "{__version__}"\n' in (ROOT / "python" / project / "pyproject.toml").read_text()


def test_an_unknown_command_is_one() -> None:
    with pytest.raises(UsageError):
        find_command("run2")


# Completion


def candidates(text: str) -> list[str]:
    return completion.candidates(text.split(" "))


def test_commands_and_topics_are_completed() -> None:
    assert candidates("s") == ["shell", "status", "setup"]
    assert candidates("help env") == ["environment"]
    assert candidates("help run ") == []
    assert candidates("nothing ") == []
    assert candidates("completion ") == ["bash", "zsh", "fish"]


def test_values_of_options_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_HOME", str(tmp_path))
    assert candidates("run --hosts ") == [str(number) for number in range(1, 9)]
    assert candidates("up --time s") == ["simulated"]
    assert candidates("up --time=s") == ["--time=simulated"]
    assert candidates("run --out ") == [":folders"]
    assert candidates("run --capture x") == [":files"]
    assert candidates("page x") == [":files"]
    assert candidates("down --name ") == []
    assert "HOME" in candidates("run --env HO")


def test_what_follows_dashes_is_a_command_line_of_its_own() -> None:
    assert candidates("run --controllers 2 -- cat no") == [":command 5"]
    assert candidates("test -- x") == []


def complete_in_bash(words: str, folder: Path) -> list[str]:
    text = f"""PATH={ROOT}:$PATH; compopt() {{ :; }}; source <(lab completion bash)
        read -ra COMP_WORDS <<<"$1"; [[ $1 != *" " ]] || COMP_WORDS+=("")
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _bluetooth_lab; printf '%s\\n' "${{COMPREPLY[@]}}" """
    environment = {**os.environ, "LAB_HOME": str(folder / "home")}
    result = subprocess.run(
        ["bash", "-c", text, "test", words], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return result.stdout.split()


def test_bash_shows_candidates_files_and_commands(tmp_path: Path) -> None:
    (tmp_path / "captures").mkdir()
    (tmp_path / "notes.txt").touch()
    assert complete_in_bash("lab up --time c", tmp_path) == ["counted"]
    assert complete_in_bash("lab run --out cap", tmp_path) == ["captures"]
    assert "bash" in complete_in_bash("lab run --controllers 2 -- bas", tmp_path)
    assert complete_in_bash("lab run -- cat not", tmp_path) == ["notes.txt"]


# Folders


def test_a_folder_of_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    environment: dict[str, str] = {}
    assert enter_folder(None, environment) == ("none", tmp_path)
    assert environment["LAB_PROGRAMS"] == f"{ROOT}/.build-lab/debug"


@pytest.mark.parametrize("marker", ["pyproject.toml", "pytest.ini", "setup.cfg"])
def test_a_python_project_is_found_from_below(marker: str, tmp_path: Path) -> None:
    below = tmp_path / "app" / "tests" / "unit"
    below.mkdir(parents=True)
    (tmp_path / "app" / marker).touch()
    assert find_project(below) == ("python", tmp_path / "app")


def test_a_swift_package_has_its_programs_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Package.swift").touch()
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir("/")
    environment = {"LAB_CONFIG": "release"}
    assert enter_folder(str(tmp_path), environment) == ("swift", tmp_path)
    assert environment["LAB_PROGRAMS"] == f"{tmp_path}/.build/release:{ROOT}/.build-lab/release"


def test_the_nearest_project_counts(tmp_path: Path) -> None:
    (tmp_path / "Package.swift").touch()
    (tmp_path / "python").mkdir()
    (tmp_path / "python/pyproject.toml").touch()
    assert find_project(tmp_path / "python").kind == "python"


def test_the_lab_of_a_clone_keeps_its_things_in_it() -> None:
    assert lab_home({}) == ROOT / ".lab"
    assert lab_home({"LAB_HOME": "/chosen"}) == Path("/chosen")
    assert lab_home({"LAB_HOME": "chosen"}) == Path.cwd() / "chosen"


# Tests


def test_a_filter_that_matches_nothing_takes_seconds_and_builds_nothing(scratch: ScratchLab) -> None:
    scratch.write("bin/swift", "#!/bin/sh\necho built >&2\nexit 1\n", is_executable=True)
    begin = time.monotonic()
    path = f"{scratch.folder}/bin:{os.environ['PATH']}"
    result = scratch.lab("test", "--package", ROOT, "AdapterTestz", PATH=path)
    assert time.monotonic() - begin < 5
    assert result.returncode == 1
    assert "no test matches AdapterTestz; did you mean AdapterTests" in result.stderr
    assert "built" not in result.stderr


def test_results_are_merged(scratch: ScratchLab) -> None:
    for index in (1, 2):
        scratch.write(
            f"results/{index}.xml",
            f"""<testsuite name="t"><properties><property name="shard" value="{index}/2"/></properties>
            <testcase classname="A" name="test{index}"/></testsuite>""",
        )
    result = scratch.lab("merge", "--junit", scratch.folder / "all.xml", scratch.folder / "results")
    assert (result.returncode, result.stdout) == (0, "2 files\n2 passed, 0 failed\n")
    assert (scratch.folder / "all.xml").exists()
    (scratch.folder / "results/1.xml").unlink()
    result = scratch.lab("merge", scratch.folder / "results")
    assert (result.returncode, result.stdout.splitlines()[0]) == (1, "shard 1/2 is missing")


def test_a_reader_that_has_had_enough_is_no_mistake(tmp_path: Path) -> None:
    text = f"{LAB} help options | true; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True)
    assert (result.stdout.strip() in ("0", "141"), result.stderr) == (True, "")
