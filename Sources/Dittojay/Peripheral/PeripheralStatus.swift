package import PlainText

/// The status of a running peripheral.
public struct PeripheralStatus: Codable, Hashable, Swift.Sendable {
    public struct Service: Codable, Hashable, Swift.Sendable {
        public var name: String
        public var uuid: String
        /// Whether centrals can find it at the moment.
        public var isPublished: Bool
    }

    public struct Central: Codable, Hashable, Swift.Sendable {
        /// As `AA:BB:CC:DD:EE:FF`.
        public var address: String
        /// In bytes; absent until the central's first request or subscription.
        public var mtu: Int?
        /// The characteristics' names in the profile.
        public var subscriptions: [String]
    }

    /// The device that is proxied.
    public struct Device: Codable, Hashable, Swift.Sendable {
        /// As it is advertised; absent until it is found, or if it has none.
        public var name: String?
        /// As `AA:BB:CC:DD:EE:FF`; absent until it is found.
        public var address: String?
        /// The controller that it is reached with; absent until that is chosen.
        public var adapter: String?
        /// Whether it is connected and what it offers is known.
        public var isConnected: Bool
    }

    public struct CharacteristicFault: Codable, Hashable, Swift.Sendable {
        /// As `service/characteristic`.
        public var characteristic: String
        /// What goes wrong, and when.
        public var fault: String
    }

    public struct HeartRate: Codable, Hashable, Swift.Sendable {
        /// bpm.
        public var rate: Int
        public var hasContact: Bool
        /// Kilojoules since the last reset.
        public var energyExpended: Int
    }

    /// The process's number.
    public var pid: Int
    /// Seconds since it was started.
    public var uptime: Double
    public var profile: String
    /// The advertised name.
    public var name: String
    /// The controller: `hci0`.
    public var adapter: String
    /// The controller's address.
    public var address: String
    /// As in Apple's API: `poweredOn`, `poweredOff`, `resetting`, …
    public var state: String
    public var isAdvertising: Bool
    /// The seed to replay the run with.
    public var seed: UInt64
    /// Absent if the peripheral is not a proxy.
    public var device: Device?
    public var services: [Service]
    /// The faults that are not used up.
    public var faults: [CharacteristicFault]
    /// The centrals that are connected.
    public var centrals: [Central]
    /// Absent if the profile has no heart.
    public var heartRate: HeartRate?
    /// How many notifications and indications were handed over for sending since the start.
    public var notifications: UInt64
    /// How many reads were answered since the start.
    public var reads: UInt64
    /// How many writes were accepted since the start.
    public var writes: UInt64
    /// How many lines of its output the program has dropped since the start because they were not read.
    public var droppedLines: Int?

    /// One line for programs.
    package var json: JSONObject {
        var object = JSONObject()
        object.add(CodingKeys.pid, pid)
        object.add(CodingKeys.uptime, uptime, places: 3)
        object.add(CodingKeys.profile, profile)
        object.add(CodingKeys.name, name)
        object.add(CodingKeys.adapter, adapter)
        object.add(CodingKeys.address, address)
        object.add(CodingKeys.state, state)
        object.add(CodingKeys.isAdvertising, isAdvertising)
        object.add(CodingKeys.seed, seed)
        object.add(CodingKeys.device, device?.json)
        object.add(CodingKeys.services, services.map(\.json))
        object.add(CodingKeys.faults, faults.map(\.json))
        object.add(CodingKeys.centrals, centrals.map(\.json))
        object.add(CodingKeys.heartRate, heartRate?.json)
        object.add(CodingKeys.notifications, notifications)
        object.add(CodingKeys.reads, reads)
        object.add(CodingKeys.writes, writes)
        object.add(CodingKeys.droppedLines, droppedLines)
        return object
    }

    /// Several lines for people.
    package var lines: [String] {
        var lines = [
            "\(name) (profile \(profile), seed \(seed)) on \(adapter) \(address), "
                + "\(isAdvertising ? "advertising" : "not advertising"), \(stateText)",
            "running for \(fixedPoint(uptime, places: 0)) s as process \(pid): \(counted(notifications, "notification")), "
                + "\(counted(reads, "read")), \(counted(writes, "write"))",
        ]
        if let device {
            let name = [device.name.map { "\"\($0)\"" }, device.address].compactMap(\.self).joined(separator: " ")
            lines.append(
                "device \(name.isEmpty ? "not found yet" : name)\(device.adapter.map { " on \($0)" } ?? ""), "
                    + (device.isConnected ? "connected" : "not connected"))
        }
        if let heart = heartRate {
            lines.append(
                "heart rate \(heart.rate) bpm, \(heart.hasContact ? "contact" : "no contact"), \(heart.energyExpended) kJ"
            )
        }
        for service in services {
            lines.append("service \(service.name) \(service.uuid)\(service.isPublished ? "" : " (withdrawn)")")
        }
        for fault in faults { lines.append("fault \(fault.characteristic) \(fault.fault)") }
        for central in centrals {
            let mtu = central.mtu.map { ", MTU \($0)" } ?? ""
            let subscriptions =
                central.subscriptions.isEmpty
                ? "" : ", subscribed to " + central.subscriptions.joined(separator: ", ")
            lines.append("central \(central.address)\(mtu)\(subscriptions)")
        }
        if centrals.isEmpty { lines.append("no central is connected") }
        if let droppedLines, droppedLines > 0 {
            lines.append("\(counted(droppedLines, "line")) of output dropped: its reader is too slow")
        }
        return lines
    }

    private var stateText: String {
        switch state {
        case "poweredOn": "Bluetooth is on"
        case "poweredOff": "Bluetooth is off"
        case "resetting": "bluetoothd is not running"
        case "unsupported": "the adapter was removed"
        case "unauthorized": "access to Bluetooth is refused"
        default: "Bluetooth is not ready yet"
        }
    }
}

extension PeripheralStatus.Device {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.add(CodingKeys.name, name)
        object.add(CodingKeys.address, address)
        object.add(CodingKeys.adapter, adapter)
        object.add(CodingKeys.isConnected, isConnected)
        return object
    }
}

extension PeripheralStatus.Service {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.add(CodingKeys.name, name)
        object.add(CodingKeys.uuid, uuid)
        object.add(CodingKeys.isPublished, isPublished)
        return object
    }
}

extension PeripheralStatus.CharacteristicFault {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.add(CodingKeys.characteristic, characteristic)
        object.add(CodingKeys.fault, fault)
        return object
    }
}

extension PeripheralStatus.Central {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.add(CodingKeys.address, address)
        object.add(CodingKeys.mtu, mtu)
        object.add(CodingKeys.subscriptions, subscriptions)
        return object
    }
}

extension PeripheralStatus.HeartRate {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.add(CodingKeys.rate, rate)
        object.add(CodingKeys.hasContact, hasContact)
        object.add(CodingKeys.energyExpended, energyExpended)
        return object
    }
}
