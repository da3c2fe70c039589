"""Which tag the public API is compared with."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from repository.checks.releases import last, main

IN_ORDER = [
    "0.9.0",
    "v0.10.0",
    "1.0.0-alpha",
    "v1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta.2",
    "v1.0.0-beta.11",
    "1.0.0-rc.1",
    "v1.0.0",
    "1.0.1+build.7",
    "v2.0.0",
]


def test_the_highest_version_is_the_last_release_with_or_without_a_v() -> None:
    for count in range(1, len(IN_ORDER) + 1):
        assert last(IN_ORDER[:count]) == IN_ORDER[count - 1]
        assert last(reversed(IN_ORDER[:count])) == IN_ORDER[count - 1]


@pytest.mark.parametrize("tag", ["nightly", "v1", "1.0", "1.0.0.0", "version-1.0.0", "v01.0.0", "1.0.0-", "x1.0.0"])
def test_other_tags_are_no_releases(tag: str) -> None:
    assert last([tag]) is None
    assert last(["0.1.0", tag]) == "0.1.0"


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """git in an empty repository, which is the working folder."""
    monkeypatch.chdir(tmp_path)
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]

    def run(*words: str) -> None:
        subprocess.run(["git", *identity, *words], check=True, capture_output=True)

    run("init", "--initial-branch", "main")
    return run


def test_without_a_release_nothing_is_printed(git: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    git("commit", "--allow-empty", "--message", "Begin")
    git("tag", "nightly")
    assert main([]) == 0
    assert capsys.readouterr().out == ""


def test_releases_of_other_branches_are_passed_over(
    git: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    git("commit", "--allow-empty", "--message", "Begin")
    git("tag", "0.2.0")
    git("commit", "--allow-empty", "--message", "Fix the release before the last one")
    git("tag", "0.1.1")
    git("checkout", "-b", "other")
    git("commit", "--allow-empty", "--message", "Start over")
    git("tag", "v1.0.0")
    git("checkout", "main")
    assert main([]) == 0
    assert capsys.readouterr().out == "0.2.0\n"
