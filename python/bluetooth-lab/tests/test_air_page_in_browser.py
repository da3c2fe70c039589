"""The page of an air in Chromium: the map, the time, and what can be done with keys."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pytest_bluetooth_lab.page import WebPage

import air_records
import page_records
from bluetooth_lab.page.air import air_page, write_air_page
from bluetooth_lab.page.command import make
from browser_pages import Open, press

PLACE = """(() => {{
    const text = [...document.querySelectorAll(".devices text")].find((one) => one.textContent === {name});
    return text ? Number(text.getAttribute("x")) : null;
}})()"""


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Beside the summary of a test that lasted 2.5 s."""
    folder = page_records.failed_test(tmp_path / "failed")
    (folder / "air.jsonl").write_text(air_records.walk())
    return folder / "air.jsonl"


@pytest.fixture
def page(opened: Open, recording: Path) -> WebPage:
    page = opened(write_air_page(recording))
    assert page.evaluate("document.documentElement.dataset.ready") == "yes"
    return page


def drawn(page: WebPage, selector: str) -> str:
    """All texts of a part that is drawn."""
    return str(page.evaluate(f"document.querySelector({json.dumps(selector)}).textContent"))


def go(page: WebPage, seconds: float) -> None:
    script = f"""(() => {{
        const slider = document.getElementById("time");
        slider.value = "{seconds}";
        slider.dispatchEvent(new Event("input"));
    }})()"""
    page.evaluate(script)


def place(page: WebPage, name: str) -> float | None:
    """How far to the right a device's name is on the map, in pixels."""
    found = page.evaluate(PLACE.format(name=json.dumps(name)))
    return None if found is None else float(found)


def test_devices_are_where_they_were(page: WebPage) -> None:
    go(page, 0)
    sensor, phone = place(page, "sensor"), place(page, "phone")
    assert sensor is not None and phone is not None and sensor < phone, "the phone is a metre to the right"
    assert place(page, "beacon") is not None and "oven" in drawn(page, "#map")
    go(page, 2.45)
    later = place(page, "sensor")
    assert later is not None and later > phone, "the sensor has walked past the phone"
    assert place(page, "phone") == phone
    assert page.evaluate("document.querySelectorAll('.walls line').length") == 1


def test_a_link_has_its_strength_and_losses_as_long_as_it_is_there(page: WebPage) -> None:
    go(page, 0.2)
    assert page.text("#links") == "no links"
    go(page, 0.5)
    assert page.text("#links") == "phone → sensor: −59 dBm"
    assert page.evaluate("document.querySelector('.links line').getAttribute('class')") == "good"
    go(page, 1)
    assert page.text("#links") == "phone → sensor: −59 dBm, 2 lost, 1 jammed"
    assert "43 % lost" in drawn(page, ".links")
    go(page, 1.35)
    assert "−83 dBm, out of range" in (page.text("#links") or "")
    assert page.evaluate("document.querySelector('.links line').getAttribute('class')") == "out"
    go(page, 1.45)
    assert page.text("#links") == "no links"
    assert page.evaluate("document.querySelector('#map').getAttribute('aria-label')") == "Map: no links"


def test_the_time_passes_when_it_is_played(page: WebPage) -> None:
    page.click("#play")
    page.wait_for("document.querySelector('#play').textContent === 'Play'")
    assert page.text("#clock") == "2.50 s", "it ends with the test"
    press(page, " ", " ")  # the button has the focus: it restarts
    page.wait_for("parseFloat(document.querySelector('#clock').textContent) < 2")


def test_keys_go_through_the_time_and_the_events(page: WebPage) -> None:
    page.evaluate("document.activeElement.blur()")
    press(page, "ArrowRight")
    assert page.text("#clock") == "1.00 s"
    press(page, "n", "n")
    assert page.text("#clock") == "1.10 s"
    assert "sensor moves" in (page.text("[aria-current]") or "")
    press(page, "p", "p")
    press(page, "p", "p")
    assert "link begins" in (page.text("[aria-current]") or "")
    press(page, "End")
    assert page.text("#clock") == "2.50 s"
    press(page, "Home")
    assert page.text("#clock") == "0.00 s"
    page.evaluate("document.getElementById('time').focus()")
    assert page.evaluate("document.getElementById('time').getAttribute('aria-valuetext')") == "0.00 s: no links"


def test_events_and_charts_lead_to_their_time(page: WebPage) -> None:
    texts = page.evaluate("[...document.querySelectorAll('#events button')].map((one) => one.textContent)")
    assert not any("packets" in text or "dBm" in text for text in texts) and len(texts) == 5, texts
    page.evaluate("""[...document.querySelectorAll("#events button")]
        .find((one) => one.textContent.includes("link ends")).click()""")
    assert page.text("#clock") == "1.40 s"
    page.click("#charts")  # its middle
    assert re.match(r"1\.[123]", page.text("#clock") or ""), page.text("#clock")
    for fate in ("received", "lost", "jammed"):
        assert page.evaluate(f"document.querySelectorAll('#charts rect.{fate}').length") > 0, fate
    before = page.evaluate("document.querySelectorAll('#charts rect').length")
    page.click("#advertising")
    tallest = re.search(r"(\d+)packets", drawn(page, "#charts"))
    assert tallest and int(tallest[1]) >= 40, "those of a crowd"
    assert page.evaluate("document.querySelectorAll('#charts rect').length") >= before


def test_it_is_dark_where_that_is_preferred(page: WebPage) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    feature = {"name": "prefers-color-scheme", "value": "dark"}
    page.session.call("Emulation.setEmulatedMedia", features=[feature])
    assert page.evaluate(colour) != light
    page.session.call("Emulation.setEmulatedMedia", features=[])


def test_nothing_is_loaded_and_markup_in_a_name_is_text(opened: Open, tmp_path: Path) -> None:
    name = page_records.MARKUP
    text = air_records.air(0, devices=[{"name": name, "address": "00:AA:01:00:00:00", "at": [0, 0]}], phantoms=[])
    (tmp_path / "x.jsonl").write_text(text + air_records.line(1, "move", device=name, from_=[0, 0], to=[1, 1]))
    page = opened(write_air_page(tmp_path / "x.jsonl"))
    assert page.evaluate("performance.getEntriesByType('resource').length") == 0
    assert page.evaluate("document.querySelectorAll('img').length") == 0
    assert page.evaluate("document.title") != "run" and name in drawn(page, "#map")


def test_hundreds_of_phantoms_are_dots(opened: Open, tmp_path: Path) -> None:
    crowd = [{"name": f"p-{number}", "address": "C0", "at": [number % 40, number / 20]} for number in range(500)]
    text = air_records.air(0, phantoms=crowd) + air_records.line(10, "jam", name="oven")
    (tmp_path / "x.jsonl").write_text(text)
    page = opened(write_air_page(tmp_path / "x.jsonl"))
    assert page.evaluate("document.querySelectorAll('.devices circle').length") == 502
    assert page.evaluate("document.querySelectorAll('.devices text').length") == 2


def test_odd_lines_of_a_recording_are_left_out(opened: Open, tmp_path: Path) -> None:
    odd = [
        air_records.line(0.1, "move", device="nobody", to=[1, 2]),
        air_records.line(0.2, "link-end", device="a", peer="b", reason=8, text="?"),
        air_records.line(0.3, "packets", from_="a", to="b", fate="eaten", kind="data", count=1, bytes=1),
        air_records.line(0.4, "strength", central="a", peripheral="b", rssi_dbm=-50),
        '{"event":"link-begin"',
    ]
    (tmp_path / "x.jsonl").write_text(air_records.air(0, walls=[], jammers=[]) + "".join(odd))
    page = opened(write_air_page(tmp_path / "x.jsonl"))
    go(page, 0.3)
    assert page.text("#links") == "no links"


def test_what_has_no_air_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.jsonl").write_text("no air\n")
    with pytest.raises(ValueError, match="virtual-radio record writes one"):
        air_page(tmp_path / "x.jsonl")
    assert make(tmp_path / "x.jsonl", None, None) == 1
    assert "x.jsonl; virtual-radio record writes one" in capsys.readouterr().err
    (tmp_path / "x.jsonl").write_text(air_records.walk())
    assert make(tmp_path / "x.jsonl", None, tmp_path / "y.html") == 0
    assert "<title>Air of x</title>" in (tmp_path / "y.html").read_text()
