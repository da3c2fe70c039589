import Foundation
import GATTProfiles
package import PlainText

/// What a capture has heard, as a scene of the virtual radio: phantoms that advertise the same, placed where they are
/// as strong at a phone.
package struct SceneImport {
    package private(set) var lines: [String]
    package private(set) var count = 0
    package private(set) var report = ImportReport()

    /// A scene may have as many.
    package static let maximumPhantoms = 2000
    /// Bytes of an advertisement or a scan response.
    private static let maximumLength = 31
    /// The intervals that phantoms can have, in seconds.
    private static let intervals = 0.02...10.24
    /// Seconds between two advertisements of what was heard once.
    private static let usualInterval = 1.0

    /// - Parameters:
    ///   - fileName: the capture's name, for a comment.
    ///   - served: what something else than a phantom is to be; nil if nothing is.
    package init(_ analysis: CaptureAnalysis, fileName: String, without served: DeviceIdentity? = nil) {
        lines = [
            "# What \(TerminalText.escaped(fileName)) (\(analysis.formatName)) heard, as strong at \"phone\" as it was there.",
            "# \"packet N\" is the number in Wireshark.", "devices:",
            "  sensor: {controller: hci0, at: [1 m, 0 m]}", "  phone: {controller: hci1, at: [0 m, 0 m]}", "phantoms:",
        ]
        let heard = analysis.devices.filter { !$0.heard.isEmpty && $0.identity != served && $0.identity.address != nil }
        let often = heard.sorted {
            ($1.heard.count, $0.first.number) < ($0.heard.count, $1.first.number)
        }.prefix(Self.maximumPhantoms)
        for device in often.sorted(by: { $0.first.number < $1.first.number }) { add(device) }
        if heard.count > often.count {
            report.leaveOut(
                "\(counted(heard.count - often.count, "device")) beyond the limit of a scene (\(Self.maximumPhantoms)), "
                    + "which were heard least")
        }
        if analysis.omittedDevices > 0 {
            report.leaveOut("\(counted(analysis.omittedDevices, "device")) beyond what is kept of a capture")
        }
    }

    private mutating func add(_ device: ObservedDevice) {
        guard let address = device.identity.address, let first = device.heard.first else { return }
        let heard = device.heard
        var facts = ["packet \(first.number)"]
        if let strength = heard.strength { facts.append("\(strength) dBm") }
        if heard.interval == nil { facts.append("heard once") }
        if let name = device.name, !name.isEmpty { facts.insert("\"\(TerminalText.escaped(name))\"", at: 0) }
        // An address may be of both types.
        let name = address.description.replacing(":", with: "-") + (address.isRandom ? "" : "-public")
        lines.append("  \(name):  # \(facts.joined(separator: ", "))")
        lines.append("    address: \"\(address)\"")
        if !address.isRandom { lines.append("    type: public") }
        lines.append("    at: \(place(heard.strength))")
        let interval = heard.interval ?? Self.usualInterval
        let possible = min(max(interval, Self.intervals.lowerBound), Self.intervals.upperBound)
        lines.append("    interval: \(Duration.text(seconds: (possible * 1000).rounded() / 1000))")
        for (key, bytes) in [("data", heard.data), ("response", heard.response)] where !bytes.isEmpty {
            let whole = fitting(bytes, key, address, first)
            guard !whole.isEmpty else { continue }
            lines.append("    \(key): \"\(ValueText.hex(whole))\"")
        }
        count += 1
    }

    /// Where a device is as strong at the phone, by the path loss of a scene. Each is in another direction.
    private func place(_ strength: Int?) -> String {
        let distance = pow(10, Double(-59 - (strength ?? -70)) / 20)
        // The golden angle: no two have the same direction.
        let angle = Double(count) * .pi * (3 - 5.0.squareRoot())
        return "[\(decimal(distance * cos(angle))) m, \(decimal(distance * sin(angle))) m]"
    }

    /// The elements that are in an advertisement as a whole.
    private mutating func fitting(
        _ bytes: [UInt8], _ key: String, _ address: DeviceAddress, _ first: PacketMark
    ) -> [UInt8] {
        guard bytes.count > Self.maximumLength else { return bytes }
        report.leaveOut(
            "the end of the \(key) of \(address), which has \(bytes.count) bytes (limit \(Self.maximumLength))",
            first.number)
        var end = 0
        while end < bytes.count, end + 1 + Int(bytes[end]) <= Self.maximumLength { end += 1 + Int(bytes[end]) }
        return Array(bytes[..<min(end, bytes.count)])
    }

    package func add(to object: inout JSONObject) {
        object.add("phantoms", count)
        report.add(to: &object)
    }
}
