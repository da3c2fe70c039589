"""What a failed test of the page leaves behind."""

import os
from pathlib import Path

import pytest

SITE = Path(__file__).parent.parent / "site"
TEST = """
    def test_values_come(sensor, web_bluetooth):
        page = web_bluetooth.open("index.html")
        page.click("#connect")
        page.chooser.select(sensor)
        page.wait_for_text("#status", "Connected")
        page.evaluate("console.log('the sensor is taken away')")
        sensor.stop()
        page.wait_for_text("#status", "Reconnecting")
        page.wait_for_text("#status", "Connected", timeout=3)
"""


@pytest.mark.skipif("BLUETOOTH_LAB" not in os.environ, reason="no lab: `pytest --bluetooth-lab` brings one up")
def test_fails_and_leaves_the_page_when_the_sensor_is_taken_away(pytester):
    pytester.makeini(f"[pytest]\nweb_bluetooth_root = {SITE}")
    pytester.makepyfile(test_taken=TEST)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines("*#status showed 'Reconnecting to Dittojay' after 3 s, not 'Connected'")

    record = Path(os.environ["LAB_OUT"]) / "failures" / "test_taken.test_values_come"
    assert (record / "page-1.png").read_bytes().startswith(b"\x89PNG")
    assert "Reconnecting to Dittojay" in (record / "page-1.html").read_text()
    assert "the sensor is taken away" in (record / "page-1.console.txt").read_text()
    assert "page 1" in (record / "timeline.txt").read_text()
