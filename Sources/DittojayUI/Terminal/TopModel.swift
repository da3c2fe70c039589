import Dittojay

/// What the terminal view shows: the peripherals, the courses of their numbers, and the last events.
struct TopModel {
    /// A number of a characteristic over time.
    struct Course: Hashable {
        var numbers: [Double] = []
        /// Notifications a second, since the sample before.
        var rate = 0.0
        fileprivate var count: UInt64 = 0
    }

    struct Peripheral {
        var name: String
        /// Nil until it has answered.
        var sample: PeripheralSample?
        /// By `service/characteristic`.
        var courses: [String: Course] = [:]
        fileprivate var uptime = 0.0
    }

    /// By their keys, in the order in which they are shown.
    private(set) var peripherals: [(key: String, value: Peripheral)] = []
    private(set) var events: [String] = []
    /// The sockets at which nothing runs.
    var absent: [String] = []

    private static let maximumNumbers = 240
    private static let maximumEvents = 200

    /// The peripherals that there are now.
    mutating func keep(_ present: [(key: String, name: String)]) {
        let former = Dictionary(peripherals.map { ($0.key, $0.value) }) { $1 }
        peripherals = present.map { ($0.key, former[$0.key] ?? Peripheral(name: $0.name)) }
    }

    mutating func take(_ sample: PeripheralSample, of key: String) {
        guard let index = peripherals.firstIndex(where: { $0.key == key }) else { return }
        var peripheral = peripherals[index].value
        let elapsed = sample.status.uptime - peripheral.uptime
        for characteristic in sample.characteristics {
            let path = "\(characteristic.service)/\(characteristic.name)"
            var course = peripheral.courses[path] ?? Course(count: characteristic.notifications)
            if elapsed > 0, characteristic.notifications >= course.count {
                // Smoothed, so that what is sent once a second does not flicker.
                let rate = Double(characteristic.notifications - course.count) / elapsed
                course.rate += (rate - course.rate) * min(1, elapsed / 2)
            }
            course.count = characteristic.notifications
            if let number = Reading(characteristic).numbers.first {
                course.numbers.append(number.value)
                if course.numbers.count > Self.maximumNumbers { course.numbers.removeFirst() }
            }
            peripheral.courses[path] = course
        }
        peripheral.uptime = sample.status.uptime
        peripheral.name = sample.status.name
        peripheral.sample = sample
        peripherals[index].value = peripheral
    }

    mutating func note(_ event: String) {
        events.append(event)
        if events.count > Self.maximumEvents { events.removeFirst() }
    }
}
