"""Recordings of an air: what is read of them, the part of a test, and the lane of a page."""

from __future__ import annotations

import json
from pathlib import Path

import air_records
import page_records
from bluetooth_lab.air.lanes import entries, lane
from bluetooth_lab.air.recording import lines_of, part, text_of_part
from bluetooth_lab.page.record import read_record


def test_times_are_those_of_the_machine_and_what_is_no_line_is_left_out() -> None:
    text = '{"event":"move","time_us":1\nno JSON\n[]\n{"event":5}\n{"event":"jam"}\n' + air_records.walk()
    lines = list(lines_of(text.encode()))
    assert len(lines) == len(air_records.walk().splitlines())
    assert [line.time for line in lines if line.event == "link-begin"] == [page_records.START + 0.35]


def test_the_part_of_a_test_has_who_was_where_at_its_begin() -> None:
    lines = list(lines_of(air_records.walk().encode()))
    kept = part(lines, page_records.START, page_records.START + 2)
    assert [line.event for line in kept[:3]] == ["air", "move", "link-begin"]
    assert kept[0].time == page_records.START - 30 and kept[-1].event == "body"
    assert list(lines_of(text_of_part(kept))) == kept
    assert part(lines, page_records.START + 100, page_records.START + 200) == []


def test_each_event_is_a_line_for_people() -> None:
    found = [json.loads(text) for text in lane(lines_of(air_records.walk().encode()), page_records.START)]
    assert [one["text"] for one in found] == [
        "link begins: phone → sensor",
        "phone ↔ sensor: −59 dBm",
        "phone → sensor: 3 empty packets, −65 dBm",
        "phone → sensor: 1 data packet, 27 bytes, −65 dBm",
        "sensor → phone: 2 data packets lost",
        "sensor → phone: 1 data packet jammed",
        "phantoms → phone: 40 advertising packets, 400 bytes, −65 dBm",
        "sensor moves from (0, 0) m to (300, 0) m in 4 s",
        "phone ↔ sensor: −83 dBm",
        "phone and sensor are out of range",
        "link ends for phone, with sensor: supervision timeout (0x08)",
        "a body weakens phone by 6 dB",
        "jammer oven begins",
    ]
    assert [one["text"].split(":")[1] for one in found if one.get("routine")] == [
        " 3 empty packets, −65 dBm",
        " 40 advertising packets, 400 bytes, −65 dBm",
    ]
    assert found[0]["devices"] == [page_records.CENTRAL, page_records.SENSOR] and found[0]["controllers"] == [1, 0]


def test_an_event_of_another_version_is_shown_as_it_is_or_not_at_all() -> None:
    lines = [*lines_of(air_records.air(0).encode())]
    text = air_records.air(0) + air_records.line(1, "eclipse", depth=3) + air_records.line(1, "packets", count="?")
    lines = list(lines_of(text.encode()))
    assert [one[2] for one in entries(lines, page_records.START)] == ["eclipse depth=3"]


def test_a_record_has_the_radio_beside_other_lanes(tmp_path: Path) -> None:
    folder = page_records.failed_test(tmp_path / "failed")
    (folder / "air.jsonl").write_text(air_records.walk())
    (folder / "lanes.jsonl").write_text('{"time":1,"lane":"door","text":"open"}\n')
    lanes = read_record(folder).files["lanes.jsonl"].decode().splitlines()
    assert {json.loads(text)["lane"] for text in lanes} == {"door", "radio"}
