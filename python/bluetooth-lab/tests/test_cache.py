"""The user's cache, which clones share."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bluetooth_lab.places import SETUP
from scratch_lab import ScratchLab

SOURCE = f"""set -uo pipefail
root=$PWD lab=$LAB_HOME logs=$LAB_HOME/logs
source {SETUP}/steps.sh; source {SETUP}/cache.sh
make() {{ echo made >>"$LAB_MADE"; echo "$1" >"$2/content"; }}
use() {{
    use_cached "$lab/thing" thing "$(key_of "$1" </dev/null)" "made it" "$logs/thing.log" make "$1" && touch_entries
}}
"""
LONG_AGO = 1_000_000_000
LIMIT = 20  # seconds, on a busy machine


class Cache:
    """A cache, and a file with a line for each time that something was made for it."""

    def __init__(self, scratch: ScratchLab) -> None:
        self.scratch = scratch
        self.folder = scratch.folder / "cache/bluetooth-lab"
        self.made = scratch.folder / "made"
        self.variables = {"XDG_CACHE_HOME": f"{scratch.folder}/cache", "LAB_MADE": str(self.made)}
        self.setups: list[subprocess.Popen[str]] = []

    def run(self, text: str, **more: str) -> str:
        return self.scratch.bash(f"exec 2>&1; {SOURCE}\n{text}", **(self.variables | more))

    def start(self, text: str) -> subprocess.Popen[str]:
        """In a group of its own, as a terminal's command is."""
        process = subprocess.Popen(
            ["/bin/bash", "-c", SOURCE + text],
            env=self.scratch.environment(**self.variables),
            cwd=self.scratch.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.setups.append(process)
        return process

    @property
    def entries(self) -> list[Path]:
        return sorted(path for path in self.folder.iterdir() if path.is_dir())

    @property
    def count(self) -> int:
        return len(self.made.read_text().splitlines())


@pytest.fixture
def cache(scratch: ScratchLab) -> Iterator[Cache]:
    cache = Cache(scratch)
    yield cache
    for process in cache.setups:
        if process.stdout:
            process.stdout.close()


def test_clones_share_what_is_made_of_the_same(cache: Cache, scratch: ScratchLab) -> None:
    for clone in ("one", "two", "one"):
        cache.run("use a", LAB_HOME=f"{scratch.folder}/{clone}")
        assert (scratch.folder / clone / "thing/content").read_text() == "a\n"
    assert cache.count == 1
    cache.run("use b")
    assert (scratch.home / "thing/content").read_text() == "b\n"
    assert len(cache.entries) == 2


def test_an_environment_of_the_same_requirements_is_the_same_in_each_clone(cache: Cache, scratch: ScratchLab) -> None:
    text = """make_environment() { echo made >>"$LAB_MADE"; }
    use_environment "$lab/tools" tools tools tools -r "$root/requirements.txt" <"$root/requirements.txt" """
    for clone in ("one", "two"):
        scratch.write(f"{clone}/requirements.txt", "x==1\n")
        cache.run(text.replace("$root", f"{scratch.folder}/{clone}"), LAB_HOME=f"{scratch.folder}/{clone}/home")
    assert cache.count == 2, "$root is neither of them"
    cache.made.unlink()
    for clone in ("one", "two"):
        cache.run(f"root={scratch.folder}/{clone}; {text}", LAB_HOME=f"{scratch.folder}/{clone}/home")
    assert cache.count == 1


def test_what_was_there_in_its_place_before_is_replaced(cache: Cache, scratch: ScratchLab) -> None:
    (scratch.home / "thing").mkdir(parents=True)
    cache.run("use a")
    assert (scratch.home / "thing").is_symlink()


def test_what_failed_is_made_again(cache: Cache, scratch: ScratchLab) -> None:
    said = cache.run('make() { touch "$2/half"; false; }; use a || echo failed')
    assert said.endswith("failed\n")
    cache.run("use a")
    assert (scratch.home / "thing/content").read_text() == "a\n"
    assert not (scratch.home / "thing/half").exists()


def test_without_a_cache_it_is_made_in_the_labs_folder(cache: Cache, scratch: ScratchLab) -> None:
    scratch.write("cache", "no folder")
    cache.run("use a; use a")
    assert cache.count == 1
    assert (scratch.home / "thing").resolve().parent == scratch.home / "cache"


def test_a_cache_that_cannot_be_written_to_is_read(cache: Cache, scratch: ScratchLab) -> None:
    cache.run("use a; rm -f $LAB_MADE")
    scratch.folder.chmod(0o755)
    own = scratch.folder / "own"
    own.mkdir()
    own.chmod(0o777)
    # Root may write everywhere.
    other_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    cache.folder.chmod(0o555)
    try:
        values = cache.variables | {"LAB_MADE": f"{own}/made", "LAB_HOME": f"{own}/home"}
        result = scratch.run(*other_user, "/bin/bash", "-c", f"{SOURCE} use a; use b", variables=values)
    finally:
        cache.folder.chmod(0o755)
    assert result.returncode == 0, result.stderr
    assert (own / "made").read_text() == "made\n"
    assert (own / "home/thing/content").read_text() == "b\n"


def await_file(path: Path) -> None:
    deadline = time.monotonic() + LIMIT
    while not path.exists():
        assert time.monotonic() < deadline, path
        time.sleep(0.01)


def test_two_at_the_same_time_make_it_once_and_the_second_says_what_it_waits_for(
    cache: Cache, scratch: ScratchLab
) -> None:
    slow = 'make() { touch began; until [[ -e go ]]; do read -rt 0.02 <> <(:); done; echo 1 >>"$LAB_MADE"; }; use a'
    first = cache.start(slow)
    await_file(scratch.folder / "began")
    second = cache.start(slow)
    assert second.stdout and second.stdout.readline() == "lab: waiting for another setup, which has not yet made it\n"
    scratch.write("go")
    assert (first.wait(LIMIT), second.wait(LIMIT)) == (0, 0)
    assert cache.count == 1


def test_one_that_was_killed_in_the_middle_leaves_nothing_that_the_next_one_waits_for(
    cache: Cache, scratch: ScratchLab
) -> None:
    first = cache.start('make() { touch "$2/half" began; read -r <> <(:); }; use a')
    await_file(scratch.folder / "began")
    first.kill()  # alone: what reports its progress goes on for a while
    first.wait(LIMIT)
    said = cache.run("use a")
    assert "waiting" not in said
    assert (scratch.home / "thing/content").read_text() == "a\n"


def test_what_was_not_used_for_a_month_is_removed_and_what_a_dead_setup_left(cache: Cache) -> None:
    cache.run("use a; use b")
    for entry in cache.entries:
        if (entry / "content").read_text() == "a\n":
            os.utime(entry / ".complete", (LONG_AGO, LONG_AGO))
    (cache.folder / "half-0").mkdir()
    cache.run("clean_cache")
    assert [(entry / "content").read_text() for entry in cache.entries] == ["b\n"]


def test_a_use_is_noted(cache: Cache) -> None:
    cache.run("use a")
    mark = cache.entries[0] / ".complete"
    os.utime(mark, (LONG_AGO, LONG_AGO))
    cache.run("use a; clean_cache")
    assert mark.exists()


def test_the_list_has_sizes_and_last_uses(cache: Cache) -> None:
    assert cache.run("list_cache") == f"nothing in {cache.folder}\n"
    cache.run("use a")
    (cache.folder / "half-0").mkdir()
    first, second = cache.run("list_cache").splitlines()
    assert re.search(r"^ +[\d.]+K  not complete +\S+/half-0$", first)
    assert re.search(r"^ +[\d.]+K  last used \d{4}-\d\d-\d\d  \S+/thing-[0-9a-f]{16}$", second)
