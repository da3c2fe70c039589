"""What the checks of the sources see."""

from pathlib import Path

import pytest

from bluetooth_lab.places import ROOT
from repository.checks.sources import ENDINGS, is_written_in, sources
from repository.checks.width import LIMIT, main, wide_lines, wrapped

LONG = "word " * 30


@pytest.mark.parametrize(
    ("name", "first_line", "language"),
    [
        ("a/b.swift", "import A", "swift"),
        ("a.h", "", "c"),
        ("run", "#!/usr/bin/env python3", "python"),
        ("run", "#!/usr/bin/env -S python3 -I", "python"),
        ("run", "#!/bin/bash", "shell"),
        ("boot", "#!/bin/sh", "shell"),
        ("bashrc", "# shellcheck shell=bash", "shell"),
        (".ci/checks.sh", "# shellcheck shell=bash", "shell"),
        ("a.yml", "", "yaml"),
        ("README.md", "#!/bin/bash", None),
        ("LICENSE", "MIT", None),
    ],
)
def test_a_language_is_known_by_the_ending_or_the_first_line(name: str, first_line: str, language: str | None) -> None:
    assert [known for known in ENDINGS if is_written_in(known, name, first_line)] == ([language] if language else [])


def test_scripts_without_an_ending_are_found() -> None:
    shell = {str(path.relative_to(ROOT)) for path in sources(["shell"])}
    assert {
        "lab",
        ".ci/run",
        "python/bluetooth-lab/src/bluetooth_lab/setup/setup",
        "python/bluetooth-lab/src/bluetooth_lab/guest/boot",
        "python/bluetooth-lab/src/bluetooth_lab/setup/build.sh",
    } <= shell


def test_columns_are_counted_and_not_bytes() -> None:
    assert list(wide_lines("é" * LIMIT + " x")) == [(1, LIMIT + 2)]
    assert list(wide_lines("é" * LIMIT)) == []


def test_what_cannot_be_broken_and_what_is_generated_is_passed_over() -> None:
    address = "https://example.org/" + "x" * LIMIT
    assert not list(wide_lines(f"# {address}\n{address}\n    // {address}\n"))
    assert not list(wide_lines(f"// swift-format-ignore-file\n{LONG}\n"))
    assert list(wide_lines(f"# see {address}\n"))


def test_of_swift_only_comments_are_looked_at() -> None:
    text = f'/// {LONG}\nlet text = "{LONG}"\nlet more = """\n    // {LONG}\n    """\n// {LONG}\n'
    assert [number for number, _ in wide_lines(text, is_swift=True)] == [1, 6]


@pytest.mark.parametrize("mark", ["# ", "    /// ", "// "])
def test_comments_are_wrapped_with_their_mark(mark: str) -> None:
    text = f"code\n{mark}{LONG.strip()}\n{mark}and the next line.\n\ncode\n"
    lines = wrapped(text).split("\n")
    assert all(line.startswith(mark.rstrip()) for line in lines[1:-3])
    assert max(map(len, lines)) <= LIMIT
    assert " ".join(line.removeprefix(mark) for line in lines[1:-3]) == f"{LONG.strip()} and the next line."
    assert lines[0] == "code" and lines[-3:] == ["", "code", ""]


def test_items_of_lists_are_wrapped_below_their_texts() -> None:
    words = LONG.strip()
    lines = wrapped(f"///   - size: {words}\n///     bytes.\n///   - next: short").split("\n")
    assert [line[:11] for line in lines] == ["///   - siz", "///     wor", "///   - nex"]
    assert lines[1].endswith("word bytes.")


def test_other_paragraphs_stay_as_they_are() -> None:
    text = f"# short\n# lines\n#\n# | {LONG}\n#   code {LONG}\nx = '{LONG}'\n"
    assert wrapped(text) == text


def test_wide_lines_fail_the_check_and_can_be_fixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.sh"
    file.write_text(f"true\n# {LONG}\n")
    assert main([str(file)]) == 1
    assert capsys.readouterr().err == f"{file}:2: 152 columns, more than 120\n"
    assert main(["--fix", str(file)]) == 0
    assert main([str(file)]) == 0
