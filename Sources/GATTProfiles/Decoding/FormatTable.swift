// swift-format-ignore-file
// Made by scripts/names/update; not to be edited.
//
// What the Bluetooth SIG calls the numbers that it assigns. Source: the SIG's "Assigned Numbers", published as YAML
// files at https://bitbucket.org/bluetooth-SIG/public, in the copy that the Python package bluetooth-sig 0.6.0 carries
// (https://pypi.org/project/bluetooth-sig/, MIT licence, copyright 2025 Ronan Byrne; SHA-256 of the wheel
// 7e803dc74fa1302fd0b04a9e61d7762a8663f381639d2af454f5fc5bb6b76a5b).
// Only numbers and names were taken, not the text of a document. The Bluetooth word mark is owned by Bluetooth SIG,
// Inc.

/// The formats of characteristics' and descriptors' values (scripts/python/repository/names/formats.py).
enum FormatTable {
    static let text: StaticString = #"""
2900 properties~b16~~~0=Reliable write|1=Writable auxiliaries
2901 description~text
2902 configuration~b16~~~0=notifications|1=indications
2903 configuration~b16~~~0=broadcasts
2904 format~format;exponent~s8;unit~unit;name space~u8;description~x16
2908 report~u8;type~u8~~~1=input|2=output|3=feature
2909 digitals~u8
290D condition~u8~~~0=inactive|1=at fixed intervals|2=no more often than|3=when the value changes|4=while less|5=while less or equal|6=while greater|7=while greater or equal|8=while equal|9=while not equal;operand~hex~~~~?
2A00 name~text
2A01 appearance~appearance
2A02 peripheral privacy~u8~~~0=disabled|1=enabled
2A04 minimum interval~u16~125,-2,0~ms~FFFF!no specific value;maximum interval~u16~125,-2,0~ms~FFFF!no specific value;latency~u16;timeout~u16~1,1,0~ms~FFFF!no specific value
2A05 first handle~x16;last handle~x16
2A06 alert level~u8~~~0=No Alert|1=Mild Alert|2=High Alert
2A07 tx power~s8~~dBm
2A08 date and time~date7
2A09 day of week~u8~~~0=Unknown|1=Monday|2=Tuesday|3=Wednesday|4=Thursday|5=Friday|6=Saturday|7=Sunday
2A0A date and time~date7;day of week~u8~~~0=Unknown|1=Monday|2=Tuesday|3=Wednesday|4=Thursday|5=Friday|6=Saturday|7=Sunday
2A0C date and time~date7;day of week~u8~~~0=Unknown|1=Monday|2=Tuesday|3=Wednesday|4=Thursday|5=Friday|6=Saturday|7=Sunday;fractions~u8~1,0,-8~s
2A0D DST offset~u8~~~0=Standard Time|2=Half an hour Daylight Time|4=Daylight Time|8=Double Daylight Time|FF=DST offset unknown
2A0E time zone~s8~15,0,0~min~80!the time zone offset is not known
2A0F time zone~s8~15,0,0~min~80!the time zone offset is not known;DST offset~u8~~~0=Standard Time|2=Half an hour Daylight Time|4=Daylight Time|8=Double Daylight Time|FF=DST offset unknown
2A11 date and time~date7;DST offset~u8~~~0=Standard Time|2=Half an hour Daylight Time|4=Daylight Time|8=Double Daylight Time|FF=DST offset unknown
2A12 accuracy~u8~1,0,-3~s~FE!drift is larger than 31.625s|FF!drift is unknown
2A13 time source~u8~~~0=A time source not listed in the following categories or an otherwise unknown time source|1=Any version of the Network Time Protocol|2=A time source based on GPS information|3=Clock synchronized through RF|4=A manually set time, by 'eyeball and wristwatch'|5=Atomic Clock|6=A mobile network clock|7=The clock is not synchronized
2A14 time source~u8~~~0=A time source not listed in the following categories or an otherwise unknown time source|1=Any version of the Network Time Protocol|2=A time source based on GPS information|3=Clock synchronized through RF|4=A manually set time, by 'eyeball and wristwatch'|5=Atomic Clock|6=A mobile network clock|7=The clock is not synchronized;time accuracy~u8~1,0,-3~s~FE!drift is larger than 31.625s|FF!drift is unknown;days since update~u8~~~FF!255 or more;hours since update~u8~~~FF!255 days or more
2A16 time update control point~u8~~~1=Get Reference Update|2=Cancel Reference Update
2A17 current state~u8~~~0=Idle|1=Update Pending;result~u8~~~0=Successful|1=Cancelled|2=No connection to reference|3=Reference responded with an error|4=Timeout|5=Update not attempted after reset
2A18 flags~b8~~~4=context follows;sequence number~u16;base time~date7;time offset~s16~~min~7FFF!overrun|8000!underrun~+0;concentration~sfloat~~kg/l~~+1-2;concentration~sfloat~~mol/l~~+1+2;type and sample location~x8~~~~+1;sensor status~b16~~~0=Device battery low|1=Sensor malfunction|2=Sample size insufficient|3=Strip insertion error|4=Strip type incorrect|5=Result too high|6=Result too low|7=Temperature too high|8=Temperature too low|9=Read interrupted|10=General device fault|11=Time fault~+3
2A19 battery level~u8~~%
2A1C flags~b8;temperature~float~~°C~~-0;temperature~float~~°F~~+0;time stamp~date7~~~~+1;type~u8~~~1=Armpit|2=Body|3=Ear|4=Finger|5=Gastrointestinal tract|6=Mouth|7=Rectum|8=Toe|9=Tympanum~+2
2A1D temperature type~u8~~~1=Armpit|2=Body|3=Ear|4=Finger|5=Gastrointestinal tract|6=Mouth|7=Rectum|8=Toe|9=Tympanum
2A1E flags~b8;temperature~float~~°C~~-0;temperature~float~~°F~~+0;time stamp~date7~~~~+1;type~u8~~~1=Armpit|2=Body|3=Ear|4=Finger|5=Gastrointestinal tract|6=Mouth|7=Rectum|8=Toe|9=Tympanum~+2
2A21 measurement interval~u16~~~0!No periodic measurement
2A22 modifiers~b8~~~0=left control|1=left shift|2=left alt|3=left GUI|4=right control|5=right shift|6=right alt|7=right GUI;unused~x8;keys~hex6
2A23 manufacturer identifier~hex5;organizationally unique identifier~hex3
2A24 model number~text
2A25 serial number~text
2A26 firmware revision~text
2A27 hardware revision~text
2A28 software revision~text
2A29 manufacturer name~text
2A2A certification data~hex
2A2B date and time~date7;day of week~u8~~~0=Unknown|1=Monday|2=Tuesday|3=Wednesday|4=Thursday|5=Friday|6=Saturday|7=Sunday;fractions~u8~1,0,-8~s;adjusted~b8~~~0=Manual time update|1=External reference time update|2=Change of time zone|3=Change of DST
2A2C magnetic declination~u16~1,-2,0~°
2A32 lights~b8~~~0=Num Lock|1=Caps Lock|2=Scroll Lock|3=Compose|4=Kana
2A33 buttons~b8~~~0=left|1=right|2=middle;x~s8;y~s8;rest~hex~~~~?
2A34 flags~b8;sequence number~u16;extended flags~b8~~~~+7;carbohydrate~u8~~~1=Breakfast|2=Lunch|3=Dinner|4=Snack|5=Drink|6=Supper|7=Brunch~+0;carbohydrate mass~sfloat~~kg~~+0;meal~u8~~~1=Preprandial|2=Postprandial|3=Fasting|4=Casual|5=Bedtime~+1;tester and health~x8~~~~+2;exercise duration~u16~~s~FFFF!overrun~+3;exercise intensity~u8~~%~~+3;medication~u8~~~1=Rapid acting insulin|2=Short acting insulin|3=Intermediate acting insulin|4=Long acting insulin|5=Pre-mixed insulin~+4;medication mass~sfloat~~kg~~+4-5;medication volume~sfloat~~l~~+4+5;HbA1c~sfloat~~%~~+6
2A35 flags~b8;systolic~sfloat~~mmHg~~-0;diastolic~sfloat~~mmHg~~-0;mean arterial pressure~sfloat~~mmHg~~-0;systolic~sfloat~~kPa~~+0;diastolic~sfloat~~kPa~~+0;mean arterial pressure~sfloat~~kPa~~+0;time stamp~date7~~~~+1;pulse rate~sfloat~~bpm~~+2;user~u8~~~FF!unknown~+3;status~b16~~~0=Body movement|1=Cuff too loose|2=Irregular pulse|3=Pulse rate above range|4=Pulse rate below range|5=Improper measurement position~+4
2A36 flags~b8;cuff pressure~sfloat~~mmHg~~-0;cuff pressure~sfloat~~kPa~~+0;unused~x16;unused~x16;time stamp~date7~~~~+1;pulse rate~sfloat~~bpm~~+2;user~u8~~~FF!unknown~+3;status~b16~~~0=Body movement|1=Cuff too loose|2=Irregular pulse|3=Pulse rate above range|4=Pulse rate below range|5=Improper measurement position~+4
2A37 flags~b8~~~1=contact|2=contact supported;heart rate~u8~~bpm~~-0;heart rate~u16~~bpm~~+0;energy expended~u16~~kJ~~+3;RR intervals~u16*~1,0,-10~s~~+4
2A38 body sensor location~u8~~~0=Other|1=Chest|2=Wrist|3=Finger|4=Hand|5=Ear Lobe|6=Foot
2A39 heart rate control point~u8~~~1=Reset Energy Expended
2A3F alert status~b8~~~0=Ringer State active|1=Vibrate State active|2=Display Alert Status active
2A40 ringer control point~u8~~~1=Silent Mode|2=Mute Once|3=Cancel Silent Mode
2A41 ringer setting~u8~~~0=Ringer Silent|1=Ringer Normal
2A42 category ID bit mask~b8 or b16~~~0=Simple Alert|1=Email|2=News|3=Call|4=Missed Call|5=SMS/MMS|6=Voice Mail|7=Schedule|8=High Prioritized Alert|9=Instant Message
2A43 category ID~u8~~~0=Simple Alert|1=Email|2=News|3=Call|4=Missed Call|5=SMS/MMS|6=Voice Mail|7=Schedule|8=High Prioritized Alert|9=Instant Message
2A45 category ID~u8~~~0=Simple Alert|1=Email|2=News|3=Call|4=Missed Call|5=SMS/MMS|6=Voice Mail|7=Schedule|8=High Prioritized Alert|9=Instant Message;unread count~u8~~~FF!there are more than 254 unread alerts in the server
2A46 category ID~u8~~~0=Simple Alert|1=Email|2=News|3=Call|4=Missed Call|5=SMS/MMS|6=Voice Mail|7=Schedule|8=High Prioritized Alert|9=Instant Message;number of new alert~u8;text string information~text
2A47 category ID bit mask~b8 or b16~~~0=Simple Alert|1=Email|2=News|3=Call|4=Missed Call|5=SMS/MMS|6=Voice Mail|7=Schedule|8=High Prioritized Alert|9=Instant Message
2A48 category ID bit mask~b8 or b16~~~0=Simple Alert|1=Email|2=News|3=Call|4=Missed Call|5=SMS/MMS|6=Voice Mail|7=Schedule|8=High Prioritized Alert|9=Instant Message
2A49 blood pressure feature~b16~~~0=Body Movement Detection feature supported|1=Cuff Fit Detection feature supported|2=Irregular Pulse Detection feature supported|3=Pulse Rate Range Detection feature supported|4=Measurement Position Detection feature supported|5=Multiple Bonds supported|6=E2E-CRC supported|7=User Data Service supported|8=User Facing Time supported
2A4A HID version~bcd;country~u8;flags~b8~~~0=Remote wake|1=Normally connectable
2A4C command~u8~~~0=Suspend|1=Exit suspend
2A4E protocol mode~u8~~~0=Boot protocol|1=Report protocol
2A50 vendor~pnp;product~x16;version~bcd
2A51 glucose feature~b16~~~0=Low Battery Detection During Measurement feature supported|1=Sensor Malfunction Detection feature supported|2=Sensor Sample Size feature supported|3=Sensor Strip Insertion Error Detection feature supported|4=Sensor Strip Type Error Detection supported|5=Sensor Result High-Low Detection supported|6=Sensor Temperature High-Low Detection supported|7=Sensor Read Interrupt Detection supported|8=General Device Fault supported|9=Time Fault supported|10=Multiple Bonds supported
2A52 op code~u8~~~1=report records|2=delete records|3=abort|4=report the number of records|5=number of records|6=response;operator~u8~~~0=none|1=all records|2=up to|3=from|4=within|5=first record|6=last record;number~u16~~~~=5;request~u8~~~1=report records|2=delete records|3=abort|4=report the number of records~=6;result~u8~~~1=success|2=op code not supported|3=invalid operator|4=operator not supported|5=invalid operand|6=no records found|7=abort unsuccessful|8=procedure not completed|9=operand not supported~=6;operand~hex~~~~?
2A53 flags~b8~~~2=Running;instantaneous speed~u16~1,0,-8~m/s;instantaneous cadence~u8;instantaneous stride length~u16~1,-2,0~m~~+0;total distance~u32~1,-1,0~m~~+1
2A54 RSC feature~b16~~~0=Instantaneous Stride Length Measurement Supported|1=Total Distance Measurement Supported|2=Walking or Running Status Supported|3=Calibration Procedure Supported|4=Multiple Sensor Locations Supported
2A55 op code~u8~~~1=set cumulative value|2=start sensor calibration|3=update sensor location|4=request supported sensor locations|10=response;request~u8~~~1=set cumulative value|2=start sensor calibration|3=update sensor location|4=request supported sensor locations~=16;result~u8~~~1=success|2=op code not supported|3=invalid parameter|4=operation failed~=16;parameter~hex~~~~?
2A5B flags~b8;wheel revolutions~u32~~~~+0;last wheel event~u16~1,0,-10~s~~+0;crank revolutions~u16~~~~+1;last crank event~u16~1,0,-10~s~~+1
2A5C CSC feature~b16~~~0=Wheel Revolution Data Supported|1=Crank Revolution Data Supported|2=Multiple Sensor Locations Supported
2A5D sensor location~u8~~~0=Other|1=Top of shoe|2=In shoe|3=Hip|4=Front Wheel|5=Left Crank|6=Right Crank|7=Left Pedal|8=Right Pedal|9=Front Hub|A=Rear Dropout|B=Chainstay|C=Rear Wheel|D=Rear Hub|E=Chest|F=Spider|10=Chain Ring
2A5E flags~b8~~~4=clock not set;SpO2~sfloat~~%;pulse rate~sfloat~~bpm;time stamp~date7~~~~+0;status~b16~~~5=measurement ongoing|6=early estimate|7=validated|8=fully qualified|9=from storage|10=demonstration|11=testing|12=calibration ongoing|13=unavailable|14=questionable|15=invalid~+1;sensor status~x24~~~~+2;pulse amplitude~sfloat~~%~~+3
2A5F flags~b8;SpO2~sfloat~~%;pulse rate~sfloat~~bpm;fast SpO2~sfloat~~%~~+0;fast pulse rate~sfloat~~bpm~~+0;slow SpO2~sfloat~~%~~+1;slow pulse rate~sfloat~~bpm~~+1;status~b16~~~5=measurement ongoing|6=early estimate|7=validated|8=fully qualified|9=from storage|10=demonstration|11=testing|12=calibration ongoing|13=unavailable|14=questionable|15=invalid~+2;sensor status~x24~~~~+3;pulse amplitude~sfloat~~%~~+4
2A60 PLX features~b16~~~0=measurement status|1=sensor status|2=stored measurements|3=time stamp|4=fast values|5=slow values|6=pulse amplitude|7=several bonds;measurement statuses~x16~~~~+0;sensor statuses~x24~~~~+1
2A63 flags~b16~~~1=left pedal|3=torque of the crank|12=offset compensation indicator;power~s16~~W;pedal power balance~u8~1,0,-1~%~~+0;accumulated torque~u16~1,0,-5~Nm~~+2;wheel revolutions~u32~~~~+4;last wheel event~u16~1,0,-11~s~~+4;crank revolutions~u16~~~~+5;last crank event~u16~1,0,-10~s~~+5;maximum force~s16~~N~~+6;minimum force~s16~~N~~+6;maximum torque~s16~1,0,-5~Nm~~+7;minimum torque~s16~1,0,-5~Nm~~+7;extreme angles~hex3~~~~+8;top dead spot angle~u16~~°~~+9;bottom dead spot angle~u16~~°~~+10;accumulated energy~u16~~kJ~~+11
2A64 flags~b8~~~4-5.1=tangential|4-5.2=radial|4-5.3=lateral;crank revolutions~u16~~~~+0;last crank event~u16~1,0,-10~s~~+0;first crank angle~u16~~°~~+1;force~s16*~~N~~+2;torque~s16*~1,0,-5~Nm~~+3
2A65 cycling power feature~b32~~~0=Pedal Power Balance Supported|1=Accumulated Torque Supported|2=Wheel Revolution Data Supported|3=Crank Revolution Data Supported|4=Extreme Magnitudes Supported|5=Extreme Angles Supported|6=Top and Bottom Dead Spot Angles Supported|7=Accumulated Energy Supported|8=Offset Compensation Indicator Supported|9=Offset Compensation Supported|10=Cycling Power Measurement Characteristic Content Masking Supported|11=Multiple Sensor Locations Supported|12=Crank Length Adjustment Supported|13=Chain Length Adjustment Supported|14=Chain Weight Adjustment Supported|15=Span Length Adjustment Supported|16=Torque based|17=Instantaneous Measurement Direction Supported|18=Factory Calibration Date Supported|19=Enhanced Offset Compensation Procedure Supported|20-21.1=Distributed System Support: Not for use in a distributed system|20-21.2=Distributed System Support: For use in a distributed system
2A66 op code~u8~~~1=set cumulative value|2=update sensor location|3=request supported sensor locations|4=set crank length|5=request crank length|6=set chain length|7=request chain length|8=set chain weight|9=request chain weight|A=set span length|B=request span length|C=start offset compensation|D=mask measurement|E=request sampling rate|F=request factory calibration date|10=start enhanced offset compensation|20=response;request~u8~~~1=set cumulative value|2=update sensor location|3=request supported sensor locations|4=set crank length|5=request crank length|6=set chain length|7=request chain length|8=set chain weight|9=request chain weight|A=set span length|B=request span length|C=start offset compensation|D=mask measurement|E=request sampling rate|F=request factory calibration date|10=start enhanced offset compensation|20=response~=32;result~u8~~~1=success|2=op code not supported|3=invalid parameter|4=operation failed~=32;parameter~hex~~~~?
2A67 flags~b16~~~7-8.1=Position Status: Position Ok|7-8.2=Position Status: Estimated Position|7-8.3=Position Status: Last Known Position|9=3D|10-11.1=Elevation Source: Barometric Air Pressure|10-11.2=Elevation Source: Database Service|10-11.3=Elevation Source: Other|12=Heading based on magnetic compass;instantaneous speed~u16~1,-2,0~m/s~~+0;total distance~u24~1,-1,0~m~~+1;latitude~s32~1,-7,0~°~~+2;longitude~s32~1,-7,0~°~~+2;elevation~s24~1,-2,0~m~~+3;heading~u16~1,-2,0~°~~+4;rolling time~u8~~s~~+5;UTC time~date7~~~~+6
2A68 flags~b16~~~3-4.1=Position Status: Position Ok|3-4.2=Position Status: Estimated Position|3-4.3=Position Status: Last Known Position|5=Heading based on magnetic compass|6=To Destination|7=Waypoint Reached|8=Destination Reached;bearing~u16~1,-2,0~°;heading~u16~1,-2,0~°;remaining distance~u24~1,-1,0~m~~+0;remaining vertical distance~s24~1,-2,0~m~~+1;estimated time of arrival~date7~~~~+2
2A69 flags~b16~~~7-8.1=Position Status: Position Ok|7-8.2=Position Status: Estimated Position|7-8.3=Position Status: Last Known Position;number of beacons in solution~u8~~~~+0;number of beacons in view~u8~~~~+1;time to first fix~u16~1,-1,0~s~~+2;EHPE~u32~1,-2,0~m~~+3;EVPE~u32~1,-2,0~m~~+4;HDOP~u8~2,-1,0~~~+5;VDOP~u8~2,-1,0~~~+6
2A6A LN feature~b32~~~0=Instantaneous Speed Supported|1=Total Distance Supported|2=Location Supported|3=Elevation Supported|4=Heading Supported|5=Rolling Time Supported|6=UTC Time Supported|7=Remaining Distance Supported|8=Remaining Vertical Distance Supported|9=Estimated Time of Arrival Supported|10=Number of Beacons in Solution Supported|11=Number of Beacons in View Supported|12=Time to First Fix Supported|13=Estimated Horizontal Position Error Supported|14=Estimated Vertical Position Error Supported|15=Horizontal Dilution of Precision Supported|16=Vertical Dilution of Precision Supported|17=Location and Speed Characteristic Content Masking Supported|18=Fix Rate Setting Supported|19=Elevation Setting Supported|20=Position Status Supported
2A6C elevation~s24~1,-2,0~m
2A6D pressure~u32~1,-1,0~Pa
2A6E temperature~s16~1,-2,0~°C~8000!not known
2A6F humidity~u16~1,-2,0~%~FFFF!not known
2A70 true wind speed~u16~1,-2,0~m/s
2A71 true wind direction~u16~1,-2,0~°
2A72 apparent wind speed~u16~1,-2,0~m/s
2A73 apparent wind direction~u16~1,-2,0~°
2A74 gust factor~u8~1,-1,0
2A75 pollen concentration~u24~~1/m³
2A76 UV index~u8
2A77 irradiance~u16~1,-1,0~W/m²
2A78 rainfall~u16~1,-3,0~m
2A79 wind chill~s8~~°C
2A7A heat index~s8~~°C
2A7B dew point~s8~~°C
2A7E aerobic heart rate lower limit~u8~~bpm
2A7F aerobic threshold~u8~~bpm
2A80 age~u8~~years
2A81 anaerobic heart rate lower limit~u8~~bpm
2A82 anaerobic heart rate upper limit~u8~~bpm
2A83 anaerobic threshold~u8~~bpm
2A84 aerobic heart rate upper limit~u8~~bpm
2A85 date of birth~date4
2A86 date of threshold assessment~date4
2A87 email address~text
2A88 fat burn heart rate lower limit~u8~~bpm
2A89 fat burn heart rate upper limit~u8~~bpm
2A8A first name~text
2A8B very light / light limit~u8~~bpm;light / moderate limit~u8~~bpm;moderate / hard limit~u8~~bpm;hard / maximum limit~u8~~bpm
2A8C gender~u8~~~0=Male|1=Female|2=Unspecified
2A8D heart rate max~u8~~bpm
2A8E height~u16~1,-2,0~m
2A8F hip circumference~u16~1,-2,0~m
2A90 last name~text
2A91 maximum recommended heart rate~u8~~bpm
2A92 resting heart rate~u8~~bpm
2A93 sport type for aerobic and anaerobic thresholds~u8~~~0=Unspecified|1=Running|2=Cycling|3=Rowing|4=Cross Training|5=Climbing|6=Skiing|7=Skating|8=Arm exercising|9=Lower body exercising|A=Upper body exercising|B=Whole body exercising
2A94 light / moderate limit~u8~~bpm;moderate / hard limit~u8~~bpm
2A95 fat burn / fitness limit~u8~~bpm
2A96 VO2 max~u8~~ml/kg/min
2A97 waist circumference~u16~1,-2,0~m
2A98 weight~u16~5,-3,0~kg
2A99 database change increment~u32
2A9A user index~u8~~~FF!Unknown User
2A9B body composition feature~b32~~~0=Time Stamp Supported|1=Multiple Users Supported|2=Basal Metabolism Supported|3=Muscle Percentage Supported|4=Muscle Mass Supported|5=Fat Free Mass Supported|6=Soft Lean Mass Supported|7=Body Water Mass Supported|8=Impedance Supported|9=Weight Supported|10=Height Supported|11-14.1=Weight Measurement Resolution: Resolution of 0.5 kg or 1 lb|11-14.2=Weight Measurement Resolution: Resolution of 0.2 kg or 0.5 lb|11-14.3=Weight Measurement Resolution: Resolution of 0.1 kg or 0.2 lb|11-14.4=Weight Measurement Resolution: Resolution of 0.05 kg or 0.1 lb|11-14.5=Weight Measurement Resolution: Resolution of 0.02 kg or 0.05 lb|11-14.6=Weight Measurement Resolution: Resolution of 0.01 kg or 0.02 lb|11-14.7=Weight Measurement Resolution: Resolution of 0.005 kg or 0.01 lb|15-17.1=Height Measurement Resolution: Resolution of 0.01 meter or 1 inch|15-17.2=Height Measurement Resolution: Resolution of 0.005 meter or 0.5 inch|15-17.3=Height Measurement Resolution: Resolution of 0.001 meter or 0.1 inch
2A9C flags~b16~~~12=more packets follow;body fat~u16~1,-1,0~%~FFFF!measurement unsuccessful;time stamp~date7~~~~+1;user~u8~~~FF!unknown~+2;basal metabolism~u16~~kJ~~+3;muscle~u16~1,-1,0~%~~+4;muscle mass~u16~5,-3,0~kg~~+5-0;muscle mass~u16~1,-2,0~lb~~+5+0;fat free mass~u16~5,-3,0~kg~~+6-0;fat free mass~u16~1,-2,0~lb~~+6+0;soft lean mass~u16~5,-3,0~kg~~+7-0;soft lean mass~u16~1,-2,0~lb~~+7+0;body water mass~u16~5,-3,0~kg~~+8-0;body water mass~u16~1,-2,0~lb~~+8+0;impedance~u16~1,-1,0~Ω~~+9;weight~u16~5,-3,0~kg~~+10-0;weight~u16~1,-2,0~lb~~+10+0;height~u16~1,-3,0~m~~+11-0;height~u16~1,-1,0~in~~+11+0
2A9D flags~b8;weight~u16~5,-3,0~kg~FFFF!measurement unsuccessful~-0;weight~u16~1,-2,0~lb~FFFF!measurement unsuccessful~+0;time stamp~date7~~~~+1;user~u8~~~FF!unknown~+2;BMI~u16~1,-1,0~kg/m²~~+3;height~u16~1,-3,0~m~~+3-0;height~u16~1,-1,0~in~~+3+0
2A9E weight scale feature~b32~~~0=Time Stamp Supported|1=Multiple Users Supported|2=BMI Supported|3-6.1=Weight Measurement Resolution: Resolution of 0.5 kg or 1 lb|3-6.2=Weight Measurement Resolution: Resolution of 0.2 kg or 0.5 lb|3-6.3=Weight Measurement Resolution: Resolution of 0.1 kg or 0.2 lb|3-6.4=Weight Measurement Resolution: Resolution of 0.05 kg or 0.1 lb|3-6.5=Weight Measurement Resolution: Resolution of 0.02 kg or 0.05 lb|3-6.6=Weight Measurement Resolution: Resolution of 0.01 kg or 0.02 lb|3-6.7=Weight Measurement Resolution: Resolution of 0.005 kg or 0.01 lb|7-9.1=Height Measurement Resolution: Resolution of 0.01 meter or 1 inch|7-9.2=Height Measurement Resolution: Resolution of 0.005 meter or 0.5 inch|7-9.3=Height Measurement Resolution: Resolution of 0.001 meter or 0.1 inch
2A9F op code~u8~~~1=register new user|2=consent|3=delete user data|4=list all users|5=delete users|20=response;request~u8~~~1=register new user|2=consent|3=delete user data|4=list all users|5=delete users|20=response~=32;result~u8~~~1=success|2=op code not supported|3=invalid parameter|4=operation failed|5=user not authorized~=32;parameter~hex~~~~?
2AA0 X-Axis~s16~1,-7,0~T;Y-Axis~s16~1,-7,0~T
2AA1 X-Axis~s16~1,-7,0~T;Y-Axis~s16~1,-7,0~T;Z-Axis~s16~1,-7,0~T
2AA2 language~text
2AA3 barometric pressure trend~u8~~~0=Unknown|1=Continuously falling|2=Continuously rising|3=Falling, then steady|4=Rising, then steady|5=Falling before a lesser rise|6=Falling before a greater rise|7=Rising before a greater fall|8=Rising before a lesser fall|9=Steady
2AA6 central address resolution~u8~~~0=not supported|1=supported
2AA7 size~u8;flags~b8;glucose~sfloat~~mg/dl;time offset~u16~~min;status~b8~~~0=Session stopped|1=Device battery low|2=Sensor type incorrect|3=Sensor malfunction|4=Device specific alert|5=General device fault~+7;calibration and temperature~b8~~~0=Time synchronization required|1=Calibration not allowed|2=Calibration recommended|3=Calibration required|4=Temperature too high|5=Temperature too low~+6;warning~b8~~~0=Below patient low level|1=Above patient high level|2=Below hypo level|3=Above hyper level|4=Rate of decrease exceeded|5=Rate of increase exceeded|6=Below device range|7=Above device range~+5;trend~sfloat~~mg/dl/min~~+0;quality~sfloat~~%~~+1;rest~hex~~~~?
2AA8 CGM feature~b24~~~0=Calibration supported|1=Patient High/Low Alerts supported|2=Hypo Alerts supported|3=Hyper Alerts supported|4=Rate of Increase/Decrease Alerts supported|5=Device Specific Alert supported|6=Sensor Malfunction Detection supported|7=Sensor Temperature High-Low Detection supported|8=Sensor Result High-Low Detection supported|9=Low Battery Detection supported|10=Sensor Type Error Detection supported|11=General Device Fault supported|12=E2E-CRC supported|13=Multiple Bond supported|14=Multiple Sessions supported|15=CGM Trend Information supported|16=CGM Quality supported;CGM Type-Sample location~hex1;E2E-CRC~x16
2AA9 time offset~u16~~min;status~hex3;CRC~x16~~~~?
2AAA session start time~date7;time zone~s8~15,0,0~min~80!the time zone offset is not known;DST offset~u8~~~0=Standard Time|2=Half an hour Daylight Time|4=Daylight Time|8=Double Daylight Time|FF=DST offset unknown;E2E-CRC~x16~~~~?
2AAB CGM session run time~u16~~h;E2E-CRC~x16~~~~?
2ABE object name~text~~~~?
2AC1 object first created~date7
2AC2 object last modified~date7
2AC9 resolvable private address only~u8~~~0=used
2ACC machine features~b32~~~0=average speed|1=cadence|2=total distance|3=inclination|4=elevation gain|5=pace|6=step count|7=resistance level|8=stride count|9=expended energy|10=heart rate|11=metabolic equivalent|12=elapsed time|13=remaining time|14=power|15=force on belt|16=user data;target features~b32~~~0=speed|1=inclination|2=resistance|3=power|4=heart rate|5=expended energy|6=steps|7=strides|8=distance|9=training time|10=time in two zones|11=time in three zones|12=time in five zones|13=indoor bike simulation|14=wheel circumference|15=spin down|16=cadence
2ACD flags~b16~~~0=More Data;instantaneous speed~u16~1,-2,0~km/h~~-0;average speed~u16~1,-2,0~km/h~~+1;total distance~u24~~m~~+2;inclination~s16~1,-1,0~%~7FFF!not available~+3;ramp angle setting~s16~1,-1,0~°~7FFF!not available~+3;positive elevation gain~u16~1,-1,0~m~~+4;negative elevation gain~u16~1,-1,0~m~~+4;instantaneous pace~u16 or u8~ or 1,-1,0~s or km/min~~+5;average pace~u16 or u8~ or 1,-1,0~s or km/min~~+6;total energy~u16~~kcal~FFFF!not available~+7;energy per hour~u16~~kcal~FFFF!not available~+7;energy per minute~u8~~kcal~FF!not available~+7;heart rate~u8~~bpm~~+8;metabolic equivalent~u8~1,-1,0~MET~~+9;elapsed time~u16~~s~~+10;remaining time~u16~~s~~+11;force on belt~s16~~N~7FFF!not available~+12;power output~s16~~W~7FFF!not available~+12
2ACE flags~b24~~~0=More Data|15=Backward;instantaneous speed~u16~1,-2,0~km/h~~-0;average speed~u16~1,-2,0~km/h~~+1;total distance~u24~~m~~+2;steps per minute~u16~~steps/min~FFFF!not available~+3;average step rate~u16~~steps/min~FFFF!not available~+3;stride count~u16~1,-1,0~~~+4;positive elevation gain~u16~~m~~+5;negative elevation gain~u16~~m~~+5;inclination~s16~1,-1,0~%~7FFF!not available~+6;ramp setting~s16~1,-1,0~°~7FFF!not available~+6;resistance level~u8 or s16~ or 1,-1,0~~~+7;instantaneous power~s16~~W~~+8;average power~s16~~W~~+9;total energy~u16~~kcal~FFFF!not available~+10;energy per hour~u16~~kcal~FFFF!not available~+10;energy per minute~u8~~kcal~FF!not available~+10;heart rate~u8~~bpm~~+11;metabolic equivalent~u8~1,-1,0~MET~~+12;elapsed time~u16~~s~~+13;remaining time~u16~~s~~+14
2ACF flags~b16~~~0=More Data;floors~u16~~~~-0;step count~u16~~~~-0;steps per minute~u16~~steps/min~~+1;average step rate~u16~~steps/min~~+2;positive elevation gain~u16~~m~~+3;total energy~u16~~kcal~FFFF!not available~+4;energy per hour~u16~~kcal~FFFF!not available~+4;energy per minute~u8~~kcal~FF!not available~+4;heart rate~u8~~bpm~~+5;metabolic equivalent~u8~1,-1,0~MET~~+6;elapsed time~u16~~s~~+7;remaining time~u16~~s~~+8
2AD0 flags~b16~~~0=More Data;floors~u16~~~~-0;steps per minute~u16~~steps/min~~+1;average step rate~u16~~steps/min~~+2;positive elevation gain~u16~~m~~+3;stride count~u16~~~~+4;total energy~u16~~kcal~FFFF!not available~+5;energy per hour~u16~~kcal~FFFF!not available~+5;energy per minute~u8~~kcal~FF!not available~+5;heart rate~u8~~bpm~~+6;metabolic equivalent~u8~1,-1,0~MET~~+7;elapsed time~u16~~s~~+8;remaining time~u16~~s~~+9
2AD1 flags~b16~~~0=More Data;stroke rate~u8~1,0,-1~strokes/min~~-0;stroke count~u16~~~~-0;average stroke rate~u8~1,0,-1~strokes/min~~+1;total distance~u24~~m~~+2;instantaneous pace~u16~~s~~+3;average pace~u16~~s~~+4;instantaneous power~s16~~W~~+5;average power~s16~~W~~+6;resistance level~u8 or s16~~~~+7;total energy~u16~~kcal~FFFF!not available~+8;energy per hour~u16~~kcal~FFFF!not available~+8;energy per minute~u8~~kcal~FF!not available~+8;heart rate~u8~~bpm~~+9;metabolic equivalent~u8~1,-1,0~MET~~+10;elapsed time~u16~~s~~+11;remaining time~u16~~s~~+12
2AD2 flags~b16~~~0=More Data;instantaneous speed~u16~1,-2,0~km/h~~-0;average speed~u16~1,-2,0~km/h~~+1;instantaneous cadence~u16~1,0,-1~rpm~~+2;average cadence~u16~1,0,-1~rpm~~+3;total distance~u24~~m~~+4;resistance level~u8 or s16~~~~+5;instantaneous power~s16~~W~~+6;average power~s16~~W~~+7;total energy~u16~~kcal~FFFF!not available~+8;energy per hour~u16~~kcal~FFFF!not available~+8;energy per minute~u8~~kcal~FF!not available~+8;heart rate~u8~~bpm~~+9;metabolic equivalent~u8~1,-1,0~MET~~+10;elapsed time~u16~~s~~+11;remaining time~u16~~s~~+12
2AD3 flags~b8;training status~u8~~~0=other|1=idle|2=warming up|3=low intensity interval|4=high intensity interval|5=recovery interval|6=isometric|7=heart rate control|8=fitness test|9=too slow|A=too fast|B=cool down|C=watt control|D=manual mode|E=before the workout|F=after the workout;text~text~~~~+0
2AD4 minimum speed~u16~1,-2,0~km/h;maximum speed~u16~1,-2,0~km/h;minimum increment~u16~1,-2,0~km/h
2AD5 minimum inclination~s16~1,-1,0~%;maximum inclination~s16~1,-1,0~%;minimum increment~u16~1,-1,0~%
2AD6 minimum resistance level~u8 or s16~ or 1,-1,0;maximum resistance level~u8 or s16~ or 1,-1,0;minimum increment~u8 or u16~ or 1,-1,0
2AD7 minimum heart rate~u8~~bpm;maximum heart rate~u8~~bpm;minimum increment~u8~~bpm
2AD8 minimum power~s16~~W;maximum power~s16~~W;minimum increment~u16~~W
2AD9 op code~u8~~~0=request control|1=reset|2=set target speed|3=set target inclination|4=set target resistance|5=set target power|6=set target heart rate|7=start or resume|8=stop or pause|9=set targeted energy|A=set targeted steps|B=set targeted strides|C=set targeted distance|D=set targeted training time|E=set targeted time in two zones|F=set targeted time in three zones|10=set targeted time in five zones|11=set indoor bike simulation|12=set wheel circumference|13=spin down control|14=set targeted cadence|80=response;request~u8~~~0=request control|1=reset|2=set target speed|3=set target inclination|4=set target resistance|5=set target power|6=set target heart rate|7=start or resume|8=stop or pause|9=set targeted energy|A=set targeted steps|B=set targeted strides|C=set targeted distance|D=set targeted training time|E=set targeted time in two zones|F=set targeted time in three zones|10=set targeted time in five zones|11=set indoor bike simulation|12=set wheel circumference|13=spin down control|14=set targeted cadence|80=response~=128;result~u8~~~1=success|2=op code not supported|3=invalid parameter|4=operation failed|5=control not permitted~=128;parameter~hex~~~~?
2ADA status~u8~~~1=reset|2=stopped or paused|3=stopped by the safety key|4=started or resumed|5=target speed changed|6=target inclination changed|7=target resistance changed|8=target power changed|9=target heart rate changed|A=targeted energy changed|B=targeted steps changed|C=targeted strides changed|D=targeted distance changed|E=targeted training time changed|F=targeted time in two zones changed|10=targeted time in three zones changed|11=targeted time in five zones changed|12=indoor bike simulation changed|13=wheel circumference changed|14=spin down|15=targeted cadence changed|FF=control permission lost;parameter~hex~~~~?
2AE0 electric current value~u16~1,-2,0~A~FFFF!not known;sensing duration~u8~exp11~s~FE!the total life of the device|FF!not known
2AE1 voltage value~u16~1,0,-6~V~FFFF!not known;sensing duration~u8~exp11~s~FE!the total life of the device|FF!not known
2AE2 boolean~u8~~~0=False|1=True
2AE3 distance from planckian~s16~1,-5,0~~7FFE!not known|7FFF!not valid
2AE4 chromaticity x-coordinate~u16~1,0,-16;chromaticity y-coordinate~u16~1,0,-16
2AE5 correlated color temperature~u16~~K~FFFF!not known;chromaticity distance from planckian~s16~1,-5,0~~7FFE!not known|7FFF!not valid
2AE6 chromaticity tolerance~u8~1,-4,0
2AE7 color rendering index~s8~~~7F!not known
2AE8 coefficient~float32
2AE9 correlated color temperature~u16~~K~FFFF!not known
2AEA count~u16~~~FFFF!not known
2AEB count~u24~~~FFFFFF!not known
2AEC country code~u16~~~FFFF!not known
2AED date~days~~~0!not known
2AEE current~u16~1,-2,0~A~FFFF!not known
2AEF minimum electric current value~u16~1,-2,0~A~FFFF!not known;maximum electric current value~u16~1,-2,0~A~FFFF!not known
2AF0 minimum electric current value~u16~1,-2,0~A~FFFF!not known;typical electric current value~u16~1,-2,0~A~FFFF!not known;maximum electric current value~u16~1,-2,0~A~FFFF!not known
2AF1 average electric current value~u16~1,-2,0~A~FFFF!not known;standard deviation electric current value~u16~1,-2,0~A~FFFF!not known;minimum electric current value~u16~1,-2,0~A~FFFF!not known;maximum electric current value~u16~1,-2,0~A~FFFF!not known;sensing duration~u8~exp11~s~FE!the total life of the device|FF!not known
2AF2 energy~u24~~kWh~FFFFFF!not known
2AF3 energy value~u24~~kWh~FFFFFF!not known;start time~u8~1,-1,0~h~FF!not known;end time~u8~1,-1,0~h~FF!not known
2AF4 number of events~u16~~~FFFF!not known;average event duration~u16~~s~FFFF!not known;time elapsed since last event~u8~exp11~s~FE!the total life of the device|FF!not known;sensing duration~u8~exp11~s~FE!the total life of the device|FF!not known
2AF5 fixed string~text16
2AF6 fixed string~text24
2AF7 fixed string~text36
2AF8 fixed string~text8
2AF9 generic level~u16
2AFA global trade item number~u48~~~0!not known
2AFB illuminance~u24~1,-2,0~lx~FFFFFF!not known
2AFC luminous efficacy~u16~1,-1,0~lm/W~FFFF!not known
2AFD luminous energy~u24~1,3,0~lm·h~FFFFFF!not known
2AFE luminous exposure~u24~1,3,0~lx·h~FFFFFF!not known
2AFF luminous flux~u16~~lm~FFFF!not known
2B00 minimum luminous flux~u16~~lm~FFFF!not known;maximum luminous flux~u16~~lm~FFFF!not known
2B01 luminous intensity~u16~~cd~FFFF!not known
2B02 mass flow~u16~~g/s~FFFF!not known
2B03 perceived lightness~u16
2B04 percentage 8~u8~1,0,-1~%~FF!not known
2B05 power~u24~1,-1,0~W~FFFFFE!not valid|FFFFFF!not known
2B06 minimum power value~u24~1,-1,0~W~FFFFFE!not valid|FFFFFF!not known;typical power value~u24~1,-1,0~W~FFFFFE!not valid|FFFFFF!not known;maximum power value~u24~1,-1,0~W~FFFFFE!not valid|FFFFFF!not known
2B07 relative runtime value~u8~1,0,-1~%~FF!not known;minimum current~u16~1,-2,0~A~FFFF!not known;maximum current~u16~1,-2,0~A~FFFF!not known
2B08 relative value~u8~1,0,-1~%~FF!not known;minimum generic level~u16;maximum generic level~u16
2B09 relative value~u8~1,0,-1~%~FF!not known;minimum voltage~u16~1,0,-6~V~FFFF!not known;maximum voltage~u16~1,0,-6~V~FFFF!not known
2B0A relative value~u8~1,0,-1~%~FF!not known;minimum illuminance~u24~1,-2,0~lx~FFFFFF!not known;maximum illuminance~u24~1,-2,0~lx~FFFFFF!not known
2B0B relative value~u8~1,0,-1~%~FF!not known;start time~u8~1,-1,0~h~FF!not known;end time~u8~1,-1,0~h~FF!not known
2B0C relative value~u8~1,0,-1~%~FF!not known;minimum temperature value~s16~1,-2,0~°C~8000!not known;maximum temperature value~s16~1,-2,0~°C~8000!not known
2B0D temperature 8~s8~1,0,-1~°C~7F!not known
2B0E temperature~s8~1,0,-1~°C~7F!not known;start time~u8~1,-1,0~h~FF!not known;end time~u8~1,-1,0~h~FF!not known
2B0F average~s8~1,0,-1~°C~7F!not known;standard deviation value~s8~1,0,-1~°C~7F!not known;minimum value~s8~1,0,-1~°C~7F!not known;maximum value~s8~1,0,-1~°C~7F!not known;sensing duration~u8~exp11~s~FE!the total life of the device|FF!not known
2B10 minimum temperature~s16~1,-2,0~°C~8000!not known;maximum temperature~s16~1,-2,0~°C~8000!not known
2B11 average temperature~s16~1,-2,0~°C~8000!not known;standard deviation temperature~s16~1,-2,0~°C~8000!not known;minimum temperature~s16~1,-2,0~°C~8000!not known;maximum temperature~s16~1,-2,0~°C~8000!not known;sensing duration~u8~exp11~s~FE!the total life of the device|FF!not known
2B12 time decihour 8~u8~1,-1,0~h~FF!not known
2B13 time exponential 8~u8~exp11~s~FE!the total life of the device|FF!not known
2B14 time hour 24~u24~~h~FFFFFF!not known
2B15 time millisecond 24~u24~1,-3,0~s~FFFFFF!not known
2B16 time second 16~u16~~s~FFFF!not known
2B17 time second 8~u8~~s~FF!not known
2B18 voltage value~u16~1,0,-6~V~FFFF!not known
2B19 minimum voltage value~u16~1,0,-6~V~FFFF!not known;typical voltage value~u16~1,0,-6~V~FFFF!not known;maximum voltage value~u16~1,0,-6~V~FFFF!not known
2B1A average voltage value~u16~1,0,-6~V~FFFF!not known;standard deviation voltage value~u16~1,0,-6~V~FFFF!not known;minimum voltage value~u16~1,0,-6~V~FFFF!not known;maximum voltage value~u16~1,0,-6~V~FFFF!not known;sensing duration~u8~exp11~s~FE!the total life of the device|FF!not known
2B1B volume flow~u16~1,-3,0~l/s~FFFF!not known
2B1C chromaticity coordinate~u16~1,0,-16
2B29 client features~b8~~~0=Robust caching|1=EATT|2=Multiple value notifications
2B2A database hash~hex16
2B34 flags~b8~~~6=Epoch start is 2000;systolic~sfloat~~mmHg~~-0;diastolic~sfloat~~mmHg~~-0;mean arterial pressure~sfloat~~mmHg~~-0;systolic~sfloat~~kPa~~+0;diastolic~sfloat~~kPa~~+0;mean arterial pressure~sfloat~~kPa~~+0;time stamp~u32~~s~~+1;pulse rate~sfloat~~bpm~~+2;user~u8~~~FF!unknown~+3;status~b16~~~0=Body movement|1=Cuff too loose|2=Irregular pulse|3=Pulse rate above range|4=Pulse rate below range|5=Improper measurement position~+4;user facing time~u32~~s~~+5
2B35 flags~b8~~~6=Epoch start is 2000;cuff pressure~sfloat~~mmHg~~-0;cuff pressure~sfloat~~kPa~~+0;time stamp~u32~~s~~+1;pulse rate~sfloat~~bpm~~+2;user~u8~~~FF!unknown~+3;status~b16~~~0=Body movement|1=Cuff too loose|2=Irregular pulse|3=Pulse rate above range|4=Pulse rate below range|5=Improper measurement position~+4;user facing time~u32~~s~~+5
2B3A server features~b8~~~0=EATT
2B47 height~u16~1,-4,0~m
2B48 middle name~text
2B49 stride length~u16~1,-3,0~m
2B4A handedness~u8~~~0=Left handed|1=Right handed|2=Ambidextrous|3=Unspecified
2B4B device wearing position~u8~~~0=Other|1=Head|2=Head Ear|3=Head Ear Right|4=Head Ear Left|5=Head Neck|6=Trunk|7=Trunk Pelvis|8=Trunk Pelvis Right|9=Trunk Pelvis Left|A=Trunk Thorax|B=Trunk Thorax Right|C=Trunk Thorax Left|D=Trunk Back|E=UpperExtremity|F=UpperExtremity Right|10=UpperExtremity Left|11=UpperExtremity Wrist|12=UpperExtremity Wrist Right|13=UpperExtremity Wrist Left|14=UpperExtremity Finger|15=UpperExtremity Finger Right|16=UpperExtremity Finger Left|17=UpperExtremity Hand|18=UpperExtremity Hand Right|19=UpperExtremity Hand Left|1A=LowerExtremity|1B=LowerExtremity Right|1C=LowerExtremity Left|1D=LowerExtremity Ankle|1E=LowerExtremity Ankle Right|1F=LowerExtremity Ankle Left|20=LowerExtremity Foot|21=LowerExtremity Foot Right|22=LowerExtremity Foot Left|23=Pants Pocket|24=Pants Pocket Right|25=Pants Pocket Left|26=Chest Pocket|27=Chest Pocket Right|28=Chest Pocket Left
2B4C light / moderate limit~u8~~bpm;moderate / hard limit~u8~~bpm;hard / maximum limit~u8~~bpm
2B4D selected~u8;energy expenditure per hour~u16~~kJ~~=1;metabolic equivalent~u8~1,-1,0~MET~~=2;percentage of maximum heart rate~u8~~%~~=3;heart rate~u8~~bpm~~=4
2B4E presence flags~b8;total energy expenditure~u16~1,3,0~J~~+0;normal walking steps~u24~~~~+1;intensity steps~u24~~~~+2;floor steps~u24~~~~+3;distance~u24~~m~~+4;duration of normal walking~u24~~s~~+5;duration of intensity walking~u24~~s~~+6
2B4F sedentary interval notification~u16~~s
2B50 caloric intake~u16~~kcal
2B89 apparent energy 32~u32~1,-3,0~kVAh~FFFFFFFE!not valid|FFFFFFFF!not known
2B8A apparent power~u24~1,-1,0~VA~FFFFFE!not valid|FFFFFF!not known
2B8C CO2 concentration~u16~~ppm~FFFE!65534 or greater|FFFF!not known
2B8D cosine of the angle~s8~1,-2,0~~7F!not known
2BA8 energy 32~u32~1,-3,0~kWh~FFFFFFFE!not valid|FFFFFFFF!not known
2BBA content control ID~u8
2BCF ammonia concentration~sfloat~~kg/m³
2BD0 carbon monoxide concentration~sfloat~~kg/m³
2BD1 methane concentration~sfloat~~ppb
2BD2 nitrogen dioxide concentration~sfloat~~kg/m³
2BD3 Non-Methane volatile organic compounds concentration~sfloat~~kg/m³
2BD4 ozone concentration~sfloat~~kg/m³
2BD5 PM1 concentration~sfloat~~kg/m³
2BD6 PM2.5 concentration~sfloat~~kg/m³
2BD7 PM10 concentration~sfloat~~kg/m³
2BD8 sulfur dioxide concentration~sfloat~~kg/m³
2BD9 sulfur hexafluoride concentration~sfloat~~kg/m³
2BDE fixed string 64~text64
2BDF high temperature~s16~1,0,-1~°C~8000!not known|8001!not valid
2BE0 voltage~u24~1,0,-6~V~FFFFFF!not known
2BE1 light distribution~u8~~~0=Type not specified|1=Type I|2=Type II|3=Type III|4=Type IV|5=Type V
2BE2 light output~u24~~lm~FFFFFE!not valid|FFFFFF!not known
2BE3 light source type~u8~~~0=Type not specified|1=Low pressure fluorescent|2=High intensity discharge|3=Low voltage halogen|4=Incandescent|5=Light emitting diode|6=Organic light emitting diode|FD=Other than listed above|FE=No light source|FF=Multiple light source types
2BE4 noise~u8~~dB~FE!254 or greater|FF!not known
2BE5 relative runtime~u8~1,0,-1~%~FF!not known;minimum correlated color temperature~u16~~K~FFFF!not known;maximum correlated color temperature~u16~~K~FFFF!not known
2BE6 time second 32~u32~~s~FFFFFFFF!not known
2BE7 VOC concentration~u16~~ppb~FFFE!65534 or greater|FFFF!not known
2BE8 voltage frequency~u16~~Hz~0!DC power supply|FFFE!not valid|FFFF!not known
2BE9 battery critical status~b8~~~0=Critical Power State|1=Immediate Service Required
2BEA flags~b8;battery health summary~u8~~%~~+0;cycle count~u16~~~~+1;current temperature~s8~~°C~7F!Greater than 126|80!Less than -127~+2;deep discharge count~u16~~~~+3
2BEB flags~b8;cycle count designed lifetime~u16~~~~+0;min designed operating temperature~s8~~°C~7F!Greater than 126|80!Less than -127~+1;max designed operating temperature~s8~~°C~7F!Greater than 126|80!Less than -127~+1
2BEC flags~b16;battery features~b8~~~0=Battery Replaceable|1=Battery Rechargeable;battery manufacture date~days~~~0!not known~+0;battery expiration date~days~~~0!not known~+1;battery designed capacity~sfloat~~kWh~~+2;battery low energy~sfloat~~kWh~~+3;battery critical energy~sfloat~~kWh~~+4;battery chemistry~u8~~~0=Unknown|1=Alkaline|2=Lead Acid|3=Lithium LiFeS2|4=Lithium LiMnO2|5=Lithium Ion Li|6=Lithium Polymer|7=Nickel Oxyhydroxide NiOx|8=Nickel Cadmium NiCd|9=Nickel-metal Hydride NiMH|A=Silver Oxide AgZn|B=Zinc Chloride|C=Zinc Air|D=Zinc Carbon|FF=Other~+5;nominal voltage~sfloat~~V~~+6;battery aggregation group~u8~~~0!Not in an aggregation group~+7
2BED flags~b8;power state~b16~~~0=Battery Present|1-2.1=Wired External Power Source Connected|1-2.2=Wired External Power Source Connected: Unknown|3-4.1=Wireless External Power Source Connected|3-4.2=Wireless External Power Source Connected: Unknown|5-6.1=Battery Charge State: Charging|5-6.2=Battery Charge State: Discharging: Active|5-6.3=Battery Charge State: Discharging: Inactive|7-8.1=Battery Charge Level: Good|7-8.2=Battery Charge Level: Low|7-8.3=Battery Charge Level: Critical|9-11.1=Charging Type: Constant Current|9-11.2=Charging Type: Constant Voltage|9-11.3=Charging Type: Trickle|9-11.4=Charging Type: Float|12=Charging Fault Reason: Battery|13=Charging Fault Reason: External Power source|14=Charging Fault Reason: Other;identifier~u16~~~~+0;battery level~u8~~%~~+1;additional status~b8~~~0-1.1=Service Required|0-1.2=Service Required: Unknown|2=Battery Fault~+2
2BEE flags~b8;time until discharged~u24~~min~FFFFFE!Greater than 0xFFFFFD|FFFFFF!Unknown;time until discharged on standby~u24~~min~FFFFFE!Greater than 0xFFFFFD|FFFFFF!Unknown~+0;time until recharged~u24~~min~FFFFFE!Greater than 0xFFFFFD|FFFFFF!Unknown~+1
2BEF estimated service date~days~~~0!not known
2BF0 flags~b8;external source power~sfloat~~W~~+0;present voltage~sfloat~~V~~+1;available energy~sfloat~~kWh~~+2;available battery capacity~sfloat~~kWh~~+3;charge rate~sfloat~~W~~+4;available energy at last charge~sfloat~~kWh~~+5
2BF2 flags~b8~~~0=Time Value reports a counter|1=Time Value reports UTC|2-3.1=Time resolution: 100 milliseconds|2-3.2=Time resolution: 1 millisecond|2-3.3=Time resolution: 100 microseconds|4=TZ/DST offset is used|5=Time stamp is from the current timeline;time value~u48;time sync source type~u8;TZ/DST offset~s8
2BFF flags~b8;UDI label~textz~~~~+0;UDI device identifier~textz~~~~+1;UDI issuer~textz~~~~+2;UDI authority~textz~~~~+3
2C05 percentage 8 steps~u8~~~FF!not known
2C06 acceleration~s32~1,-3,0~m/s²~7FFFFFFF!not known
2C07 force~s32~1,-3,0~N~7FFFFFFF!not known
2C08 linear position~s32~1,-7,0~m~7FFFFFFF!not known
2C09 rotational speed~s32~~rpm~7FFFFFFF!not known
2C0A length~u32~1,-7,0~m~FFFFFFFF!not known
2C0B torque~s32~1,-2,0~Nm~7FFFFFFF!not known
2C1B humidity 8~u8~1,0,-1~%~FF!not known
2C1C illuminance 16~u16~~lx~FFFF!not known
2C1D vector x~s8~1,-2,0~gₙ~7E!out of range|7F!not known;vector y~s8~1,-2,0~gₙ~7E!out of range|7F!not known;vector z~s8~1,-2,0~gₙ~7E!out of range|7F!not known
2C1E vector x~s16~1,-3,0~gₙ~7FFE!out of range|7FFF!not known;vector y~s16~1,-3,0~gₙ~7FFE!out of range|7FFF!not known;vector z~s16~1,-3,0~gₙ~7FFE!out of range|7FFF!not known
2C1F acceleration detection status~u8~~~0=No change in acceleration detected|1=Change in acceleration detected
2C20 open status~u8~~~0=Open|1=Closed|2=Tilted/Ajar
2C29 flags~b16;power technology~u8~~~0=Heating Unknown / Other|1=Heating Induction|2=Heating Gas|3=Heating Radiant|4=Cooling Refrigeration|5=Cooling Freezer|FF=Manufacturer Specific;number of cooking steps~u16;nominal power~u24~1,-1,0~W~FFFFFE!not valid|FFFFFF!not known~+1;boost level~u8~~%~~+1;minimum available power~u16~1,-1,0~%~~+1;maximum temperature~s16~1,-1,0~°C~8000!not known~+2;minimum temperature~s16~1,-1,0~°C~8000!not known~+2;maximum blower fan airflow~u16~1,-3,0~m³/s~FFFF!not known~+4
2C2E temperature~s16~1,-1,0~°C~8000!not known
2C2F cooking zone perceived power~u16~1,-1,0~%
2C30 kitchen appliance airflow~u16~1,-3,0~m³/s~FFFF!not known

"""#
}
