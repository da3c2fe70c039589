"""The table of value formats is made of what a structure says in words."""

from typing import Any

from repository.names.compared import is_recorded
from repository.names.formats import Formats
from repository.names.meanings import meaning, meanings


def field(description: str, kind: str = "uint8", **others: str) -> dict[str, Any]:
    return {"field": "Thing", "type": kind, "size": "1", "description": description, **others}


def test_special_values_are_no_numbers() -> None:
    text = "Unit: x.\nA value of 0xFFFFFF represents: Unknown\nA value of 0xFFFFFE: represents: Greater than 0xFFFFFD\n"
    assert meanings({}, field(text + "Present if bit 1 of the Flags field is set to 1"), "u24") == (
        "FFFFFE!Greater than 0xFFFFFD|FFFFFF!Unknown"
    )
    assert meanings(
        {}, field("A value of 254 means drift is larger than 31.625s.\nA value of 255 means drift."), "u8"
    ) == ("FE!drift is larger than 31.625s|FF!drift")
    assert (
        meanings({}, field("A value of -128 represents “the offset is not known”."), "s8")
        == "80!the offset is not known"
    )


def test_names_are_names_unless_the_rest_is_a_quantity() -> None:
    assert meanings({}, field("0: Idle\n1: Busy"), "u8") == "0=Idle|1=Busy"
    assert meanings({}, field("0: none\n1–254: a number\n255: RFU"), "u8") == "0!none"


def test_bits_have_names_one_by_one_and_together() -> None:
    values = [
        {"bit": "0", "description": "Present:\n0 = No\n1 = Yes"},
        {"bit": "1–2", "description": "Source:\n0 = No\n1 = Yes\n2 = Unknown\n3 = RFU"},
        {"bit": "3-4", "description": "Unit\n00 = s\n01 = ms\n10 = us"},
        {"bit": "5–6", "description": "Fault\nBit 5: Battery\nBit 6: Other"},
        {"bit": "7", "description": "Reserved for Future Use"},
    ]
    structure = {"fields": [{"name": "Thing", "values": values}]}
    assert meanings(structure, field("See x/field/thing.", "boolean[8]"), "b8") == (
        "0=Present|1-2.1=Source|1-2.2=Source: Unknown|3-4.1=Unit: ms|3-4.2=Unit: us|5=Fault: Battery|6=Fault: Other"
    )


def test_long_meanings_are_kept_and_sentences_are_not() -> None:
    long = "Cycling Power Measurement Characteristic Content Masking Supported"
    assert meaning(long) == long
    assert meaning("x" * 97) == ""


def test_flags_lose_the_names_that_only_say_which_fields_follow() -> None:
    fields = ["flags~b16~~~0=More Data|1=Average present|9=3D", "speed~u16~~~~-0", "average~u16~~~~+1"]
    assert Formats.completed("2FFF", fields)[0] == "flags~b16~~~0=More Data|9=3D"


def test_of_fields_that_share_a_flag_some_may_be_missing() -> None:
    fields = [
        "flags~b16",
        "inclination~s16~1,-1,0~%~~+3",
        "total energy~u16~~kcal~~+7",
        "energy per minute~u8~~kcal~~+7",
    ]
    assert Formats.completed("2ACD", [*fields, "positive elevation gain~u16~1,-1,0~m~~+4"])[1:] == [
        "inclination~s16~1,-1,0~%~7FFF!not available~+3",
        "total energy~u16~~kcal~FFFF!not available~+7",
        "energy per minute~u8~~kcal~FF!not available~+7",
        "positive elevation gain~u16~1,-1,0~m~~+4",
    ]


def test_the_table_is_the_one_that_was_compared() -> None:
    assert is_recorded(), "the table of formats or its intended differences have changed: run scripts/names/compare"
