"""Which tests run: their names, and the filters that choose among them.

A test's name is `Module.Suite/test()`. A filter is a regular expression that occurs in it; a test runs when one of the
filters does, or when there are none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

# The tests by the beginnings of their names, as look-aheads: those of units, and those in a lab with one host, with
# two, with three, and with nine controllers.
UNIT = r"!IntegrationTests\."
ONE_HOST = r"=IntegrationTests\.(?!OnTwoHosts\b|OnThreeHosts\b|AmongMany\b)"
TWO_HOSTS = r"=IntegrationTests\.OnTwoHosts\b"
THREE_HOSTS = r"=IntegrationTests\.OnThreeHosts\b"
MANY = r"=IntegrationTests\.AmongMany\b"

SUITE = re.compile(r"IntegrationTests\.InTheLab/([A-Za-z0-9]+)/")
XCTEST = re.compile(r"[^ ]+\.[^ ]+/[^ ]+")
PYTHON_TEST = re.compile(r"def (test_\w+)")


def patterns(part: str, filters: Sequence[str]) -> list[str]:
    """The filters, for the tests of one part alone."""
    return [f"^(?{part}).*(?:{pattern})" for pattern in filters or [""]]


def filter_options(expressions: Iterable[str]) -> list[str]:
    """As Swift Testing takes them."""
    return [word for expression in expressions for word in ("--filter", expression)]


def matches(expressions: Sequence[str], name: str) -> bool:
    """An expression that Python does not understand could match: the test runner decides."""
    try:
        return any(re.search(expression, name) for expression in expressions)
    except re.error:
        return True


def matching(part: str, filters: Sequence[str], names: Iterable[str]) -> list[str]:
    expressions = patterns(part, filters)
    return [name for name in names if matches(expressions, name)]


def suites_of(names: Iterable[str]) -> list[str]:
    """The suites in the lab, those with most tests first: what comes last should be short."""
    counts = Counter(match[1] for name in names if (match := SUITE.match(name)))
    return sorted(counts, key=lambda suite: (-counts[suite], suite))


def xctest_names(filters: Sequence[str], names: Iterable[str]) -> str:
    """The tests of XCTest in the one argument that it takes; empty if none matches."""
    return ",".join(name for name in names if XCTEST.fullmatch(name) and (not filters or matches(filters, name)))


def pytest_options(filters: Sequence[str], folder: Path) -> list[str] | None:
    """The filters as options of pytest; None when no test in the folder matches."""
    if not filters:
        return []
    sources = [path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.rglob("test_*.py"))]
    names = {name for source in sources for name in PYTHON_TEST.findall(source) if matches(filters, name)}
    return ["-k", " or ".join(sorted(names))] if names else None
