"""The scripts of the Kubernetes Job, with a lab and a kubectl that are stand-ins."""

import shutil
import subprocess

from lab_script import REPOSITORY, LabScriptTests

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
[[ $shard != 2/* ]]
"""
KUBECTL = """#!/bin/bash
[[ $1 != get ]] || printf '%s\\n' "1 lab-tests-1-lost" "0 lab-tests-0-a" "1 lab-tests-1-b"
[[ $1 != logs ]] || cat "$(dirname "$0")/logs/$2"
"""


class Kubernetes(LabScriptTests):
    def setUp(self):
        super().setUp()
        shutil.copytree(REPOSITORY / "docker/kubernetes", self.folder / "docker/kubernetes")
        self.write("lab", LAB, executable=True)

    def script(self, name, *words, **environment):
        return subprocess.run(
            [self.folder / "docker/kubernetes" / name, *map(str, words)],
            cwd=self.folder,
            env=self.environment(**environment),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )

    def run_shard(self, index, **environment):
        return self.script("run-shard", JOB_COMPLETION_INDEX=str(index), SHARDS="3", **environment)

    def test_the_shard_of_the_index_runs(self):
        self.assertEqual(self.run_shard(0, PROJECT="/app", FILTERS="-k gateway").returncode, 0)
        called = (self.folder / "called").read_text()
        self.assertRegex(called, r"^test --package /app --shard 1/3 --junit \S+ -- -k gateway$")

    def test_a_pod_with_results_succeeds_whatever_they_say_and_one_without_fails(self):
        self.assertEqual([self.run_shard(index).returncode for index in range(3)], [0, 0, 1])
        self.assertNotEqual(self.script("run-shard", SHARDS="3").returncode, 0)

    def test_results_come_back_from_the_logs(self):
        kubectl = self.write("kubectl", KUBECTL, executable=True)
        for index, pod in ((0, "0-a"), (1, "1-b")):
            self.write(f"logs/lab-tests-{pod}", self.run_shard(index).stdout)
        self.write("logs/lab-tests-1-lost", "== results of shard 2\n")
        result = self.script("collect", self.folder / "results", KUBECTL=str(kubectl))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for number in (1, 2):
            self.assertIn(f"test of {number}/3", (self.folder / f"results/{number}.xml").read_text())
        merged = self.lab("merge", str(self.folder / "results"))
        self.assertEqual(merged.stdout.splitlines(), ["shard 3/3 is missing", "2 files", "2 passed, 1 failed"])

    def test_logs_that_are_there_already(self):
        self.write("results/1.log", self.run_shard(0).stdout)
        self.write("results/2.log", "nothing\n")
        self.write("results/3.log", "== results of shard 3\n%%%\n== end of results\n")
        result = self.script("collect", "--from", self.folder / "results")
        self.assertEqual(result.returncode, 0)
        for number in (2, 3):
            self.assertIn(f"{number}.log has no results", result.stderr)
        self.assertEqual([path.name for path in (self.folder / "results").glob("*.xml")], ["1.xml"])

    def test_mistakes_are_said(self):
        self.assertIn("usage: collect", self.script("collect").stderr)
        self.write("empty/readme", "")
        self.assertIn("there are no logs", self.script("collect", "--from", self.folder / "empty").stderr)
