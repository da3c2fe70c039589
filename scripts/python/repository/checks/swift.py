"""Separates the code of a Swift file from its comments and strings."""

import re
from typing import NamedTuple

# A string's or a comment's beginning, or a parenthesis.
SIGN = re.compile(r'//|/\*|(?P<hashes>#*)(?P<quotes>"""|")|[()]')
COMMENT_SIGN = re.compile(r"/\*|\*/")


class Source(NamedTuple):
    """A file's code, in which comments and strings are blank, and the pieces of its strings with their lines."""

    code: str
    strings: list[tuple[int, str]]


def read(text: str) -> Source:
    """What is interpolated in a string is code. Of regular expressions between slashes nothing is known."""
    reader = Reader(text)
    reader.read_code(0, is_interpolated=False)
    return Source("".join(reader.code), reader.strings)


class Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.code = list(text)
        self.strings: list[tuple[int, str]] = []

    def blank(self, start: int, end: int) -> None:
        self.code[start:end] = re.sub(r"[^\n]", " ", self.text[start:end])

    def read_code(self, position: int, is_interpolated: bool) -> int:
        """Reads to the end of the file, or past the parenthesis that ends the interpolation."""
        depth = 0
        while sign := SIGN.search(self.text, position):
            position = sign.end()
            if sign["quotes"]:
                position = self.read_string(position, sign["quotes"], sign["hashes"])
            elif sign[0] == "//":
                line_end = self.text.find("\n", position)
                position = len(self.text) if line_end < 0 else line_end
                self.blank(sign.start(), position)
            elif sign[0] == "/*":
                position = self.end_of_comment(position)
                self.blank(sign.start(), position)
            elif sign[0] == "(":
                depth += 1
            elif is_interpolated and depth == 0:
                return position
            else:
                depth -= 1
        return len(self.text)

    def end_of_comment(self, position: int) -> int:
        """Comments can contain comments."""
        depth = 1
        while depth and (sign := COMMENT_SIGN.search(self.text, position)):
            depth += 1 if sign[0] == "/*" else -1
            position = sign.end()
        return len(self.text) if depth else position

    def read_string(self, position: int, quotes: str, hashes: str) -> int:
        """Reads past the string's end. One that lacks it ends with its line: the rest of the file is not lost."""
        lines = "" if quotes == '"""' else "|\n"
        signs = re.compile(rf"(?P<end>{quotes}{hashes}{lines})|\\{hashes}(?P<code>\()|\\{hashes}[^(]")
        start = position
        while sign := signs.search(self.text, position):
            position = sign.end()
            if sign["end"] is None and sign["code"] is None:
                continue  # an escaped character
            self.strings.append((line_of(self.text, start), self.text[start : sign.start()]))
            self.blank(start, sign.start())
            if sign["end"]:
                return position
            start = position = self.read_code(position, is_interpolated=True)
        self.strings.append((line_of(self.text, start), self.text[start:]))
        self.blank(start, len(self.text))
        return len(self.text)


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
