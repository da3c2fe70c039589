"""Commands of `./lab` for the tests of its machine."""

import os
import subprocess
from pathlib import Path

import pytest

LAB = Path(__file__).resolve().parents[2] / "lab"
UML_KERNEL = Path(os.environ.get("LAB_HOME") or LAB.parent / ".lab") / "uml" / "linux"
needs_uml = pytest.mark.skipif(
    not UML_KERNEL.exists(), reason="skipped: no kernel for user-mode Linux (lab setup --uml)"
)
NAME = f"test-{os.getpid()}"
LIMIT = 300  # seconds, on a busy machine


def lab(
    *words: str, text: str = "", folder: Path | None = None, name: str = NAME, limit: float = LIMIT
) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "LAB_NAME": name}
    return subprocess.run(
        [LAB, *words], input=text, cwd=folder, env=environment, capture_output=True, text=True, timeout=limit
    )


def run(*words: str, **options: object) -> str:
    """The output of a command in the lab that is up, which must succeed."""
    result = lab("exec", "--", *words, **options)  # type: ignore[arg-type]
    assert result.returncode == 0, result.stderr
    return result.stdout
