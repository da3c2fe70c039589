"""Of this machine's files, the lab writes to the folder of a command's output alone."""

import os
from pathlib import Path

import pytest
from lab_commands import lab, needs_uml

# Writes the file $1 to each mount of the machine, and to the folder $2 of this machine below each.
WRITE_EVERYWHERE = """
while read -r _ _ _ _ place _; do
    printf -v place %b "$place"
    for folder in "$place" "$place$2"; do { echo written >"$folder/$1"; } 2>/dev/null; done
done </proc/self/mountinfo
echo kept >"$LAB_OUT/$1"
"""


@pytest.mark.parametrize("machine", [pytest.param("uml", marks=needs_uml), "tcg"])
def test_no_mount_of_the_machine_leads_to_other_files(
    machine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB", machine)
    # virtme-ng takes no quotes and commas.
    kept = 'what is kept, and "how" it\'s' if machine == "uml" else "kept"
    out, other = tmp_path / kept, tmp_path / "other"
    other.mkdir()
    name = f"lab-has-written-{os.getpid()}"
    result = lab("run", "--fresh", "--out", str(out), "--", "bash", "-c", WRITE_EVERYWHERE, "-", name, str(other))
    assert result.returncode == 0, result.stderr
    assert (out / name).read_text() == "kept\n"
    written = [folder for folder in (other, Path("/"), tmp_path) if (folder / name).exists()]
    assert written == []
