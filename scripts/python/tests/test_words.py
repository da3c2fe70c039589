"""The check of wordings: what is prose, and what of it is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from repository.checks import words
from repository.checks.words import findings, main, prose_of, rules

GUIDE = """# Guide

## Words

| use | instead of |
|---|---|
| unknown key "x" | there is no key; no … of that name |
| use | `employ`; employs |
| a verb first | |

## Next

| a | b |
|---|---|
| c | must not count |
"""


def reported(tmp_path: Path, name: str, text: str) -> list[tuple[int, str]]:
    path = tmp_path / name
    path.write_text(text)
    return [(finding.line, finding.rule.wording) for finding in findings(path, rules(GUIDE))]


def test_the_table_says_what_is_replaced() -> None:
    assert [rule.wording for rule in rules(GUIDE)] == ["there is no key", "no … of that name", "employ", "employs"]
    with pytest.raises(ValueError, match="no table"):
        rules("# Guide\n")


@pytest.mark.parametrize(
    ("text", "wordings"),
    [
        ("There is  no key here", ["there is no key"]),
        ("no such file of that name", ["no … of that name"]),
        ("it employs more", ["employs"]),
        ("an employer, unemployed", []),
        ("no file. One of that name", []),
    ],
)
def test_wordings_are_found_as_whole_words(tmp_path: Path, text: str, wordings: list[str]) -> None:
    assert [wording for _, wording in reported(tmp_path, "a.md", text)] == wordings


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("a.md", "employ\n`employ`\n```\nemploy\n```\nemploy", [1, 6]),
        ("a.swift", 'employ()\n// employ\nlet a = "employ \\(employ) b" /* employ */\nlet employ = 1', [2, 3]),
        ("a.py", 'employ()\n# employ\na = """x\n  employ"""\nb = "employ"', [2, 4, 5]),
        ("a.sh", "# employ\nemploy", [1, 2]),
    ],
)
def test_only_prose_is_looked_at(tmp_path: Path, name: str, text: str, lines: list[int]) -> None:
    assert [line for line, _ in reported(tmp_path, name, text)] == lines


def test_the_guides_own_table_is_no_prose() -> None:
    assert "employ" not in prose_of(Path("CONTRIBUTING.md"), GUIDE)
    assert "must not count" in prose_of(Path("CONTRIBUTING.md"), GUIDE)


def test_a_wording_is_reported_with_a_better_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    guide, page = tmp_path / "guide.md", tmp_path / "page.md"
    guide.write_text(GUIDE)
    page.write_text("fine\nit employs\n")
    monkeypatch.setattr(words, "GUIDE", guide)
    assert main([str(page)]) == 1
    assert capsys.readouterr().err == f'{page}:2: "employs": use "use"\n'
    assert main(["--count", str(page)]) == 0
    assert capsys.readouterr().out == "    1 employs\n    1 in all\n"
    page.write_text("fine\n")
    assert main([str(page)]) == 0
