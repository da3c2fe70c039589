"""What the tests of the tools share."""

import pytest


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the lab says, a text for each line."""
    lines: list[str] = []
    for module in ("messages", "machine.session"):
        monkeypatch.setattr(f"lab_tools.{module}.say", lines.append)
    return lines
