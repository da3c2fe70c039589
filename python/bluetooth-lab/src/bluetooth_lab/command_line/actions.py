"""What the commands do. Each loads its tools only when it runs: loading all of them takes a tenth of a second."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, MutableMapping
from pathlib import Path

from bluetooth_lab.command_line import completion
from bluetooth_lab.command_line.commands import BY_NAME
from bluetooth_lab.command_line.options import HOSTS_BY_NAME
from bluetooth_lab.command_line.parsing import Line, UsageError
from bluetooth_lab.command_line.preparation import find_bluez, prepare
from bluetooth_lab.command_line.project import Project, enter_folder
from bluetooth_lab.explore.seed import add_radio_option, set_seed
from bluetooth_lab.explore.variation import new_seed
from bluetooth_lab.messages import fail, say
from bluetooth_lab.places import GUEST, IS_INSTALLED, PACKAGE, PLUGIN, ROOT, SETUP, lab_home

Environment = MutableMapping[str, str]
DEMO_LIMIT = "600"  # seconds
# Of LAB=host, which is a script.
FOR_HOST = ("--controllers", "--capture", "--page", "--air-page", "--out")


# Options that several commands have


def apply(line: Line, environment: Environment) -> None:
    """Sets the variables that options stand for."""
    is_host = environment.get("LAB") == "host"
    for name, value in line.given:
        if name in ("--controller", "--air"):
            add_radio_option(environment, f"{name} {value}")
        elif (line.command.name == "explore" or line.has("--explore")) and name in ("--seed", "--vary"):
            continue  # each run has its own
        elif name == "--seed" and line.command.name == "test":
            environment["LAB_SEED"] = value  # each round has its own
        elif name == "--seed":
            set_seed(environment, value, line.value("--vary"))
        elif name == "--vary":
            if not line.has("--seed"):
                raise UsageError("--vary needs --seed")
            environment["LAB_VARY"] = value
        elif name == "--radio" and line.command.name != "ui":
            environment["LAB_RADIO"] = value
        elif name == "--scene":
            environment.update(LAB_RADIO="virtual", LAB_SCENE_FILE=value)
        elif name == "--time":
            if is_host and value != "real":
                raise UsageError("LAB=host uses this machine's time")
            environment["LAB_CLOCK"] = value
        elif name == "--name":
            environment["LAB_NAME"] = value
        elif name == "--fresh":
            environment["LAB_FRESH"] = "1"
        elif name == "--env":
            variable, equals, text = value.partition("=")
            if equals:
                environment[variable] = text
            names = environment.get("LAB_ENV", "").split()
            environment["LAB_ENV"] = " ".join(dict.fromkeys([*names, variable]))
        elif name == "--hosts" and is_host and value != "1":
            raise UsageError("LAB=host has one host: this machine")
        elif name == "--bluez" and is_host:
            raise UsageError("--bluez does not work with LAB=host, which uses this machine's bluetoothd")


def hosts_of(line: Line) -> int:
    return int(line.value("--hosts") or 1)


def with_bluez(line: Line, environment: Environment) -> Line:
    """With the folder of the requested BlueZ instead of its name; a release is built."""
    chosen = line.value("--bluez")
    return line.with_value("--bluez", find_bluez(chosen, environment)) if chosen else line


def no_words(line: Line, hint: str = "") -> None:
    if line.rest:
        raise UsageError(f"{line.command.name} takes no {'command' if hint else 'arguments'}{hint and ': use ' + hint}")


# Commands in the lab


def run_in_lab(line: Line, environment: Environment, *words: str) -> int:
    """Runs a command on one machine per host. With LAB=host, another process replaces this one."""
    line = with_bluez(line, environment)._replace(rest=words)
    if hosts_of(line) > 1:
        from bluetooth_lab import hosts

        return hosts.run(hosts.Options.of(line))
    if environment.get("LAB") == "host":
        os.execve(SETUP / "host", [str(SETUP / "host"), *line.words(*FOR_HOST), "--", *words], dict(environment))
    from bluetooth_lab.machine import command, options

    return command.run(options.Options.of(line))


def run(line: Line, environment: Environment) -> int:
    if not line.rest:
        raise UsageError("no command to run: lab run [OPTION…] -- COMMAND [ARG…]")
    enter_folder(line.value("--package"), environment)
    prepare(environment, "machine", "run", *line.rest)
    return run_in_lab(line, environment, *line.rest)


def shell(line: Line, environment: Environment) -> int:
    no_words(line, f"lab run -- {' '.join(line.rest)}")
    hosts = hosts_of(line)
    if hosts > 1 and environment.get("LAB_CLOCK") == "simulated":
        raise UsageError("shell needs input, which several hosts with simulated time do not take")
    if not (os.isatty(0) and os.isatty(1)):
        raise UsageError("shell needs a terminal; scripts use lab run -- COMMAND")
    enter_folder(line.value("--package"), environment)
    environment.pop("LAB_SEED", None)  # that is for runs without input
    prepare(environment, "machine", "run", "scene")
    words = ["bash", "--rcfile", str(GUEST / "bashrc"), "-i"]
    return run_in_lab(line, environment, *(["--host", HOSTS_BY_NAME[hosts - 1], "--"] if hosts > 1 else []), *words)


def demo(line: Line, environment: Environment) -> int:
    no_words(line)
    enter_folder(line.value("--package"), environment)
    prepare(environment, "demo")
    limit = environment.get("LAB_DEMO_LIMIT") or DEMO_LIMIT
    command = ["timeout", "--foreground", "--kill-after", "10", limit, str(PACKAGE / "demo.sh")]
    return run_in_lab(line, environment, *command)


def test(line: Line, environment: Environment) -> int:
    filters = list(line.rest)
    project = enter_folder(line.value("--package"), environment)
    if project.kind == "none":
        raise UsageError(
            f"{project.folder} is not in a Swift package or Python project (no Package.swift, pyproject.toml or "
            "pytest.ini); to run other tests, use pytest --bluetooth-lab or lab run -- COMMAND"
        )
    if project.kind == "swift":
        os.chdir(project.folder)
        check_filters(project, filters)
    check_exploration(line)
    prepare(environment, "tests", project.kind, str(project.folder), *filters)
    if line.has("--explore"):
        from bluetooth_lab.explore.tests import command_of_tests
        from bluetooth_lab.testing.counting import NO_TESTS, PYTEST_USAGE

        tests = command_of_tests(project.kind, project.folder, filters)
        statuses = (*NO_TESTS, *([PYTEST_USAGE] if project.kind == "python" else []))
        no_tests = [("--no-tests", str(status)) for status in statuses]
        given = [*line.given, ("--runs", line.value("--explore") or ""), *tests.options, *no_tests]
        return explore_command(line._replace(rest=tests.words, given=given))
    if seeds_itself(line, environment, project.folder):
        environment["LAB_SEED"] = new_seed()
    bluez = with_bluez(line, environment).value("--bluez")
    from bluetooth_lab.testing import command

    return command.run(command.Options.of(line, project.kind, project.folder, bluez))


def check_exploration(line: Line) -> None:
    """Some options of `lab test` are for a search alone, and others for tests that are not repeated."""
    if not line.has("--explore"):
        alone = next((name for name in ("--vary", "--keep-going") if line.has(name)), None)
        if alone:
            raise UsageError(f"lab test {alone} needs --explore N")
        return
    known = {option.name for option in BY_NAME["explore"].options} | {"--explore"}
    wrong = [name for name, value in line.given if name not in known and (name, value) != ("--time", "simulated")]
    if wrong:
        raise UsageError(f"lab test --explore does not take {wrong[0]}; see lab help explore")


def seeds_itself(line: Line, environment: Environment, folder: Path) -> bool:
    """Whether a run of tests gets a seed of its own, by which it can be repeated. This package's tests are in simulated
    time anyway."""
    clock = environment.get("LAB_CLOCK") or ("simulated" if folder == ROOT else "real")
    is_virtual = environment.get("LAB_RADIO", "virtual") == "virtual"
    has_other = line.has("--seed") or environment.get("LAB") == "host"
    return clock == "simulated" and is_virtual and not has_other


def check_filters(project: Project, filters: list[str]) -> None:
    """Ends this process if no test in the sources can match them."""
    for word in filters:
        if word.startswith("-"):
            raise UsageError(f"options come before filters: lab test {word} … FILTER")
    folders = [project.folder / "Tests"]
    if project.folder == ROOT:
        folders += [ROOT / "Fixtures/sample-app/Tests", PLUGIN / "tests", ROOT / "Fixtures/python-app/tests"]
    from bluetooth_lab.testing import finding

    if folders[0].is_dir() and finding.check(folders, filters):
        sys.exit(1)


def bench(line: Line, environment: Environment) -> int:
    if IS_INSTALLED:
        raise UsageError("bench builds the programs, which needs a clone of this package's repository")
    enter_folder(line.value("--package"), environment)
    prepare(environment, "bench")
    environment["LAB_FRESH"] = "1"  # as it is after its start
    # The Python that has the peers: the bench starts them with its own interpreter.
    python = lab_home(environment) / "venv" / "bin" / "python"
    programs = ROOT / ".build-release" / "release"
    words = [str(python), "-B", str(ROOT / "scripts/python"), "bench", "--programs", str(programs)]
    return run_in_lab(line, environment, *words, *line.rest)


# Persistent labs


def must_have_machine(environment: Environment) -> None:
    if environment.get("LAB") == "host":
        fail("LAB=host does not support a persistent lab")


def up(line: Line, environment: Environment) -> int:
    no_words(line, f"lab exec -- {' '.join(line.rest)}")
    enter_folder(line.value("--package"), environment)
    prepare(environment, "machine", "up", "scene")
    environment["LAB_DEFAULT_CLOCK"] = "counted"  # so a busy host makes nothing late in it
    must_have_machine(environment)
    from bluetooth_lab.machine import options, persistent_commands

    return persistent_commands.up(options.Options.of(with_bluez(line, environment)))


def execute(line: Line, environment: Environment) -> int:
    if not line.rest:
        raise UsageError("no command to run: lab exec [OPTION…] -- COMMAND [ARG…]")
    enter_folder(line.value("--package"), environment)
    prepare(environment, "programs", *line.rest)
    must_have_machine(environment)
    from bluetooth_lab.machine import options, persistent_commands

    return persistent_commands.execute(options.Options.of(line))


def ui(line: Line, environment: Environment) -> int:
    no_words(line)
    enter_folder(None, environment)
    prepare(environment, "programs")
    from bluetooth_lab.machine import ui as page

    sockets = line.values("--socket") or [page.DITTOJAY]
    return page.serve(sockets, line.value("--radio") or page.RADIO, line.words("--port", "--json"))


def reset(line: Line, environment: Environment) -> int:
    no_words(line)
    must_have_machine(environment)
    from bluetooth_lab.machine import persistent_commands

    return persistent_commands.reset()


def down(line: Line, environment: Environment) -> int:
    no_words(line)
    must_have_machine(environment)
    from bluetooth_lab.machine import persistent_commands

    return persistent_commands.down(line.has("--all"))


def status(line: Line, environment: Environment) -> int:
    no_words(line)
    must_have_machine(environment)
    from bluetooth_lab.machine import persistent_commands

    return persistent_commands.show_status(line.has("--json"))


# Files, and what is installed


def page(line: Line, _environment: Environment) -> int:
    if len(line.rest) != 1:
        raise UsageError("page takes one folder, recording or capture: lab page FOLDER")
    compared, target = (Path(value) if value else None for value in map(line.value, ("--compare", "--out")))
    from bluetooth_lab.page import command

    return command.make(Path(line.rest[0]), compared, target)


def explore(line: Line, environment: Environment) -> int:
    if not line.rest:
        raise UsageError("no command to run: lab explore [OPTION…] -- COMMAND [ARG…]")
    enter_folder(line.value("--package"), environment)
    prepare(environment, "machine", "run", *line.rest)
    return explore_command(line)


def explore_command(line: Line) -> int:
    from bluetooth_lab.explore import command

    return command.explore(line, os.environ)


def replay(line: Line, environment: Environment) -> int:
    if len(line.rest) != 1:
        raise UsageError("replay takes one folder: lab replay FOLDER")
    folder = Path(line.rest[0]).absolute()
    prepare(environment, "machine", "run")
    from bluetooth_lab.explore import replay as repetition

    return repetition.replay(folder)


def merge(line: Line, _environment: Environment) -> int:
    if not line.rest:
        raise UsageError("merge takes files or folders: lab merge FILE|FOLDER…")
    junit, durations = (Path(value) if value else None for value in map(line.value, ("--junit", "--durations")))
    from bluetooth_lab.testing import merging

    return merging.merge([Path(word) for word in line.rest], junit, durations)


def setup(line: Line, environment: Environment) -> int:
    no_words(line)
    if IS_INSTALLED and line.has("--peers"):
        raise UsageError("--peers needs a clone of this package's repository")
    words = line.words(*(option.name for option in line.command.options))
    os.execve(SETUP / "setup", [str(SETUP / "setup"), *words], dict(environment))


def build(line: Line, environment: Environment) -> int:
    no_words(line)
    if IS_INSTALLED:
        say("nothing to build: dittojay and bluejay were installed together with this lab")
        return 0
    prepare(environment, "build")
    return 0


def complete(line: Line, _environment: Environment) -> int:
    if len(line.rest) != 1 or line.rest[0] not in completion.SHELLS:
        known = f"{', '.join(completion.SHELLS[:-1])} or {completion.SHELLS[-1]}"
        raise UsageError(f"invalid shell {' '.join(line.rest) or 'name'}; expected {known}")
    print(completion.script(line.rest[0]), end="")
    return 0


def doctor(line: Line, _environment: Environment) -> int:
    no_words(line)
    from bluetooth_lab.command_line import doctor as examination

    return examination.run(line.has("--json"))


ACTIONS: dict[str, Callable[[Line, Environment], int]] = {
    "bench": bench,
    "build": build,
    "completion": complete,
    "demo": demo,
    "doctor": doctor,
    "down": down,
    "exec": execute,
    "explore": explore,
    "merge": merge,
    "page": page,
    "replay": replay,
    "reset": reset,
    "run": run,
    "setup": setup,
    "shell": shell,
    "status": status,
    "test": test,
    "ui": ui,
    "up": up,
}
