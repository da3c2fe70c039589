"""What the page of a record is made of."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path

import pytest

import page_records
from bluetooth_lab.page.assemble import WEB, page, script
from bluetooth_lab.page.command import make, write_page
from bluetooth_lab.page.index import write_index
from bluetooth_lab.page.record import Record, read_record, summary_of, timed_lines

ELEMENT = re.compile(r'data-record="(\w+)" data-file="([\w.]+)">([^<]*)</script>')


def files_in(html: str, name: str = "this") -> dict[str, bytes]:
    """The files of a record in a page."""
    return {
        file: zlib.decompress(base64.b64decode(content))
        for record, file, content in ELEMENT.findall(html)
        if record == name
    }


def test_lines_keep_what_is_before_their_text() -> None:
    text = (
        "2026-11-21 18:22:55.209250  test            a begins\n"
        "2026-11-21 18:22:55.209251  dittojay[1852]    indented: two  spaces\n"
        "2026-11-21 18:22:55.209252  page 1          \n"
        "2026-99-21 18:22:55.209252  test            never\n"
        "no time\n"
    )
    assert timed_lines(text) == [
        (1795285375209250, "test", "a begins"),
        (1795285375209251, "dittojay[1852]", "  indented: two  spaces"),
        (1795285375209252, "page 1", ""),
    ]
    assert timed_lines("") == []


def test_the_kernels_log_is_among_the_lines(tmp_path: Path) -> None:
    (tmp_path / "summary.txt").write_text("a failed\n")
    (tmp_path / "app.log").write_text("2026-11-21 18:22:55.000001  test  a\n2026-11-21 18:22:55.000003  test  b\n")
    (tmp_path / "kernel.log").write_text("2026-11-21 18:22:55.000002  kernel  WARNING: on purpose\n")
    lines = read_record(tmp_path).files["lines.log"].decode().splitlines()
    assert [line.split("\t")[1:] for line in lines] == [["test", "a"], ["kernel", "WARNING: on purpose"], ["test", "b"]]


def test_a_summary_has_title_times_issues_and_devices() -> None:
    text = (
        "Suite.a test failed\nfrom 2026-11-21 18:22:55.000000 to 2026-11-21 18:22:57.500000 UTC\n\n"
        "a.swift:1: first\nsecond\n\nhci0, powered: true\nhci1, powered: true\n"
    )
    about = summary_of(text)
    assert (about["title"], about["status"]) == ("Suite.a test", "failed")
    assert (about["start"], about["end"]) == (1795285375.0, 1795285377.5)
    assert (about["issues"], about["devices"]) == (
        "a.swift:1: first\nsecond",
        "hci0, powered: true\nhci1, powered: true",
    )
    assert summary_of("")["title"] == ""


def test_a_page_has_the_files_of_its_records(tmp_path: Path) -> None:
    failed, passed = page_records.failed_test(tmp_path / "a"), page_records.passed_test(tmp_path / "b")
    html = page(read_record(failed), read_record(passed))
    files = files_in(html)
    assert files["hci.btsnoop"] == (failed / "hci.btsnoop").read_bytes()
    assert files["bus.log"] == (failed / "bus.log").read_bytes()
    assert json.loads(files["about.json"])["title"] == f"Suite.aTest[{page_records.MARKUP}]"
    assert b"\tdittojay[12]\t{" in files["lines.log"]
    assert json.loads(files_in(html, "other")["about.json"])["status"] == "passed"


def test_nothing_of_a_record_is_markup(tmp_path: Path) -> None:
    html = page(read_record(page_records.failed_test(tmp_path / "a")))
    assert page_records.MARKUP not in html
    assert "<img" not in html
    assert html.count("<script") == html.count("</script>") == len(files_in(html)) + 1


def test_the_page_asks_for_nothing_from_elsewhere() -> None:
    html = page(Record({"title": "t"}, {}))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy and "default-src 'none'" in policy[1] and "script-src 'sha256-" in policy[1]
    assert not re.search(r"""(?:src|href)=["'](?!x)|@import|url\(|https?://(?!\S*example)""", html)
    assert "@SCRIPT" not in html and "@STYLE" not in html


def test_all_modules_are_in_a_script_once() -> None:
    scripts = [script("main.js"), script("air-main.js")]
    for file in WEB.glob("*.js"):
        counts = [text.count(f"// {file.name}\n") for text in scripts]
        assert max(counts) == 1, file.name
    for text in scripts:
        assert not re.search(r"^(?:import|export)\b", text, re.MULTILINE)
        names = re.findall(r"^(?:async )?(?:function\*?|class|const|let) (\w+)", text, re.MULTILINE)
        assert sorted(set(names)) == sorted(names), "modules share one scope"


def test_sources_of_the_page_fit_into_a_screen() -> None:
    for file in WEB.iterdir():
        lines = file.read_text().splitlines()
        assert len(lines) <= 400, file.name
        too_wide = [line for line in lines if len(line) > 120 and not line.startswith("<meta ")]
        assert not too_wide, (file.name, too_wide)


def test_the_command_writes_the_page_beside_the_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = page_records.failed_test(tmp_path / "failed")
    assert make(folder, None, None) == 0
    assert capsys.readouterr().out == f"{folder / 'page.html'}\n"
    assert "about.json" in files_in((folder / "page.html").read_text())
    assert make(folder, folder, tmp_path / "out.html") == 0
    assert files_in((tmp_path / "out.html").read_text(), "other")


def test_a_folder_without_a_record_is_a_mistake(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        make(tmp_path, None, None)
    assert "no record in" in capfd.readouterr().err


def test_failed_tests_are_listed_with_their_pages(tmp_path: Path) -> None:
    for place in ("1/failures/b", "2/failures/a", "on-purpose/failures/c"):
        write_page(page_records.failed_test(tmp_path / place))
    (tmp_path / "failures").mkdir()
    (tmp_path / "failures/b").symlink_to("../1/failures/b")  # as with several machines
    index = write_index(tmp_path)
    assert index
    text = index.read_text()
    assert re.findall(r'href="([^"]*)"', text) == ["1/failures/b/page.html", "2/failures/a/page.html"]
    assert "2 failed tests" in text and "Test.swift:7: it failed" in text
    assert page_records.MARKUP not in text and "&lt;b&gt;Belt" in text


def test_without_failures_there_is_no_list(tmp_path: Path) -> None:
    assert write_index(tmp_path) is None
