"""The bench's statistics and table."""

import asyncio
import itertools
import json
import struct
from pathlib import Path

import pytest
from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus

from repository.bench import table
from repository.bench.bus import ROWS as ROWS_OF_BUS
from repository.bench.bus import bus_with_peer, order
from repository.bench.bus import parse as parse_bus
from repository.bench.bus import table as table_of_bus
from repository.bench.bus_peer import CONTROL_PATH
from repository.bench.command import parse
from repository.bench.measures import Arrivals, percentile
from repository.bench.programs import BURST_REQUEST, Builds, Dittojay, central, peripheral
from repository.bench.table import ROWS, Sample, is_comparable, markdown, medians, summary, verdicts

OURS, THEIRS = "dittojay+bluejay", "bluez-peripheral+bluejay"


def sample(**changes: float) -> Sample:
    """A run with 100 in every row, and no losses."""
    values = {key: 0.0 if better == "none" else 100.0 for key, _, _, better in ROWS}
    return {**values, **{name.replace("_", " "): value for name, value in changes.items()}}


def test_percentiles_are_measured_latencies() -> None:
    seconds = [0.001 * number for number in range(1, 101)]
    assert percentile(seconds, 0.5) == 50.0
    assert percentile(seconds, 0.99) == 99.0
    assert percentile(list(reversed(seconds)), 1.0) == 100.0
    assert percentile([0.0125], 0.5) == percentile([0.0125], 0.99) == 12.5
    assert percentile([0.001, 0.003], 0.5) == 1.0
    assert percentile([0.001, 0.003], 0.0) == 1.0


def test_arrivals_count_values_and_breaks_of_their_order() -> None:
    arrivals = Arrivals(4)
    for moment, number in enumerate((0, 1, 3, 2)):
        assert not arrivals.are_complete
        arrivals.add(struct.pack("<I", number) + b"rest", 10.0 + moment)
    assert arrivals.are_complete
    assert (arrivals.received, arrivals.breaks, arrivals.seconds) == (4, 2, 3.0)


def test_a_median_is_taken_of_each_row() -> None:
    runs = [sample(found=1), sample(found=9), sample(found=2)]
    assert medians({"p": runs, "none": []})["p"]["found"] == 2
    assert "none" not in medians({"p": runs, "none": []})


def test_losses_are_those_of_the_worst_run() -> None:
    runs = [sample(), sample(), sample(lost_20=3)]
    assert "| lost, worst run, 20 bytes | 3 |" in summary({OURS: runs})
    assert f"- {OURS}, lost, worst run, 20 bytes: 3" in summary({OURS: runs})


def test_the_table_has_a_line_for_each_row_and_a_column_for_each_pair() -> None:
    lines = markdown({OURS: sample(rate_20=12345.6), THEIRS: sample()}).splitlines()
    assert lines[0] == "| | dittojay + bluejay | bluez-peripheral + bluejay |"
    assert lines[2] == "| notifications/s, 20 bytes | 12,346 | 100 |"
    assert len(lines) == 2 + len(ROWS)


def test_a_row_is_compared_with_programs_in_the_same_place() -> None:
    assert is_comparable("start", "bless+bluejay") and not is_comparable("start", "dittojay+bleak")
    assert is_comparable("found", "dittojay+bleak") and not is_comparable("found", "bless+bluejay")
    assert is_comparable("cpu central 20", "dittojay+bleak") and is_comparable("cpu peripheral 20", "bless+bluejay")
    assert is_comparable("read p50", "dittojay+bleak") and not is_comparable("read p50", OURS)


@pytest.mark.parametrize(
    ("row", "enough", "not_enough"),
    [
        ("rate 20", 101.0, 100.0),
        ("read p50", 99.0, 100.0),
        ("memory peripheral", 49.0, 50.0),
        ("cpu peripheral 20", 24.0, 25.0),
    ],
)
def test_ours_must_be_ahead_by_the_bar(row: str, enough: float, not_enough: float) -> None:
    def behind(value: float) -> list[str]:
        return [line for line in verdicts({OURS: {**sample(), row: value}, THEIRS: sample()}) if texts[row] in line]

    texts = {key: text for key, text, _, _ in ROWS}
    assert behind(enough) == []
    assert len(behind(not_enough)) == 1


def test_nothing_is_behind_where_nobody_is_compared_with() -> None:
    assert verdicts({OURS: sample()}) == ["Nothing is behind."]


def test_an_earlier_bench_can_be_shown_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bench.json"
    file.write_text(json.dumps({"samples": {OURS: [sample()], THEIRS: [sample()]}}))
    assert table.main([str(file)]) == 0
    assert f"Runs: {OURS} 1, {THEIRS} 1." in capsys.readouterr().out


def test_every_round_begins_with_another_pair() -> None:
    pytest.importorskip("dbus_fast", reason="the lab's Python environment has it")
    from repository.bench.command import rotated

    assert [rotated("abc", number) for number in range(4)] == [
        ["a", "b", "c"],
        ["b", "c", "a"],
        ["c", "a", "b"],
        ["a", "b", "c"],
    ]


def test_an_earlier_build_is_measured_by_the_same_names() -> None:
    builds = Builds(Path("/now"), Path("/then"))
    assert central("bluejay", builds)[:2] == ["/now/CentralBench", "--adapter"]
    assert central("bluejay-before-sockets", builds)[:2] == ["/then/CentralBench", "--sockets"]
    assert isinstance(now := peripheral("dittojay", builds), Dittojay) and now.command[0] == "/now/dittojay"
    assert isinstance(then := peripheral("dittojay-before", builds), Dittojay) and then.command[0] == "/then/dittojay"


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        ("dittojay+bluejay-before", "bluejay-before: a program of an earlier build needs --before"),
        ("dittojay+bluejya", "no program to measure is called bluejya"),
        ("bless+bleak-before", "no program to measure is called bleak-before"),
        ("dittojay", "dittojay"),
    ],
)
def test_a_mistake_in_the_pairs_is_reported(pairs: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--pairs", pairs])
    assert reason in capsys.readouterr().err


def test_each_central_follows_each_other_one_in_the_rounds_of_a_bus() -> None:
    rounds = [order(("a", "b", "c"), number) for number in range(6)]
    assert {tuple(names) for names in rounds} == set(itertools.permutations("abc"))


def test_a_bus_s_table_counts_the_rounds_ahead() -> None:
    ours, theirs = dict.fromkeys(ROWS_OF_BUS, 1.0), dict.fromkeys(ROWS_OF_BUS, 2.0)
    lines = table_of_bus({"bluejay": [ours, ours, theirs], "bleak": [theirs, ours, ours]}).splitlines()
    assert lines[:2] == ["| | bluejay | bleak |", "|---|---:|---:|"]
    assert lines[2] == "| CPU µs per signal, 20 bytes | 1.0 (ahead in 2 of 3) | 1.0 |"
    assert len(lines) == 2 + len(ROWS_OF_BUS)


@pytest.mark.parametrize("words", [["--runs", "0"], ["--signals", "none"], ["--requests", "-1"], ["more"]])
def test_a_bench_of_a_bus_says_what_it_cannot_do(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parse_bus(words)
    assert end.value.code == 2
    assert "bench-bus: error:" in capsys.readouterr().err


def test_a_burst_by_signals_arrives_whole() -> None:
    async def received() -> list[int]:
        numbers: list[int] = []
        async with bus_with_peer():
            bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
            everything = asyncio.Event()

            def note(message: Message) -> None:
                if message.member == "PropertiesChanged" and "Value" in message.body[1]:
                    value = message.body[1]["Value"].value
                    assert len(value) == 20
                    numbers.append(int.from_bytes(value[:4], "little"))
                    if len(numbers) == 120:
                        everything.set()

            bus.add_message_handler(note)
            rule = Message(
                "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "AddMatch", signature="s", body=["type='signal'"]
            )
            await bus.call(rule)
            request = struct.pack(BURST_REQUEST, 120, 20)
            call = Message(
                "org.bluez",
                CONTROL_PATH,
                "org.bluez.GattCharacteristic1",
                "WriteValue",
                signature="aya{sv}",
                body=[request, {}],
            )
            answer = await bus.call(call)
            assert answer and answer.message_type is MessageType.METHOD_RETURN
            await asyncio.wait_for(everything.wait(), 60)
            unknown = await bus.call(Message("org.bluez", CONTROL_PATH, "org.bluez.Other", "Other"))
            assert unknown and unknown.error_name == "org.freedesktop.DBus.Error.UnknownMethod"
            bus.disconnect()
        return numbers

    assert asyncio.run(received()) == list(range(120))
