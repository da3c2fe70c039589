import AssignedNumbers

/// Profiles to start from: commented files that are valid as they are.
package struct ProfileTemplate: Hashable, Swift.Sendable {
    /// The template's name in commands: `thermometer`.
    package let name: String
    /// What it is, in a sentence without a full stop.
    package let summary: String
    /// The services, as a file has them.
    private let services: String

    /// Those that are written by hand.
    package static let all: [ProfileTemplate] = [
        thermometer, heartRate, bloodPressure, weightScale, cycling, uart, light,
    ]

    /// The template with this name; for the assigned name of a service one with that service; nil for anything else.
    package init?(named name: String) {
        let typed = TypedName.text(name)
        if let known = Self.all.first(where: { $0.name == typed }) {
            self = known
            return
        }
        guard let number = AssignedKind.service.number(named: name), !(0x1800...0x1801).contains(number) else {
            return nil
        }
        self = .service(typed)
    }

    private init(_ name: String, _ summary: String, _ services: String) {
        self.name = name
        self.summary = summary
        self.services = services
    }

    /// The file.
    ///
    /// - Parameters:
    ///   - profile: the profile's name.
    ///   - schema: where the schema is, seen from the file; nil for no line about it.
    package func text(profile: String, schema: String?) -> String {
        let modeline = schema.map { "# yaml-language-server: $schema=\($0)\n" } ?? ""
        // At most 26 bytes are advertised. Between quotes YAML gives no other meaning to anything.
        var localName = profile
        while localName.utf8.count > ProfileReader.possibleNameLengths.upperBound { localName.removeLast() }
        return """
            \(modeline)# \(summary).
            #
            #   dittojay check FILE              what it would serve, and its mistakes
            #   dittojay --profile FILE          serve it
            #   dittojay names TEXT              the assigned names of services, characteristics and units
            name: \(Self.quoted(profile))
            local-name: \(Self.quoted(localName))          # advertised; at most 26 bytes
            services:
            \(services)
            # What happens by itself, step by step:
            # scenario:
            #   - wait-for: connected
            #   - wait: 10 s
            #   - disconnect

            """
    }

    private static func quoted(_ text: String) -> String {
        text.utf8.allSatisfy { ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || $0 == 0x2D }
            && !["true", "false", "yes", "no", "on", "off", "null"].contains(text.lowercased()) && !text.hasPrefix("-")
            ? text : "\"\(text.filter { $0 != "\"" && $0 != "\\" && !$0.isNewline })\""
    }

    // MARK: Templates

    private static let battery = """
          - uuid: battery
            characteristics:
              - uuid: battery-level
                properties: [read, notify]
                value: u8:100                     # per cent
                notify:
                  every: 1 min
                  counter: {type: u8, from: 100, step: -1}

        """

    private static let information = """
          - uuid: device-information
            characteristics:
              - uuid: manufacturer-name-string
                properties: [read]
                value: text:Dittojay
              - uuid: serial-number-string
                properties: [read]
                encrypted: yes                    # reading it pairs first
                value: text:0012-3456

        """

    private static let thermometer = ProfileTemplate(
        "thermometer", "A room thermometer, with values that change by themselves",
        """
          - uuid: environmental-sensing           # an assigned name, or 4 or 36 characters such as 181A
            advertised: yes
            characteristics:
              - uuid: temperature                 # hundredths of a degree Celsius
                properties: [read, notify]
                value: i16:2150
                description: At the window
                format: {type: i16, exponent: -2, unit: celsius}
                notify:                           # sent while somebody is subscribed
                  every: 1 s
                  random-walk: {type: i16, from: 1800, to: 2600, step: 15}
              - uuid: humidity                    # hundredths of a per cent
                properties: [read, notify]
                value: u16:4550
                format: {type: u16, exponent: -2, unit: percent}
                notify:
                  every: 2 s
                  values: ["u16:4550", "u16:4575", "u16:4560"]

        """ + battery + information)

    private static let heartRate = ProfileTemplate(
        "heart-rate", "A heart-rate belt",
        """
          - uuid: heart-rate
            advertised: yes
            characteristics:
              - uuid: heart-rate-measurement
                properties: [notify]
                notify:
                  every: 1 s
                  heart-rate: {bpm: 60-119, rate-format: mixed, contact: varying}
              - uuid: body-sensor-location
                properties: [read]
                value: u8:1                       # chest
              - uuid: heart-rate-control-point
                properties: [write]
                write:
                  lengths: 1                      # others are refused with 0x0D
                  when:                           # the first that matches is used
                    - value: u8:1
                      do: [{reset-energy: heart-rate-measurement}]
                    - any: yes
                      refuse: 0x80

        """ + battery)

    private static let bloodPressure = ProfileTemplate(
        "blood-pressure", "A blood pressure monitor that sends a measurement every ten seconds",
        """
          - uuid: blood-pressure
            advertised: yes
            characteristics:
              - uuid: blood-pressure-measurement
                properties: [indicate]
                notify:
                  every: 10 s
                  values:
                    # flags: mmHg, with a pulse rate; systolic, diastolic, mean; pulse rate
                    - [u8:4, "u16:120 80 93", u16:66]
                    - [u8:4, "u16:124 82 96", u16:71]
              - uuid: blood-pressure-feature
                properties: [read]
                value: u16:0

        """ + battery)

    private static let weightScale = ProfileTemplate(
        "weight-scale", "A weight scale",
        """
          - uuid: weight-scale
            advertised: yes
            characteristics:
              - uuid: weight-measurement
                properties: [indicate]
                notify:
                  every: 5 s
                  # flags 0: kilograms, nothing else; then steps of 0.005 kg
                  values: [[u8:0, u16:14000], [u8:0, u16:14020]]
              - uuid: weight-scale-feature
                properties: [read]
                value: u32:0

        """ + battery)

    private static let cycling = ProfileTemplate(
        "cycling-speed-and-cadence", "A cadence sensor on a bicycle's crank",
        """
          - uuid: cycling-speed-and-cadence
            advertised: yes
            characteristics:
              - uuid: csc-measurement
                properties: [notify]
                notify:
                  every: 1 s
                  values:
                    # flags 2: crank revolutions, and the time of the last in 1/1024 s
                    - [u8:2, "u16:1 1024"]
                    - [u8:2, "u16:2 2048"]
                    - [u8:2, "u16:4 3072"]
              - uuid: csc-feature
                properties: [read]
                value: u16:2                      # crank revolutions
              - uuid: sensor-location
                properties: [read]
                value: u8:5                       # left crank

        """ + battery)

    private static let uart = ProfileTemplate(
        "uart", "A serial line over two characteristics, as many chips have it, that answers commands",
        """
          - name: uart
            uuid: 6E400001-B5A3-F393-E0A9-E50E24DCCA9E
            advertised: yes
            characteristics:
              - name: rx                          # what a central writes
                uuid: 6E400002-B5A3-F393-E0A9-E50E24DCCA9E
                properties: [write, write-without-response]
                write:
                  when:
                    - value: text:PING
                      do: [{send: {on: tx, value: text:PONG}}]
                    - any: yes
                      do: [{send: {on: tx, value: "text:ERROR"}}]
              - name: tx                          # what it gets
                uuid: 6E400003-B5A3-F393-E0A9-E50E24DCCA9E
                properties: [notify]
                split: 20                         # longer values come in pieces

        """)

    private static let light = ProfileTemplate(
        "light", "A lamp with a service of its own, that can be switched, and reports when it was",
        """
          - name: lamp
            uuid: F0AA0000-0000-4000-8000-000000000000   # make your own: uuidgen
            advertised: yes
            characteristics:
              - name: switch                      # 1 is on
                uuid: F0AA0001-0000-4000-8000-000000000000
                properties: [read, write, notify]
                value: u8:0
                write:
                  lengths: 1
                  store: yes
                  echo: switch                    # reports it to those who are subscribed
              - name: brightness
                uuid: F0AA0002-0000-4000-8000-000000000000
                properties: [read, write]
                value: u8:50
                format: {type: u8, unit: percent}
                faults:                           # what goes wrong, on purpose
                  - {on: write, error: 0x80, after: 3, times: 1}

        """)

    /// A service by its assigned name, with a characteristic to be replaced.
    private static func service(_ name: String) -> ProfileTemplate {
        ProfileTemplate(
            name, "A peripheral with the service \(name)",
            """
              - uuid: \(name)
                advertised: yes
                characteristics:
                  # The first of them; dittojay names --kind characteristic lists all that have a number.
                  - name: value
                    uuid: F0AA0001-0000-4000-8000-000000000000
                    properties: [read, notify]
                    value: u8:0                   # hex:0A 0B, text:hello, i16:-5, u32be:1, …
                    notify:
                      every: 1 s
                      counter: {type: u8}

            """ + battery)
    }
}
