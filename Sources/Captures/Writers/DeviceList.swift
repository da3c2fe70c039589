import LineOutput
package import PlainText

/// The devices of a capture, as they are listed.
package struct DeviceList: Sendable {
    package let lines: [String]
    package let object: JSONObject

    package init(_ analysis: CaptureAnalysis) {
        // Those that have links come first.
        let devices = analysis.devices.filter { !$0.links.isEmpty } + analysis.devices.filter(\.links.isEmpty)
        let problems = analysis.problems + (analysis.unresolvedAddresses.map { [$0] } ?? [])
        lines =
            ["\(analysis.formatName), \(counted(analysis.packetCount, "packet"))"] + devices.map(Self.line) + problems
        var object = JSONObject()
        object.add("format", analysis.formatName)
        object.add("packets", analysis.packetCount)
        object.add("devices", devices.map(Self.object))
        object.add("problems", problems)
        self.object = object
    }

    private static func line(_ device: ObservedDevice) -> String {
        var parts = [device.identity.text]
        if let name = device.name { parts.append("\"\(name)\"") }
        if let others = device.otherAddressText { parts.append("also \(others)") }
        parts.append(device.roleText)
        if device.links.isEmpty {
            parts.append("no link; advertised \(counted(device.advertisementCount, "time"))")
        } else {
            parts.append(counted(device.links.count, "link"))
            parts.append("\(device.attCount) ATT PDUs")
            if device.encryptedCount > 0 { parts.append("\(counted(device.encryptedCount, "packet")) encrypted") }
        }
        parts.append("\(CaptureTime.text(device.first.time)) to \(CaptureTime.text(device.last.time))")
        return parts.joined(separator: ", ")
    }

    private static func object(_ device: ObservedDevice) -> JSONObject {
        var object = JSONObject()
        object.add("device", device.identity.text)
        object.add("addressType", device.identity.address.map { $0.isRandom ? "random" : "public" })
        object.add("otherAddresses", device.otherAddresses.map(\.description))
        object.add("name", device.name)
        object.add("role", device.roleText)
        object.add("links", device.links.count)
        object.add("attPDUs", device.attCount)
        object.add("encryptedPackets", device.encryptedCount)
        object.add("advertisements", device.advertisementCount)
        object.add("first", CaptureTime.text(device.first.time))
        object.add("last", CaptureTime.text(device.last.time))
        object.add("firstPacket", device.first.number)
        object.add("lastPacket", device.last.number)
        return object
    }
}

extension ObservedDevice {
    /// A text for people names as many addresses.
    private static let namedAddresses = 3

    /// `5A:01:02:03:04:05, 5A:01:02:03:04:06, 5A:01:02:03:04:07 and 6 others`; nil if it was seen under one address.
    var otherAddressText: String? {
        guard !otherAddresses.isEmpty else { return nil }
        var parts = otherAddresses.prefix(Self.namedAddresses).map(\.description)
        let rest = otherAddresses.count - parts.count
        if rest > 0 { parts.append(rest == 1 ? "1 other" : "\(rest) others") }
        guard let last = parts.popLast(), !parts.isEmpty else { return otherAddresses[0].description }
        return parts.joined(separator: ", ") + " and \(last)"
    }

    /// Which side it was, and where that was captured.
    fileprivate var roleText: String {
        guard !links.isEmpty else { return "advertiser" }
        let vantages = Set(links.map(\.vantage))
        let places = [
            (CapturedLink.Vantage.central, "at the central"), (.peripheral, "at the peripheral"), (.air, "in the air"),
        ].filter { vantages.contains($0.0) }.map(\.1)
        return "peripheral, captured \(places.joined(separator: " and "))"
    }
}

extension CaptureAnalysis {
    /// What was not read or kept, in sentences.
    package var problems: [String] {
        var problems: [String] = []
        if let fileRemark { problems.append(fileRemark) }
        if classicCount + classicAddresses.count > 0 {
            problems.append(
                "\(counted(classicCount, "packet")) of Bluetooth Classic (BR/EDR), which is not read")
        }
        if unknownCount > 0 {
            problems.append("\(counted(unknownCount, "packet")) of channels whose opening is not in the capture")
        }
        if damagedCount > 0 { problems.append("\(counted(damagedCount, "frame")) with a wrong CRC left out") }
        if strayCount > 0 {
            problems.append("\(counted(strayCount, "response")) without a request: packets are missing")
        }
        if omittedDevices > 0 {
            problems.append("\(counted(omittedDevices, "device")) that only advertised, beyond what is kept")
        }
        if resolvingList.omittedKeys > 0 {
            problems.append(
                "\(counted(resolvingList.omittedKeys, "identity resolving key")) beyond the limit "
                    + "(\(ResolvingList.maximumKeys))")
        }
        if hasUnreadKeys {
            problems.append(
                "identity resolving keys behind their addresses: the capture is not a regular file, and was read once")
        }
        if omittedLinks > 0 { problems.append("\(counted(omittedLinks, "link")) beyond what is kept") }
        if hasRunOut { problems.append("more requests and values than are kept; choose one device to keep more of it") }
        return problems
    }

    /// That what looks like several devices may be one, in a sentence; nil if it does not.
    package var unresolvedAddresses: String? {
        let count = unresolved.count
        guard count > 1 else { return nil }
        return "\(count) devices with links have resolvable private addresses, whose keys are not in the capture: some "
            + "may be the same device; --device, repeated, makes one device of several"
    }

    /// Why no profile can be made of this capture, in a sentence; nil if one can.
    package var obstacle: String? {
        guard importable.isEmpty else { return nil }
        let encrypted = devices.reduce(0) { $0 + $1.encryptedCount }
        if encrypted > 0 {
            return "everything that was said on a link is encrypted (\(counted(encrypted, "packet"))): capture at the "
                + "host (Android's btsnoop_hci.log, PacketLogger, btmon), or give the sniffer the key"
        }
        if devices.contains(where: { !$0.links.isEmpty }) {
            return "there are links, but no packets of the attribute protocol on them"
        }
        if classicCount + classicAddresses.count > 0 {
            return "the capture has Bluetooth Classic (BR/EDR) only, and no links of Bluetooth LE"
        }
        if !devices.isEmpty { return "the capture has advertisements only, and no link to a device" }
        return packetCount == 0 ? "the capture has no packets" : "the capture has no Bluetooth LE devices"
    }
}

enum CaptureTime {
    /// `2026-11-28T09:15:03.120Z`
    static func text(_ micros: Int64) -> String { Timestamp(milliseconds: micros / 1000).utc }
}
