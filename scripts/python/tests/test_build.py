"""How the lab's commands build (scripts/lab/build.sh)."""

import os
import subprocess
from pathlib import Path

import pytest

LAB = Path(__file__).parents[2] / "lab"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package that depends on another one by path, both built a while ago."""
    for folder in (tmp_path / "library/Sources/Library", tmp_path / "app/.build"):
        folder.mkdir(parents=True)
    (tmp_path / "app/.build/debug.yaml").write_text("")
    for path in tmp_path.rglob("*"):
        os.utime(path, (1_000, 1_000))
    return tmp_path


def has_plan_after(package: Path, *arguments: str) -> bool:
    script = f'root={package}/library owner=$root; source "{LAB}/build.sh"; forget_old_plan "$@"'
    subprocess.run(["bash", "-euc", script, "build", *arguments], check=True, cwd=package)
    return (package / "app/.build/debug.yaml").exists()


def test_a_plan_is_kept_while_no_file_of_the_dependency_comes_or_goes(package: Path) -> None:
    (package / "library/Sources/Library").touch()
    os.utime(package / "library/Sources/Library", (900, 900))
    assert has_plan_after(package, "--package-path", str(package / "app"), "--product", "App")


def test_a_plan_is_made_anew_when_a_file_of_the_dependency_has_gone(package: Path) -> None:
    (package / "library/Sources/Library/New.swift").touch()
    assert not has_plan_after(package, "--package-path", str(package / "app"), "--product", "App")


def test_the_plan_of_the_package_itself_is_swiftpm_s_affair(package: Path) -> None:
    (package / "library/Sources/Library/New.swift").touch()
    assert has_plan_after(package, "--build-tests")
