"""What bluetoothd has to outlive when dittojay ends a link."""

from pathlib import Path

import pytest
from bumble_commands import bumble_reads
from lab_commands import needs_uml

pytestmark = needs_uml
FAULTY = Path(__file__).resolve().parents[2] / "Fixtures" / "profiles" / "faulty.yaml"


@pytest.mark.nightly
def test_a_central_asks_on_while_its_link_is_being_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LAB", "uml")
    # bluetoothd stops waiting for an answer after 5 s, and has freed what it waited with if the link has ended before.
    result = bumble_reads(FAULTY, "Faulty", options=["--out", str(tmp_path)], remain=8)
    assert '"place": 6' in (tmp_path / "table").read_text(), result.stderr
    assert "ended by itself" not in result.stderr
    assert "crashed" not in result.stderr
