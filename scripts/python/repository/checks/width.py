"""Reports lines of more than 120 columns in Swift, C, Python, shell and YAML.

usage: width [--fix] [FILE…]      default: all of the repository's

--fix wraps paragraphs of comments that have such a line; what else is too wide is reported.
"""

import argparse
import re
import sys
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

from bluetooth_lab.places import ROOT
from repository.checks.sources import ENDINGS, sources

LIMIT = 120
GENERATED = re.compile(r"swift-format-ignore-file")
# A line that has no place to break it: at most one word of a comment, such as an address.
UNBREAKABLE = re.compile(r"\s*(#|//+|-)?\s*\S+$")
COMMENT = re.compile(r"(\s*(?:#|///?))(?: (.*))?$")
# Begins something of its own in a comment: lists, tables, code, directives, what is aligned.
APART = re.compile(r"\s|[-*|>:]|```|\d+\. |shellcheck|swift-format|usage|MARK|mypy|ruff|noqa|type:|$")


# An item of a list, up to its text.
ITEM = re.compile(r"\s*[-*] (?=\S)")


def width(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)


def wide_lines(text: str, is_swift: bool = False) -> Iterator[tuple[int, int]]:
    """The number and the width of each line that is too wide; none in a file that another program makes.

    Of Swift, comments alone: swift-format checks the rest, and knows which strings cannot be broken.
    """
    if GENERATED.search(text[:200]):
        return
    is_in_string = False
    for number, line in enumerate(text.splitlines(), 1):
        is_comment = COMMENT.match(line) is not None and not is_in_string
        if is_swift and line.count('"""') % 2 and not is_comment:
            is_in_string = not is_in_string
        if width(line) > LIMIT and not UNBREAKABLE.match(line) and (is_comment or not is_swift):
            yield number, width(line)


def wrapped(text: str) -> str:
    """The text with paragraphs and items of lists in comments wrapped that have a line too wide. Others stay."""
    lines, result, start = text.split("\n"), list[str](), 0
    while start < len(lines):
        end = block_end(lines, start)
        block = lines[start:end]
        result += wrapped_block(block) if end > start and any(width(line) > LIMIT for line in block) else block
        start = end
    return "\n".join(result)


def wrapped_block(block: Sequence[str]) -> Sequence[str]:
    """A paragraph or an item, with its mark and its indentation."""
    first = COMMENT.match(block[0])
    if not first or (APART.match(first[2] or "") and not ITEM.match(first[2] or "")):
        return block
    item = ITEM.match(first[2])
    lead = item[0] if item else ""
    texts = [first[2][len(lead) :], *((COMMENT.match(line) or first)[2].strip() for line in block[1:])]
    return textwrap.wrap(
        " ".join(texts),
        LIMIT,
        initial_indent=f"{first[1]} {lead}",
        subsequent_indent=f"{first[1]} {' ' * len(lead)}",
        break_long_words=False,
        break_on_hyphens=False,
    )


def block_end(lines: Sequence[str], start: int) -> int:
    """Behind the last line of the paragraph or item that begins here; the next line where none does."""
    first = COMMENT.match(lines[start])
    if not first:
        return start + 1
    item = ITEM.match(first[2] or "")
    if not item and APART.match(first[2] or ""):
        return start + 1
    indent = " " * len(item[0]) if item else ""
    end = start + 1
    while end < len(lines):
        match = COMMENT.match(lines[end])
        text = match[2] or "" if match else ""
        if not match or match[1] != first[1] or not text.startswith(indent) or APART.match(text[len(indent) :]):
            break
        end += 1
    return end


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="width", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--fix", action="store_true", help="wrap comments")
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args(words)
    found = False
    for path in options.files or sources(ENDINGS):
        text = path.read_text(encoding="utf-8", errors="replace")
        is_swift = path.suffix == ".swift"
        if options.fix and any(wide_lines(text, is_swift)):
            text = wrapped(text)
            path.write_text(text, encoding="utf-8")
        for number, columns in wide_lines(text, is_swift):
            found = True
            name = path.resolve()
            shown = name.relative_to(ROOT) if name.is_relative_to(ROOT) else name
            print(f"{shown}:{number}: {columns} columns, more than {LIMIT}", file=sys.stderr)
    return 1 if found else 0
