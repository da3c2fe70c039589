import BlueZ
import CoreBluetooth
import MainLoop
import PlainText

/// What `info` shows of the connection itself.
struct LinkReport {
    private let details: LinkDetails

    /// Nil if nothing can be found out.
    ///
    /// - Parameter monitor: one that was there before the connection.
    @MainActor
    init?(of peripheral: CBPeripheral, _ monitor: LinkMonitor?) async {
        guard let address = peripheral.bluetoothAddress else { return nil }
        let found = await Self.details(address, monitor)
        guard let details = found else { return nil }
        self.details = details
    }

    @LoopActor
    private static func details(_ address: String, _ monitor: LinkMonitor?) async -> LinkDetails? {
        let devices = BlueZSession.shared.adapters.flatMap(\.devices)
        // A device that has paired over this connection is known by another address now.
        let device = devices.first { $0.isConnected && ($0.address == address || $0.firstAddress == address) }
        return await device?.linkDetails(monitor)
    }

    /// `connection: -59 dBm, interval 50 ms, latency 0, supervision timeout 420 ms, LE 1M PHY, not encrypted`
    var line: String {
        var parts: [String] = []
        if let rssi = details.rssi { parts.append("\(rssi) dBm") }
        if let parameters = details.parameters {
            parts.append("interval \(Self.text(parameters.interval)) ms")
            parts.append("latency \(parameters.latency)")
            parts.append("supervision timeout \(Self.text(parameters.supervisionTimeout)) ms")
        }
        if let phys = details.phys {
            let (sending, receiving) = (phys.sending.name, phys.receiving.name)
            parts.append(
                sending == receiving ? "LE \(sending) PHY" : "LE \(sending) PHY sending, LE \(receiving) PHY receiving")
        }
        if let isEncrypted = details.isEncrypted { parts.append(isEncrypted ? "encrypted" : "not encrypted") }
        return "connection: " + parts.joined(separator: ", ")
    }

    var json: JSONObject {
        var object = JSONObject()
        object.add("rssi", details.rssi)
        object.add("intervalMs", details.parameters.map { Self.milliseconds($0.interval) }, places: 2)
        object.add("latency", details.parameters?.latency)
        object.add(
            "supervisionTimeoutMs", details.parameters.map { Self.milliseconds($0.supervisionTimeout) }, places: 0)
        object.add("sendingPHY", details.phys?.sending.name)
        object.add("receivingPHY", details.phys?.receiving.name)
        object.add("encrypted", details.isEncrypted)
        return object
    }

    private static func milliseconds(_ span: Duration) -> Double { span.inSeconds * 1000 }

    /// Intervals are multiples of 1.25 ms.
    private static func text(_ span: Duration) -> String {
        milliseconds(span).formatted(
            .number.precision(.fractionLength(0...2)).locale(Locale(identifier: "en_US_POSIX")))
    }
}

extension LinkPHY {
    /// As the specification names it, behind "LE".
    fileprivate var name: String {
        switch self {
        case .oneMegabit: "1M"
        case .twoMegabit: "2M"
        case .coded: "Coded"
        }
    }
}
