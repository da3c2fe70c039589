"""Where the table of value formats is meant to differ from the supplement and from the older XML, and why."""

# In words only there.
FRACTIONS = "the factor 1/256 s is in the text, not in the fields"
QUARTERS = "the factor of 15 minutes is in the text, not in the fields"
ONE_FIELD = "one field of several units there, chosen by a flag; a field for each here"
PROCEDURE = "the op codes and parameters are listed one after another there"
REPORT = "any bytes there; the boot reports of the HID Device Class Definition here"
UNIT_IS_1 = "d = 1 contradicts 'Unit is 1' beside it, and what machines send"

SUPPLEMENT: dict[str, str] = {
    "2A0C": FRACTIONS,
    "2A0E": QUARTERS,
    "2A0F": QUARTERS,
    "2A18": ONE_FIELD,
    "2A23": "the two parts of its 8 bytes are shown apart here",
    "2A2B": FRACTIONS,
    "2A34": ONE_FIELD
    + "; kg and l are the units of the fields, though the flag's text says milligrams and millilitres",
    "2A36": "the two unused numbers are not decoded here",
    "2A37": "kJ and 1/1024 s are in the specification of the service",
    "2A52": PROCEDURE,
    "2A55": PROCEDURE,
    "2A66": PROCEDURE,
    "2A9C": ONE_FIELD + "; the resistance's d = -2 contradicts '1/10 of an Ohm' beside it",
    "2A9D": ONE_FIELD,
    "2AA7": "the status annunciation is one field of up to three bytes there",
    "2AAA": QUARTERS,
    "2ACD": "the metabolic equivalent is in tenths, as in the other machines' data",
    "2ACE": UNIT_IS_1,
    "2AD1": UNIT_IS_1,
    "2AD2": UNIT_IS_1,
    "2AD6": UNIT_IS_1,
    "2B34": "the compound of three pressures is a structure in words there",
    "2B35": "the flag of the unit is not said to decide which of two fields is present there",
    "2B4E": "d = 1 contradicts 'resolution of 1 m' beside it",
    "2BE0": "b = 6 contradicts the resolution of 1/64 V beside it",
    "2C29": "the numbers are those of other characteristics, which are referred to by name only",
}

XML: dict[str, str] = {
    "2A04": "intervals of 1.25 ms and the timeout's 10 ms are in the text, not in the fields",
    "2A0C": FRACTIONS,
    "2A0E": QUARTERS,
    "2A0F": QUARTERS,
    "2A22": REPORT,
    "2A2B": FRACTIONS,
    "2A32": REPORT,
    "2A33": REPORT,
    "2A34": "its exponents would make grams and milligrams of kilograms; an SFLOAT has an exponent of its own",
    "2A36": "the two unused numbers are not decoded here, and are listed in both units there",
    "2A37": "kJ is in its unit; that the RR intervals are repeated is not in its fields",
    "2A42": "two octets are two fields there",
    "2A47": "two octets are two fields there",
    "2A48": "two octets are two fields there",
    "2A52": PROCEDURE,
    "2A53": "1/256 m/s, cm and dm are in the text, not in the fields",
    "2A55": PROCEDURE,
    "2A66": PROCEDURE,
    "2AA7": "the status annunciation is one field of up to three bytes there",
    "2AAA": QUARTERS,
    "2ACD": "the metabolic equivalent's tenths are in the text, not in the field",
}
