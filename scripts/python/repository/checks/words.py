"""Reports wordings that the style guide replaces, in documents, comments and strings.

usage: words [--count] [FILE…]      default: all of the repository's; --count: only print how often each occurs

The table is that of CONTRIBUTING.md under "Words": in each row the wording to use, and those that it replaces,
separated by "; ", where … stands for any words. A row without the second is advice alone.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bluetooth_lab.places import ROOT
from repository.checks import swift
from repository.checks.sources import ENDINGS, is_written_in, known_files, sources

GUIDE = ROOT / "CONTRIBUTING.md"
HEADING = "## Words"
# What has happened is not rewritten.
HISTORY = ("CHANGELOG.md",)


class Rule(NamedTuple):
    """`word`: one that the wording always has, in lower case, which is looked for first because that is fast."""

    better: str
    wording: str
    pattern: re.Pattern[str]
    word: str


def rules(guide: str) -> list[Rule]:
    """Raises ValueError if the guide has no table."""
    section = guide.partition(f"\n{HEADING}\n")[2].partition("\n## ")[0]
    rows = [line.strip().strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    if len(rows) < 3:
        raise ValueError(f"no table under {HEADING!r}")
    return [
        Rule(cells[0].strip(), wording, pattern_of(wording), max(re.split(r"[\s…]+", wording.lower()), key=len))
        for cells in rows[2:]
        for wording in filter(None, (part.strip() for part in cells[1].replace("`", "").split(";")))
    ]


def pattern_of(wording: str) -> re.Pattern[str]:
    parts = [re.escape(part.strip()).replace(r"\ ", r"\s+") for part in wording.split("…")]
    pattern = r"[^.;:\n]{1,60}?".join(filter(None, parts))
    begin = r"\b" if wording[0].isalnum() else ""
    end = r"\b" if wording[-1].isalnum() else ""
    return re.compile(begin + pattern + end, re.IGNORECASE)


# Prose


def prose_of(path: Path, text: str) -> str:
    """What people read of a file, at its place; all else is blank."""
    name = str(path)
    if name.endswith(".md"):
        return prose_of_markdown(text)
    if name.endswith(".swift"):
        code = swift.read(text).code
        return "".join(own if own == "\n" or code[index] == " " else " " for index, own in enumerate(text))
    if is_written_in("python", name, text.partition("\n")[0]):
        return prose_of_python(text)
    return text


def prose_of_markdown(text: str) -> str:
    """Without code and the guide's own table."""
    lines, is_code, is_guide = [], False, False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            is_code = not is_code
        if line.startswith("## "):
            is_guide = line == HEADING
        is_prose = not is_code and not (is_guide and line.startswith("|"))
        lines.append(re.sub(r"`[^`]*`", lambda code: " " * len(code[0]), line) if is_prose else "")
    return "\n".join(lines)


def prose_of_python(text: str) -> str:
    written = text.splitlines()
    lines = [[" "] * len(line) for line in written]
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in kinds:
            continue
        (line, column), (last, end) = token.start, token.end
        for number in range(line, last + 1):
            source = written[number - 1]
            first, past = (column if number == line else 0), (end if number == last else len(source))
            lines[number - 1][first:past] = source[first:past]
    return "\n".join("".join(line) for line in lines)


# Reports


class Finding(NamedTuple):
    path: Path
    line: int
    rule: Rule

    def __str__(self) -> str:
        shown = self.path.relative_to(ROOT) if self.path.is_relative_to(ROOT) else self.path
        return f'{shown}:{self.line}: "{self.rule.wording}": use "{self.rule.better}"'


def findings(path: Path, known: Sequence[Rule]) -> Iterator[Finding]:
    prose = prose_of(path, path.read_text(encoding="utf-8", errors="replace"))
    lowered = prose.lower()
    possible = [rule for rule in known if rule.word in lowered]
    for number, line in enumerate(prose.split("\n"), 1):
        for rule in possible:
            if rule.word in line.lower() and rule.pattern.search(line):
                yield Finding(path, number, rule)


def default_files() -> list[Path]:
    documents = [path for path in known_files() if path.suffix == ".md" and path.name not in HISTORY]
    return documents + sources(language for language in ENDINGS if language != "yaml")


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="words", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", action="store_true", help="only print how often each wording occurs")
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args(words)
    try:
        known = rules(GUIDE.read_text(encoding="utf-8"))
    except ValueError as error:
        sys.exit(f"words: {GUIDE}: {error}")
    found = [finding for path in options.files or default_files() for finding in findings(path.resolve(), known)]
    if options.count:
        for wording, count in Counter(finding.rule.wording for finding in found).most_common():
            print(f"{count:5} {wording}")
        print(f"{len(found):5} in all")
        return 0
    for finding in found:
        print(finding, file=sys.stderr)
    return 1 if found else 0
