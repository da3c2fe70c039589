"""The tests of a Python project: which there are, and those of a shard."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bluetooth_lab.testing.choice import Choice, pytest_tests
from bluetooth_lab.testing.python_tests import PLUGIN, PythonTests, list_nodes
from bluetooth_lab.testing.runner import Runner
from bluetooth_lab.testing.shards import Durations, Shard

SOURCE = """
import pytest
@pytest.mark.parametrize("value", [1, "a/b::c [x]", 3])
def test_values(value): pass
class TestApp:
    def test_reads(self): pass
    def test_writes(self): pass
def test_more(): pass
"""
ENVIRONMENT = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("test_a.py", "unit/test_b.py"):
        (tmp_path / "app" / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "app" / "tests" / name).write_text(SOURCE)
    (tmp_path / "app" / "pytest.ini").write_text("[pytest]\ntestpaths = tests\n")
    return tmp_path / "app"


def nodes_of(project: Path, *words: str) -> list[str]:
    return list_nodes(sys.executable, project, words, ENVIRONMENT, project)


def test_the_nodes_are_those_that_match(project: Path) -> None:
    assert len(nodes_of(project)) == 12
    assert nodes_of(project, "-k", "reads and test_b") == ["tests/unit/test_b.py::TestApp::test_reads"]
    assert nodes_of(project, "-k", "nothing") == []
    assert nodes_of(project, "tests/test_a.py", "--deselect", "tests/test_a.py::test_values")[-1].endswith("test_more")


def test_tests_that_cannot_be_collected_are_said(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "tests" / "test_broken.py").write_text("import nowhere_to_be_found\n")
    with pytest.raises(SystemExit) as ended:
        nodes_of(project)
    assert ended.value.code == 1
    assert "nowhere_to_be_found" in capsys.readouterr().err


@pytest.mark.parametrize("count", [1, 3])
def test_each_test_runs_in_one_shard(project: Path, tmp_path: Path, count: int) -> None:
    nodes = nodes_of(project)
    ran: list[str] = []
    for index in range(count):
        tests = PythonTests("app", sys.executable, project, [], tmp_path / "out")
        choice = Choice(pytest_tests("app", nodes), Shard(index + 1, count), Durations())
        # A test that was not known when the shards were made.
        (project / "tests" / "test_new.py").write_text("def test_new(): pass\n")
        _, chosen = tests.arguments(choice)
        ran += run_chosen(project, chosen["LAB_TESTS_CHOSEN"])
        (project / "tests" / "test_new.py").unlink()
    assert sorted(ran) == sorted([*nodes, "tests/test_new.py::test_new"])


def run_chosen(project: Path, chosen: str) -> list[str]:
    """What pytest would run with the plugin."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "lab_choice", "--collect-only"]
    environment = {**ENVIRONMENT, "PYTHONPATH": str(PLUGIN), "LAB_TESTS_CHOSEN": chosen}
    result = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode in (0, 5), result.stdout + result.stderr
    return [line for line in result.stdout.splitlines() if "::" in line]


def test_without_a_shard_pytest_needs_no_plugin(project: Path, tmp_path: Path) -> None:
    tests = PythonTests("app", sys.executable, project, ["-k", "reads"], tmp_path / "out")
    assert tests.arguments(None) == (["-p", "no:cacheprovider", "-k", "reads"], {})


def test_rounds_on_this_machine_have_records(project: Path, tmp_path: Path) -> None:
    runner = Runner(ENVIRONMENT)
    PythonTests("app", sys.executable, project, ["-k", "more"], tmp_path).run_here(runner, tmp_path / "app.xml", None)
    assert [(result.name, result.status, len(result.outcome().passed)) for result in runner.results] == [("app", 0, 2)]
