"""The bench of throughput: what a connection allows, its table, and what it says to controllers."""

import pytest

from repository.bench import hci
from repository.bench.throughput import Burst, Setting, allowed, exchange, measured, parse, settings, table


@pytest.mark.parametrize(
    ("setting", "rate"),
    [
        (Setting("1M", 6, 251), 780.8),
        (Setting("1M", 24, 251), 780.8),
        (Setting("1M", 40, 251), 780.8),
        (Setting("2M", 6, 251), 1301.3),
        (Setting("2M", 24, 251), 1366.4),
        (Setting("1M", 24, 27), 234.7),
        (Setting("2M", 24, 27), 320.0),
    ],
)
def test_a_connection_allows_as_many_exchanges_as_fit_into_its_interval(setting: Setting, rate: float) -> None:
    assert allowed(setting) == pytest.approx(rate, abs=0.05)


def test_an_exchange_has_two_packets_and_two_pauses() -> None:
    assert exchange(Setting("1M", 6, 251)) == 2468
    assert exchange(Setting("2M", 6, 251)) == 1392
    assert exchange(Setting("1M", 6, 27)) == 676


def test_a_rate_is_that_of_the_values_between_the_first_and_the_last() -> None:
    setting = Setting("1M", 24, 251)
    assert measured(setting, Burst(sent=102, received=101, seconds=2, cpu=9)) == pytest.approx(97.6)
    assert measured(setting, Burst(sent=102, received=1, seconds=0, cpu=9)) == 0


def test_the_table_has_a_line_for_each_setting() -> None:
    setting = Setting("2M", 6, 251)
    whole, lossy = Burst(1000, 1000, 1.5, 61.4), Burst(1000, 998, 1.6, 80)
    assert table([(setting, [whole])]).splitlines()[2] == "| 2M | 251 | 7.5 | 1,301.3 | 1,300.0 | 99.9 | 0 | 61 |"
    lines = table([(setting, [whole, lossy])]).splitlines()
    assert lines[0].endswith("| recorded: bluejay, kbit/s | lost | radio, µs |")
    assert lines[2].endswith("| 0 | 61 | 1,216.3 | 2 | 80 |")
    assert len({line.count("|") for line in lines}) == 1


def test_the_length_of_packets_changes_seldom() -> None:
    lengths = [setting.length for setting in settings(parse([]))]
    assert lengths == sorted(lengths, reverse=True) and set(lengths) == {251, 27}


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--phys", "3M"], "no PHY 3M"),
        (["--lengths", "26"], "from 27 to 251"),
        (["--intervals", "5"], "no packet of 251 bytes fits into 5"),
        (["--intervals", "x"], "invalid numbers value"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(words: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parse(words)
    assert end.value.code == 2 and reason in capsys.readouterr().err


def test_commands_have_the_numbers_of_a_connection() -> None:
    assert hci.connection_update(0x41, 24) == (0x2013, bytes.fromhex("4100180018000000c80000000000"))
    assert hci.set_data_length(0x41, 251) == (0x2022, bytes.fromhex("4100fb004808"))
    assert hci.set_phy(0x41, 2) == (0x2032, bytes.fromhex("41000002020000"))


def test_an_event_is_known_by_its_code_and_its_status() -> None:
    updated = bytes.fromhex("043e0a0300410018000000c800")
    assert hci.subevent(updated, hci.UPDATED) == bytes.fromhex("410018000000c800")
    assert hci.subevent(updated, hci.PHY_UPDATED) is None
    assert hci.subevent(bytes.fromhex("043e0b074100fb004808fb004808"), hci.LENGTH_CHANGED) == bytes.fromhex(
        "4100fb004808fb004808"
    )
    with pytest.raises(RuntimeError, match="LE event 03 has the status 3b"):
        hci.subevent(bytes.fromhex("043e0a033b410018000000c800"), hci.UPDATED)


def test_a_refused_command_is_noticed() -> None:
    assert hci.refusal(bytes.fromhex("040f040c011320"), 0x2013) == 0x0C
    assert hci.refusal(bytes.fromhex("040f0400011320"), 0x2013) is None
    assert hci.refusal(bytes.fromhex("040e0601222002"), 0x2022) == 0x02
    assert hci.refusal(bytes.fromhex("040e06012220004100"), 0x2022) is None
    assert hci.refusal(bytes.fromhex("040f040c011320"), 0x2032) is None
