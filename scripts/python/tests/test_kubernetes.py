"""The scripts of the Kubernetes Job, with a lab and a kubectl that are stand-ins."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bluetooth_lab.places import ROOT
from scratch_lab import ScratchLab

LAB = """#!/bin/bash
echo "$*" >>"$(dirname "$0")/called"
while (($#)); do
    [[ $1 != --shard ]] || shard=$2
    [[ $1 != --junit ]] || file=$2
    shift
done
[[ $shard != 3/* ]] || exit 125
echo "much output
== end of results of something else"
cat >"$file" <<XML
<testsuite name="t"><properties><property name="shard" value="$shard"/></properties>
<testcase classname="A" name="test of $shard"/></testsuite>
XML
[[ -z ${ENDED:-} ]] || kill -TERM "$PPID"
[[ -z ${STATUS:-} ]] || exit "$STATUS"
[[ $shard != 2/* ]]
"""
KUBECTL = """#!/bin/bash
[[ $1 != get ]] || printf '%s\\n' "1 lab-tests-1-lost" "0 lab-tests-0-a" "1 lab-tests-1-b"
[[ $1 != logs ]] || cat "$(dirname "$0")/logs/$2"
"""


@pytest.fixture
def job(scratch: ScratchLab) -> ScratchLab:
    """A clone with the scripts of the Job and a lab that is a stand-in."""
    shutil.copytree(ROOT / "docker/kubernetes", scratch.folder / "docker/kubernetes")
    scratch.write("lab", LAB, is_executable=True)
    return scratch


def run_shard(job: ScratchLab, index: int, **variables: str) -> subprocess.CompletedProcess[str]:
    variables = {"JOB_COMPLETION_INDEX": str(index), "SHARDS": "3", **variables}
    return job.run(job.folder / "docker/kubernetes/run-shard", variables=variables)


def collect(job: ScratchLab, *words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return job.run(job.folder / "docker/kubernetes/collect", *words, variables=variables)


def test_the_shard_of_the_index_runs(job: ScratchLab) -> None:
    assert run_shard(job, 0, PROJECT="/app", FILTERS="-k gateway").returncode == 0
    called = (job.folder / "called").read_text()
    assert re.search(r"^test --package /app --shard 1/3 --junit \S+ -- -k gateway$", called)


def test_the_shard_of_a_search_runs(job: ScratchLab) -> None:
    assert run_shard(job, 1, PROJECT="/app", EXPLORE="200").returncode == 0
    called = (job.folder / "called").read_text()
    assert re.search(r"^test --package /app --explore 200 --shard 2/3 --junit \S+ --\s*$", called)


def test_a_pod_with_results_succeeds_whatever_they_say_and_one_without_fails(job: ScratchLab) -> None:
    assert [run_shard(job, index).returncode for index in range(3)] == [0, 0, 1]


@pytest.mark.parametrize("variables", [{"ENDED": "1"}, {"STATUS": "125"}, {"STATUS": "130"}])
def test_a_pod_whose_tests_were_cut_short_fails(job: ScratchLab, variables: dict[str, str]) -> None:
    result = run_shard(job, 0, **variables)
    assert (result.returncode, result.stdout.count("== results")) == (1, 0)
    assert "run-shard: lab test was cut short" in result.stderr


def test_a_pod_without_an_index_fails(job: ScratchLab) -> None:
    script = job.folder / "docker/kubernetes/run-shard"
    assert job.run(script, variables={"SHARDS": "3"}).returncode != 0


def test_results_come_back_from_the_logs(job: ScratchLab) -> None:
    kubectl = job.write("kubectl", KUBECTL, is_executable=True)
    for index, pod in ((0, "0-a"), (1, "1-b")):
        job.write(f"logs/lab-tests-{pod}", run_shard(job, index).stdout)
    job.write("logs/lab-tests-1-lost", "== results of shard 2\n")
    result = collect(job, job.folder / "results", KUBECTL=str(kubectl))
    assert (result.returncode, result.stderr) == (0, "")
    for number in (1, 2):
        assert f"test of {number}/3" in (job.folder / f"results/{number}.xml").read_text()
    merged = job.lab("merge", job.folder / "results")
    assert merged.stdout.splitlines() == ["shard 3/3 is missing", "2 files", "2 passed, 1 failed"]


def test_results_come_from_logs_that_are_there_already(job: ScratchLab) -> None:
    job.write("results/1.log", run_shard(job, 0).stdout)
    job.write("results/2.log", "nothing\n")
    job.write("results/3.log", "== results of shard 3\n%%%\n== end of results\n")
    result = collect(job, "--from", job.folder / "results")
    assert result.returncode == 0
    for number in (2, 3):
        assert f"{number}.log has no results" in result.stderr
    assert [path.name for path in (job.folder / "results").glob("*.xml")] == ["1.xml"]


def test_mistakes_are_said(job: ScratchLab) -> None:
    assert "usage: collect" in collect(job).stderr
    job.write("empty/readme")
    assert "there are no logs" in collect(job, "--from", job.folder / "empty").stderr
