import Foundation
import Testing

/// Mistakes as people make them: each changes one place of a good profile, and has to be reported on that line.
struct CommonMistake: CustomTestStringConvertible {
    /// The good profile, one of `Fixtures/profiles`.
    let file: String
    /// The text to replace, where it is first in the file.
    let original: String
    let mistake: String
    /// What has to be said.
    let expected: String
    /// What the line begins with on which it is reported, where that is not the changed one: it is above it.
    let place: String?

    var testDescription: String { "\(file): \(original) → \(mistake)" }

    /// Each line: the original text, the mistake, the expected message; and perhaps its place.
    static let all: [CommonMistake] = table.split(separator: "\n").reduce(into: (file: "", all: [])) { sum, line in
        if line.hasPrefix("# ") { return sum.file = String(line.dropFirst(2)) }
        let parts = line.components(separatedBy: " => ").map { $0.replacingOccurrences(of: "⏎", with: "\n") }
        sum.all.append(
            CommonMistake(
                file: sum.file, original: parts[0], mistake: parts[1], expected: parts[2],
                place: parts.count > 3 ? parts[3] : nil))
    }.all

    private static let table = #"""
        # thermometer
        name: thermometer => nmae: thermometer => did you mean "name"
        name: thermometer => Name: thermometer => did you mean "name"
        name: thermometer => name: [thermometer] => expected a name, found a list
        name: thermometer => name: => expected a name, found nothing
        local-name: Room 12 => local_name: Room 12 => did you mean "local-name"
        local-name: Room 12 => localname: Room 12 => did you mean "local-name"
        local-name: Room 12 => local-name: A thermometer in room number 12 => name too long: 31 bytes (limit 26
        appearance: thermometer => appearance: termometer => did you mean "thermometer"
        appearance: thermometer => appearance: 70000 => from 0 to 65535
        advertise: => advertize: => did you mean "advertise"
        manufacturer: {company: 0xFFFF => manufacturer: {compny: 0xFFFF => did you mean "company"
        company: 0xFFFF => company: 0x1FFFF => from 0 to 65535
        company: 0xFFFF => company: Appel Inc => did you mean "apple-inc"
        company: 0xFFFF => company: -1 => from 0 to 65535
        manufacturer: {company: 0xFFFF, data: [text:RM, u8:12]} => manufacturer: 0xFFFF => expected manufacturer data: a mapping
        data: [text:RM, u8:12] => data: [text:RM, 12] => invalid value "12"
        data: [text:RM, u8:12] => data: hex:0 => odd number of hexadecimal digits
        data: [text:RM, u8:12] => data: text:much-too-long-for-an-advertisement => (limit 24)
        services: => service: => did you mean "services"
        services: => Services: => did you mean "services"
        - uuid: environmental-sensing => - uid: environmental-sensing => did you mean "uuid"
        - uuid: environmental-sensing => - UUID: environmental-sensing => did you mean "uuid"
        - uuid: environmental-sensing => - uuid: enviromental-sensing => did you mean "environmental-sensing"
        - uuid: environmental-sensing => - uuid: 18A => neither a UUID nor the assigned name of a service
        - uuid: environmental-sensing => - uuid: 0x181 => neither a UUID
        - uuid: environmental-sensing => - uuid: 181A-0000-1000-8000-00805F9B34FB => neither a UUID
        - uuid: environmental-sensing => - uuid: generic-access => bluetoothd has the service
        - uuid: environmental-sensing => - uuid: temperature => assigned name of a service
        - uuid: environmental-sensing => - uuid: battery => duplicate UUID 180F =>   - uuid: battery
        - uuid: environmental-sensing => - name: room sensor⏎    uuid: 181A => expected a name of at most 64 letters
        advertised: true => advertised: ture => expected true or false (or yes, no, on, off)
        advertised: true => advertised: 1 => expected true or false
        advertised: true => advertise: true => did you mean "advertised"
        advertised: true => published: maybe => expected true or false
        advertised: true => primary: nope => expected true or false
        characteristics: => characteristic: => did you mean "characteristics"
        characteristics: => charateristics: => did you mean "characteristics"
        - uuid: temperature  => - uuid: temprature  => did you mean "temperature"
        - uuid: temperature  => - uuid: heart-rate  => assigned name of a characteristic
        - uuid: temperature  => - uuid: humidity  => duplicate UUID 2A6F =>       - uuid: humidity
        - uuid: temperature  => - uuid: 2A6  => expected 4 hexadecimal digits
        properties: [read, notify] => propertys: [read, notify] => did you mean "properties"
        properties: [read, notify] => properties: read, notify => expected a list of properties
        properties: [read, notify] => properties: [read, notifiy] => did you mean "notify"
        properties: [read, notify] => properties: [Read, notify] => did you mean "read"
        properties: [read, notify] => properties: [read, notification] => invalid property "notification"
        properties: [read, notify] => properties: [] => at least one property
        properties: [read, notify] => properties: [read, write-no-response, notify] => expected one of read, write
        properties: [read, notify] => properties: [read] => do not include notify or indicate =>         notify:
        value: i16:2150 => valeu: i16:2150 => did you mean "value"
        value: i16:2150 => value: 2150 => expected hex:0A0B, text:hello, u8:1
        value: i16:2150 => value: int16:2150 => invalid value "int16:2150"
        value: i16:2150 => value: i16:215000 => does not fit into 2 signed bytes
        value: i16:2150 => value: u16:-5 => does not fit into 2 unsigned bytes
        value: i16:2150 => value: i16:21.5 => invalid number "21.5"
        value: i16:2150 => value: "i16:" => invalid number ""
        value: i16:2150 => value: hex:21 5 => odd number of hexadecimal digits
        value: i16:2150 => value: hex:XYZ => is not hexadecimal
        value: i16:2150 => value: {i16: 2150} => expected a value such as hex:0A0B
        description: At the window => desciption: At the window => did you mean "description"
        description: At the window => description: [At, the, window] => expected a text
        format: {type: i16 => format: {typ: i16 => did you mean "type"
        format: {type: i16 => format: {type: int16 => invalid format "int16"
        format: {type: i16 => format: {type: i17 => did you mean
        exponent: -2 => exponent: -2.0 => a whole number from -128 to 127
        exponent: -2 => exponent: 300 => a whole number from -128 to 127
        exponent: -2 => exponnet: -2 => did you mean "exponent"
        unit: celsius => unit: celcius => did you mean "celsius"
        unit: celsius => unit: °C => invalid unit "°C"
        unit: celsius => unit: 0x12345 => from 0 to 65535
        unit: celsius => units: celsius => did you mean "unit"
        notify:⏎          every: 500 ms => notfiy:⏎          every: 500 ms => did you mean "notify"
        every: 500 ms => every: 500 => a time such as 250 ms, 1.5 s or 2 min
        every: 500 ms => every: 500 millis => a time such as
        every: 500 ms => every: half a second => a time such as
        every: 500 ms => every: 2 d => a time such as
        every: 500 ms => every: 0 s => expected a time from
        every: 500 ms => evry: 500 ms => did you mean "every"
        random-walk: {type: i16 => randomwalk: {type: i16 => did you mean "random-walk"
        random-walk: {type: i16 => random_walk: {type: i16 => did you mean "random-walk"
        random-walk: {type: i16 => random-walk: {type: s16 => expected one of u8
        from: 1800, to: 2600 => from: 2600, to: 1800 => "to" is below "from"
        from: 1800, to: 2600 => from: 1800 => "to" is missing
        from: 1800, to: 2600 => from: 1800, to: 260000 => from -32768 to 32767
        from: 1800, to: 2600 => min: 1800, to: 2600 => unknown key "min" in a random walk
        step: 15} => step: 0} => a whole number from 1
        step: 15} => step: 1.5} => a whole number from 1
        step: 15} => stpe: 15} => did you mean "step"
        values: ["u16:4550", "u16:4575", "u16:4560"] => values: u16:4550 => expected a list of values
        values: ["u16:4550", "u16:4575", "u16:4560"] => values: [] => at least one value is required
        values: ["u16:4550", "u16:4575", "u16:4560"] => values: [4550, "u16:4575"] => invalid value "4550"
        counter: {type: u8, from: 100, step: -1} => counter: u8 => expected a counter: a mapping
        counter: {type: u8, from: 100, step: -1} => counter: {type: u8, from: 300, step: -1} => from 0 to 255
        counter: {type: u8, from: 100, step: -1} => counter: {from: 100, step: -1} => "type" is missing
        counter: {type: u8, from: 100, step: -1} => value: u8:1⏎          counter: {type: u8} => exactly one of value, values => counter
        encrypted: true => encrypted: [reads] => did you mean "read"
        encrypted: true => encrypted: [write] => do not include write
        encrypted: true => encripted: true => did you mean "encrypted"
        encrypted: true => encrypted: sometimes => expected true or false
        value: text:Dittojay => value: Dittojay => expected hex:0A0B, text:hello
        value: text:Dittojay => value: "Dittojay" => invalid value "Dittojay"
        # uart
        uuid: 6E400001-B5A3-F393-E0A9-E50E24DCCA9E => uuid: 6E400001-B5A3-F393-E0A9-E50E24DCCA9 => 36 characters
        uuid: 6E400001-B5A3-F393-E0A9-E50E24DCCA9E => uuid: 6E400001B5A3F393E0A9E50E24DCCA9E => 36 characters
        uuid: 6E400001-B5A3-F393-E0A9-E50E24DCCA9E => uuid: 6G400001-B5A3-F393-E0A9-E50E24DCCA9E => neither a UUID
        properties: [write]⏎ => properties: [notify]⏎ => do not include write =>         write:
        properties: [write]⏎ => properties: {write: true}⏎ => expected a list of properties
        lengths: 1-64 => length: 1-64 => did you mean "lengths"
        lengths: 1-64 => lengths: 64-1 => a number, or two with a hyphen between them
        lengths: 1-64 => lengths: 1..64 => a number, or two with a hyphen
        lengths: 1-64 => lengths: 1-640 => from 0 to 512
        - value: text:PING => - text: PING => unknown key "text" in a reaction
        - value: text:PING => - value: PING => expected hex:0A0B, text:hello
        - value: text:PING => - vlaue: text:PING => did you mean "value"
        - value: text:PING⏎              do: => - value: text:PING⏎              prefix: text:P⏎              do: => exactly one of value, prefix, pattern, any =>               prefix
        - send: {on: tx, value: text:PONG} => - snd: {on: tx, value: text:PONG} => did you mean "send"
        - send: {on: tx, value: text:PONG} => - send: {to: tx, value: text:PONG} => unknown key "to" in a send
        - send: {on: tx, value: text:PONG} => - send: {on: xt, value: text:PONG} => did you mean "tx"
        - send: {on: tx, value: text:PONG} => - send: {on: tx} => exactly one of value, values
        - send: {on: tx, value: text:PONG} => - send: {value: text:PONG} => "on" is missing
        - send: {on: tx, value: text:PONG} => - send: {on: rx, value: text:PONG} => has neither the notify nor the indicate property
        - send: {on: tx, value: text:PONG} => - send: text:PONG => expected a send: a mapping
        - send: {on: tx, value: text:PONG} => - send => invalid step without a value "send"
        - send: {on: tx, value: text:PONG} => - send: {on: tx, value: text:PONG}⏎                  wait: 1 s => a step has exactly one key
        every: 50 ms => every: fifty => a time such as
        - wait: 1 s => - wait: 1 => a time such as
        - wait: 1 s => - sleep: 1 s => unknown key "sleep" in a step
        - wait: 1 s => - wait: -1 s => a time such as
        - wait: 1 s => - wait-for: conected => did you mean "connected"
        - wait: 1 s => - add-service: urat => did you mean "uart"
        - wait: 1 s => - repeat: {times: twice, steps: []} => a whole number from 1
        - wait: 1 s => - burst: {size: 20} => "count" is missing
        - wait: 1 s => - fault: {characteristic: tx, on: notify} => exactly one of no-answer
        - wait: 1 s => - clear-faults: every => unknown characteristic "every"
        refuse: 0x81 => refuse: 0x811 => invalid ATT error "0x811"
        refuse: 0x81 => refuse: no => invalid ATT error "no"
        refuse: 0x81 => refuse: insufficient-authorisation => did you mean "insufficient-authorization"
        refuse: 0x81 => refus: 0x81 => did you mean "refuse"
        chirps: true => chirp: true => did you mean "chirps"
        split: 1-7 => split: 0 => from 1 to 512
        split: 1-7 => splits: 1-7 => did you mean "split"
        write: {echo: loop} => write: {eko: loop} => unknown key "eko" in a write
        write: {echo: loop} => write: {echo: lop} => did you mean "loop"
        write: {echo: loop} => write: echo => expected a write: a mapping
        # heart-rate
        bpm: 60-119 => bpm: 60 to 119 => a number, or two with a hyphen
        bpm: 60-119 => bpm: 10-119 => from 20 to 400
        bpm: 60-119 => rate: 60-119 => unknown key "rate" in a heart rate
        rate-format: mixed => rate-format: mxied => did you mean "mixed"
        contact: varying => contact: sometimes => invalid contact detection "sometimes"
        reset-energy: heart-rate-measurement => reset-energy: heart-rate-mesurement => did you mean "heart-rate-measurement"
        any: true => any: false => expected true
        encrypted: [read] => encrypted: read => expected true or false
        # faulty
        - {on: read, no-answer: true} => - {no-answer: true} => "on" is missing
        - {on: read, no-answer: true} => - {on: reed, no-answer: true} => did you mean "read"
        - {on: read, no-answer: true} => - {on: read, noanswer: true} => did you mean "no-answer"
        - {on: read, no-answer: true} => - {on: read, no-answer: false} => expected true
        - {on: read, no-answer: true} => - {on: notify, no-answer: true} => only on read, write
        - {on: read, no-answer: true} => - {on: read, drop: true} => only on notify
        - {on: read, no-answer: true} => - {on: read, packet: FF} => a characteristic has no fault "packet"; valid: no-answer
        - {on: read, no-answer: true} => - on read => expected a fault: a mapping
        {on: read, error: 0x85, times: 2} => {on: read, eror: 0x85, times: 2} => did you mean "error"
        {on: read, error: 0x85, times: 2} => {on: read, error: busy, times: 2} => invalid ATT error "busy"
        {on: read, error: 0x85, times: 2} => {on: read, error: 0x85, times: 0} => a whole number from 1
        {on: read, error: 0x85, times: 2} => {on: read, error: 0x85, delay: 1 s} => exactly one of no-answer, error
        {on: read, delay: 1500 ms} => {on: read, delay: 1500} => a time such as
        {on: read, delay: 1500 ms} => {on: read, delay: 2000 s, after: x} => a whole number from 0
        flood: {count: 100, value: text:stale} => flood: {cuont: 100, value: text:stale} => did you mean "count"
        flood: {count: 100, value: text:stale} => flood: many => a whole number from 1
        - name: silent => - name: silent one => expected a name
        - name: refusing => - name: silent => duplicate name
        do: [{remove-service: optional}] => do: [{remove-service: optionl}] => did you mean "optional"
        do: [{remove-service: optional}] => do: {remove-service: optional} => expected a list of steps
        """#
}
