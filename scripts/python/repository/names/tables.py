"""What formats are made with: units, types, and what the published structures do not say for a program to read."""

# How units are written; an identifier ends with one of these. The longest that fits counts.
UNITS = {
    "beats_per_minute": "bpm",
    "time.second": "s",
    "unitless": "",
    "length.metre": "m",
    "length.meter": "m",
    "kilogram_calorie": "kcal",
    "percentage": "%",
    "power.watt": "W",
    "plane_angle.degree": "°",
    "degree_celsius": "°C",
    "degree_fahrenheit": "°F",
    "density.kilogram_per_cubic_meter": "kg/m³",
    "kilometre_per_hour": "km/h",
    "kilowatt_hour": "kWh",
    "metabolic_equivalent": "MET",
    "standard_acceleration_due_to_gravity": "gₙ",
    "time.day": "d",
    "pressure.pascal": "Pa",
    "step_per_minute": "steps/min",
    "energy.joule": "J",
    "millimetre_of_mercury": "mmHg",
    "tesla": "T",
    "velocity.metres_per_second": "m/s",
    "electric_potential_difference.volt": "V",
    "time.minute": "min",
    "time.year": "years",
    "time.hour": "h",
    "newton_metre": "Nm",
    "force.newton": "N",
    "mass.kilogram": "kg",
    "illuminance.lux": "lx",
    "revolution_per_minute": "rpm",
    "revolutions_per_minute": "rpm",
    "stroke_per_minute": "strokes/min",
    "metres_per_seconds_squared": "m/s²",
    "kilovolt_ampere_hour": "kVAh",
    "power.volt_ampere": "VA",
    "ohm": "Ω",
    "ppm": "ppm",
    "ppb": "ppb",
    "parts_per_billion": "ppb",
    "kelvin": "K",
    "ampere": "A",
    "kilogram_per_liter": "kg/l",
    "mole_per_litre": "mol/l",
    "volume.litre": "l",
    "watt_per_square_metre": "W/m²",
    "cubic_metre_per_second": "m³/s",
    "illuminance.lumen": "lm",
    "lumen_per_watt": "lm/W",
    "lumen_per_hour": "lm·h",
    "lux_hour": "lx·h",
    "flux.lumen": "lm",
    "candela": "cd",
    "gram_per_second": "g/s",
    "decibel_spl": "dB",
    "count_per_cubic_metre": "1/m³",
    "kelvin_per_second": "K/s",
    "quantity.decibel": "dBm",
    "milliliter_per_kilogram_per_minute": "ml/kg/min",
    "hertz": "Hz",
    "litre_per_second": "l/s",
    "kilogram_per_square_metre": "kg/m²",
    "milligram_per_decilitre": "mg/dl",
}

TYPES = {
    "medfloat16": "sfloat",
    "medfloat32": "float",
    "float32": "float32",
    "int16": "s16",
    "gatt_uuid": "hex",
    "Determined by UUID": "hex",
    "boolean[8][3]": "hex",
}

# Where the published structures do not say it in a way that a program can read.
WRITTEN = {
    "2A00": "name~text",
    "2A01": "appearance~appearance",
    "2A02": "peripheral privacy~u8~~~0=disabled|1=enabled",
    "2A04": "minimum interval~u16~125,-2,0~ms~FFFF!no specific value;"
    "maximum interval~u16~125,-2,0~ms~FFFF!no specific value"
    ";latency~u16;timeout~u16~1,1,0~ms~FFFF!no specific value",
    "2A05": "first handle~x16;last handle~x16",
    "2A08": "date and time~date7",
    "2A0A": "date and time~date7;day of week~u8~~~@2A09",
    "2A0C": "date and time~date7;day of week~u8~~~@2A09;fractions~u8~1,0,-8~s",
    "2A2B": "date and time~date7;day of week~u8~~~@2A09;fractions~u8~1,0,-8~s;adjusted~b8~~~0=Manual time update|"
    "1=External reference time update|2=Change of time zone|3=Change of DST",
    "2A11": "date and time~date7;DST offset~u8~~~@2A0D",
    "2A23": "manufacturer identifier~hex5;organizationally unique identifier~hex3",
    "2A2A": "certification data~hex",
    "2A34": "flags~b8;sequence number~u16;extended flags~b8~~~~+7;carbohydrate~u8~~~1=Breakfast|2=Lunch|3=Dinner|"
    "4=Snack|"
    "5=Drink|6=Supper|7=Brunch~+0;carbohydrate mass~sfloat~~kg~~+0;meal~u8~~~1=Preprandial|2=Postprandial|3=Fasting|"
    "4=Casual|5=Bedtime~+1;tester and health~x8~~~~+2;exercise duration~u16~~s~FFFF!overrun~+3;"
    "exercise intensity~u8~~%~~+3;medication~u8~~~1=Rapid acting insulin|2=Short acting insulin|"
    "3=Intermediate acting insulin|4=Long acting insulin|5=Pre-mixed insulin~+4;medication mass~sfloat~~kg~~+4-5;"
    "medication volume~sfloat~~l~~+4+5;HbA1c~sfloat~~%~~+6",
    "2A18": "flags~b8~~~4=context follows;sequence number~u16;base time~date7;time offset~s16~~min~7FFF!overrun|"
    "8000!underrun~+0;concentration~sfloat~~kg/l~~+1-2;"
    "concentration~sfloat~~mol/l~~+1+2;type and sample location~x8~~~~+1;sensor status~b16~~~0=Device battery low|"
    "1=Sensor malfunction|2=Sample size insufficient|3=Strip insertion error|4=Strip type incorrect|"
    "5=Result too high|6=Result too low|7=Temperature too high|8=Temperature too low|9=Read interrupted|"
    "10=General device fault|11=Time fault~+3",
    "2A1C": "flags~b8;temperature~float~~°C~~-0;temperature~float~~°F~~+0;time stamp~date7~~~~+1;type~u8~~~@2A1D~+2",
    "2A1D": "temperature type~u8~~~1=Armpit|2=Body|3=Ear|4=Finger|5=Gastrointestinal tract|6=Mouth|7=Rectum|8=Toe|"
    "9=Tympanum",
    "2A1E": "flags~b8;temperature~float~~°C~~-0;temperature~float~~°F~~+0;time stamp~date7~~~~+1;type~u8~~~@2A1D~+2",
    "2A35": "flags~b8;systolic~sfloat~~mmHg~~-0;diastolic~sfloat~~mmHg~~-0;mean arterial pressure~sfloat~~mmHg~~-0;"
    "systolic~sfloat~~kPa~~+0;diastolic~sfloat~~kPa~~+0;mean arterial pressure~sfloat~~kPa~~+0;time stamp~date7~~~~+1;"
    "pulse rate~sfloat~~bpm~~+2;user~u8~~~FF!unknown~+3;status~b16~~~0=Body movement|1=Cuff too loose|"
    "2=Irregular pulse|"
    "3=Pulse rate above range|4=Pulse rate below range|5=Improper measurement position~+4",
    "2A36": "flags~b8;cuff pressure~sfloat~~mmHg~~-0;cuff pressure~sfloat~~kPa~~+0;unused~x16;unused~x16;"
    "time stamp~date7~~~~+1;pulse rate~sfloat~~bpm~~+2;user~u8~~~FF!unknown~+3;status~b16~~~@2A35.status~+4",
    "2A37": "flags~b8~~~1=contact|2=contact supported;heart rate~u8~~bpm~~-0;heart rate~u16~~bpm~~+0;"
    "energy expended~u16~~kJ~~+3;"
    "RR intervals~u16*~1,0,-10~s~~+4",
    "2A22": "modifiers~b8~~~0=left control|1=left shift|2=left alt|3=left GUI|4=right control|5=right shift|"
    "6=right alt|7=right GUI;unused~x8;keys~hex6",
    "2A32": "lights~b8~~~0=Num Lock|1=Caps Lock|2=Scroll Lock|3=Compose|4=Kana",
    "2A33": "buttons~b8~~~0=left|1=right|2=middle;x~s8;y~s8;rest~hex~~~~?",
    "2A4A": "HID version~bcd;country~u8;flags~b8~~~0=Remote wake|1=Normally connectable",
    "2A4C": "command~u8~~~0=Suspend|1=Exit suspend",
    "2A4E": "protocol mode~u8~~~0=Boot protocol|1=Report protocol",
    "2A50": "vendor~pnp;product~x16;version~bcd",
    "2A5B": "flags~b8;wheel revolutions~u32~~~~+0;last wheel event~u16~1,0,-10~s~~+0;crank revolutions~u16~~~~+1;"
    "last crank event~u16~1,0,-10~s~~+1",
    "2A63": "flags~b16~~~1=left pedal|3=torque of the crank|12=offset compensation indicator;power~s16~~W;"
    "pedal power balance~u8~1,0,-1~%~~+0;accumulated torque~u16~1,0,-5~Nm~~+2;"
    "wheel revolutions~u32~~~~+4;last wheel event~u16~1,0,-11~s~~+4;crank revolutions~u16~~~~+5;"
    "last crank event~u16~1,0,-10~s~~+5;maximum force~s16~~N~~+6;minimum force~s16~~N~~+6;"
    "maximum torque~s16~1,0,-5~Nm~~+7;minimum torque~s16~1,0,-5~Nm~~+7;extreme angles~hex3~~~~+8;"
    "top dead spot angle~u16~~°~~+9;bottom dead spot angle~u16~~°~~+10;accumulated energy~u16~~kJ~~+11",
    "2A64": "flags~b8~~~4-5.1=tangential|4-5.2=radial|4-5.3=lateral;crank revolutions~u16~~~~+0;"
    "last crank event~u16~1,0,-10~s~~+0;first crank angle~u16~~°~~+1;"
    "force~s16*~~N~~+2;torque~s16*~1,0,-5~Nm~~+3",
    # Those that the SIG publishes no structure of: from the services' specifications.
    "2A52": "op code~u8~~~1=report records|2=delete records|3=abort|4=report the number of records|"
    "5=number of records|6=response;operator~u8~~~0=none|1=all records|2=up to|3=from|4=within|5=first record|"
    "6=last record;number~u16~~~~=5;request~u8~~~1=report records|2=delete records|3=abort|"
    "4=report the number of records~=6;result~u8~~~1=success|2=op code not supported|3=invalid operator|"
    "4=operator not supported|5=invalid operand|6=no records found|7=abort unsuccessful|8=procedure not completed|"
    "9=operand not supported~=6;operand~hex~~~~?",
    "2A55": "op code~u8~~~1=set cumulative value|2=start sensor calibration|3=update sensor location|"
    "4=request supported sensor locations|10=response;request~u8~~~1=set cumulative value|"
    "2=start sensor calibration|3=update sensor location|4=request supported sensor locations~=16;"
    "result~u8~~~1=success|2=op code not supported|3=invalid parameter|4=operation failed~=16;parameter~hex~~~~?",
    "2A5E": "flags~b8~~~4=clock not set;SpO2~sfloat~~%;pulse rate~sfloat~~bpm;time stamp~date7~~~~+0;"
    "status~b16~~~5=measurement ongoing|6=early estimate|7=validated|8=fully qualified|9=from storage|"
    "10=demonstration|11=testing|12=calibration ongoing|13=unavailable|14=questionable|15=invalid~+1;"
    "sensor status~x24~~~~+2;pulse amplitude~sfloat~~%~~+3",
    "2A5F": "flags~b8;SpO2~sfloat~~%;pulse rate~sfloat~~bpm;fast SpO2~sfloat~~%~~+0;fast pulse rate~sfloat~~bpm~~+0;"
    "slow SpO2~sfloat~~%~~+1;slow pulse rate~sfloat~~bpm~~+1;"
    "status~b16~~~5=measurement ongoing|6=early estimate|7=validated|8=fully qualified|9=from storage|"
    "10=demonstration|11=testing|12=calibration ongoing|13=unavailable|14=questionable|15=invalid~+2;"
    "sensor status~x24~~~~+3;pulse amplitude~sfloat~~%~~+4",
    "2A60": "PLX features~b16~~~0=measurement status|1=sensor status|2=stored measurements|3=time stamp|4=fast values|"
    "5=slow values|6=pulse amplitude|7=several bonds;measurement statuses~x16~~~~+0;sensor statuses~x24~~~~+1",
    "2A66": "op code~u8~~~1=set cumulative value|2=update sensor location|3=request supported sensor locations|"
    "4=set crank length|5=request crank length|6=set chain length|7=request chain length|8=set chain weight|"
    "9=request chain weight|A=set span length|B=request span length|C=start offset compensation|D=mask measurement|"
    "E=request sampling rate|F=request factory calibration date|10=start enhanced offset compensation|20=response;"
    "request~u8~~~@2A66.op code~=32;"
    "result~u8~~~1=success|2=op code not supported|3=invalid parameter|4=operation failed~=32;parameter~hex~~~~?",
    "2A9F": "op code~u8~~~1=register new user|2=consent|3=delete user data|4=list all users|5=delete users|20=response;"
    "request~u8~~~@2A9F.op code~=32;"
    "result~u8~~~1=success|2=op code not supported|3=invalid parameter|4=operation failed|5=user not authorized~=32;"
    "parameter~hex~~~~?",
    "2ACC": "machine features~b32~~~0=average speed|1=cadence|2=total distance|3=inclination|4=elevation gain|5=pace|"
    "6=step count|7=resistance level|8=stride count|9=expended energy|10=heart rate|11=metabolic equivalent|"
    "12=elapsed time|13=remaining time|14=power|15=force on belt|16=user data;"
    "target features~b32~~~0=speed|1=inclination|2=resistance|3=power|4=heart rate|5=expended energy|6=steps|"
    "7=strides|8=distance|9=training time|10=time in two zones|11=time in three zones|12=time in five zones|"
    "13=indoor bike simulation|14=wheel circumference|15=spin down|16=cadence",
    "2AD3": "flags~b8;training status~u8~~~0=other|1=idle|2=warming up|3=low intensity interval|"
    "4=high intensity interval|5=recovery interval|6=isometric|7=heart rate control|8=fitness test|9=too slow|"
    "A=too fast|B=cool down|C=watt control|D=manual mode|E=before the workout|F=after the workout;text~text~~~~+0",
    "2AD9": "op code~u8~~~0=request control|1=reset|2=set target speed|3=set target inclination|"
    "4=set target resistance|5=set target power|6=set target heart rate|7=start or resume|8=stop or pause|"
    "9=set targeted energy|A=set targeted steps|B=set targeted strides|C=set targeted distance|"
    "D=set targeted training time|E=set targeted time in two zones|F=set targeted time in three zones|"
    "10=set targeted time in five zones|11=set indoor bike simulation|12=set wheel circumference|"
    "13=spin down control|14=set targeted cadence|80=response;request~u8~~~@2AD9.op code~=128;"
    "result~u8~~~1=success|2=op code not supported|3=invalid parameter|4=operation failed|"
    "5=control not permitted~=128;parameter~hex~~~~?",
    "2ADA": "status~u8~~~1=reset|2=stopped or paused|3=stopped by the safety key|4=started or resumed|"
    "5=target speed changed|6=target inclination changed|7=target resistance changed|8=target power changed|"
    "9=target heart rate changed|A=targeted energy changed|B=targeted steps changed|C=targeted strides changed|"
    "D=targeted distance changed|E=targeted training time changed|F=targeted time in two zones changed|"
    "10=targeted time in three zones changed|11=targeted time in five zones changed|"
    "12=indoor bike simulation changed|13=wheel circumference changed|14=spin down|15=targeted cadence changed|"
    "FF=control permission lost;parameter~hex~~~~?",
    "2A85": "date of birth~date4",
    "2A86": "date of threshold assessment~date4",
    # Weight Scale Service 1.0.1, 3.2.1.2, and Body Composition Service 1.0, 3.2.1.2, have "measurement unsuccessful".
    "2A9D": "flags~b8;weight~u16~5,-3,0~kg~FFFF!measurement unsuccessful~-0;"
    "weight~u16~1,-2,0~lb~FFFF!measurement unsuccessful~+0;time stamp~date7~~~~+1;user~u8~~~FF!unknown~+2;"
    "BMI~u16~1,-1,0~kg/m²~~+3;height~u16~1,-3,0~m~~+3-0;height~u16~1,-1,0~in~~+3+0",
    "2A9C": "flags~b16~~~12=more packets follow;body fat~u16~1,-1,0~%~FFFF!measurement unsuccessful;"
    "time stamp~date7~~~~+1;user~u8~~~FF!unknown~+2;"
    "basal metabolism~u16~~kJ~~+3;"
    "muscle~u16~1,-1,0~%~~+4;"
    + ";".join(
        f"{name}~u16~5,-3,0~kg~~+{bit}-0;{name}~u16~1,-2,0~lb~~+{bit}+0"
        for name, bit in [("muscle mass", 5), ("fat free mass", 6), ("soft lean mass", 7), ("body water mass", 8)]
    )
    + ";impedance~u16~1,-1,0~Ω~~+9;weight~u16~5,-3,0~kg~~+10-0;weight~u16~1,-2,0~lb~~+10+0;"
    "height~u16~1,-3,0~m~~+11-0;height~u16~1,-1,0~in~~+11+0",
    "2AA6": "central address resolution~u8~~~0=not supported|1=supported",
    "2AA7": "size~u8;flags~b8;glucose~sfloat~~mg/dl;time offset~u16~~min;status~b8~~~0=Session stopped|"
    "1=Device battery low|2=Sensor type incorrect|3=Sensor malfunction|4=Device specific alert|"
    "5=General device fault~+7;"
    "calibration and temperature~b8~~~0=Time synchronization required|1=Calibration not allowed|"
    "2=Calibration recommended|3=Calibration required|4=Temperature too high|5=Temperature too low~+6;"
    "warning~b8~~~0=Below patient low level|1=Above patient high level|2=Below hypo level|3=Above hyper level|"
    "4=Rate of decrease exceeded|5=Rate of increase exceeded|6=Below device range|7=Above device range~+5;"
    "trend~sfloat~~mg/dl/min~~+0;quality~sfloat~~%~~+1;rest~hex~~~~?",
    "2AA9": "time offset~u16~~min;status~hex3;CRC~x16~~~~?",
    "2AC9": "resolvable private address only~u8~~~0=used",
    "2AED": "date~days~~~0!not known",
    "2B34": "flags~b8~~~6=Epoch start is 2000;systolic~sfloat~~mmHg~~-0;diastolic~sfloat~~mmHg~~-0;"
    "mean arterial pressure~sfloat~~mmHg~~-0;systolic~sfloat~~kPa~~+0;diastolic~sfloat~~kPa~~+0;"
    "mean arterial pressure~sfloat~~kPa~~+0;time stamp~u32~~s~~+1;pulse rate~sfloat~~bpm~~+2;user~u8~~~FF!unknown~+3;"
    "status~b16~~~@2A35.status~+4;user facing time~u32~~s~~+5",
    "2B35": "flags~b8~~~6=Epoch start is 2000;cuff pressure~sfloat~~mmHg~~-0;cuff pressure~sfloat~~kPa~~+0;"
    "time stamp~u32~~s~~+1;pulse rate~sfloat~~bpm~~+2;user~u8~~~FF!unknown~+3;status~b16~~~@2A35.status~+4;"
    "user facing time~u32~~s~~+5",
    "2B4D": "selected~u8;energy expenditure per hour~u16~~kJ~~=1;metabolic equivalent~u8~1,-1,0~MET~~=2;"
    "percentage of maximum heart rate~u8~~%~~=3;heart rate~u8~~bpm~~=4",
    "2BFF": "flags~b8;UDI label~textz~~~~+0;UDI device identifier~textz~~~~+1;UDI issuer~textz~~~~+2;"
    "UDI authority~textz~~~~+3",
    "2B29": "client features~b8~~~0=Robust caching|1=EATT|2=Multiple value notifications",
    "2B2A": "database hash~hex16",
    "2B3A": "server features~b8~~~0=EATT",
    # Published with an exponent of 6, and a resolution of 1/64 V in words.
    "2BE0": "voltage~u24~1,0,-6~V~FFFFFF!not known",
    # Descriptors.
    "2900": "properties~b16~~~0=Reliable write|1=Writable auxiliaries",
    "2901": "description~text",
    "2902": "configuration~b16~~~0=notifications|1=indications",
    "2903": "configuration~b16~~~0=broadcasts",
    "2904": "format~format;exponent~s8;unit~unit;name space~u8;description~x16",
    "2908": "report~u8;type~u8~~~1=input|2=output|3=feature",
    "2909": "digitals~u8",
    "290D": "condition~u8~~~0=inactive|1=at fixed intervals|2=no more often than|3=when the value changes|4=while less|"
    "5=while less or equal|6=while greater|7=while greater or equal|8=while equal|9=while not equal;"
    "operand~hex~~~~?",
}

# Where a published structure is not what devices send, or contradicts itself: by the characteristic and the field's
# name, the parts of its line that are replaced (1 type, 2 factor, 3 unit, 4 names). docs/standard-profiles.md has the
# sources of those of fitness machines.
CORRECTED: dict[tuple[str, str], dict[int, str]] = {
    # A bit mask of one or more octets.
    ("2A42", "category ID bit mask"): {1: "b8 or b16"},
    ("2A47", "category ID bit mask"): {1: "b8 or b16"},
    ("2A48", "category ID bit mask"): {1: "b8 or b16"},
    ("2A14", "days since update"): {4: "FF!255 or more"},
    ("2A14", "hours since update"): {4: "FF!255 days or more"},
    # Fitness machines: first as in the supplement, then as before it.
    ("2ACD", "instantaneous pace"): {1: "u16 or u8", 2: " or 1,-1,0", 3: "s or km/min"},
    ("2ACD", "average pace"): {1: "u16 or u8", 2: " or 1,-1,0", 3: "s or km/min"},
    ("2ACD", "metabolic equivalent"): {2: "1,-1,0"},
    ("2ACE", "resistance level"): {1: "u8 or s16", 2: " or 1,-1,0"},
    ("2AD1", "resistance level"): {1: "u8 or s16"},
    ("2AD2", "resistance level"): {1: "u8 or s16"},
    ("2AD6", "minimum resistance level"): {1: "u8 or s16", 2: " or 1,-1,0"},
    ("2AD6", "maximum resistance level"): {1: "u8 or s16", 2: " or 1,-1,0"},
    ("2AD6", "minimum increment"): {1: "u8 or u16", 2: " or 1,-1,0"},
}

# The data of fitness machines: the fields in which all ones (of a signed number: the greatest) is "data not available".
# One flag announces several of them, of which a machine may have one without the others. Specification: Fitness Machine
# Service 1.0, 4.4.1 to 4.9.1; it is not in the supplement. Others that share a flag (elevation gains, floors and steps,
# strokes) have no such value.
ENERGIES = ("total energy", "energy per hour", "energy per minute")
UNAVAILABLE: dict[str, tuple[str, ...]] = {
    "2ACD": ("inclination", "ramp angle setting", *ENERGIES, "force on belt", "power output"),
    "2ACE": ("steps per minute", "average step rate", "inclination", "ramp setting", *ENERGIES),
    "2ACF": ENERGIES,
    "2AD0": ENERGIES,
    "2AD1": ENERGIES,
    "2AD2": ENERGIES,
}

# Numbers of characteristics that the SIG has withdrawn: devices that have them are still in use.
WITHDRAWN = {
    0x2A0B: "Exact Time 100",
    0x2A10: "Secondary Time Zone",
    0x2A15: "Time Broadcast",
    0x2A1A: "Battery Power State",
    0x2A1B: "Battery Level State",
    0x2A1F: "Temperature Celsius",
    0x2A20: "Temperature Fahrenheit",
    0x2A2F: "Position 2D",
    0x2A30: "Position 3D",
    0x2A3A: "Removable",
    0x2A3B: "Service Required",
    0x2A3C: "Scientific Temperature Celsius",
    0x2A3D: "String",
    0x2A3E: "Network Availability",
    0x2A56: "Digital",
    0x2A57: "Digital Output",
    0x2A58: "Analog",
    0x2A59: "Analog Output",
    0x2A62: "Pulse Oximetry Control Point",
}

# Their values are commands and answers, or parts of something longer.
LEFT_OUT = {
    "blood_pressure_record",
    "preferred_units",
    "ln_control_point",
    "sc_control_point",
    "record_access_control_point",
    "cycling_power_control_point",
    "cgm_specific_ops_control_point",
    "recipe_control",
    "recipe_parameters",
    "cooking_conditions",
    "cooking_step_status",
    "alert_notification_control_point",
    "ieee_11073_20601_regulatory_certification_data_list",
    "object_id",
    "object_type",
}
